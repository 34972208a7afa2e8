/*
 * path_below.h - resolves a path lexically, without reading the file system. Pure.
 *
 * The guard and the tools both use this function, so that a tool opens the same file that the guard
 * has judged. "a/../b" is always "b", even if "a" is a link. The kernel resolves symbolic links
 * (tool/file/beneath.h).
 */
#ifndef CORE_TOOL_PATH_BELOW_H
#define CORE_TOOL_PATH_BELOW_H

#include "base/arena.h"

/*
 * Is the path inside `folder`, or the folder itself? `folder` is absolute; if `folder` is NULL,
 * only a relative path can be inside. A relative path starts at `cwd` (absolute; NULL: the folder).
 * *out is the path relative to the folder, without ".", ".." and double slashes; "" for the folder
 * itself. A path that leaves the folder at any point counts as outside, as does a path that is too
 * long for Linux.
 */
bool path_below(struct arena *mem, const char *folder, const char *cwd, struct str path,
                struct str *out);

#endif
