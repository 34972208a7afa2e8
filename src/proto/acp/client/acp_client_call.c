#include "proto/acp/client/acp_client_call.h"

#include "base/container.h"
#include "base/utf8.h"
#include "core/session/turn_parts.h"

/* ---- the caller: the turn, whose client answers questions -------------------------------------- */

static struct acp_agent_call *of_caller(const struct caller *c)
{
    return CONTAINER_OF(c, struct acp_agent_call, caller);
}

static bool acp_caller_can(const struct caller *c, enum ask_kind kind)
{
    struct work_client *client = of_caller(c)->turn->prompt->turn->client;

    return client->kind->can(client, kind);
}

static void show_call(struct acp_agent_call *c, enum called_status status)
{
    struct event ev = { .kind = EVENT_TOOL };

    ev.tool = (struct event_tool){ .id = c->id,
                                   .name = str_of(c->call.what),
                                   .kind = c->kind,
                                   .status = status,
                                   .path = c->path };
    turn_event(c->turn->prompt->turn, &ev);
}

static void tell_ask(const struct acp_agent_call *c, const struct ask *ask, bool open)
{
    struct event ev = { .kind = EVENT_ASK };

    ev.ask = (struct event_ask){
        .id = c->id, .key = ask->key, .kind = ask->kind, .params = ask->params, .open = open
    };
    turn_tell(c->turn->prompt->turn, &ev);
}

static void acp_caller_ask(struct caller *caller, struct ask *ask)
{
    struct acp_agent_call *c = of_caller(caller);
    struct turn *t = c->turn->prompt->turn;

    if (!c->shown)
        show_call(c, CALLED_PENDING);
    c->shown = true;
    turn_wall_stop(t);
    tell_ask(c, ask, true);
    t->client->kind->ask(t->client, ask);
}

static void acp_caller_asked(struct caller *caller, struct ask *ask)
{
    struct acp_agent_call *c = of_caller(caller);
    struct turn *t = c->turn->prompt->turn;

    if (!acp_caller_can(caller, ask->kind))
        return;
    turn_wall_go_on(t);
    if (!c->turn->prompt->op.settled)
        tell_ask(c, ask, false);
}

static struct str acp_caller_call_id(const struct caller *c)
{
    return of_caller(c)->id;
}

static void acp_caller_progress(struct caller *c, const struct progress *p)
{
    (void)c;
    (void)p;
}

static void acp_caller_log(struct caller *c, enum call_level level, struct str logger,
                           struct str data)
{
    (void)c;
    (void)level;
    (void)logger;
    (void)data;
}

static const struct caller_kind acp_caller = {
    .can = acp_caller_can,
    .ask = acp_caller_ask,
    .asked = acp_caller_asked,
    .call_id = acp_caller_call_id,
    .progress = acp_caller_progress,
    .log = acp_caller_log,
};

/* ---- the log --------------------------------------------------------------------------------- */

/* The session log has a line for each request, under the name of its method. */
static void log_request(const struct acp_agent_call *c, const struct err *why)
{
    struct session *s = c->request.session->session;
    struct session_logs *logs = s->world->logs;
    struct event ev = { .kind = EVENT_TOOL };

    if (!s->log)
        return;
    ev.tool = (struct event_tool){ .id = c->id,
                                   .name = c->request.in->method,
                                   .kind = TOOL_KINDS,
                                   .status = why ? CALLED_FAILED : CALLED_DONE,
                                   .path = c->path,
                                   .text = why ? str_of(why->text) : STR_NONE };
    logs->kind->note(logs, s->log, &ev);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The text of a failure for the model is the first block of the content. */
static void read_failure(struct acp_agent_call *c, struct err *e)
{
    const struct json_opts opts = limits_json(c->call.host->limits);
    struct arena *mem = c->request.in->mem;
    struct json block;
    struct err bad;

    if (c->why.code) {
        *e = c->why;
        return;
    }
    fail(e, ERR_INVALID, "%s has failed", c->call.what);
    if (c->call.content.n && json_read(mem, buf_str(&c->call.content), &opts, &block, &bad))
        fail(e, ERR_INVALID, STR_FMT,
             STR_ARG(utf8_head(json_str(mem, json_get(block, STR("text"))), 230)));
}

static void answer_error(struct rpc_in *in, const struct err *e)
{
    if (e->code == ERR_NOT_FOUND)
        rpc_error_data(in, ACP_NOT_FOUND, str_of(e->text), STR_NONE);
    else
        rpc_error_of(in, e);
}

static void on_call_done(struct op *op, const struct err *e, void *ctx)
{
    struct acp_agent_call *c = ctx;
    bool failed = e || c->call.is_error || c->call.lacking;
    struct err why;

    (void)op;
    if (e)
        why = *e;
    else if (failed)
        read_failure(c, &why);
    log_request(c, failed ? &why : NULL);
    if ((c->shown || c->reports) && !c->turn->prompt->op.settled)
        show_call(c, failed ? CALLED_FAILED : CALLED_DONE);
    if (failed)
        answer_error(c->request.in, &why);
    else
        c->answer(c);
    acp_request_end(&c->request);
}

static void cancel_call(struct acp_request *r)
{
    op_cancel(&CONTAINER_OF(r, struct acp_agent_call, request)->call.op);
}

/* ---- starting -------------------------------------------------------------------------------- */

void *acp_call_new(struct rpc_in *in, size_t size)
{
    struct acp_driven *s = acp_driven_of(in);
    struct acp_agent_call *c;

    if (!s) {
        rpc_error_data(in, ACP_NOT_FOUND, STR("there is no such session"), STR_NONE);
        return NULL;
    }
    if (!s->turn || s->turn->state != ACP_TURN_PROMPTING) {
        rpc_error(in, RPC_INVALID_REQUEST, "no prompt is running in this session");
        return NULL;
    }
    c = memset(arena_alloc(in->mem, size), 0, size);
    c->request.in = in;
    c->request.session = s;
    c->turn = s->turn;
    c->id = arena_printf(in->mem, "request-%zu", ++s->calls);
    return c;
}

struct acp_agent_call *acp_call_of(struct call *call)
{
    return CONTAINER_OF(call, struct acp_agent_call, call);
}

void acp_call_run(struct acp_agent_call *c, const struct tool *tool, struct str args)
{
    struct acp_driven *s = c->request.session;
    struct rpc_in *in = c->request.in;
    struct json_opts opts = limits_json(s->session->host.limits);
    struct json v;
    struct err e;

    if (!json_read(in->mem, args, &opts, &v, &e)) {
        rpc_error_of(in, &e);
        return;
    }
    c->caller.kind = &acp_caller;
    turn_fill_caller(c->turn->prompt->turn, &c->caller);
    c->caller.history = NULL; /* the agent, not our model, decides about repetitions */
    c->kind = tool->kind;
    c->request.cancel = cancel_call;
    acp_request_begin(&c->request, in, s);
    tool_run(tool, &c->call, &s->session->host, &c->caller, in->mem, v, &c->turn->prompt->op,
             on_call_done, c);
}

void acp_call_fail(struct call *call, const struct err *e)
{
    acp_call_of(call)->why = *e;
    if (e->code == ERR_CANCELED)
        call_broke(call, e);
    else
        call_failed(call, "%s", e->text);
}
