#include "proto/acp/agent/acp_session.h"

#include "base/container.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/acp/acp_names.h"
#include "proto/acp/agent/acp_open.h"
#include "proto/acp/agent/acp_prompt.h"
#include "proto/acp/agent/acp_question.h"
#include "proto/acp/agent/acp_update.h"

#include <assert.h>

enum { NOTICE_MOST = 16 << 10 }; /* bytes of the sentences that wait for the next prompt */

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const state_names[] = {
    [ACP_SESSION_OPENING] = "opening", [ACP_SESSION_OPEN] = "open",
    [ACP_SESSION_CLOSING] = "closing", [ACP_SESSION_RELEASING] = "releasing",
    [ACP_SESSION_ENDING] = "ending",   [ACP_SESSION_GONE] = "gone",
};

static void acp_session_set_state(struct acp_session *s, enum acp_session_state to)
{
    assert(to > s->state);
    LOG(LOG_TRACE, "acp", "session", LOG_Z("session", s->id), LOG_Z("from", state_names[s->state]),
        LOG_Z("to", state_names[to]));
    s->state = to;
}

static const struct work_client_kind acp_client_kind = { .event = acp_update_event,
                                                         .can = acp_question_can,
                                                         .ask = acp_question_ask,
                                                         .below = acp_update_below };

struct acp_session *acp_session_new(struct acp_conn *c, struct str id)
{
    struct acp_session *s = MEM_NEW(struct acp_session);

    s->conn = c;
    str_to_c(id, s->id, sizeof(s->id));
    s->client.kind = &acp_client_kind;
    s->listener = &s->client;
    s->at = &s->own;
    acp_conn_join(c, s);
    return s;
}

/* *want may point into our own buffers. */
static struct str keep_name(char *to, size_t size, struct str name)
{
    if (name.p && name.p != to && !str_to_c(name, to, size))
        return STR_NONE; /* no agent or model has such a name */
    return name.p ? str_of(to) : STR_NONE;
}

void acp_session_want(struct acp_session *s, const struct agent_want *want)
{
    s->want.name = keep_name(s->agent_name, sizeof(s->agent_name), want->name);
    s->want.model = keep_name(s->model_name, sizeof(s->model_name), want->model);
    s->want.effort = want->effort;
}

/* The tool that loads skills changes with them. */
static void on_offer_changed(struct offer_watch *w, enum offer_part part)
{
    struct acp_session *s = CONTAINER_OF(w, struct acp_session, watch);

    if (part == OFFER_TOOLS && s->commands && s->state == ACP_SESSION_OPEN)
        acp_update_commands(s);
}

static void on_offer_updated(struct offer_watch *w, struct str uri)
{
    (void)w;
    (void)uri;
}

/* The agents are choices of a config option. */
static void on_agents_changed(struct acp_root_watch *w)
{
    struct acp_session *s = CONTAINER_OF(w, struct acp_session, root_watch);

    if (s->state == ACP_SESSION_OPEN)
        acp_update_options(s);
}

static void watch_root(struct acp_session *s)
{
    s->watch = (struct offer_watch){ .changed = on_offer_changed, .updated = on_offer_updated };
    offer_watch(s->servers->offer, &s->watch);
    s->root_watch =
        (struct acp_root_watch){ .agents_changed = on_agents_changed, .next = s->root->watches };
    s->root->watches = &s->root_watch;
}

static void unwatch_root(struct acp_session *s)
{
    if (!s->watch.link)
        return;
    offer_unwatch(&s->watch);
    LIST_UNLINK(s->root->watches, &s->root_watch, next);
}

void acp_session_opened(struct acp_session *s)
{
    s->opened = true;
    s->opening = NULL;
    s->listener = session_listen(&s->session, &s->client);
    watch_root(s);
    if (s->state == ACP_SESSION_OPENING)
        acp_session_set_state(s, ACP_SESSION_OPEN);
}

/* ---- closing --------------------------------------------------------------------------------- */

static void acp_session_free(struct acp_session *s)
{
    while (s->waits) {
        struct acp_close_wait *w = s->waits;

        s->waits = w->next;
        if (!w->op.settled)
            op_ok(&w->op);
    }
    acp_update_free(s);
    acp_conn_leave(s->conn, s);
    arena_fini(&s->mem);
    mem_free(s);
}

static void on_servers_closed(void *ctx)
{
    acp_session_free(ctx);
}

static void close_servers(struct acp_session *s)
{
    struct acp_roots *roots = s->conn->agent->roots;

    acp_session_set_state(s, ACP_SESSION_GONE);
    unwatch_root(s);
    if (s->servers)
        roots->kind->servers_close(s->servers, on_servers_closed, s);
    else
        acp_session_free(s);
}

static void on_session_closed(void *ctx)
{
    acp_session_set_state(ctx, ACP_SESSION_ENDING);
    acp_session_check(ctx);
}

static void release_session(struct acp_session *s)
{
    acp_session_set_state(s, ACP_SESSION_RELEASING);
    if (s->opened)
        session_close(&s->session, on_session_closed, s);
    else
        on_session_closed(s);
}

void acp_session_check(struct acp_session *s)
{
    switch (s->state) {
    case ACP_SESSION_CLOSING:
        if (!s->opening && !s->prompts && !s->changes)
            release_session(s);
        break;
    case ACP_SESSION_ENDING:
        if (!s->terminals)
            close_servers(s);
        break;
    case ACP_SESSION_OPENING:
    case ACP_SESSION_OPEN:
    case ACP_SESSION_RELEASING:
    case ACP_SESSION_GONE: break;
    }
}

void acp_session_close(struct acp_session *s)
{
    if (s->state >= ACP_SESSION_CLOSING)
        return;
    acp_session_set_state(s, ACP_SESSION_CLOSING);
    if (s->opening)
        acp_opening_cancel(s->opening);
    acp_prompts_cancel(s);
    acp_session_check(s);
}

/* The session is closed in any case; only the wait can be given up. */
static void cancel_wait(struct op *op)
{
    (void)op;
}

static const struct op_kind wait_kind = { .name = "wait for close", .cancel = cancel_wait };

void acp_session_await_close(struct acp_session *s, struct acp_close_wait *w, struct op *parent,
                             op_done_fn *done, void *ctx)
{
    op_begin(&w->op, &wait_kind, s->conn->peer.rpc->loop, parent, done, ctx);
    w->next = s->waits;
    s->waits = w;
}

/* ---- looking up ------------------------------------------------------------------------------ */

void acp_session_unknown(struct rpc_in *in, struct str id)
{
    struct str shown = utf8_head(id, 80);
    struct str message =
        arena_printf(in->mem, "there is no session \"" STR_FMT "\"", STR_ARG(shown));
    struct buf data;
    struct jw w = jw_to(&data);

    buf_init_in(&data, in->mem, 1024);
    jw_object(&w);
    jw_kstr(&w, "sessionId", shown);
    jw_object_end(&w);
    rpc_error_data(in, ACP_NOT_FOUND, message, buf_str(&data));
}

struct acp_session *acp_session_of(struct rpc_in *in, struct str id)
{
    struct acp_session *s = acp_conn_find(acp_conn_of(in), id);

    if (!s)
        acp_session_unknown(in, id);
    return s;
}

struct acp_session *acp_session_open_of(struct rpc_in *in, struct str id)
{
    struct acp_session *s = acp_conn_find(acp_conn_of(in), id);

    if (s && s->state == ACP_SESSION_OPEN)
        return s;
    if (s && s->state == ACP_SESSION_OPENING)
        rpc_error(in, RPC_INVALID_REQUEST,
                  "session %s is still being opened; wait for the response", s->id);
    else
        acp_session_unknown(in, id);
    return NULL;
}

/* ---- notices --------------------------------------------------------------------------------- */

void acp_session_note(struct acp_session *s, struct str sentence)
{
    if (s->notice.n > NOTICE_MOST) {
        LOG(LOG_WARN, "acp", "a notice was dropped, because too many wait for the next prompt",
            LOG_Z("session", s->id), LOG_S("notice", utf8_head(sentence, 200)));
        return;
    }
    if (!s->notice.p)
        s->notice = arena_str(&s->mem, sentence);
    else
        s->notice =
            arena_printf(&s->mem, STR_FMT "\n" STR_FMT, STR_ARG(s->notice), STR_ARG(sentence));
    if (s->state == ACP_SESSION_OPEN && (s->conn->can.notices || s->running))
        acp_update_notice(s);
}
