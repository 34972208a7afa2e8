/* path_list.h - lists of absolute paths, and comparisons of paths. */
#ifndef SANDBOX_PATH_LIST_H
#define SANDBOX_PATH_LIST_H

#include "base/arena.h"

/* The maximum number of paths in a list. A project with more sockets, submodules or secrets than
 * this is an error. */
enum { PATH_LIST_MOST = 1024 };

struct path_list {
    const char **v;
    size_t n, room;
};

/* Add a path, unless the list has it already. The text is not copied. False: the list is full. */
bool path_list_add(struct arena *mem, struct path_list *l, const char *path);

bool path_list_has(const struct path_list *l, const char *path);

/* Sort the list by length, the shortest path first. So a folder comes before all paths below it. */
void path_list_sort(struct path_list *l);

/* Is `path` the folder itself or below it? Only the texts are compared: both must be absolute paths
 * without links, "." and "..". */
bool path_within(const char *path, const char *folder);

/* The longest entry of the list that is `path` or a folder above it; NULL: none. */
const char *path_list_above(const struct path_list *l, const char *path);

/* An entry of the list that is `path` or below it; NULL: none. */
const char *path_list_below(const struct path_list *l, const char *path);

/* The real path of an existing file, in mem. On failure returns NULL and sets errno. */
const char *path_real(struct arena *mem, const char *path);

/* Join a folder and a name, in mem. */
const char *path_join(struct arena *mem, const char *folder, const char *name);

#endif
