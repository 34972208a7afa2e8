/* use_memory.c - linked into a whole trefoil, gives all its tools the memory workspace. */
#include "tool/local_workspace.h"
#include "workspace/memory_workspace.h"

__attribute__((constructor)) static void use_memory_workspace(void)
{
    local_workspace.kind = &memory_kind;
}
