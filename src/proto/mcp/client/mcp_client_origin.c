/*
 * mcp_client_origin.c - finds the call that a message of the server belongs to.
 *
 * A question for a person or a model, and a log message, belong to the call that caused them. Over
 * HTTP that is the call whose response stream delivers them. On other transports the protocol does
 * not name the call. Then they are forwarded only if no more than one client can have caused them:
 * another client must not read or answer them. A client can cause a message by a call that is
 * running, and by a call that ended without an answer (cancelled, timed out) at most
 * limits.mcp_left_ms ago, since the server may not notice that.
 */
#include "proto/mcp/client/mcp_client_work.h"

/* The call whose response stream delivered the message; NULL: the transport does not tell. */
static struct mcp_work *by_wire(struct mcp_client *c)
{
    struct mcp_work *k = c->hearing ? c->works : NULL;

    while (k && &k->req != c->hearing)
        k = k->older;
    return k;
}

static bool others_left(const struct mcp_client *c, const struct caller *one)
{
    return loop_now(c->world.rpc->loop) < c->left.until &&
           (!c->left.client || c->left.client != one->client);
}

static bool one_client(const struct mcp_client *c)
{
    const struct caller *one = c->works->call->caller;

    for (const struct mcp_work *k = c->works->older; k; k = k->older)
        if (!caller_same_client(one, k->call->caller))
            return false;
    return !others_left(c, one);
}

static struct mcp_work *origin(struct mcp_client *c, struct err *e)
{
    struct mcp_work *one = by_wire(c);

    if (one)
        return one;
    if (!c->works)
        fail(e, ERR_NOT_FOUND, "no call is running, so there is no client to ask");
    else if (!one_client(c))
        fail(e, ERR_INVALID,
             "several clients are using this server, and its request does not name the call "
             "to which it belongs");
    else
        return c->works;
    return NULL;
}

struct call *mcp_origin(struct mcp_client *c, struct err *e)
{
    struct mcp_work *k = origin(c, e);

    return k ? k->call : NULL;
}

/* If the transport does not tell, the newest call of the client that can be asked. */
struct call *mcp_origin_to_ask(struct mcp_client *c, enum ask_kind kind, struct err *e)
{
    struct mcp_work *k = origin(c, e), *first = k;
    bool only = k && k == by_wire(c);

    while (k && !call_can_ask(k->call, kind))
        k = only ? NULL : k->older;
    if (first && !k)
        call_cannot_ask(first->call, kind, e);
    return k ? k->call : NULL;
}

void mcp_origin_left(struct mcp_client *c, const struct call *call)
{
    int64_t now = loop_now(c->world.rpc->loop);
    uint64_t client = call->caller->client;
    bool first = now >= c->left.until;

    c->left.client = first || c->left.client == client ? client : 0;
    c->left.until = now + c->world.rpc->limits->mcp_left_ms;
}
