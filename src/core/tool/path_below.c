#include "core/tool/path_below.h"

#include "base/buf.h"

#include <limits.h>

/* Remove the folder from the start of *path. False: the path does not start with it. */
static bool take_folder(const char *folder, struct str *path)
{
    struct str head = str_of(folder);

    while (head.n && head.p[head.n - 1] == '/') /* "/" becomes empty */
        head.n--;
    if (!folder || !str_starts(*path, head) || (path->n > head.n && path->p[head.n] != '/'))
        return false;
    *path = str_skip(*path, head.n);
    return true;
}

static bool climb(struct buf *b)
{
    if (!b->n)
        return false;
    while (b->n && b->p[b->n - 1] != '/')
        b->n--;
    b->n -= b->n > 0;
    return true;
}

/* Resolve "." and ".." part by part. False: the path leaves its start folder. */
static bool straighten(struct buf *b, struct str path)
{
    while (path.p) {
        struct str part = str_cut(&path, '/');

        if (!part.n || str_eq(part, STR(".")))
            continue;
        if (str_eq(part, STR(".."))) {
            if (!climb(b))
                return false;
            continue;
        }
        if (b->n)
            buf_putc(b, '/');
        buf_put(b, part);
    }
    return true;
}

bool path_below(struct arena *mem, const char *folder, const char *cwd, struct str path,
                struct str *out)
{
    struct str from = str_of(cwd);
    bool relative = !str_starts(path, STR("/"));
    struct buf b;

    if (path.n >= PATH_MAX || from.n >= PATH_MAX)
        return false;
    if (relative ? cwd && !take_folder(folder, &from) : !take_folder(folder, &path))
        return false;
    buf_init_in(&b, mem, 2 * PATH_MAX);
    if ((relative && !straighten(&b, from)) || !straighten(&b, path) || b.n >= PATH_MAX)
        return false;
    *out = b.n ? buf_str(&b) : STR("");
    return true;
}
