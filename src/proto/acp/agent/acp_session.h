/*
 * acp_session.h - a session that a client has open.
 *
 *   OPENING ──> OPEN ──> CLOSING ──> RELEASING ──> ENDING ──> GONE
 *      └───────────────────^
 *
 * OPENING    the request that opens the session is in progress (acp_open.c); prompts wait
 * OPEN       prompts run one after the other, in the order in which they arrived (acp_prompt.c)
 * CLOSING    prompts are cancelled, and changes end. If opening fails, OPENING goes to CLOSING, too
 * RELEASING  the session is released in the store; this ends the processes that its calls have left
 * ENDING     the terminals of these processes are closing
 * GONE       the MCP servers of the session are closing; then it is freed
 *
 * One struct session (core/session/session.h) belongs to it. Its events become notifications to the
 * client (acp_update.h).
 */
#ifndef PROTO_ACP_AGENT_ACP_SESSION_H
#define PROTO_ACP_AGENT_ACP_SESSION_H

#include "core/artifact.h"
#include "core/session/turn.h"
#include "core/workspace.h"
#include "proto/acp/agent/acp_connection.h"

struct acp_call;
struct acp_opening;
struct acp_prompt;

enum acp_session_state {
    ACP_SESSION_OPENING,
    ACP_SESSION_OPEN,
    ACP_SESSION_CLOSING,
    ACP_SESSION_RELEASING,
    ACP_SESSION_ENDING,
    ACP_SESSION_GONE
};

/*
 * What the client gets under one session id: the updates of the session itself, or of the session
 * of a sub-agent.
 */
struct acp_stream {
    char id[ID_TEXT];
    struct acp_call *calls;   /* the tool calls that the client knows and that have not ended */
    struct artifact_set made; /* the artifacts of the running turn, or of the replay */
    struct arena made_mem;
    struct acp_stream *next; /* for a sub-agent: the next one */
};

enum { ACP_MODEL_NAME = 257 }; /* limits.model_name_bytes, and a NUL */

/* An op that is done when a session is closed. */
struct acp_close_wait {
    struct op op; /* first */
    struct acp_close_wait *next;
};

struct acp_session {
    enum acp_session_state state; /* written by acp_session_set_state only */
    char id[ID_TEXT];
    struct acp_conn *conn;
    struct acp_session *next; /* in conn->sessions */
    struct arena mem;         /* freed with the session */
    struct acp_root *root;
    struct session session;
    bool opened;                 /* `session` is open and must be closed */
    struct acp_opening *opening; /* set while OPENING */
    struct work_client client;   /* gets the events of the session */
    struct work_client
        *listener; /* the client to use for turns: `client`, or a log in front of it */

    struct acp_prompt *prompts; /* in the order of arrival; the first one may be running */
    struct acp_prompt *running; /* NULL: no prompt runs */
    size_t changes;             /* changes of the session that are in progress */
    struct acp_close_wait *waits;

    struct offer_watch watch; /* reports changes of the tools, and so of the skills */
    struct acp_root_watch root_watch;
    uint64_t commands;           /* hash of the commands that the client has got; 0: none yet */
    struct workspace workspace;  /* acp_workspace.h */
    size_t terminals;            /* terminals of the editor that are not closed yet */
    struct acp_servers *servers; /* the MCP servers of the session; NULL: not opened yet */
    char agent_name[AGENT_NAME_MOST + 1], model_name[ACP_MODEL_NAME];
    struct agent_want want;           /* the agent, model and effort that the user has chosen */
    bool asks;                        /* the mode is `ask` (acp_settings.h) */
    const struct host_folder *folder; /* additionalDirectories */
    size_t folders;
    bool replaying;             /* events are replayed from the history */
    struct acp_stream own, *at; /* the stream of the session; the one that updates go to */
    struct acp_stream *below;   /* the streams of sub-agents that are working */
    uint64_t numbers;           /* numbers that this session has used for ids of messages */
    unsigned compactions;
    struct str notice; /* sentences for the user that were not sent yet, in mem; or STR_NONE */
};

/* Set s->want to a copy of *want. */
void acp_session_want(struct acp_session *s, const struct agent_want *want);

/* Create a session in state OPENING, and add it to the connection. */
struct acp_session *acp_session_new(struct acp_conn *c, struct str id);

/* The opening has succeeded: the session is OPEN, or it is closed because that was requested. */
void acp_session_opened(struct acp_session *s);

/* Cancel all prompts, then close the session and free it. A second call does nothing. */
void acp_session_close(struct acp_session *s);

/* An op that is done when the session is closed, which acp_session_close starts. */
void acp_session_await_close(struct acp_session *s, struct acp_close_wait *w, struct op *parent,
                             op_done_fn *done, void *ctx);

/* A prompt, change or terminal has ended: continue to close the session if it waits for that. May
 * free *s. */
void acp_session_check(struct acp_session *s);

/*
 * Answer a request with -32002 and data.sessionId, because there is no such session.
 */
void acp_session_unknown(struct rpc_in *in, struct str id);

/*
 * Find the session of a request, in any state. If there is none, the request is answered and the
 * result is NULL.
 */
struct acp_session *acp_session_of(struct rpc_in *in, struct str id);

/* The same for a request that needs an OPEN session. */
struct acp_session *acp_session_open_of(struct rpc_in *in, struct str id);

/* Add a sentence that the user gets as soon as the client can show it. */
void acp_session_note(struct acp_session *s, struct str sentence);

#endif
