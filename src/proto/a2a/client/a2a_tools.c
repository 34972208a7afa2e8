/*
 * a2a_tools.c - calls of a2a_discover and a2a_send.
 *
 *   SENDING ──> WAITING <──> POLLING        (a2a_discover: only the card is read)
 *
 * Every state can end the call. Cancelling the call cancels its request, or the wait. The remote
 * task then goes on: the model knows its id only from an answer.
 */
#include "proto/a2a/client/a2a_tools.h"

#include "base/container.h"
#include "core/agent/agent_artifacts.h"
#include "core/guard/taint_label.h"
#include "proto/a2a/client/a2a_oneshot.h"
#include "proto/a2a/client/a2a_report.h"

struct tool_work {
    struct op op; /* first: below the call */
    struct call *call;
    struct a2a_tools *tools;
    struct a2a_peer *peer;
    struct a2a_oneshot shot;
    struct a2a_ask ask;
    struct a2a_message message;
    char id[ID_TEXT];
    struct trace trace;
    struct open_trace open_trace;
    char parent[TRACE_PARENT_TEXT];
    struct timer timer;
    int64_t until;          /* when the call has taken too long (loop_now) */
    struct a2a_update last; /* the newest answer */
    struct json raw;        /* the JSON that `last` points into */
    bool told;              /* there is an answer */
};

/* ---- the result ------------------------------------------------------------------------------ */

static enum task_state state_of(const struct tool_work *w)
{
    return w->last.kind == A2A_TASK ? w->last.task.status.state : TASK_COMPLETED;
}

static struct str question_of(const struct tool_work *w)
{
    const struct a2a_message *m = w->last.kind == A2A_TASK ? w->last.task.status.message : NULL;

    return m ? a2a_text_of(w->call->mem, m->parts) : STR("");
}

static void add_text(struct buf *out, struct str text)
{
    if (!text.n)
        return;
    if (out->n)
        buf_putc(out, '\n');
    buf_put(out, text);
}

/* All text of the answer; everything else goes to `made`. */
static struct str collect(const struct tool_work *w, struct artifact_set *made)
{
    struct arena *mem = w->call->mem;
    const struct a2a_task *t = &w->last.task;
    struct buf out;

    buf_init_in(&out, mem, (size_t)w->tools->limits->message_bytes);
    if (w->last.kind == A2A_MESSAGE)
        add_text(&out, a2a_text_of(mem, w->last.message.parts));
    for (size_t i = 0; w->last.kind == A2A_TASK && i < t->artifacts; i++) {
        const struct a2a_artifact *a = &t->artifact[i];
        struct str text = a2a_text_of(mem, a->parts);

        add_text(&out, text);
        if (!text.n)
            artifact_add(made, &(struct event_artifact){
                                   .id = a->id, .name = a->name, .part = a->parts, .last = true });
    }
    add_text(&out, question_of(w));
    return out.n ? buf_str(&out) : STR("");
}

static void write_structured(const struct tool_work *w, struct str answer)
{
    const struct a2a_update *u = &w->last;
    struct jw jw = jw_to(&w->call->structured);

    jw_object(&jw);
    jw_kstr(&jw, "answer", answer);
    jw_kstr(&jw, "state", str_of(task_state_names[state_of(w)]));
    jw_kstr(&jw, "context_id", u->kind == A2A_TASK ? u->task.context : u->message.context);
    if (u->kind == A2A_TASK)
        jw_kstr(&jw, "task_id", u->task.id);
    jw_object_end(&jw);
    if (w->call->structured.full)
        buf_clear(&w->call->structured);
}

static void write_answer(struct tool_work *w)
{
    struct artifact_set made = { .mem = w->call->mem,
                                 .most = (size_t)w->tools->limits->message_bytes };
    struct str answer = collect(w, &made);
    enum task_state state = state_of(w);

    call_text(w->call, answer);
    agent_made_write(&made, w->call, w->id);
    if (w->last.kind == A2A_TASK && state != TASK_COMPLETED)
        call_text(w->call,
                  arena_printf(w->call->mem, "[the task " STR_FMT " of the remote agent is %s]",
                               STR_ARG(str_head(w->last.task.id, 100)), task_state_names[state]));
    write_structured(w, answer);
    w->call->is_error = state == TASK_FAILED || state == TASK_REJECTED;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void work_end(struct tool_work *w, const struct err *e)
{
    timer_clear(w->tools->loop, &w->timer);
    open_trace_end(&w->open_trace);
    a2a_peer_drop(w->peer);
    w->peer = NULL;
    if (e)
        op_fail(&w->op, e);
    else
        op_ok(&w->op);
}

static void on_work_done(struct op *op, const struct err *e, void *ctx)
{
    struct tool_work *w = ctx;

    (void)op;
    if (e && e->code == ERR_CANCELED)
        call_done(w->call); /* the call knows that it was cancelled */
    else if (e)
        call_failed(w->call, "%s", e->text);
    else
        call_done(w->call);
}

/* A request below is cancelled, too, and its end ends the work. */
static void cancel_work(struct op *op)
{
    struct tool_work *w = CONTAINER_OF(op, struct tool_work, op);

    if (timer_is_set(&w->timer))
        work_end(w, &(struct err){ ERR_CANCELED, "canceled" });
}

static const struct op_kind work_kind = { .name = "a2a tool", .cancel = cancel_work };

/* ---- beginning ------------------------------------------------------------------------------- */

static bool begin_trace(struct tool_work *w, struct err *e)
{
    struct caller caller = *w->call->caller;
    const struct host *host = w->call->host;

    w->trace = trace_next(&caller, w->call->mem, loop_wall(w->tools->loop));
    if (trace_too_deep(w->trace.depth, w->tools->limits->trace_depth))
        return fail(e, ERR_DENIED, "the chain of agents that call each other is too long");
    trace_parent_new(&w->trace, w->parent);
    w->trace.parent = str_of(w->parent);
    w->open_trace = (struct open_trace){ .id = w->trace.id,
                                         .parent = w->trace.parent,
                                         .from = w->call->caller->trace.parent,
                                         .depth = w->trace.depth,
                                         .arrived = w->trace.arrived };
    if (host->traces)
        open_trace_begin(host->traces, &w->open_trace);
    return true;
}

static bool open_peer(struct tool_work *w, struct str url, struct err *e)
{
    const struct remote_spec spec = { .url = url };
    struct a2a_peer_opts opts = { .loop = w->tools->loop,
                                  .limits = w->tools->limits,
                                  .http = w->tools->http(w->tools->http_ctx),
                                  .user_agent = w->tools->user_agent,
                                  .spec = &spec,
                                  .zone = FETCH_OUTSIDE,
                                  .policy = w->tools->policy };

    if (!opts.http)
        return fail(e, ERR_CLOSED, "trefoil is stopping");
    w->peer = a2a_peer_new(&opts, e);
    return w->peer != NULL;
}

/* NULL: the call has failed. */
static struct tool_work *work_new(struct remote_port *p, struct call *call, struct str url)
{
    struct tool_work *w = ARENA_NEW(call->mem, struct tool_work);
    struct err e;

    w->call = call;
    w->tools = CONTAINER_OF(p, struct a2a_tools, port);
    w->until = loop_now(w->tools->loop) + w->tools->limits->agent_call_ms;
    call->untrusted = true;
    call->from = taint_source_of_url(call->mem, url);
    id_new(loop_wall(w->tools->loop), w->id);
    if (!begin_trace(w, &e) || !open_peer(w, url, &e)) {
        open_trace_end(&w->open_trace);
        call_failed(call, "%s", e.text);
        return NULL;
    }
    op_begin(&w->op, &work_kind, w->tools->loop, &call->op, on_work_done, w);
    return w;
}

/* ---- a2a_discover ---------------------------------------------------------------------------- */

static void on_discovered(struct op *op, const struct err *e, void *ctx)
{
    struct tool_work *w = ctx;

    (void)op;
    if (!e)
        call_text(w->call, w->peer->card.raw);
    work_end(w, e);
}

static void tools_discover(struct remote_port *p, struct call *call, struct str url)
{
    struct tool_work *w = work_new(p, call, url);

    if (!w)
        return;
    w->shot = (struct a2a_oneshot){ .peer = w->peer, .mem = call->mem };
    a2a_oneshot_start(&w->shot, &w->op, on_discovered, w);
}

/* ---- a2a_send -------------------------------------------------------------------------------- */

static void on_result(struct a2a_oneshot *o, struct arena *mem, struct json result)
{
    struct tool_work *w = o->ctx;
    const struct json_opts opts = limits_json(w->tools->limits);
    struct str copy = arena_str(w->call->mem, json_raw(result));

    (void)mem; /* the answer outlives it */
    w->told = json_read(w->call->mem, copy, &opts, &w->raw, &o->broke) &&
              a2a_read_update(w->call->mem, w->peer->face.dialect, w->tools->limits, w->raw,
                              &w->last, &o->broke);
}

static void tool_request(struct tool_work *w);

static void on_pause_over(struct timer *t)
{
    struct tool_work *w = CONTAINER_OF(t, struct tool_work, timer);

    w->ask = (struct a2a_ask){ .op = A2A_GET, .task = w->last.task.id, .history = 0 };
    tool_request(w);
}

static bool works_on(const struct tool_work *w)
{
    enum task_state state = state_of(w);

    return w->last.kind == A2A_TASK && (state == TASK_SUBMITTED || state == TASK_WORKING) &&
           loop_now(w->tools->loop) < w->until;
}

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct tool_work *w = ctx;

    (void)op;
    if (e || !w->told) {
        work_end(w, e ? e : &(struct err){ ERR_INVALID, "the agent has sent no answer" });
    } else if (works_on(w) && !w->op.canceled) {
        timer_set(w->tools->loop, &w->timer, w->tools->limits->a2a_poll_ms, on_pause_over);
    } else {
        write_answer(w);
        work_end(w, NULL);
    }
}

static void tool_request(struct tool_work *w)
{
    int64_t left = w->until - loop_now(w->tools->loop);

    w->shot = (struct a2a_oneshot){ .peer = w->peer,
                                    .ask = &w->ask,
                                    .mem = w->call->mem,
                                    .whole_ms = left > 1 ? left : 1,
                                    .trace = &w->trace,
                                    .on_result = on_result,
                                    .ctx = w };
    a2a_oneshot_start(&w->shot, &w->op, on_answered, w);
}

static void tools_send(struct remote_port *p, struct call *call, const struct remote_message *m)
{
    struct tool_work *w = work_new(p, call, m->url);

    if (!w)
        return;
    w->message = (struct a2a_message){ .id = str_of(w->id),
                                       .context = m->context,
                                       .task = m->task,
                                       .parts = blocks_text(call->mem, m->text) };
    w->ask =
        (struct a2a_ask){ .op = A2A_SEND, .message = &w->message, .waits = true, .history = -1 };
    tool_request(w);
}

void a2a_tools_init(struct a2a_tools *t)
{
    t->port = (struct remote_port){ .discover = tools_discover, .send = tools_send };
}
