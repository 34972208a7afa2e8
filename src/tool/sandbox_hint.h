/*
 * sandbox_hint.h - finds out from the output of a command what its sandbox has refused.
 *
 * The kernel reports a refusal as an error number, which each command prints in its own words. The
 * last lines of the output are searched for these words. A file counts as refused by the sandbox
 * only if the refusal has no other reason: trefoil itself can see the file, or may write to it.
 */
#ifndef TOOL_SANDBOX_HINT_H
#define TOOL_SANDBOX_HINT_H

#include "base/arena.h"
#include "loop/sandbox_profile.h"

enum { SANDBOX_HINT_BYTES = 8192 }; /* bytes at the end of the output that are searched */

/*
 * Return a sentence such as "blocked by sandbox profile workspace: write to ../x, the network;
 * allow with ...", in mem. STR_NONE: the sandbox has refused nothing. `folder` is the absolute
 * working folder of the command. The function checks the files that the output names.
 */
struct str sandbox_hint(struct arena *mem, enum sandbox_kind kind, const char *folder,
                        struct str output);

#endif
