/*
 * agent_call.c - see the header.
 *
 *   START ──> LOOKUP ──> OPENING ──> WORKING ──> CLOSING ──> OVER
 *     └─────────────────────^  └───────────────────^
 *                                (LOOKUP and OPENING go to OVER when they fail)
 *
 * LOOKUP   the session to resume is read from the store, to find its owner and agent
 * OPENING  the session is opened or created; the call waits while another call uses the session
 * WORKING  the turn runs
 * CLOSING  the session is closed
 * OVER     the op has settled; the result of the call is written next
 *
 * The states belong to one op, a child of the call. Cancelling that op cancels its children; a turn
 * that is cancelled ends normally, with the text so far. A call that is cancelled before its turn
 * starts goes from OPENING to CLOSING.
 */
#include "core/agent/agent_call.h"

#include "base/container.h"
#include "base/log.h"
#include "core/agent/agent_artifacts.h"
#include "core/agent/agent_progress.h"
#include "core/guard/guard.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/taint_label.h"
#include "core/session/history_record.h"
#include "core/session/turn.h"

#include <assert.h>

/* ---- one call ------------------------------------------------------------------------------ */

enum agent_run_state {
    AGENT_RUN_START,
    AGENT_RUN_LOOKUP,
    AGENT_RUN_OPENING,
    AGENT_RUN_WORKING,
    AGENT_RUN_CLOSING,
    AGENT_RUN_OVER,
    AGENT_RUN_STATES
};

struct agent_run {
    struct op op; /* first: under the call */
    enum agent_run_state state;
    struct work_client client;
    struct call *call;
    struct agent_call_opts opts;
    struct agent *agent;
    struct guard_scope scope; /* between the caller's and the session's */
    struct store_ask look;
    struct store_step look_step;
    struct session session;
    struct session_opening opening;
    struct turn turn;
    struct turn_prompt prompt;
    char prompt_id[ID_TEXT];
    struct agent_tell tell;
    struct timer deadline;
    int64_t left_ms;        /* until the deadline, while it is paused */
    size_t asks;            /* open questions to the caller */
    size_t asked;           /* questions so far */
    bool late;              /* the deadline has passed */
    char id[ID_TEXT];       /* of the session; "" before the session is open */
    bool read_only;         /* the effective mode */
    struct str mode_reason; /* why the mode is read-only, if the caller did not ask for that */
    bool said;              /* the agent has sent text in this turn */
    struct str answer;      /* the agent's last message */
    struct str taint;       /* the source of untrusted data in the session; STR_NONE: none */
    struct artifact_set made;
    bool turned;    /* the turn ran to its end: turn.stop is valid */
    struct err why; /* if it did not: the reason */
};

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const state_names[AGENT_RUN_STATES] = {
    [AGENT_RUN_START] = "start",     [AGENT_RUN_LOOKUP] = "lookup",
    [AGENT_RUN_OPENING] = "opening", [AGENT_RUN_WORKING] = "working",
    [AGENT_RUN_CLOSING] = "closing", [AGENT_RUN_OVER] = "over",
};

#define TO(state) (1u << AGENT_RUN_##state)

static const unsigned state_next[AGENT_RUN_STATES] = {
    [AGENT_RUN_START] = TO(LOOKUP) | TO(OPENING),
    [AGENT_RUN_LOOKUP] = TO(OPENING) | TO(OVER),
    [AGENT_RUN_OPENING] = TO(WORKING) | TO(CLOSING) | TO(OVER),
    [AGENT_RUN_WORKING] = TO(CLOSING),
    [AGENT_RUN_CLOSING] = TO(OVER),
};

static void agent_run_go(struct agent_run *r, enum agent_run_state to)
{
    assert(state_next[r->state] & (1u << to));
    LOG(LOG_TRACE, "agent_call", "state", LOG_Z("tool", r->call->what),
        LOG_Z("from", state_names[r->state]), LOG_Z("to", state_names[to]));
    r->state = to;
}

static struct agent_run *agent_run_of(struct work_client *c)
{
    return CONTAINER_OF(c, struct agent_run, client);
}

/* ---- the deadline -------------------------------------------------------------------------- */

static void on_deadline(struct timer *t)
{
    struct agent_run *r = CONTAINER_OF(t, struct agent_run, deadline);

    r->late = true;
    op_cancel(&r->op);
}

static void pause_deadline(struct agent_run *r)
{
    if (r->asks++ || !timer_is_set(&r->deadline))
        return;
    r->left_ms = r->deadline.due - loop_now(r->op.loop);
    timer_clear(r->op.loop, &r->deadline);
}

static void resume_deadline(struct agent_run *r)
{
    if (--r->asks || r->op.canceled)
        return;
    timer_set(r->op.loop, &r->deadline, r->left_ms > 0 ? r->left_ms : 1, on_deadline);
}

/* ---- asks ---------------------------------------------------------------------------------- */

/*
 * A question from a tool of the agent, forwarded to the caller of the agent. It is an op under the
 * original question, so that question outlives it, and cancelling the original cancels this one.
 */
struct forwarded {
    struct op op; /* first */
    struct agent_run *agent_run;
    struct ask *from;
    struct ask to;
};

static void cancel_forwarded(struct op *op)
{
    op_cancel(&CONTAINER_OF(op, struct forwarded, op)->to.op);
}

static const struct op_kind forwarded_kind = { .name = "forwarded ask",
                                               .cancel = cancel_forwarded };

static void on_forwarded(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    (void)ctx;
}

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct forwarded *f = ctx;

    (void)op;
    resume_deadline(f->agent_run);
    if (e)
        ask_refuse(f->from, e);
    else
        ask_answer(f->from, f->to.answer);
    op_ok(&f->op);
}

/* Sampling and roots are not forwarded: an agent has its own model and folders. */
static bool can_ask(const struct work_client *c, enum ask_kind kind)
{
    const struct agent_run *r = CONTAINER_OF(c, struct agent_run, client);

    return (kind == ASK_FORM || kind == ASK_URL || kind == ASK_PERMISSION) &&
           call_can_ask(r->call, kind);
}

static void ask(struct work_client *c, struct ask *from)
{
    struct agent_run *r = agent_run_of(c);
    struct arena *mem = r->call->mem;
    struct forwarded *f = ARENA_NEW(mem, struct forwarded);

    f->agent_run = r;
    f->from = from;
    op_begin(&f->op, &forwarded_kind, r->op.loop, &from->op, on_forwarded, f);
    pause_deadline(r);
    call_ask_about(r->call, from->about, &f->to, from->kind,
                   arena_printf(mem, "agent_%zu", ++r->asked), arena_str(mem, from->params),
                   on_answered, f);
}

/* ---- events -------------------------------------------------------------------------------- */

/* Forward an event, also of agents that this agent has called. */
static void on_below(struct work_client *c, struct str session, const struct event *ev)
{
    struct caller *caller = agent_run_of(c)->call->caller;

    if (caller->kind->below)
        caller->kind->below(caller, session, ev);
}

static void on_event(struct work_client *c, const struct event *ev)
{
    struct agent_run *r = agent_run_of(c);

    if (ev->kind == EVENT_TEXT)
        r->said = true;
    else if (ev->kind == EVENT_ARTIFACT)
        artifact_add(&r->made, &ev->artifact);
    on_below(c, str_of(r->id), ev);
    agent_tell_event(&r->tell, ev);
}

static const struct work_client_kind client_kind = {
    .event = on_event,
    .can = can_ask,
    .ask = ask,
    .below = on_below,
};

/* ---- the result ---------------------------------------------------------------------------- */

static void write_structured(struct agent_run *r)
{
    struct jw w = jw_to(&r->call->structured);

    jw_object(&w);
    jw_kstr(&w, "answer", r->answer.p ? r->answer : STR(""));
    jw_kstr(&w, "session_id", str_of(r->id));
    jw_kstr(&w, "stop", str_of(turn_stop_names[r->turned ? r->turn.stop : TURN_FAILED]));
    jw_kstr(&w, "mode", str_of(agent_mode_name(r->read_only ? AGENT_READ_ONLY : AGENT_READ_WRITE)));
    jw_kstr(&w, "mode_reason", r->mode_reason);
    jw_plain_key(&w, STR("usage"));
    usage_write(&w, &r->turn.usage);
    jw_object_end(&w);
    if (r->call->structured.full) /* the text says it, too */
        buf_clear(&r->call->structured);
}

/* Why the answer is missing or incomplete; NULL: the answer is complete. */
static const char *complaint(const struct agent_run *r)
{
    if (r->late)
        return arena_printf(r->call->mem,
                            "the agent took longer than %lld ms (limits.agent_call_ms)",
                            (long long)r->call->host->limits->agent_call_ms)
            .p;
    if (!r->turned)
        return r->why.text;
    if (r->turn.stop == TURN_CANCELED)
        return "the agent was stopped";
    return r->turn.stop == TURN_END ? NULL : r->turn.why.text;
}

static void write_result(struct agent_run *r)
{
    struct call *call = r->call;
    const char *wrong = complaint(r);

    if (r->answer.n || !wrong)
        call_text(call, r->answer.p ? r->answer : STR(""));
    agent_made_write(&r->made, call, r->id);
    if (wrong)
        call_text(call, str_of(wrong));
    call->is_error = wrong && !(r->turned && r->turn.stop == TURN_LENGTH);
    write_structured(r);
    if (r->taint.p) {
        call->untrusted = true;
        call->from = r->taint;
    }
}

/* ---- from state to state ------------------------------------------------------------------- */

static void finish(struct agent_run *r)
{
    agent_run_go(r, AGENT_RUN_OVER);
    timer_clear(r->op.loop, &r->deadline);
    agent_tell_end(&r->tell);
    op_ok(&r->op);
}

static void on_session_closed(void *ctx)
{
    finish(ctx);
}

static void close_session(struct agent_run *r)
{
    const struct history *h = r->session.history;
    struct arena *mem = r->call->mem;
    struct str taint = taint_join(mem, history_taint(h), r->session.agent->source);

    agent_run_go(r, AGENT_RUN_CLOSING);
    if (r->said) /* else the last answer in the history belongs to an earlier call */
        r->answer = arena_str(r->call->mem, history_answer_to(h, str_of(r->prompt_id)));
    if (taint.p)
        r->taint = arena_str(mem, taint);
    session_close(&r->session, on_session_closed, r);
}

static void on_turned(struct op *op, const struct err *e, void *ctx)
{
    struct agent_run *r = ctx;

    (void)op;
    if (e)
        r->why = *e;
    else
        r->turned = true;
    close_session(r);
}

/* A resumed session keeps the mode in which it was created. */
static void note_mode(struct agent_run *r)
{
    const struct agent *a = r->session.agent;

    r->read_only = guard_is_read_only(&r->session.scope);
    if (!r->read_only || r->opts.read_only)
        return;
    r->mode_reason = agent_mode_reason(r->call->mem, a->def->name, a->scope.mode, &r->scope);
    if (!r->mode_reason.n)
        r->mode_reason = STR("the session was started read-only");
}

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct agent_run *r = ctx;

    (void)op;
    agent_drop(r->agent); /* the session has its own reference */
    if (e) {
        r->why = *e;
        finish(r);
        return;
    }
    memcpy(r->id, r->session.id, sizeof(r->id));
    note_mode(r);
    if (r->op.canceled) {
        fail(&r->why, ERR_CANCELED, "cancelled");
        close_session(r);
    } else {
        id_new(loop_wall(r->op.loop), r->prompt_id);
        r->prompt = (struct turn_prompt){ .block = r->opts.message.v,
                                          .blocks = r->opts.message.n,
                                          .id = str_of(r->prompt_id) };
        timer_set(r->op.loop, &r->deadline, r->call->host->limits->agent_call_ms, on_deadline);
        agent_run_go(r, AGENT_RUN_WORKING);
        turn_start(&r->turn, &r->session, session_listen(&r->session, &r->client), &r->prompt,
                   &r->op, on_turned, r);
    }
}

static void open_session(struct agent_run *r)
{
    const struct call *call = r->call;
    struct caller caller = *call->caller; /* a copy: trace_next may add an id in our memory */
    struct err e;

    agent_run_go(r, AGENT_RUN_OPENING);
    r->agent = r->opts.context->registry->kind->take(
        r->opts.context->registry, &(struct agent_want){ .name = r->opts.agent }, &e);
    if (!r->agent) {
        r->why = e;
        finish(r);
        return;
    }
    r->scope = agent_caller_scope(call);
    session_open(&r->session, &r->opening, r->opts.context->world,
                 &(struct session_opts){
                     .id = r->opts.session,
                     .agent = r->agent,
                     .cwd = r->opts.session.p || r->agent->def->folder ? NULL : call->host->cwd,
                     .read_only = r->opts.read_only,
                     .parent = &r->scope,
                     .origin = caller.origin,
                     .principal = caller.principal,
                     .client = caller.client,
                     .remote = caller.remote,
                     .trace = trace_next(&caller, call->mem, loop_wall(r->op.loop)),
                     .taint = caller.taint,
                 },
                 &r->op, on_opened, r);
}

/*
 * ---- look up the session to resume
 * ------------------------------------------------------------------
 */

static bool check_agent(struct agent_run *r, struct str owner, struct err *e)
{
    if (!r->opts.agent.p && owner.n)
        r->opts.agent = arena_str(r->call->mem, owner);
    if (!owner.n || str_eq(owner, r->opts.agent))
        return true;
    return fail(e, ERR_INVALID,
                "session " STR_FMT " belongs to the agent " STR_FMT ", not to " STR_FMT,
                STR_ARG(str_head(r->opts.session, 40)), STR_ARG(str_head(owner, 64)),
                STR_ARG(str_head(r->opts.agent, 64)));
}

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct agent_run *r = ctx;

    (void)op;
    if (e)
        r->why = *e;
    else if (session_check_owner(&r->look_step.session, r->call->caller->principal, &r->why))
        check_agent(r, r->look_step.session.agent, &r->why);
    store_ask_fini(&r->look);
    if (r->why.code != ERR_NONE)
        finish(r);
    else
        open_session(r);
}

static void look_up(struct agent_run *r)
{
    struct store_port *store = r->opts.context->world->store;

    agent_run_go(r, AGENT_RUN_LOOKUP);
    if (!store) {
        fail(&r->why, ERR_NOT_FOUND, "no sessions are stored, so none can be resumed");
        finish(r);
        return;
    }
    r->look_step =
        (struct store_step){ .what = STORE_SESSION_LOAD, .session = { .id = r->opts.session } };
    r->look.step = &r->look_step;
    r->look.steps = 1;
    store_start(store, &r->look, &r->op, on_looked, r);
}

/* ---- beginning ----------------------------------------------------------------------------- */

/* The ops below are cancelled already. If none runs, the next state checks r->op.canceled. */
static void cancel_run(struct op *op)
{
    (void)op;
}

static const struct op_kind run_kind = { .name = "agent call", .cancel = cancel_run };

static void on_run_done(struct op *op, const struct err *e, void *ctx)
{
    struct agent_run *r = ctx;
    struct call *call = r->call;

    (void)op;
    (void)e;
    if (!r->id[0]) {
        call_failed(call, "%s", r->why.text);
        return;
    }
    write_result(r);
    call_done(call);
}

bool agent_call_check_depth(struct call *call)
{
    const struct limits *l = call->host->limits;
    const struct trace *t = &call->caller->trace;

    if (trace_too_deep(t->depth + 1, l->trace_depth))
        call_failed(call, "the chain of agent calls is longer than %lld",
                    (long long)l->trace_depth);
    else if (trace_too_deep(t->depth - t->arrived + 1, l->agent_depth))
        call_failed(call, "the chain of agent calls is longer than %lld (limits.agent_depth)",
                    (long long)l->agent_depth);
    else
        return true;
    return false;
}

static bool check(struct call *call, const struct agent_call_opts *opts)
{
    if (!opts->context || !opts->context->registry)
        call_failed(call, "no agents are available");
    else if (!blocks_say_something(opts->message))
        call_failed(call, "message must not be empty: describe what the agent should do");
    else
        return agent_call_check_depth(call);
    return false;
}

void agent_call(struct call *call, const struct agent_call_opts *opts)
{
    struct agent_run *r;

    if (!check(call, opts))
        return;
    r = ARENA_NEW(call->mem, struct agent_run);
    r->call = call;
    r->opts = *opts;
    r->client.kind = &client_kind;
    r->made = (struct artifact_set){ .mem = call->mem,
                                     .most = (size_t)call->host->limits->artifact_bytes };
    agent_tell_begin(&r->tell, call);
    op_begin(&r->op, &run_kind, call->op.loop, &call->op, on_run_done, r);
    if (opts->session.p)
        look_up(r);
    else
        open_session(r);
}
