#include "loop/shared_lib.h"

#include <dlfcn.h>
#include <string.h>

#define INSTALL "; install the package %s (Debian: apt install %s)"

static bool fail_load(const struct shared_lib *lib, struct err *e)
{
    return fail(e, ERR_SYSTEM, "%s (%.80s)" INSTALL, lib->purpose, dlerror(), lib->package,
                lib->package);
}

static bool fail_symbol(const struct shared_lib *lib, const char *name, struct err *e)
{
    return fail(e, ERR_SYSTEM, "%s (%.40s has no %s)" INSTALL, lib->purpose, lib->file, name,
                lib->package, lib->package);
}

bool shared_lib_load(const struct shared_lib *lib, void *table, struct err *e)
{
    void *handle = dlopen(lib->file, RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        return fail_load(lib, e);
    for (size_t i = 0; i < lib->functions; i++)
        if (!dlsym(handle, lib->function[i].name))
            return fail_symbol(lib, lib->function[i].name, e);
    for (size_t i = 0; i < lib->functions; i++) {
        void *p = dlsym(handle, lib->function[i].name);

        memcpy((char *)table + lib->function[i].offset, &p, sizeof(p));
    }
    return true;
}
