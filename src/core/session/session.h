/*
 * session.h - a conversation with an agent that is open in this process.
 *
 *   OPENING -> OPEN <-> WORKING (one turn at a time, turn.h) -> CLOSING -> gone
 *
 * What was acknowledged is in the store: opening a session anew, here or in another process, goes
 * on where it ended. While it is open it belongs to this process alone (store.h), and in this
 * process to whoever opened it: others wait in its queue until it is closed (session_queue.h).
 * Without a store it lives in memory.
 *
 * A session has one owner, the principal who began it. Only the owner continues it.
 *
 * What the agent may do is what its definition, its session and whoever it works for allow, all of
 * them: scopes are chained and none is above its parent.
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

/* What sessions run on. Program lifetime. */
struct session_world {
    struct loop *loop;
    const struct limits *limits;
    struct store_port *store; /* NULL: nothing is kept */
    enum store_durability durability;
    bool untrusted_users;       /* what people ask is data like any other: it taints what follows */
    struct undo_port *undo;     /* NULL: changes of files cannot be taken back */
    struct session_logs *logs;  /* for session_listen; NULL: none are written */
    struct open_sessions *open; /* those of this process; NULL: it opens none twice */
};

/* Borrowed while the session opens, but for what is said to live as long as it. */
struct session_opts {
    struct str id;       /* one of the store; STR_NONE: a new one */
    struct str new_id;   /* of a new one; STR_NONE: the session chooses it */
    struct agent *agent; /* held by the session */
    const char *cwd;     /* absolute, inside the host's folders; NULL: the agent's folder */
    bool read_only;      /* whatever the agent may */
    bool keep_nothing;   /* not in the store */
    struct str settings; /* of a new one: store_session.settings; STR_NONE: none */

    /* What it has of its own, beside what the agent has. Lives as long as the session: */
    struct offer *offer;               /* instead of the agent's, with its own servers; NULL */
    const struct host_folder *include; /* further folders for its tools */
    size_t includes;

    /* For whom it works. Lives as long as the session: */
    const struct guard_scope *parent; /* NULL: the guard's own */
    const char *caller;               /* who asks, to the guard: "cli", "mcp"; NULL: the agent */
    enum origin origin;               /* these as in struct caller */
    struct str principal;
    bool remote;
    struct trace trace;
    uint64_t client;  /* as in struct caller; 0: a client that no other session has */
    struct str taint; /* prompts are not trusted: from where they come. STR_NONE: they are */
};

struct turn;

struct session {
    char id[ID_TEXT];
    const struct session_world *world;
    struct agent *agent;
    struct arena mem; /* as long as it is open */
    struct history *history;
    struct host host; /* of its tools: the agent's, in its own folder */
    const char *cwd;
    bool elsewhere; /* cwd is not the folder that its agent has been told of */
    struct guard_scope scope, agent_scope; /* its own, and the agent's above it */
    struct guard_history calls;            /* for the loop guard */
    struct guard_grants grants;            /* answers about tools that hold while it is open */
    struct session_opts opts;
    struct session_claim claim;       /* its place among those of this process */
    struct session_opening *opening;  /* while it opens */
    int64_t fence;                    /* 0: not in the store */
    struct conversation conversation; /* its agent's side of it */
    struct turn *turn;                /* under way; NULL: none */
    struct str title;
    bool broken_off; /* the last turn did not end: turn_resume goes on with it */
    bool begun;      /* of that turn: the calls of the last answer had been begun */
    char last_turn[ID_TEXT];
    double cost;             /* US dollars so far; negative: not known */
    struct work_client *log; /* session_listen; NULL: none */
    void *data;              /* the owner's */
};

/* An op that opens a session. Zero it. *s must live until it is closed. */
struct session_opening {
    struct op op; /* first */
    struct session *session;
    struct op ready; /* the agent's */
    struct store_ask ask;
    struct store_step step[1];
    int64_t after;
    bool waits; /* for its place: session_queue.h */
    struct err why;
};

/*
 * Open or make a session; one that is open in this process is waited for until it is closed, and
 * cancelling the op ends that wait. ERR_NOT_FOUND (also when it belongs to another principal),
 * ERR_DENIED (open in another process), ERR_LIMIT (too many wait), or as the store fails. After a
 * failure there is nothing to close.
 */
void session_open(struct session *s, struct session_opening *o, const struct session_world *w,
                  const struct session_opts *opts, struct op *parent, op_done_fn *done, void *ctx);

/*
 * May this principal continue the session that the store has as *was? ERR_NOT_FOUND as if there
 * were none, but for the operator, who sees it anyway.
 */
bool session_check_owner(const struct store_session *was, struct str principal, struct err *e);

/*
 * Have all that happens in it written down from now on, if it is kept and logs are: the client to
 * give to its turns, which passes all on to `to` until the session is left. Else that is `to`.
 */
struct work_client *session_listen(struct session *s, struct work_client *to);

/* What can be changed while it is open. STR_NONE and NULL: as it is. */
struct session_change {
    struct agent *agent; /* another model, effort or agent, from the desk: from the next turn on */
    struct str mode;     /* agent_mode_named: from the next call on, never above opts.read_only */
    struct str title;
};

/* An op that changes one. Zero it. */
struct session_changing {
    struct op op; /* first */
    struct session *session;
    struct store_ask ask;
    struct store_step step;
};

/*
 * Change it, also while a turn is under way: that tells its client. It is in force at once, and
 * stored when the op is done. ERR_INVALID: no such mode. The agent is held by the session.
 */
void session_change(struct session *s, struct session_changing *c,
                    const struct session_change *change, struct op *parent, op_done_fn *done,
                    void *ctx);

/* Tell all that has happened in it: history_tell, with what is known of its tools. */
void session_tell(struct session *s, struct work_client *client);

/*
 * Leave it; no turn may be under way. done (may be NULL) is called from the loop when the store
 * knows; *s is free then.
 */
void session_close(struct session *s, void (*done)(void *ctx), void *ctx);

/* The tools its agent is offered, one after the other: for (i = 0; (t = session_tool_at(s, &i));) */
const struct tool *session_tool_at(const struct session *s, size_t *i);

/* The same of an agent, before it has a session. */
const struct tool *agent_tool_at(const struct agent *a, size_t *i);

/* The one of a name, as the model may spell it (tool_pattern_alias); NULL: not offered. */
const struct tool *session_tool(const struct session *s, struct str name);

#endif
