/*
 * path_args.h - finds the paths in the arguments of a tool that writes files.
 */
#ifndef CORE_TOOL_PATH_ARGS_H
#define CORE_TOOL_PATH_ARGS_H

#include "base/pick.h"
#include "core/tool/call.h"

/*
 * Collect the paths in the arguments, resolved in the same way as the tools do (path_below.h).
 * Returns false if a path is not valid or leads outside the root. Then *out contains the other
 * paths.
 */
bool path_args(struct arena *mem, const struct host *host, struct json args, struct pick_strs *out);

#endif
