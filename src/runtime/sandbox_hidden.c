#include "runtime/sandbox_hidden.h"

#include "base/version.h"
#include "state/root.h"

#include <limits.h>
#include <stdlib.h>

enum { HIDDEN_MOST = 8 };

struct hidden_list {
    struct arena *mem;
    const char *root;
    const char **v;
    size_t n;
};

/* Is `path` the folder, or below it? */
static bool is_in(struct str path, struct str folder)
{
    return str_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

/*
 * Add a path. A path that does not exist is added, too, because trefoil may create it later. False:
 * the path is left out.
 */
static bool add_path(struct hidden_list *l, const char *path)
{
    char *real = arena_alloc(l->mem, PATH_MAX);

    if (!realpath(path, real))
        real = arena_cstr(l->mem, str_of(path));
    if (real[0] != '/' || is_in(str_of(l->root), str_of(real)))
        return false;
    l->v[l->n++] = real;
    return true;
}

/*
 * Add the user's state folder. If it contains the root folder (root.h), add only its other parts.
 */
static void add_state(struct hidden_list *l)
{
    static const char *const parts[] = { "roots", "trust.json" };
    const char *state = root_user_state_path(l->mem);

    if (!state || add_path(l, state))
        return;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        add_path(l, arena_printf(l->mem, "%s/%s", state, parts[i]).p);
}

static void add_sockets(struct hidden_list *l)
{
    const char *base = getenv("XDG_RUNTIME_DIR");

    if (base && *base)
        add_path(l, arena_printf(l->mem, "%s/" TREFOIL_NAME, base).p);
}

const char *const *sandbox_hidden(struct arena *mem, const char *root)
{
    struct hidden_list l = { mem, root, ARENA_ARRAY(mem, const char *, HIDDEN_MOST + 1), 0 };
    const char *config = root_user_config(mem);

    add_state(&l);
    add_sockets(&l);
    if (config && !is_in(str_of(config), str_of(root)))
        add_path(&l, config);
    return l.v;
}
