/*
 * a2a_send.c - send a message: a new task, or an answer to the question of a task.
 *
 *   message with a task id   answers the question of the task; while the task works, the message
 *                            waits for its next question
 *   with a context id        a new task that continues the conversation of that context
 *   with neither             a new task in a new context
 *
 * A task that continues a conversation uses the session of the newest task of the context. While
 * that task works, the new one gets a copy of the session up to its last finished turn instead.
 */
#include "base/container.h"
#include "core/agent/agent_context.h"
#include "core/guard/guard.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/guard_saved_rights.h"
#include "core/guard/taint_label.h"
#include "proto/a2a/server/a2a_call.h"
#include "proto/a2a/server/a2a_question.h"
#include "proto/mcp/mcp_trace.h"

/* ---- answers --------------------------------------------------------------------------------- */

static struct a2a_call *call_of(struct a2a_listener *l)
{
    return CONTAINER_OF(l, struct a2a_call, listener);
}

static void answer_now(struct a2a_call *c)
{
    const struct a2a_view *v = &c->listener.follow->view;
    struct a2a_update u = { .kind = A2A_TASK };

    if (c->op == A2A_SEND && a2a_view_direct(v, &c->req->mem, &u.message))
        u.kind = A2A_MESSAGE;
    else
        u.task = a2a_view_task(v, &c->req->mem, c->params.history, true);
    if (c->op == A2A_SEND || c->op == A2A_STREAM)
        a2a_answer_update(c, &u);
    else
        a2a_answer_task(c, &u.task);
}

/* The client gets the task as it is, and can follow it. */
static void on_patience_over(struct timer *t)
{
    answer_now(CONTAINER_OF(t, struct a2a_call, patience));
}

static void on_ready(struct a2a_listener *l)
{
    struct a2a_call *c = call_of(l);

    if (c->op != A2A_SEND || !c->params.blocking || a2a_view_waits(&l->follow->view))
        answer_now(c);
    else
        timer_set(c->server->loop, &c->patience, c->server->limits->a2a_block_ms, on_patience_over);
}

static void on_update(struct a2a_listener *l, const struct a2a_update *u, int64_t seq)
{
    (void)seq;
    if (u->kind == A2A_STATUS && a2a_view_waits(&l->follow->view))
        answer_now(call_of(l));
}

/* The task has ended, which on_update has told, or can no longer be followed. */
static void on_end(struct a2a_listener *l, const struct err *e)
{
    static const struct err gone = { ERR_CLOSED,
                                     "the task can no longer be followed; get it again" };

    a2a_refuse_err(call_of(l), e ? e : &gone);
}

/* The client has disconnected: the task continues. */
static void on_gone(struct http_req *req)
{
    struct a2a_call *c = req->data;

    a2a_refuse(c, A2A_BUSY, "the client disconnected");
}

void a2a_answer_when(struct a2a_call *c, const struct task_info *info, int64_t at_least)
{
    if (!a2a_call_goes_on(c))
        return;
    c->req->data = c;
    c->req->on_gone = on_gone;
    c->listener =
        (struct a2a_listener){ .on_ready = on_ready, .on_update = on_update, .on_end = on_end };
    a2a_follow_join(c->server, info, &c->listener, at_least);
}

static void on_wait_update(struct a2a_listener *l, const struct a2a_update *u, int64_t seq);

/* Answer one request that waits. False: none waits. */
static bool drain_one(struct a2a_server *s)
{
    for (struct a2a_follow *f = s->follows; f; f = f->next)
        for (struct a2a_listener *l = f->listeners; l; l = l->next) {
            if (l->on_update == on_update && l->ready)
                answer_now(call_of(l));
            else if (l->on_update == on_wait_update)
                a2a_refuse(call_of(l), A2A_BUSY, "trefoil is shutting down");
            else
                continue;
            return true;
        }
    return false;
}

void a2a_server_drain(struct a2a_server *s)
{
    while (drain_one(s))
        ;
}

/* The task is stored: answer as the client wants. */
static void send_follow(struct a2a_call *c, int64_t at_least)
{
    if (c->op == A2A_STREAM)
        a2a_stream_begin(c, &c->ask.info, -1);
    else
        a2a_answer_when(c, &c->ask.info, at_least);
}

/* ---- a new task ------------------------------------------------------------------------------ */

static struct str trace_header(const void *ctx, const char *name)
{
    return http_req_header(ctx, name);
}

static bool read_trace(struct a2a_call *c)
{
    struct trace *t = &c->spec.trace;

    mcp_trace_from_headers(&c->req->mem, trace_header, c->req, t);
    if (t->malformed) {
        a2a_refuse(c, A2A_INVALID_REQUEST, "the trace id is malformed");
        return false;
    }
    trace_arrives(t, c->server->traces);
    if (!trace_too_deep(t->depth, c->server->limits->trace_depth))
        return true;
    a2a_refuse(c, A2A_UNSUPPORTED_OPERATION,
               "the chain of agent calls is longer than %lld (limits.trace_depth)",
               (long long)c->server->limits->trace_depth);
    return false;
}

/* Clients of A2A get the rights of MCP clients, and only read unless [a2a] mode says otherwise. */
static void set_rights(struct a2a_call *c)
{
    struct a2a_server *s = c->server;
    struct arena *mem = &c->req->mem;
    struct guard_scope caller = { .name = "the A2A client",
                                  .parent = guard_face(s->guard, c->principal.origin) };

    c->spec.rights = guard_scope_text(mem, s->limits, &caller, s->guard);
    c->spec.read_only = !s->setup->read_write || guard_is_read_only(&caller);
    if (c->spec.read_only)
        c->spec.mode_reason =
            s->setup->read_write
                ? agent_mode_reason(mem, NULL, AGENT_READ_WRITE, &caller)
                : STR("tasks of A2A clients only read: [a2a] mode = \"read-write\" "
                      "in the user's configuration changes that");
    c->spec.taint = taint_source(mem, arena_printf(mem, "a2a@%s", c->principal.name));
}

static struct str agent_of_metadata(struct a2a_call *c, struct str metadata)
{
    static const char *const names[] = { "agent", "skill", "skillId" };
    struct json_opts opts = limits_json(c->server->limits);
    struct json v;
    struct err ignored;

    if (!metadata.n || !json_read(&c->req->mem, metadata, &opts, &v, &ignored))
        return STR_NONE;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct str name = json_str(&c->req->mem, json_get(v, str_of(names[i])));

        if (name.n && a2a_agent_exists(c->server, name))
            return name;
    }
    return STR_NONE;
}

/* The path decides, then the metadata of the request or message, then the configuration. */
static bool find_agent(struct a2a_call *c)
{
    struct str name = c->agent;

    if (!name.n)
        name = agent_of_metadata(c, c->params.metadata);
    if (!name.n)
        name = agent_of_metadata(c, c->params.message.metadata);
    if (!name.n)
        name = a2a_primary_agent(c->server);
    c->spec.agent = arena_maybe(&c->req->mem, name);
    if (!name.n || a2a_agent_exists(c->server, name))
        return true;
    a2a_refuse(c, A2A_INVALID_PARAMS, "there is no agent " STR_FMT, STR_ARG(str_head(name, 64)));
    return false;
}

static void fill_spec(struct a2a_call *c)
{
    struct a2a_message *m = &c->params.message;
    struct block *parts = ARENA_ARRAY(&c->req->mem, struct block, m->parts.n);

    for (size_t i = 0; i < m->parts.n; i++) {
        parts[i] = m->parts.v[i];
        if (parts[i].kind == BLOCK_TEXT && !parts[i].uri.p)
            parts[i].type = STR_NONE; /* a text for the model, whatever its type */
    }
    c->spec.budget_usd = -1;
    c->spec.prompt = (struct blocks){ parts, m->parts.n };
    c->spec.context = m->context.n ? m->context : STR_NONE;
    c->spec.owner = str_of(c->principal.name);
    c->spec.origin = c->principal.origin;
    c->spec.caller = "a2a";
    c->spec.message = m->id.n ? m->id : STR_NONE;
    c->spec.client = a2a_stored_write(&c->req->mem, c->dialect, m, false);
}

static void send_created(struct a2a_call *c)
{
    send_follow(c, c->ask.info.last_seq);
}

/* Events from the first one on go to the webhook. */
static void store_push(struct a2a_call *c, int64_t sent)
{
    c->params.id = arena_str(&c->req->mem, c->ask.info.id);
    a2a_push_set(c, sent, send_created);
}

static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_call *c = ctx;

    (void)op;
    c->asked = true;
    if (e)
        a2a_refuse_err(c, e);
    else if (c->params.has_push)
        store_push(c, 0);
    else
        send_created(c);
}

static void create_task(struct a2a_call *c)
{
    if (a2a_call_goes_on(c))
        task_create(c->server->agents->tasks, &c->ask, &c->spec, NULL, on_created, c);
}

/* ---- the conversation of a context ----------------------------------------------------------- */

/* The newest task of the context that has a session; *busy: a task of the context works. */
static const struct task_info *newest_in_context(const struct task_list *l, bool *busy)
{
    const struct task_info *found = NULL;

    *busy = false;
    for (size_t i = 0; i < l->n; i++) {
        *busy |= !task_state_final(l->v[i].state);
        if (!found && l->v[i].session.n)
            found = &l->v[i];
    }
    return found;
}

struct fork_ask {
    struct store_ask ask;
    struct store_step step;
    struct a2a_call *call;
    char id[ID_TEXT];
};

/* A session without a finished turn has nothing to continue. */
static void on_forked(struct op *op, const struct err *e, void *ctx)
{
    struct fork_ask *f = ctx;
    struct a2a_call *c = f->call;

    (void)op;
    if (!e && f->step.fork.last_seq > 0)
        c->spec.session = str_of(f->id);
    store_ask_fini(&f->ask);
    create_task(c);
}

static void fork_session(struct a2a_call *c, struct str from)
{
    struct fork_ask *f = ARENA_NEW(&c->req->mem, struct fork_ask);

    f->call = c;
    id_new(loop_wall(c->server->loop), f->id);
    f->step = (struct store_step){
        .what = STORE_SESSION_FORK,
        .fork = { .from = from, .owner = str_of(c->principal.name), .id = str_of(f->id) }
    };
    f->ask = (struct store_ask){ .step = &f->step, .steps = 1 };
    store_start(c->server->agents->world->store, &f->ask, NULL, on_forked, f);
}

static void on_context_listed(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_call *c = ctx;
    const struct task_info *newest;
    bool busy = false;

    (void)op;
    if (e) {
        a2a_refuse_err(c, e);
        return;
    }
    if (!a2a_call_goes_on(c))
        return;
    newest = newest_in_context(&c->list, &busy);
    if (newest && busy) {
        fork_session(c, arena_str(&c->req->mem, newest->session));
        return;
    }
    if (newest)
        c->spec.session = arena_str(&c->req->mem, newest->session);
    create_task(c);
}

/* Only the client's own tasks: a context of another principal is another context. */
static void continue_context(struct a2a_call *c)
{
    c->list = (struct task_list){ .owner = str_of(c->principal.name),
                                  .context = c->spec.context,
                                  .agent = c->spec.agent.n ? c->spec.agent : STR_NONE };
    task_list(c->server->agents->tasks, &c->list, NULL, on_context_listed, c);
}

static void begin_new_task(struct a2a_call *c)
{
    if (!find_agent(c) || !read_trace(c))
        return;
    fill_spec(c);
    set_rights(c);
    if (c->spec.context.n)
        continue_context(c);
    else
        create_task(c);
}

/* ---- an answer to a question ----------------------------------------------------------------- */

/* The task still asks: the response is the task with its question. */
static void answer_unclear(struct a2a_call *c)
{
    c->unclear = true;
    send_follow(c, c->ask.info.last_seq);
}

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_call *c = ctx;

    (void)op;
    if (!e && c->params.has_push)
        store_push(c, c->ask.info.last_seq);
    else if (!e)
        send_follow(c, c->ask.info.last_seq);
    else if (e->code == ERR_INVALID)
        answer_unclear(c);
    else if (e->code == ERR_NOT_FOUND)
        a2a_refuse(c, A2A_UNSUPPORTED_OPERATION, "%s", e->text);
    else
        a2a_refuse_err(c, e);
}

static void answer_question(struct a2a_call *c)
{
    struct a2a_message *m = &c->params.message;
    struct str stored = a2a_stored_write(&c->req->mem, c->dialect, m, true), key;
    struct json answer;

    if (!a2a_question_answer(&c->req->mem, c->server->limits, &c->ask.info, m, stored, &key,
                             &answer)) {
        answer_unclear(c);
        return;
    }
    key = arena_str(&c->req->mem, key);
    task_ask_fini(&c->ask);
    c->ask = (struct task_ask){ .id = m->task, .owner = a2a_call_sees(c), .by = c->principal };
    task_answer(c->server->agents->tasks, &c->ask, key, answer, NULL, on_answered, c);
}

static void find_task(struct a2a_call *c);

/* While the engine works for the call, its request must not end: find_task looks for the client. */
static void look_again(struct a2a_call *c)
{
    c->req->on_gone = NULL;
    a2a_follow_leave(&c->listener);
    find_task(c);
}

static void on_wait_ready(struct a2a_listener *l)
{
    if (a2a_view_waits(&l->follow->view))
        look_again(call_of(l));
}

static void on_wait_update(struct a2a_listener *l, const struct a2a_update *u, int64_t seq)
{
    (void)u;
    (void)seq;
    on_wait_ready(l);
}

/*
 * The task works. The message is not lost: the client gets its response when the task has received
 * it, or when the task has ended without a question.
 */
static void wait_for_question(struct a2a_call *c)
{
    c->req->data = c;
    c->req->on_gone = on_gone;
    c->listener = (struct a2a_listener){ .on_ready = on_wait_ready,
                                         .on_update = on_wait_update,
                                         .on_end = on_end };
    a2a_follow_join(c->server, &c->ask.info, &c->listener, c->ask.info.last_seq);
}

/* Over HTTP+JSON of 0.3, clients send a context of their own: they cannot read that of the task. */
static void on_task_found(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_call *c = ctx;
    const struct task_info *info = &c->ask.info;
    struct str context = c->params.message.context;

    (void)op;
    c->asked = true;
    if (e)
        a2a_refuse_err(c, e);
    else if (!a2a_call_goes_on(c))
        return;
    else if (context.n && !str_eq(context, info->context) && c->dialect != A2A_0_3_REST)
        a2a_refuse(c, A2A_INVALID_PARAMS, "contextId: the task belongs to another context");
    else if (task_state_final(info->state))
        a2a_refuse(c, A2A_UNSUPPORTED_OPERATION,
                   "the task has ended (%s) and accepts no further message; send a message with "
                   "its contextId only",
                   a2a_dialects[c->dialect].state[info->state]);
    else if (!info->asks.n)
        wait_for_question(c);
    else
        answer_question(c);
}

static void find_task(struct a2a_call *c)
{
    if (!a2a_call_goes_on(c))
        return;
    if (c->asked)
        task_ask_fini(&c->ask);
    c->asked = false;
    c->params.id = c->params.message.task;
    c->ask = (struct task_ask){ .id = c->params.id, .owner = a2a_call_sees(c) };
    task_get(c->server->agents->tasks, &c->ask, NULL, on_task_found, c);
}

void a2a_op_send(struct a2a_call *c)
{
    struct err e;

    if (c->params.has_push && !c->server->setup->push) {
        a2a_refuse(c, A2A_PUSH_NOT_SUPPORTED, "push notifications are off: [a2a] push = false");
        return;
    }
    if (c->params.has_push && !a2a_push_prepare(c, &e)) {
        a2a_refuse(c, A2A_INVALID_PARAMS, "%s", e.text);
        return;
    }
    if (c->params.message.task.n)
        find_task(c);
    else
        begin_new_task(c);
}
