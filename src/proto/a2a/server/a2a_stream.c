/*
 * a2a_stream.c - event streams.
 *
 * Each stream has its own memory, because it may last for days and its request is freed when the
 * stream begins. The id of an event is the number of the task's event, so a client can resume with
 * Last-Event-ID. The stream ends with the task, when the task asks for input (also if it asks the
 * same again, because the client's answer was unclear), or when the client disconnects; only
 * the first of these affects the task.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/digits.h"
#include "base/mem.h"
#include "proto/a2a/server/a2a_call.h"

struct a2a_stream {
    struct a2a_listener listener;
    struct http_req *req;
    const struct limits *limits;
    enum a2a_dialect dialect;
    enum a2a_binding binding;
    int64_t history;
    int64_t after; /* the last event that the client has; -1: it gets the task first */
    bool waited;   /* the client subscribed while the task waited for input: it stays */
    bool unclear;  /* the client's answer was not understood: the question is the last event */
    struct str id; /* raw JSON id; behind the struct */
};

static struct a2a_stream *updates_of(struct a2a_listener *l)
{
    return CONTAINER_OF(l, struct a2a_stream, listener);
}

static void updates_close(struct a2a_stream *t)
{
    struct http_req *req = t->req;

    a2a_follow_leave(&t->listener);
    mem_free(t);
    http_stream_end(req);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* JSON that was passed on may have line breaks between its tokens; some clients read one line. */
static void join_lines(struct buf *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->p[i] == '\n' || b->p[i] == '\r')
            b->p[i] = ' ';
}

static bool updates_put(struct a2a_stream *t, const struct a2a_update *u, int64_t seq)
{
    char id[DIGITS_MOST];
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, (size_t)t->limits->output_backlog_bytes);
    if (t->binding == A2A_JSONRPC) {
        jw_object(&w);
        jw_kplain(&w, "jsonrpc", STR("2.0"));
        jw_kraw(&w, "id", t->id);
        jw_plain_key(&w, STR("result"));
    }
    a2a_write_update(&w, t->dialect, u);
    if (t->binding == A2A_JSONRPC)
        jw_object_end(&w);
    join_lines(&out);
    if (out.full)
        return false;
    http_sse_send(t->req, &(struct sse_out){ .id = { id, digits_put(id, (uint64_t)seq) },
                                             .data = buf_str(&out) });
    return true;
}

/* The client has nothing more to wait for. */
static bool is_last(const struct a2a_stream *t, const struct a2a_view *v)
{
    return task_state_final(v->state) || (v->state == TASK_INPUT_REQUIRED && !t->waited);
}

static void on_stream_ready(struct a2a_listener *l)
{
    struct a2a_stream *t = updates_of(l);
    const struct a2a_view *v = &l->follow->view;
    AUTO_ARENA mem = { 0 };
    struct a2a_update u = { .kind = A2A_TASK };

    t->waited = v->state == TASK_INPUT_REQUIRED && !t->unclear;
    u.task = a2a_view_task(v, &mem, t->history, true);
    if (!updates_put(t, &u, v->seq) || task_state_final(v->state) ||
        (t->unclear && v->state == TASK_INPUT_REQUIRED))
        updates_close(t);
}

static void on_stream_update(struct a2a_listener *l, const struct a2a_update *u, int64_t seq)
{
    struct a2a_stream *t = updates_of(l);

    t->waited = t->waited && l->follow->view.state == TASK_INPUT_REQUIRED;
    if (seq <= t->after)
        return;
    if (!updates_put(t, u, seq) || (u->kind == A2A_STATUS && is_last(t, &l->follow->view)))
        updates_close(t);
}

/* A stream that breaks off tells the client to come again. */
static void on_stream_end(struct a2a_listener *l, const struct err *e)
{
    (void)e;
    updates_close(updates_of(l));
}

static void on_stream_gone(struct http_req *req)
{
    updates_close(req->data);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static struct a2a_stream *updates_new(const struct a2a_call *c, int64_t after)
{
    struct a2a_stream *t = mem_alloc(sizeof(*t) + c->id.n);
    char *id = (char *)(t + 1);

    if (c->id.n)
        memcpy(id, c->id.p, c->id.n);
    *t = (struct a2a_stream){
        .listener = { .on_ready = on_stream_ready,
                      .on_update = on_stream_update,
                      .on_end = on_stream_end },
        .req = c->req,
        .limits = c->server->limits,
        .dialect = c->dialect,
        .binding = c->binding,
        .history = c->params.history,
        .after = after,
        .unclear = c->unclear,
        .id = { id, c->id.n },
    };
    return t;
}

/* With an event to resume after, the listener hears every event, from the first one on. */
void a2a_stream_begin(struct a2a_call *c, const struct task_info *info, int64_t after)
{
    struct a2a_server *s = c->server;
    struct http_req *req = c->req;
    struct task_ask found = c->ask; /* *info may be in its memory */
    int64_t at_least = after < 0 ? info->last_seq : A2A_FROM_START;
    struct a2a_stream *t;
    struct task_info own = *info;

    if (!a2a_call_goes_on(c))
        return;
    c->asked = false;
    arena_fini(&c->list.mem);
    t = updates_new(c, after);
    req->data = t;
    req->on_gone = on_stream_gone;
    http_sse_begin(req, NULL, 0);
    http_forget_request(req); /* the call is gone */
    a2a_follow_join(s, &own, &t->listener, at_least);
    task_ask_fini(&found);
}
