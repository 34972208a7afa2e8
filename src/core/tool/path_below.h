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
 * Is the path in `folder` (absolute; NULL: only relative paths can be), or the folder itself? A
 * relative path starts at `cwd` (absolute; NULL: the folder itself). *out is the path from the
 * folder, without ".", ".." and double slashes; "" for the folder itself. A path that leaves the
 * folder at any point is not in it, and neither is one that is longer than Linux accepts.
 */
bool path_below(struct arena *mem, const char *folder, const char *cwd, struct str path,
                struct str *out);

#endif
