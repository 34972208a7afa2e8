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
 * QUEUED   another caller in this process has the session open; this one waits (session_queue.h)
 * IDLE     the session is open, and no turn runs
 * WORKING  one turn runs (turn.h)
 * CLOSING  the agent and the store release the session
 * CLOSED   its memory is freed
 *
 * Everything acknowledged to a client is in the store, so a session can be closed and opened again,
 * in this process or another one. While a session is open, the store refuses it to other processes
 * (store.h). Without a store, a session exists in memory only.
 *
 * A session has one owner: the principal that created it. Only the owner can continue it.
 *
 * The rights of the agent are the intersection of four scopes: its definition, its session, its
 * caller, and the callers above that. Scopes are chained; none allows more than its parent.
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

/* What all sessions of a process share. Program lifetime. */
struct session_world {
    struct loop *loop;
    const struct limits *limits;
    struct store_port *store; /* NULL: sessions are not stored */
    enum store_durability durability;
    bool untrusted_users;       /* prompts of users are untrusted: they taint the session */
    struct undo_port *undo;     /* NULL: file changes cannot be undone */
    struct session_logs *logs;  /* for session_listen; NULL: no logs */
    struct open_sessions *open; /* of this process; NULL: no queue */
};

/* Borrowed until the session is open, except the fields that must live as long as the session. */
struct session_opts {
    struct str id;       /* of a stored session; STR_NONE: create a session */
    struct str new_id;   /* of the created session; STR_NONE: a random id */
    struct agent *agent; /* the session takes a reference */
    const char *cwd;     /* absolute, inside the host's folders; NULL: the agent's folder */
    bool read_only;      /* read-only, even if the agent may write */
    bool keep_nothing;   /* do not store the session */
    struct str settings; /* of a created session: store_session.settings; STR_NONE: none */

    /* In addition to what the agent has. These live as long as the session: */
    struct offer *offer;               /* replaces the agent's offer of tools; NULL: the agent's */
    const struct host_folder *include; /* further folders for its tools */
    size_t includes;

    /* The caller. These live as long as the session: */
    const struct guard_scope *parent; /* NULL: the guard's top scope */
    const char *caller; /* name of the caller in the guard, such as "mcp"; NULL: the agent */
    enum origin origin; /* these as in struct caller */
    struct str principal;
    bool remote;
    struct trace trace;
    uint64_t client;  /* as in struct caller; 0: a new client number */
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
    struct host host; /* of its tools: the agent's host with this session's folder */
    const char *cwd;
    bool elsewhere; /* cwd differs from the folder that the agent's prompt names */
    struct guard_scope scope, agent_scope; /* the session's scope, and its parent */
    struct guard_history calls;            /* for the loop guard */
    struct guard_grants
        grants; /* answers to permission questions, valid while the session is open */
    struct session_opts opts;
    struct session_claim claim;       /* its entry in the table of open sessions */
    struct session_opening *opening;  /* while OPENING or QUEUED */
    int64_t fence;                    /* fencing token; 0: not stored */
    struct conversation conversation; /* the agent's data about the session */
    struct turn *turn;                /* the running turn; set while WORKING */
    struct str title;
    bool interrupted;   /* the last turn did not end; turn_resume continues it */
    bool calls_started; /* in that turn, the tool calls of the last answer had started */
    char last_turn[ID_TEXT];
    double cost;             /* US dollars so far; negative: unknown */
    struct work_client *log; /* session_listen; NULL: none */
    void *data;              /* the owner's */
};

/* An op that opens a session. Zero it. *session must live until the session is closed. */
struct session_opening {
    struct op op; /* first */
    struct session *session;
    struct op ready; /* settles when the agent is prepared */
    struct store_ask ask;
    struct store_step step[1];
    int64_t after;
    struct err why;
};

/*
 * Open a stored session, or create one. If the session is open in this process already, the op
 * waits until that caller closes it; cancelling the op ends the wait. Fails with ERR_NOT_FOUND (also
 * if another principal owns the session), ERR_DENIED (open in another process), ERR_LIMIT (too many
 * callers wait), or the store's error. After a failure the caller must not close the session.
 */
void session_open(struct session *s, struct session_opening *o, const struct session_world *w,
                  const struct session_opts *opts, struct op *parent, op_done_fn *done, void *ctx);

/*
 * May this principal continue the stored session *was? If not, the error is ERR_NOT_FOUND, so that
 * other principals do not learn that the session exists; the operator gets the true reason.
 */
bool session_check_owner(const struct store_session *was, struct str principal, struct err *e);

/*
 * Write all events of the session to its log from now on. Returns the client to use for turns: it
 * logs each event and forwards it to `to` until the session is closed. If the session is not stored
 * or there are no logs, that is `to` itself.
 */
struct work_client *session_listen(struct session *s, struct work_client *to);

/* Changes of an open session. STR_NONE and NULL: unchanged. */
struct session_change {
    struct agent *agent; /* from the next turn: another model, effort or agent of the registry */
    struct str mode;     /* from the next tool call: a mode name; opts.read_only still applies */
    struct str title;
};

/* An op that changes a session. Zero it. */
struct session_changing {
    struct op op; /* first */
    struct session *session;
    struct store_ask ask;
    struct store_step step;
};

/*
 * Change an open session, even while a turn runs; the client of that turn gets an event. The change
 * takes effect at once, and is stored when the op is done. ERR_INVALID: unknown mode. The session
 * takes its own reference to the agent.
 */
void session_change(struct session *s, struct session_changing *c,
                    const struct session_change *change, struct op *parent, op_done_fn *done,
                    void *ctx);

/* Replay the history of the session to a client, with titles and kinds of its tools. */
void session_tell(struct session *s, struct work_client *client);

/*
 * Close a session that is IDLE. done (may be NULL) is called from the loop when the store has
 * released the session; the memory of *s can be reused then.
 */
void session_close(struct session *s, void (*done)(void *ctx), void *ctx);

/* Iterate over the tools that the agent is offered: for (i = 0; (t = session_tool_at(s, &i));) */
const struct tool *session_tool_at(const struct session *s, size_t *i);

/* The same for an agent that has no session yet. */
const struct tool *agent_tool_at(const struct agent *a, size_t *i);

/* The offered tool of a name or alias (tool_pattern_alias); NULL: not offered. */
const struct tool *session_tool(const struct session *s, struct str name);

/* For session.c and turn.c: change the state. A transition that the diagram lacks is a bug. */
void session_set_state(struct session *s, enum session_state to);

#endif
