/*
 * acp_client_prompt.c - the states of one prompt; acp_client_parts.h has the diagram.
 *
 * acp_turn_next takes the next step whenever the process or a request of ours has made progress.
 * If the prompt is cancelled before session/prompt was sent, the process is stopped, because the
 * protocol cannot cancel these steps.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_settings.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* The turn has a time limit of its own (limits.turn_ms), which stops for questions. */
static const int64_t PROMPT_MS = 365LL * 86400 * 1000;

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const turn_names[ACP_TURN_STATES] = {
    [ACP_TURN_CONNECTING] = "connecting", [ACP_TURN_OPENING] = "opening",
    [ACP_TURN_SETTING] = "setting",       [ACP_TURN_PROMPTING] = "prompting",
    [ACP_TURN_CANCELLING] = "cancelling", [ACP_TURN_OVER] = "over",
};

#define TO(state) (1u << ACP_TURN_##state)

static const unsigned turn_next[ACP_TURN_STATES] = {
    [ACP_TURN_CONNECTING] = TO(OPENING) | TO(SETTING) | TO(PROMPTING) | TO(OVER),
    [ACP_TURN_OPENING] = TO(SETTING) | TO(PROMPTING) | TO(OVER),
    [ACP_TURN_SETTING] = TO(PROMPTING) | TO(OVER),
    [ACP_TURN_PROMPTING] = TO(OPENING) | TO(CANCELLING) | TO(OVER),
    [ACP_TURN_CANCELLING] = TO(OVER),
};

static void acp_turn_go(struct acp_turn *t, enum acp_turn_state to)
{
    if (t->state == to)
        return;
    assert(turn_next[t->state] & (1u << to));
    LOG(LOG_TRACE, "acp", "prompt", LOG_Z("session", t->session->session->id),
        LOG_Z("from", turn_names[t->state]), LOG_Z("to", turn_names[to]));
    t->state = to;
}

/* ---- the end --------------------------------------------------------------------------------- */

void acp_turn_end(struct acp_turn *t, enum turn_stop stop, const struct err *why)
{
    struct agent_prompt *p = t->prompt;

    if (t->state == ACP_TURN_OVER)
        return;
    acp_turn_go(t, ACP_TURN_OVER);
    timer_clear(p->op.loop, &t->watchdog);
    t->session->turn = NULL;
    acp_requests_cancel(t->session);
    p->stop = stop;
    if (why)
        p->why = *why;
    if (!p->op.settled)
        op_ok(&p->op);
}

void acp_turn_notice(struct acp_turn *t, const char *fmt, ...)
{
    struct event ev = { .kind = EVENT_NOTICE };
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    ev.notice = (struct event_notice){ NOTICE_WARNING, utf8_head(str_of(text), sizeof(text)) };
    turn_event(t->prompt->turn, &ev);
}

/* The store has failed, so the prompt ends before the agent has ended it. */
static void abandon_turn(struct acp_turn *t)
{
    struct acp_driven *s = t->session;

    s->turn = NULL;
    if (s->conn && !acp_conn_is_free(s->conn)) /* nothing would take its answer */
        acp_conn_close(s->conn, true, &(struct err){ ERR_CLOSED, "its prompt was given up" });
}

static void acp_turn_release(struct agent_prompt *p)
{
    struct acp_turn *t = p->work;

    timer_clear(p->op.loop, &t->watchdog);
    if (t->session->turn == t)
        abandon_turn(t);
    arena_fini(&t->mem);
    mem_free(t);
}

/* ---- the answer to session/prompt ------------------------------------------------------------ */

static void read_usage(struct acp_turn *t, struct json usage)
{
    struct model_usage *u = &t->usage;

    if (json_type(usage) != JSON_OBJECT)
        return;
    json_int(json_get(usage, STR("inputTokens")), &u->input);
    json_int(json_get(usage, STR("outputTokens")), &u->output);
    json_int(json_get(usage, STR("thoughtTokens")), &u->thinking);
    json_int(json_get(usage, STR("cachedReadTokens")), &u->cache_read);
    json_int(json_get(usage, STR("cachedWriteTokens")), &u->cache_write);
    acp_report_usage(t);
}

static enum turn_stop stop_of(const struct acp_turn *t, struct json reason, struct err *why)
{
    static const struct {
        struct str word;
        enum turn_stop stop;
    } rows[] = {
        { STR("end_turn"), TURN_END },
        { STR("max_tokens"), TURN_LENGTH },
        { STR("max_turn_requests"), TURN_REQUESTS },
        { STR("refusal"), TURN_REFUSED },
        { STR("cancelled"), TURN_CANCELED },
    };
    struct arena mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (json_is(reason, rows[i].word))
            return rows[i].stop;
    fail(why, ERR_INVALID,
         "the agent %s ended the turn with the unknown stop reason \"" STR_FMT "\"",
         t->session->agent->def->name, STR_ARG(utf8_head(json_str(&mem, reason), 60)));
    arena_fini(&mem);
    return TURN_FAILED;
}

static void prompt_answered(struct acp_turn *t, struct json result)
{
    bool cancelling = t->state == ACP_TURN_CANCELLING;
    struct err why = { 0 };
    enum turn_stop stop = stop_of(t, json_get(result, STR("stopReason")), &why);

    read_usage(t, json_get(result, STR("usage")));
    if (cancelling)
        stop = t->cancelled_as;
    else if (stop == TURN_CANCELED)
        fail(&why, ERR_CANCELED, "the agent %s has cancelled its turn",
             t->session->agent->def->name);
    acp_turn_end(t, stop, why.code && !cancelling ? &why : NULL);
}

/* The agent wants to be authenticated: do that, and send the prompt again. */
static bool prompt_needs_login(struct acp_turn *t, struct err *e)
{
    if (t->authenticated || t->state != ACP_TURN_PROMPTING)
        return false;
    acp_turn_go(t, ACP_TURN_OPENING);
    t->session->fresh = t->sent_first; /* the agent has not seen it */
    return acp_authenticate(t, e);
}

static void prompt_failed(struct acp_turn *t, struct acp_link *c, struct json error)
{
    struct err why;

    if (t->state == ACP_TURN_CANCELLING) {
        acp_turn_end(t, t->cancelled_as, NULL);
        return;
    }
    if (acp_answer_code(error) == ACP_CANCELLED) {
        acp_turn_end(t, TURN_CANCELED, NULL);
        return;
    }
    acp_answer_fail(c, error, "answer the prompt", &why);
    if (acp_answer_code(error) == ACP_AUTH_REQUIRED && prompt_needs_login(t, &why))
        return;
    acp_turn_end(t, TURN_FAILED, &why);
}

static void on_prompt_answer(struct op *op, const struct err *e, void *ctx)
{
    struct acp_link *c = ctx;
    struct acp_turn *t = c->session->turn;
    struct rpc_out out = acp_conn_answer(c);

    (void)op;
    if (t && t->state != ACP_TURN_PROMPTING && t->state != ACP_TURN_CANCELLING)
        t = NULL; /* of a prompt that has ended */
    if (t && e && t->state == ACP_TURN_CANCELLING)
        acp_turn_end(t, t->cancelled_as, NULL);
    else if (t && e)
        acp_turn_end(t, TURN_FAILED, c->state == ACP_CONN_ENDING ? &c->why : e);
    else if (t && json_here(out.error))
        prompt_failed(t, c, out.error);
    else if (t)
        prompt_answered(t, out.result);
    rpc_out_fini(&out);
}

/* ---- sending --------------------------------------------------------------------------------- */

static bool write_prompt(struct acp_turn *t, struct buf *out, struct err *e)
{
    struct jw w = jw_to(out);

    jw_object(&w);
    jw_kstr(&w, "sessionId", str_of(t->session->id));
    jw_plain_key(&w, STR("prompt"));
    if (!acp_prompt_write(&w, t, e))
        return false;
    jw_object_end(&w);
    return !out->full || fail(e, ERR_LIMIT, "the prompt is too large for one message");
}

static void send_prompt(struct acp_turn *t)
{
    struct acp_driven *s = t->session;
    AUTO_BUF out;
    struct err e;

    buf_init(&out, (size_t)s->session->world->limits->message_bytes);
    if (!write_prompt(t, &out, &e)) {
        acp_turn_end(t, TURN_FAILED, &e);
        return;
    }
    acp_turn_go(t, ACP_TURN_PROMPTING);
    t->sent_first = s->fresh;
    s->fresh = false;
    peer_call(&s->conn->peer, NULL, &s->conn->out, NULL, "session/prompt", buf_str(&out), PROMPT_MS,
              on_prompt_answer, s->conn);
}

/* ---- the next step --------------------------------------------------------------------------- */

static void ready_step(struct acp_turn *t)
{
    struct acp_driven *s = t->session;

    if (!s->open) {
        acp_turn_go(t, ACP_TURN_OPENING);
        acp_open_session(t);
        return;
    }
    if (acp_settings_pending(s)) {
        acp_turn_go(t, ACP_TURN_SETTING);
        acp_settings_apply(t);
        return;
    }
    acp_settings_warn(t);
    send_prompt(t);
}

/* The process of this prompt has failed. */
static void connection_lost(struct acp_turn *t)
{
    acp_turn_end(t, TURN_FAILED, &t->session->ending->why);
}

void acp_turn_next(struct acp_driven *s)
{
    struct acp_turn *t = s->turn;

    if (!t || t->state >= ACP_TURN_PROMPTING)
        return;
    if (!s->conn && s->ending) {
        if (t->started) /* else wait: one process at a time works in the HOME of the session */
            connection_lost(t);
    } else if (!s->conn) {
        t->started = true;
        acp_conn_open(s);
    } else if (acp_conn_is_free(s->conn)) {
        ready_step(t);
    }
}

/* ---- cancelling ------------------------------------------------------------------------------ */

static void on_watchdog(struct timer *timer)
{
    struct acp_turn *t = CONTAINER_OF(timer, struct acp_turn, watchdog);
    struct acp_driven *s = t->session;
    struct err e;

    fail(&e, ERR_TIMEOUT, "the agent %s did not stop after a cancel, so its process was killed",
         s->agent->def->name);
    LOG(LOG_WARN, "acp", e.text, LOG_Z("session", s->session->id));
    acp_turn_notice(t, "%s", e.text);
    acp_turn_end(t, t->cancelled_as, NULL);
    if (s->conn)
        acp_conn_close(s->conn, true, &e);
}

static void send_cancel(struct acp_turn *t)
{
    struct acp_driven *s = t->session;
    struct arena mem = { 0 };
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &mem, 4096);
    jw_object(&w);
    jw_kstr(&w, "sessionId", str_of(s->id));
    jw_object_end(&w);
    peer_notify(&s->conn->peer, NULL, "session/cancel", buf_str(&out));
    arena_fini(&mem);
}

void acp_turn_cancel(struct acp_turn *t, enum turn_stop stop)
{
    struct acp_driven *s = t->session;

    if (t->state != ACP_TURN_PROMPTING || !s->conn)
        return;
    t->cancelled_as = stop;
    acp_turn_go(t, ACP_TURN_CANCELLING);
    send_cancel(t);
    acp_requests_cancel(s); /* the protocol wants them answered */
    timer_set(t->prompt->op.loop, &t->watchdog, s->session->world->limits->acp_cancel_ms,
              on_watchdog);
}

static void acp_prompt_cancel(struct agent_prompt *p)
{
    struct acp_turn *t = p->work;
    struct acp_driven *s = t->session;

    acp_turn_cancel(t, TURN_CANCELED);
    if (t->state >= ACP_TURN_CANCELLING)
        return;
    acp_turn_end(t, TURN_CANCELED, NULL);
    if (s->conn && !acp_conn_is_free(s->conn))
        acp_conn_close(s->conn, true,
                       &(struct err){ ERR_CANCELED, "the prompt was cancelled early" });
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* The sandbox of the process must fit the rights of this turn. */
static void check_rights(struct acp_driven *s)
{
    if (s->conn && s->conn->reads_only != acp_reads_only(s))
        acp_conn_close(s->conn, false,
                       &(struct err){ ERR_CLOSED, "the mode of the session has changed" });
}

void acp_prompt(struct agent_prompt *p)
{
    struct acp_driven *s = p->conversation->data;
    struct acp_turn *t = MEM_NEW(struct acp_turn);

    t->prompt = p;
    t->session = s;
    t->cost = -1;
    s->cost = s->cost_now;
    p->work = t;
    p->cancel = acp_prompt_cancel;
    p->release = acp_turn_release;
    s->turn = t;
    check_rights(s);
    if (p->op.canceled)
        acp_turn_end(t, TURN_CANCELED, NULL);
    else
        acp_turn_next(s);
}
