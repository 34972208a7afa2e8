/*
 * session.h - a conversation with an agent that is open in this process.
 *
 *   OPENING <──> QUEUED
 *      │
 *      v
 *     IDLE <──> WORKING
 *      │
 *      v
 *   CLOSING ──> CLOSED        (OPENING and QUEUED go to CLOSED when opening fails)
 *
 * OPENING  the session is created or loaded from the store, and its agent prepares for it
 * QUEUED   another caller in this process has opened the session; this caller waits
 *          (session_queue.h)
 * IDLE     the session is open, and no turn runs
 * WORKING  one turn runs (turn.h)
 * CLOSING  the agent and the store release the session
 * CLOSED   its memory is freed
 *
 * Everything that was acknowledged to a client is in the store. So a session can be closed and
 * opened again, in this process or another one. While a session is open, other processes cannot
 * open it (store.h). Without a store, a session exists in memory only.
 *
 * A session has one owner: the principal that created it. Only the owner can continue the session.
 *
 * An agent in a session can do only what all of these guard scopes allow: the scopes of the agent's
 * definition, the session, the caller, and every caller further up the chain. The scopes form a
 * chain, in which no scope allows more than its parent.
 */
#ifndef CORE_SESSION_SESSION_H
#define CORE_SESSION_SESSION_H

#include "base/id.h"
#include "core/agent/agent.h"
#include "core/guard/guard_grants.h"
#include "core/guard/guard_loops.h"
#include "core/session/history.h"
#include "core/session/session_logs.h"
#include "core/session/session_queue.h"
#include "core/store.h"

/* The data that all sessions of a process share. Lives as long as the program. */
struct session_world {
    struct loop *loop;
    const struct limits *limits;
    struct store_port *store; /* the store of the root; NULL: sessions are not stored */
    enum store_durability durability;
    bool untrusted_users; /* prompts of users count as untrusted data and taint the session */
    /* the port for undo (undo.h); NULL: file changes cannot be undone */
    struct undo_port *undo;
    struct session_logs *logs; /* the logs that session_listen opens; NULL: no logs */
    /* the open sessions of this process (session_queue.h); NULL: callers cannot wait */
    struct open_sessions *open;
    const struct sampling_codec *sampling; /* NULL: models answer no sampling requests */
};

/* Borrowed until the session is open, except the fields that must live as long as the session. */
struct session_opts {
    struct str id;       /* id of the stored session to open; STR_NONE: create a session */
    struct str new_id;   /* id for the created session; STR_NONE: a random id */
    struct agent *agent; /* the session takes a reference */
    /* working folder: an absolute path inside the host's folders; NULL: the agent's folder */
    const char *cwd;
    bool read_only;    /* make the session read-only, even if the agent may write */
    bool keep_nothing; /* do not store the session */
    /* settings of a created session (store_session.settings); STR_NONE: none */
    struct str settings;

    /*
     * Tools and folders in addition to the agent's own. The data must live as long as the session.
     */
    struct offer *offer;               /* tools that replace the agent's; NULL: the agent's tools */
    const struct host_folder *include; /* folders besides the root folder that tools may use */
    size_t includes;

    /* The caller of the agent. The data must live as long as the session. */
    const struct guard_scope *parent; /* scope of the caller; NULL: the guard's top scope */
    const char *caller; /* name of the caller in the guard, such as "mcp"; NULL: the agent's name */
    enum origin origin; /* this and the next three members: as in struct caller */
    struct str principal;
    bool remote;
    struct trace trace;
    uint64_t client;  /* as in struct caller; 0: the session gets a new number */
    struct str taint; /* the source of untrusted prompts; STR_NONE: prompts are trusted */
};

struct turn;

enum session_state {
    SESSION_OPENING,
    SESSION_QUEUED,
    SESSION_IDLE,
    SESSION_WORKING,
    SESSION_CLOSING,
    SESSION_CLOSED,
    SESSION_STATES
};

struct session {
    enum session_state state; /* written by session_set_state only */
    char id[ID_TEXT];
    const struct session_world *world;
    struct agent *agent;
    struct arena mem; /* freed when the session is closed */
    struct history *history;
    struct host host; /* the host of the tools: a copy of the agent's, with this session's folder */
    const char *cwd;
    bool elsewhere; /* cwd differs from the folder that the agent's system prompt names */
    /* scope of the session, and its parent: the scope of the agent */
    struct guard_scope scope, agent_scope;
    struct guard_history calls; /* recent tool calls, in which the guard detects loops */
    struct guard_grants
        grants; /* answers to permission questions, valid while the session is open */
    struct session_opts opts;
    struct session_claim claim;       /* the entry in the table of open sessions */
    struct session_opening *opening;  /* set while OPENING or QUEUED */
    int64_t fence;                    /* fencing token; 0: the session is not stored */
    struct conversation conversation; /* the agent's data about the session */
    struct turn *turn;                /* the running turn; set while WORKING */
    struct str title;
    bool interrupted;   /* the last turn was interrupted; turn_resume resumes it */
    bool calls_started; /* in the interrupted turn, the tool calls of the last answer had started */
    char last_turn[ID_TEXT];
    double cost;             /* US dollars so far; negative: unknown */
    struct work_client *log; /* the log, opened by session_listen; NULL: no log */
    /* data of the code that opened the session; the session does not use it */
    void *data;
};

/* An op that opens a session. Zero it. *session must live until the session is closed. */
struct session_opening {
    struct op op; /* first */
    struct session *session;
    struct op ready; /* done when the agent has prepared for the session */
    struct store_ask ask;
    struct store_step step[1];
    int64_t after;
    struct err why;
};

/*
 * Open a stored session, or create one. If another caller in this process has the session open, the
 * op waits until that caller closes it; cancelling the op ends the wait. Fails with ERR_NOT_FOUND
 * (also if another principal owns the session), ERR_DENIED (the session is open in another
 * process), ERR_LIMIT (too many callers wait), or the store's error. Do not close the session after
 * a failure.
 */
void session_open(struct session *s, struct session_opening *o, const struct session_world *w,
                  const struct session_opts *opts, struct op *parent, op_done_fn *done, void *ctx);

/*
 * May this principal continue the stored session *was? If not, the error is ERR_NOT_FOUND, so that
 * the principal does not learn that the session exists. Only the operator gets the true reason.
 */
bool session_check_owner(const struct store_session *was, struct str principal, struct err *e);

/*
 * Write all events of the session to its log from now on. Returns the client to use for turns.
 * Until the session is closed, that client logs each event and forwards it to `to`. If the session
 * is not stored or there are no logs, the result is `to` itself.
 */
struct work_client *session_listen(struct session *s, struct work_client *to);

/* Changes of an open session. STR_NONE or NULL: unchanged. */
struct session_change {
    /* the agent from the next turn on: another agent, or one with another model */
    struct agent *agent;
    /* name of the mode, which applies from the next tool call on; opts.read_only still applies */
    struct str mode;
    struct str title;
    struct str settings; /* replaces store_session.settings; borrowed until the op is done */
};

/* An op that changes a session. Zero it. */
struct session_changing {
    struct op op; /* first */
    struct session *session;
    struct store_ask ask;
    struct store_step step;
};

/*
 * Change an open session. A turn may be running; then its client gets an event. The session uses
 * the change at once, and has stored it when the op is done. ERR_INVALID: unknown mode. The session
 * takes its own reference to the agent.
 */
void session_change(struct session *s, struct session_changing *c,
                    const struct session_change *change, struct op *parent, op_done_fn *done,
                    void *ctx);

/* Replay the history of the session to a client, including the titles and kinds of tools. */
void session_tell(struct session *s, struct work_client *client);

/*
 * Close a session in state IDLE. `done` (may be NULL) is called from the loop when the store has
 * released the session. Then the memory of *s can be reused.
 */
void session_close(struct session *s, void (*done)(void *ctx), void *ctx);

/*
 * Close a session as well, but call `done` as soon as the agent is closed and the store has got the
 * request to release the session. A request to the store that `done` makes is stored after the
 * release, and with it in one commit if possible.
 */
void session_close_early(struct session *s, void (*done)(void *ctx), void *ctx);

/* Iterate over the tools that the agent can use: for (i = 0; (t = session_tool_at(s, &i));) */
const struct tool *session_tool_at(const struct session *s, size_t *i);

/* Iterate over the tools of an agent that has no session yet, in the same way. */
const struct tool *agent_tool_at(const struct agent *a, size_t *i);

/*
 * Find a tool that the agent can use by its name or by a name of another program
 * (tool_pattern_alias). NULL: the agent cannot use such a tool.
 */
const struct tool *session_tool(const struct session *s, struct str name);

/* For session.c and turn.c: change the state. A transition that is not in the diagram is a bug. */
void session_set_state(struct session *s, enum session_state to);

#endif
