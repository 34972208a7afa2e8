#include "sandbox/path_list.h"

#include <limits.h>
#include <stdlib.h>

bool path_list_has(const struct path_list *l, const char *path)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(str_of(l->v[i]), str_of(path)))
            return true;
    return false;
}

bool path_list_add(struct arena *mem, struct path_list *l, const char *path)
{
    if (path_list_has(l, path))
        return true;
    if (l->n == PATH_LIST_MOST)
        return false;
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 32;

        l->v = arena_grow(mem, l->v, l->room * sizeof(*l->v), room * sizeof(*l->v));
        l->room = room;
    }
    l->v[l->n++] = path;
    return true;
}

static int by_length(const void *a, const void *b)
{
    size_t n = strlen(*(const char *const *)a), m = strlen(*(const char *const *)b);

    return n < m ? -1 : n > m;
}

void path_list_sort(struct path_list *l)
{
    if (l->n)
        qsort(l->v, l->n, sizeof(*l->v), by_length);
}

bool path_within(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    if (n == 1)
        return true; /* "/" */
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

const char *path_list_above(const struct path_list *l, const char *path)
{
    const char *best = NULL;

    for (size_t i = 0; i < l->n; i++)
        if (path_within(path, l->v[i]) && (!best || strlen(l->v[i]) > strlen(best)))
            best = l->v[i];
    return best;
}

const char *path_list_below(const struct path_list *l, const char *path)
{
    for (size_t i = 0; i < l->n; i++)
        if (path_within(l->v[i], path))
            return l->v[i];
    return NULL;
}

const char *path_real(struct arena *mem, const char *path)
{
    char real[PATH_MAX];

    return realpath(path, real) ? arena_cstr(mem, str_of(real)) : NULL;
}

const char *path_join(struct arena *mem, const char *folder, const char *name)
{
    return arena_printf(mem, "%s/%s", folder[1] ? folder : "", name).p;
}
