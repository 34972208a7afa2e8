#include "proto/acp/agent/acp_prompt.h"

#include "base/container.h"
#include "base/list.h"
#include "proto/acp/acp_names.h"
#include "proto/acp/agent/acp_block.h"
#include "proto/acp/agent/acp_command.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_update.h"

#include <assert.h>

static void acp_prompt_set_state(struct acp_prompt *p, enum acp_prompt_state to)
{
    assert(to > p->state);
    p->state = to;
}

/* ---- the response ---------------------------------------------------------------------------- */

static bool was_canceled(const struct acp_prompt *p, const struct err *e)
{
    return e ? e->code == ERR_CANCELED : p->stop == TURN_CANCELED;
}

/* unstable, but sent by many agents and read by many clients */
static void write_usage(struct jw *w, const struct model_usage *u)
{
    if (!u->input && !u->output)
        return;
    jw_plain_key(w, STR("usage"));
    jw_object(w);
    jw_kint(w, "totalTokens", u->input + u->output);
    jw_kint(w, "inputTokens", u->input);
    jw_kint(w, "outputTokens", u->output);
    jw_kint(w, "thoughtTokens", u->thinking);
    jw_kint(w, "cachedReadTokens", u->cache_read);
    jw_kint(w, "cachedWriteTokens", u->cache_write);
    jw_object_end(w);
}

static void answer_stop(struct acp_prompt *p, const char *stop)
{
    struct jw *w = rpc_result_begin(p->in);

    jw_object(w);
    jw_kplain(w, "stopReason", str_of(stop));
    write_usage(w, &p->turn.usage);
    jw_object_end(w);
    rpc_result_end(p->in);
}

static void on_prompt_done(struct op *op, const struct err *e, void *ctx)
{
    struct acp_prompt *p = ctx;
    struct acp_session *s = p->session;

    (void)op;
    acp_prompt_set_state(p, ACP_PROMPT_DONE);
    if (was_canceled(p, e))
        answer_stop(p, acp_stop_name(TURN_CANCELED));
    else if (e)
        acp_error_of(p->in, e, STR_NONE);
    else
        answer_stop(p, acp_stop_name(p->stop));
    LIST_UNLINK(s->prompts, p, next);
    if (s->running == p)
        s->running = NULL;
    acp_prompts_run(s);
    acp_session_check(s);
}

/* ---- working --------------------------------------------------------------------------------- */

void acp_prompt_end(struct acp_prompt *p, enum turn_stop stop, const struct err *e)
{
    p->stop = stop;
    if (e)
        op_fail(&p->op, e);
    else
        op_ok(&p->op);
}

/* No stop reason says why a turn ended early, so the client gets the sentence before. */
static void explain_stop(struct acp_prompt *p, const struct turn *t)
{
    if (t->why.code && t->why.text[0] && t->stop != TURN_CANCELED && t->stop != TURN_FAILED)
        acp_update_explain(p->session, str_of(t->why.text));
}

/* Always an internal error: -32002 or -32602 would be about the session or the request. */
static void end_failed(struct acp_prompt *p, const struct turn *t)
{
    struct err e;

    fail(&e, ERR_SYSTEM, "%s", t->why.code ? t->why.text : "the turn has failed");
    acp_prompt_end(p, t->stop, &e);
}

static void on_turned(struct op *op, const struct err *e, void *ctx)
{
    struct acp_prompt *p = ctx;
    const struct turn *t = &p->turn;

    (void)op;
    acp_update_end_turn(p->session);
    if (!e && !acp_stop_name(t->stop)) {
        end_failed(p, t);
        return;
    }
    if (!e)
        explain_stop(p, t);
    acp_prompt_end(p, t->stop, e);
}

static void start_turn(struct acp_prompt *p)
{
    struct acp_session *s = p->session;
    struct turn_prompt prompt;

    acp_prompt_set_state(p, ACP_PROMPT_WORKING);
    acp_update_notice(s);
    if (acp_command_start(p))
        return;
    prompt = (struct turn_prompt){ .block = p->blocks.v, .blocks = p->blocks.n };
    turn_start(&p->turn, &s->session, s->listener, &prompt, &p->op, on_turned, p);
}

static void on_ready(struct op *op, const struct err *e, void *ctx)
{
    struct acp_prompt *p = ctx;

    (void)op;
    if (e)
        op_fail(&p->op, e);
    else
        start_turn(p);
}

/* An agent that begins before the servers are connected would lack their tools. */
static void run_prompt(struct acp_prompt *p)
{
    struct acp_root *root = p->session->root;

    p->session->running = p;
    if (!root->readiness || !root->readiness->open) {
        start_turn(p);
        return;
    }
    acp_prompt_set_state(p, ACP_PROMPT_WAITING);
    readiness_wait(root->readiness, &p->wait, p->op.loop, root->limits, &p->op, on_ready, p);
}

void acp_prompts_run(struct acp_session *s)
{
    struct acp_prompt *p = s->prompts;

    while (p && p->op.settled) /* it was cancelled, and is about to be answered */
        p = p->next;
    if (s->state == ACP_SESSION_OPEN && !s->running && p)
        run_prompt(p);
}

/* ---- cancelling ------------------------------------------------------------------------------ */

/* The work below the prompt has been cancelled and settles it; if there is none, it ends here. */
static void cancel_prompt(struct op *op)
{
    if (!op->child)
        op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind prompt_kind = { .name = "acp prompt", .cancel = cancel_prompt };

void acp_prompts_cancel(struct acp_session *s)
{
    for (struct acp_prompt *p = s->prompts; p; p = p->next)
        op_cancel(&p->op);
}

struct cancel {
    struct str session;
};

static const struct pick cancel_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct cancel, session, PICK_MUST),
};

/* Ignored if the session is unknown or idle: the message may have crossed our response. */
void acp_on_cancel(struct rpc_in *in)
{
    struct cancel params = { 0 };
    struct acp_session *s = NULL;

    if (rpc_params(in, PICK_TABLE(cancel_fields), &params))
        s = acp_conn_find(acp_conn_of(in), params.session);
    if (s)
        acp_prompts_cancel(s);
}

/* ---- the request ----------------------------------------------------------------------------- */

struct prompt_params {
    struct str session;
    struct json prompt;
};

static const struct pick prompt_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct prompt_params, session, PICK_MUST),
    PICK_FIELD("prompt", PICK_ARRAY, struct prompt_params, prompt, PICK_MUST),
};

static size_t count_prompts(const struct acp_session *s)
{
    size_t n = 0;

    for (const struct acp_prompt *p = s->prompts; p; p = p->next)
        n++;
    return n;
}

static bool read_prompt(struct rpc_in *in, const struct acp_session *s, struct json prompt,
                        struct blocks *out)
{
    unsigned caps = s->opened ? s->session.agent->caps : AGENT_MEDIA;
    struct err e;

    if (acp_blocks_read(in->mem, prompt, in->peer->rpc->limits, caps, out, &e))
        return true;
    rpc_error_of(in, &e);
    return false;
}

static bool may_queue(struct rpc_in *in, const struct acp_session *s)
{
    int64_t most = in->peer->rpc->limits->session_queue;
    size_t n = count_prompts(s);

    if (s->state >= ACP_SESSION_CLOSING) {
        acp_session_unknown(in, str_of(s->id));
        return false;
    }
    if (n && (int64_t)n > most) {
        rpc_error(in, RPC_INTERNAL_ERROR,
                  "%zu prompts wait for session %s (limits.session_queue); try again later", n - 1,
                  s->id);
        return false;
    }
    return true;
}

static void append_prompt(struct acp_session *s, struct acp_prompt *p)
{
    struct acp_prompt **at = &s->prompts;

    while (*at)
        at = &(*at)->next;
    *at = p;
}

void acp_on_prompt(struct rpc_in *in)
{
    struct prompt_params params = { 0 };
    struct acp_session *s;
    struct acp_prompt *p;
    struct blocks blocks;

    if (!rpc_params(in, PICK_TABLE(prompt_fields), &params))
        return;
    s = acp_session_of(in, params.session);
    if (!s || !may_queue(in, s) || !read_prompt(in, s, params.prompt, &blocks))
        return;
    p = ARENA_NEW(in->mem, struct acp_prompt);
    p->session = s;
    p->in = in;
    p->blocks = blocks;
    op_begin(&p->op, &prompt_kind, in->op.loop, &in->op, on_prompt_done, p);
    append_prompt(s, p);
    acp_prompts_run(s);
}
