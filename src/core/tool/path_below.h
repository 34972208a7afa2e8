/*
 * path_below.h - resolve a path lexically, without looking at the file system. Pure.
 *
 * Tools open what the guard has judged, so both use this one interpretation of a path: "a/../b" is
 * "b", whatever a is. The kernel resolves symbolic links (tool/beneath.h).
 */
#ifndef CORE_TOOL_PATH_BELOW_H
#define CORE_TOOL_PATH_BELOW_H

#include "base/arena.h"

/*
 * Does it lie in `folder` (absolute; NULL: only relative paths can), or is it the folder? A relative
 * path is meant from `cwd` (absolute; NULL: the folder itself). *out is the way from the folder,
 * without ".", ".." and double slashes; "" for the folder itself. A path that leaves the folder on
 * its way is not in it, and so is one that is longer than Linux takes.
 */
bool path_below(struct arena *mem, const char *folder, const char *cwd, struct str path,
                struct str *out);

#endif
