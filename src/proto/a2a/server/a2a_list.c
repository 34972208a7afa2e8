/*
 * a2a_list.c - list tasks.
 *
 *   SEEKING   all tasks of the client are read, page by page; those that fit the filters are kept
 *             with their ids and times, sorted by the time of their last change, the newest first
 *   FILLING   the tasks of the page are read one after the other
 *
 * The token of a page is the time and the id of the last task of the page before.
 */
#include "base/container.h"
#include "proto/a2a/server/a2a_call.h"

#include <stdlib.h>

struct listed {
    char id[ID_TEXT];
    int64_t updated;
};

struct list_work {
    struct a2a_call *call;
    struct listed *v;
    size_t n, room;
    size_t first, last; /* the tasks of the page */
    size_t at;
    struct task_ask ask;
    struct a2a_listener listener;
};

static struct list_work *work_of(struct a2a_listener *l)
{
    return CONTAINER_OF(l, struct list_work, listener);
}

/* ---- SEEKING --------------------------------------------------------------------------------- */

/* As A2A shows it: a failed task that the model refused is rejected. */
static enum task_state shown_state(const struct task_info *t)
{
    return t->state == TASK_FAILED && str_find(t->result, STR("\"stop\":\"refused\"")) >= 0
               ? TASK_REJECTED
               : t->state;
}

static bool list_fits(const struct a2a_params *p, const struct task_info *t)
{
    return (p->state == TASK_STATES || shown_state(t) == p->state) && t->updated >= p->since;
}

static void list_keep(struct list_work *k, const struct task_info *t)
{
    struct arena *mem = &k->call->req->mem;

    if (k->n == k->room) {
        size_t room = k->room ? 2 * k->room : 64;

        k->v = arena_grow(mem, k->v, k->room * sizeof(*k->v), room * sizeof(*k->v));
        k->room = room;
    }
    k->v[k->n].updated = t->updated;
    str_to_c(t->id, k->v[k->n++].id, ID_TEXT);
}

static int newest_first(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;

    if (x->updated != y->updated)
        return x->updated < y->updated ? 1 : -1;
    return strcmp(y->id, x->id);
}

static struct str token_of(struct arena *mem, const struct listed *t)
{
    return arena_printf(mem, "%lld.%s", (long long)t->updated, t->id);
}

static bool read_token(struct str token, struct listed *out)
{
    struct str number = str_cut(&token, '.');
    uint64_t n;

    if (!str_uint(number, 0, INT64_MAX, &n) || !token.n || !str_to_c(token, out->id, ID_TEXT))
        return false;
    out->updated = (int64_t)n;
    return true;
}

static void list_fill(struct list_work *k);

static void list_sort(struct list_work *k)
{
    struct a2a_call *c = k->call;
    struct listed after;

    if (k->n)
        qsort(k->v, k->n, sizeof(*k->v), newest_first);
    if (c->params.page_token.n) {
        if (!read_token(c->params.page_token, &after)) {
            a2a_refuse(c, A2A_INVALID_PARAMS,
                       "pageToken: expected the nextPageToken of an earlier response");
            return;
        }
        while (k->first < k->n && newest_first(&k->v[k->first], &after) <= 0)
            k->first++;
    }
    k->last = k->first + (size_t)c->params.page_size;
    if (k->last > k->n)
        k->last = k->n;
    k->at = k->first;
    list_fill(k);
}

static void list_seek(struct list_work *k);

static void on_page(struct op *op, const struct err *e, void *ctx)
{
    struct list_work *k = ctx;
    struct a2a_call *c = k->call;
    struct task_list *l = &c->list;

    (void)op;
    if (e) {
        a2a_refuse_err(c, e);
        return;
    }
    for (size_t i = 0; i < l->n; i++)
        if (list_fits(&c->params, &l->v[i]))
            list_keep(k, &l->v[i]);
    if (!a2a_call_goes_on(c))
        return;
    if (l->more)
        list_seek(k);
    else
        list_sort(k);
}

static void list_seek(struct list_work *k)
{
    struct a2a_call *c = k->call;
    struct store_cursor from = c->list.cursor;

    arena_fini(&c->list.mem);
    c->list = (struct task_list){ .owner = a2a_call_sees(c),
                                  .context = c->params.context.n ? c->params.context : STR_NONE,
                                  .agent = c->agent.n ? c->agent : STR_NONE,
                                  .cursor = from };
    task_list(c->server->agents->tasks, &c->list, NULL, on_page, k);
}

/* ---- FILLING --------------------------------------------------------------------------------- */

static void list_end(struct list_work *k)
{
    struct a2a_call *c = k->call;
    struct jw *w = &c->writer;

    jw_array_end(w);
    jw_kstr(w, "nextPageToken",
            k->last < k->n ? token_of(&c->req->mem, &k->v[k->last - 1]) : STR(""));
    jw_kint(w, "pageSize", c->params.page_size);
    jw_kint(w, "totalSize", (int64_t)k->n);
    jw_object_end(w);
    a2a_result_end(c);
}

static void list_next(struct list_work *k)
{
    a2a_follow_leave(&k->listener);
    task_ask_fini(&k->ask);
    k->at++;
    list_fill(k);
}

static void on_task_ready(struct a2a_listener *l)
{
    struct list_work *k = work_of(l);
    struct a2a_call *c = k->call;
    struct arena mem = { 0 };
    struct a2a_task t =
        a2a_view_task(&l->follow->view, &mem, c->params.history, c->params.artifacts);

    t.shows_artifacts = c->params.artifacts;
    a2a_write_task(&c->writer, c->dialect, &t);
    arena_fini(&mem);
    list_next(k);
}

static void on_task_update(struct a2a_listener *l, const struct a2a_update *u, int64_t seq)
{
    (void)l;
    (void)u;
    (void)seq;
}

static void on_task_end(struct a2a_listener *l, const struct err *e)
{
    (void)e;
    list_next(work_of(l));
}

/* A task that has expired meanwhile is left out. */
static void on_task(struct op *op, const struct err *e, void *ctx)
{
    struct list_work *k = ctx;

    (void)op;
    if (e) {
        list_next(k);
        return;
    }
    if (!a2a_call_goes_on(k->call)) {
        task_ask_fini(&k->ask);
        return;
    }
    k->listener = (struct a2a_listener){ .on_ready = on_task_ready,
                                         .on_update = on_task_update,
                                         .on_end = on_task_end };
    a2a_follow_join(k->call->server, &k->ask.info, &k->listener, k->ask.info.last_seq);
}

static void list_fill(struct list_work *k)
{
    struct a2a_call *c = k->call;

    if (k->at == k->first) {
        struct jw *w = a2a_result_begin(c);

        jw_object(w);
        jw_plain_key(w, STR("tasks"));
        jw_array(w);
    }
    if (k->at >= k->last) {
        list_end(k);
        return;
    }
    if (!a2a_call_goes_on(c))
        return;
    k->ask = (struct task_ask){ .id = str_of(k->v[k->at].id), .owner = a2a_call_sees(c) };
    task_get(c->server->agents->tasks, &k->ask, NULL, on_task, k);
}

void a2a_op_list(struct a2a_call *c)
{
    struct list_work *k = ARENA_NEW(&c->req->mem, struct list_work);

    k->call = c;
    list_seek(k);
}
