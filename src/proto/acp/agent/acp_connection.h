/*
 * acp_connection.h - one ACP client, and the sessions that it has open.
 *
 *   WAITING ──> READY ──> ENDING
 *      └───────────────────^
 *
 * WAITING  requests other than `initialize` are rejected
 * READY    `initialize` was answered
 * ENDING   the client sends nothing more: prompts are cancelled and sessions are closed
 *
 * All messages to the client pass through one link, in the order in which they are sent. So every
 * update of a turn precedes the response to its prompt.
 */
#ifndef PROTO_ACP_AGENT_ACP_CONNECTION_H
#define PROTO_ACP_AGENT_ACP_CONNECTION_H

#include "core/principal.h"
#include "proto/acp/agent/acp_root.h"
#include "rpc/peer.h"

struct acp_session;

/* What all connections of a process share. Lives as long as the program. */
struct acp_agent {
    struct rpc *rpc;
    struct acp_roots *roots;
    struct str name, title, version; /* agentInfo of the response to `initialize` */
    struct str agent;                /* the agent of new sessions; STR_NONE: the default agent */
    bool keeps;                      /* sessions can be stored */
};

/* The capabilities that the client has declared in `initialize`. */
struct acp_client_can {
    bool read_file, write_file, terminal;
    bool form, url; /* elicitation/create in this mode */
    bool boolean_options;
    bool notices, compaction;
    bool subagents; /* unstable */
};

enum acp_conn_state { ACP_CONN_WAITING, ACP_CONN_READY, ACP_CONN_ENDING };

struct acp_conn {
    const struct acp_agent *agent;
    struct peer peer;
    enum acp_conn_state state;
    struct acp_client_can can;
    struct principal principal;
    struct acp_session *sessions;
    size_t open;    /* number of sessions */
    struct buf out; /* the params of the notification that is being written */
    struct jw w;
};

void acp_conn_init(struct acp_conn *c, const struct acp_agent *agent, struct link *link);

/* The client sends nothing more: cancel all prompts and close all sessions. */
void acp_conn_end(struct acp_conn *c);

/* Are all sessions closed? After the last one, peer.on_idle is called again. */
bool acp_conn_idle(const struct acp_conn *c);

/* Free the memory of the connection, which must be idle. */
void acp_conn_fini(struct acp_conn *c);

static inline struct acp_conn *acp_conn_of(const struct rpc_in *in)
{
    return in->peer->ctx;
}

/* Find a session that the client has open, also while it is being opened or closed. */
struct acp_session *acp_conn_find(const struct acp_conn *c, struct str id);

/* For acp_session.c: add or remove a session. */
void acp_conn_join(struct acp_conn *c, struct acp_session *s);
void acp_conn_leave(struct acp_conn *c, struct acp_session *s);

#endif
