/*
 * acp_stores.c - the stores of all roots of the user, for lists of sessions. The store of an open
 * root is shared; other stores are opened for one request only.
 */
#include "runtime/acp_projects.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "state/agent_homes.h"
#include "state/log_files.h"
#include "state/root.h"
#include "state/state_list.h"
#include "store/store.h"

#include <stdlib.h>
#include <unistd.h>

static struct acp_projects *projects_of(struct acp_roots *r)
{
    return CONTAINER_OF(r, struct acp_projects, port);
}

/* ---- the list -------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct acp_stored_root *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static bool list_all(struct arena *mem, struct acp_stored_root **out, size_t *n, struct err *e)
{
    struct state_list list;

    if (!state_list_open(&list, mem, e))
        return false;
    *n = 0;
    *out = ARENA_ARRAY(mem, struct acp_stored_root, list.n ? list.n : 1);
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i].status == STATE_USABLE)
            (*out)[(*n)++] = (struct acp_stored_root){ arena_cstr(mem, str_of(list.v[i].name)),
                                                       arena_cstr(mem, list.v[i].id.path) };
    state_list_close(&list);
    qsort(*out, *n, sizeof(**out), by_name);
    return true;
}

static void list_one(struct arena *mem, const char *folder, const char **cwd,
                     struct acp_stored_root **out, size_t *n)
{
    char *real = arena_alloc(mem, PATH_MAX), name[STATE_NAME];
    struct root root;
    struct err e;

    *n = 0;
    *out = ARENA_NEW(mem, struct acp_stored_root);
    if (!realpath(folder, real) || !root_of_folder(mem, real, &root, &e))
        return;
    state_name_of(str_of(root.path), name);
    *cwd = real;
    *n = 1;
    **out = (struct acp_stored_root){ arena_cstr(mem, str_of(name)), root.path };
}

bool acp_stores_list(struct acp_roots *r, struct arena *mem, struct str folder, const char **cwd,
                     struct acp_stored_root **out, size_t *n, struct err *e)
{
    (void)r;
    *cwd = NULL;
    if (!folder.p)
        return list_all(mem, out, n, e);
    list_one(mem, arena_cstr(mem, folder), cwd, out, n);
    return true;
}

/* ---- stores ---------------------------------------------------------------------------------- */

static void free_visited(struct acp_visited_store *v)
{
    struct acp_projects *all = v->all;

    if (v->state.fd >= 0)
        close(v->state.fd);
    mem_free(v);
    all->visits--;
    acp_projects_check(all);
}

static void on_visited_closed(void *ctx)
{
    free_visited(ctx);
}

struct store_port *acp_stores_open(struct acp_roots *r, const struct acp_stored_root *root,
                                   struct err *e)
{
    struct acp_projects *all = projects_of(r);
    struct store_port *shared = acp_projects_store(all, root->path);
    struct acp_visited_store *v;
    AUTO_ARENA mem = { 0 };
    const char *path = NULL;

    if (shared)
        return shared;
    v = MEM_NEW(struct acp_visited_store);
    v->all = all;
    all->visits++;
    state_dir_init(&v->state, root->path);
    if (state_dir_find(&v->state, e))
        path = state_dir_file(&v->state, &mem, STATE_DATABASE);
    if (path && access(path, F_OK) != 0) {
        fail(e, ERR_NOT_FOUND, "no sessions are stored for %.150s", root->path);
        path = NULL;
    }
    if (!path || !store_open(all->loop, &all->limits, path, &v->store, e)) {
        free_visited(v);
        return NULL;
    }
    v->next = all->visited;
    all->visited = v;
    return store_port(v->store);
}

void acp_stores_close(struct acp_roots *r, struct store_port *store)
{
    struct acp_projects *all = projects_of(r);
    struct acp_visited_store *v = all->visited;

    while (v && store_port(v->store) != store)
        v = v->next;
    if (!v) /* it belongs to an open root */
        return;
    LIST_UNLINK(all->visited, v, next);
    store_close(v->store, on_visited_closed, v);
}

/* ---- files of a session ---------------------------------------------------------------------- */

void acp_stores_deleted(struct acp_roots *r, const struct acp_stored_root *root, struct str session)
{
    AUTO_ARENA mem = { 0 };
    const char *id = arena_cstr(&mem, session);
    struct state_dir *state = ARENA_NEW(&mem, struct state_dir);
    struct err e;

    (void)r;
    state_dir_init(state, root->path);
    if (!state_dir_find(state, &e))
        return;
    log_files_delete(root->path, state->path, id);
    agent_home_delete(state->path, id);
    if (state->fd >= 0)
        close(state->fd);
}
