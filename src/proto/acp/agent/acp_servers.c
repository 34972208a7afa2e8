/*
 * acp_servers.c - our extension methods that add an MCP server to an open session and remove one:
 *
 *   _trefoil/mcp_servers/add     {sessionId, server}: `server` is an element of mcpServers
 *   _trefoil/mcp_servers/remove  {sessionId, name}
 *
 * Both answer {}. The response to `add` is sent when the first attempt to connect has ended; if it
 * has failed, the user is told.
 */
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_session.h"

struct server_params {
    struct str session, name;
    struct json server;
};

static const struct pick add_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct server_params, session, PICK_MUST),
    PICK_FIELD("server", PICK_OBJECT, struct server_params, server, PICK_MUST),
};

static const struct pick remove_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct server_params, session, PICK_MUST),
    PICK_FIELD("name", PICK_STR, struct server_params, name, PICK_MUST),
};

/* In the memory of its request. */
struct server_add {
    struct readiness_wait wait;
    struct rpc_in *in;
    struct acp_session *session;
};

static void on_tried(struct op *op, const struct err *e, void *ctx)
{
    struct server_add *a = ctx;
    struct acp_session *s = a->session;

    (void)op;
    s->changes--;
    if (e)
        acp_error_of(a->in, e, STR_NONE);
    else
        acp_result_empty(a->in);
    acp_session_check(s);
}

static const struct acp_roots_kind *roots_of(const struct acp_session *s)
{
    return s->conn->agent->roots->kind;
}

void acp_on_add_server(struct rpc_in *in)
{
    struct server_params params = { 0 };
    struct server_add *a;
    struct acp_session *s;
    struct err e;

    if (!rpc_params(in, PICK_TABLE(add_fields), &params))
        return;
    s = acp_session_open_of(in, params.session);
    if (!s)
        return;
    if (!roots_of(s)->servers_add(s->servers, params.server, &e)) {
        rpc_error_of(in, &e);
        return;
    }
    a = ARENA_NEW(in->mem, struct server_add);
    a->in = in;
    a->session = s;
    s->changes++;
    readiness_wait(&s->servers->readiness, &a->wait, in->op.loop, s->root->limits, &in->op,
                   on_tried, a);
}

void acp_on_remove_server(struct rpc_in *in)
{
    struct server_params params = { 0 };
    struct acp_session *s;
    struct err e;

    if (!rpc_params(in, PICK_TABLE(remove_fields), &params))
        return;
    s = acp_session_open_of(in, params.session);
    if (!s)
        return;
    if (roots_of(s)->servers_remove(s->servers, params.name, &e))
        acp_result_empty(in);
    else
        rpc_error(in, RPC_INVALID_PARAMS, "%s", e.text);
}
