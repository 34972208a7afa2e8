/*
 * path_args.h - the paths that a call of a writing tool names.
 */
#ifndef CORE_TOOL_PATH_ARGS_H
#define CORE_TOOL_PATH_ARGS_H

#include "base/pick.h"
#include "core/tool/call.h"

/*
 * Those that lie below the root, read as the tools read them (path_below.h); none: out->n is 0.
 * False when one of them is no path, or leads elsewhere; the others are in *out all the same.
 */
bool path_args(struct arena *mem, const struct host *host, struct json args, struct pick_strs *out);

#endif
