/* acp_session_methods.c - session/new, load, resume, fork and close. */
#include "base/utf8.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_open.h"
#include "proto/acp/agent/acp_session.h"

/* ---- params ---------------------------------------------------------------------------------- */

static const struct pick new_fields[] = {
    PICK_FIELD("cwd", PICK_STR, struct acp_open_want, cwd, PICK_MUST),
    PICK_FIELD("mcpServers", PICK_ARRAY, struct acp_open_want, servers, 0),
    PICK_FIELD("additionalDirectories", PICK_ARRAY, struct acp_open_want, folders, 0),
};

static const struct pick existing_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct acp_open_want, id, PICK_MUST),
    PICK_FIELD("cwd", PICK_STR, struct acp_open_want, cwd, PICK_MUST),
    PICK_FIELD("mcpServers", PICK_ARRAY, struct acp_open_want, servers, 0),
    PICK_FIELD("additionalDirectories", PICK_ARRAY, struct acp_open_want, folders, 0),
};

void acp_on_new(struct rpc_in *in)
{
    struct acp_open_want want = { 0 };

    if (rpc_params(in, PICK_TABLE(new_fields), &want))
        acp_open(in, &want);
}

void acp_on_fork(struct rpc_in *in)
{
    struct acp_open_want want = { .forks = true };

    if (rpc_params(in, PICK_TABLE(existing_fields), &want))
        acp_open(in, &want);
}

/* ---- sessions that are open already ---------------------------------------------------------- */

/* A session that this client has open is closed first, and then opened again. */
struct reopening {
    struct acp_close_wait wait;
    struct rpc_in *in;
    struct acp_open_want want;
};

static void answer_in_use(struct rpc_in *in, struct str id)
{
    rpc_error(in, RPC_INVALID_REQUEST,
              "session " STR_FMT
              " is in use on this connection; wait until its prompt has ended, or cancel it",
              STR_ARG(utf8_head(id, 80)));
}

static void on_closed_for_opening(struct op *op, const struct err *e, void *ctx)
{
    struct reopening *r = ctx;

    (void)op;
    (void)e;
    if (acp_conn_find(acp_conn_of(r->in), r->want.id)) /* another request has opened it again */
        answer_in_use(r->in, r->want.id);
    else
        acp_open(r->in, &r->want);
}

static void reopen(struct rpc_in *in, struct acp_session *s, const struct acp_open_want *want)
{
    struct reopening *r = ARENA_NEW(in->mem, struct reopening);

    r->in = in;
    r->want = *want;
    acp_session_await_close(s, &r->wait, &in->op, on_closed_for_opening, r);
    acp_session_close(s);
}

static void open_existing(struct rpc_in *in, bool replays)
{
    struct acp_open_want want = { .replays = replays };
    struct acp_session *s;

    if (!rpc_params(in, PICK_TABLE(existing_fields), &want))
        return;
    s = acp_conn_find(acp_conn_of(in), want.id);
    if (!s)
        acp_open(in, &want);
    else if (s->state == ACP_SESSION_OPENING || s->prompts)
        answer_in_use(in, want.id);
    else
        reopen(in, s, &want);
}

void acp_on_load(struct rpc_in *in)
{
    open_existing(in, true);
}

void acp_on_resume(struct rpc_in *in)
{
    open_existing(in, false);
}

/* ---- closing --------------------------------------------------------------------------------- */

struct acp_close_params {
    struct acp_close_wait wait;
    struct rpc_in *in;
    struct str session;
};

static const struct pick close_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct acp_close_params, session, PICK_MUST),
};

static void on_closed(struct op *op, const struct err *e, void *ctx)
{
    struct acp_close_params *c = ctx;

    (void)op;
    (void)e;
    acp_result_empty(c->in);
}

void acp_on_close(struct rpc_in *in)
{
    struct acp_close_params *c = ARENA_NEW(in->mem, struct acp_close_params);
    struct acp_session *s;

    c->in = in;
    if (!rpc_params(in, PICK_TABLE(close_fields), c))
        return;
    s = acp_session_of(in, c->session);
    if (!s)
        return;
    acp_session_await_close(s, &c->wait, &in->op, on_closed, c);
    acp_session_close(s);
}
