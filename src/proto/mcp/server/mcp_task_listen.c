/*
 * mcp_task_listen.c - send notifications/tasks on the stream of a subscriptions/listen.
 *
 * The first notification of each task is its state when the listen begins. After that, an event of
 * a task only means that something has changed: the whole task is read and sent. Changes meanwhile
 * are sent with the next notification.
 */
#include "base/auto.h"
#include "base/container.h"
#include "proto/mcp/server/mcp_tasks.h"

struct mcp_task_watch {
    struct task_watch watch; /* first */
    struct mcp_task_watches *all;
    struct task_ask ask;
    bool found;
    bool asking;    /* the task is being read */
    bool again;     /* the task has changed meanwhile */
    bool following; /* the watch runs */
};

static void ask_anew(struct mcp_task_watch *t)
{
    t->ask = (struct task_ask){
        .id = t->watch.id,
        .owner = t->watch.owner,
        .mem = t->ask.mem,
        .artifacts = true,
    };
    t->asking = true;
    t->again = false;
}

/* ---- reporting ------------------------------------------------------------------------------ */

static void notify(struct mcp_task_watch *t)
{
    struct rpc_in *in = t->all->in;
    const struct limits *limits = in->peer->rpc->limits;
    AUTO_ARENA mem = { 0 };
    AUTO_BUF params = { 0 };
    struct jw w = jw_to(&params);

    if (!in->via)
        return;
    buf_init(&params, (size_t)limits->message_bytes);
    jw_object(&w);
    mcp_write_task(&w, &mem, limits, loop_wall(in->op.loop), &t->ask.info, true);
    mcp_write_subscription(&w, in);
    jw_object_end(&w);
    if (!params.full)
        peer_notify(in->peer, in->via, "notifications/tasks", buf_str(&params));
}

static void task_watch_get(struct mcp_task_watch *t);

static void on_got(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_task_watch *t = ctx;

    (void)op;
    t->asking = false;
    if (e || !t->all->parent)
        return;
    notify(t);
    if (t->again)
        task_watch_get(t);
}

static void task_watch_get(struct mcp_task_watch *t)
{
    ask_anew(t);
    task_get(t->all->engine, &t->ask, t->all->parent, on_got, t);
}

/* Text, tools and plans do not change the reported task. */
static bool on_event(struct task_watch *w, int64_t seq, int64_t at, struct str kind,
                     struct str body)
{
    struct mcp_task_watch *t = CONTAINER_OF(w, struct mcp_task_watch, watch);

    (void)seq;
    (void)at;
    (void)body;
    if (!str_eq(kind, STR("status")) && !str_eq(kind, STR("ask")) && !str_eq(kind, STR("answered")))
        return true;
    if (t->asking)
        t->again = true;
    else if (t->all->parent)
        task_watch_get(t);
    return true;
}

static void on_watched(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_task_watch *t = ctx;

    (void)op;
    (void)e; /* the task or the listen has ended */
    t->following = false;
}

/* Its current state is reported at once: it may have ended before the client began to listen. */
static void follow(struct mcp_task_watch *t)
{
    notify(t);
    if (task_state_final(t->ask.info.state))
        return;
    t->watch.after = t->ask.info.last_seq;
    t->following = true;
    task_watch(t->all->engine, &t->watch, t->all->parent, on_watched, t);
}

void mcp_task_watches_begin(struct mcp_task_watches *ws, struct op *parent)
{
    ws->parent = parent;
    for (size_t i = 0; i < ws->n; i++)
        if (ws->v[i].found)
            follow(&ws->v[i]);
}

void mcp_task_watches_end(struct mcp_task_watches *ws)
{
    ws->parent = NULL;
    for (size_t i = 0; i < ws->n; i++)
        if (ws->v[i].following)
            op_cancel(&ws->v[i].watch.op);
}

void mcp_task_watches_write(struct jw *w, const struct mcp_task_watches *ws)
{
    bool any = false;

    for (size_t i = 0; i < ws->n; i++)
        any |= ws->v[i].found;
    if (!any)
        return;
    jw_plain_key(w, STR("taskIds"));
    jw_array(w);
    for (size_t i = 0; i < ws->n; i++)
        if (ws->v[i].found)
            jw_str(w, ws->v[i].watch.id);
    jw_array_end(w);
}

/* ---- finding -------------------------------------------------------------------------------- */

static void on_found(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_task_watch *t = ctx;
    struct mcp_task_watches *ws = t->all;

    (void)op;
    t->asking = false;
    t->found = !e;
    if (!--ws->looking)
        ws->ready(ws);
}

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

static void on_engine(void *ctx, struct task_engine *engine)
{
    struct mcp_task_watches *ws = ctx;

    ws->engine = engine;
    ws->looking = engine ? ws->n : 0;
    if (!ws->looking) {
        ws->n = 0;
        ws->ready(ws);
        return;
    }
    for (size_t i = 0; i < ws->n; i++) {
        ask_anew(&ws->v[i]);
        task_get(engine, &ws->v[i].ask, &ws->in->op, on_found, &ws->v[i]);
    }
}

static bool is_among(const struct mcp_task_watches *ws, struct str id)
{
    for (size_t i = 0; i < ws->n; i++)
        if (str_eq(ws->v[i].watch.id, id))
            return true;
    return false;
}

static void task_watch_add(struct mcp_task_watches *ws, struct str id)
{
    struct mcp_task_watch *t = &ws->v[ws->n++];

    t->all = ws;
    t->watch = (struct task_watch){
        .id = id,
        .owner = mcp_task_owner(ws->in),
        .event = on_event,
    };
    arena_defer(ws->in->mem, free_mem, &t->ask.mem);
}

void mcp_task_watches_find(struct mcp_task_watches *ws, struct rpc_in *in, struct pick_strs ids,
                           void (*ready)(struct mcp_task_watches *ws))
{
    *ws = (struct mcp_task_watches){ .in = in, .ready = ready };
    if (!ids.n || !mcp_knows_tasks(in)) {
        ready(ws);
        return;
    }
    ws->v = ARENA_ARRAY(in->mem, struct mcp_task_watch, ids.n);
    for (size_t i = 0; i < ids.n; i++)
        if (!is_among(ws, ids.v[i]))
            task_watch_add(ws, ids.v[i]);
    mcp_when_tasks(in, on_engine, ws);
}
