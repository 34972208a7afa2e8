/*
 * path_args.h - the paths that a call of a writing tool names.
 */
#ifndef CORE_TOOL_PATH_ARGS_H
#define CORE_TOOL_PATH_ARGS_H

#include "base/pick.h"
#include "core/tool/call.h"

/*
 * Collect the paths below the root, resolved as the tools do (path_below.h). False: one of the
 * arguments is not a path, or leads outside the root; *out has the others all the same.
 */
bool path_args(struct arena *mem, const struct host *host, struct json args, struct pick_strs *out);

#endif
