/*
 * acp_open.h - opens a session for session/new, session/load, session/resume and session/fork.
 *
 *   BEGIN ──> FORK ──> LOOK ──> SERVERS ──> SESSION ──> answered
 *
 * BEGIN    the root and the folders of the session are opened
 * FORK     session/fork only: the session is copied in the store
 * LOOK     an existing session only: its agent and the user's choices are read
 * SERVERS  the MCP servers that the client has named connect, within a deadline
 * SESSION  the session is opened; session/load then replays its history
 */
#ifndef PROTO_ACP_AGENT_ACP_OPEN_H
#define PROTO_ACP_AGENT_ACP_OPEN_H

#include "core/session/session_read.h"
#include "proto/acp/agent/acp_session.h"

enum acp_opening_state {
    ACP_OPEN_BEGIN,
    ACP_OPEN_FORK,
    ACP_OPEN_LOOK,
    ACP_OPEN_SERVERS,
    ACP_OPEN_SESSION
};

struct acp_open_want {
    struct str id;       /* of an existing session; STR_NONE: a new one */
    struct str cwd;      /* the folder of the session */
    struct json servers; /* mcpServers */
    struct json folders; /* additionalDirectories */
    bool forks;          /* copy the session `id` */
    bool replays;        /* replay the history before the response */
};

/* In the memory of the request. */
struct acp_opening {
    enum acp_opening_state state; /* written by acp_opening_set_state only */
    struct rpc_in *in;
    struct acp_session *session;
    struct acp_open_want want;
    const char *cwd; /* resolved */
    struct session_forking fork;
    struct store_ask ask;
    struct store_step step;
    struct readiness_wait wait;
    struct session_opening opening;
    struct agent *agent;
};

/* Open a session and answer the request, also after a failure. */
void acp_open(struct rpc_in *in, const struct acp_open_want *want);

/* The session is to be closed: give up as soon as possible. */
void acp_opening_cancel(struct acp_opening *o);

#endif
