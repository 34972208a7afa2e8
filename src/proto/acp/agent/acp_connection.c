#include "proto/acp/agent/acp_connection.h"

#include "base/list.h"
#include "proto/acp/acp_names.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_session.h"

void acp_conn_init(struct acp_conn *c, const struct acp_agent *agent, struct link *link)
{
    *c = (struct acp_conn){ .agent = agent, .principal = principal_self(ORIGIN_ACP) };
    peer_init(&c->peer, agent->rpc, &acp_agent_peer, link, c);
    c->peer.version = ACP_PROTOCOL;
    buf_init(&c->out, (size_t)agent->rpc->limits->message_bytes);
}

void acp_conn_end(struct acp_conn *c)
{
    if (c->state == ACP_CONN_ENDING)
        return;
    c->state = ACP_CONN_ENDING;
    for (struct acp_session *s = c->sessions, *next; s; s = next) {
        next = s->next;
        acp_session_close(s);
    }
}

bool acp_conn_idle(const struct acp_conn *c)
{
    return !c->sessions;
}

void acp_conn_fini(struct acp_conn *c)
{
    peer_fini(&c->peer);
    buf_fini(&c->out);
}

struct acp_session *acp_conn_find(const struct acp_conn *c, struct str id)
{
    struct acp_session *s = c->sessions;

    while (s && !str_eq(str_of(s->id), id))
        s = s->next;
    return s;
}

void acp_conn_join(struct acp_conn *c, struct acp_session *s)
{
    s->next = c->sessions;
    c->sessions = s;
    c->open++;
}

void acp_conn_leave(struct acp_conn *c, struct acp_session *s)
{
    LIST_UNLINK(c->sessions, s, next);
    c->open--;
    if (!c->sessions && c->state == ACP_CONN_ENDING)
        loop_post(c->peer.rpc->loop, &c->peer.idle);
}
