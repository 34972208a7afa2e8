/*
 * task.h - tasks: durable work that continues when its caller disconnects.
 *
 *   SUBMITTED -> WORKING <-> INPUT_REQUIRED <-> AUTH_REQUIRED <-> WORKING
 *       |           |             |                  |
 *       +-----------+-------------+------------------+--> COMPLETED, FAILED, CANCELED, REJECTED
 *
 * The last four states are final. If a task has open questions, it is AUTH_REQUIRED when all of
 * them ask a person to visit a page, and INPUT_REQUIRED when at least one can be answered with
 * text. REJECTED means that the task was not permitted and did no work; every other failure is
 * FAILED.
 *
 * A task is one prompt for one agent, in a separate session, or one call of a tool (task_call.h).
 * The process that holds the current fencing token (store.h) of a task works on it. Every change of
 * a task increments its version and adds an event. Events are numbered 1, 2, 3 ... and stored
 * before they are published. After a restart, the work on a task resumes. Final tasks are kept for
 * limits.task_keep_ms. When limits.tasks tasks exist, creating a task deletes the oldest final
 * task; if no task is final, creating fails with ERR_BUSY.
 *
 * Events of a task, as stored and published (kind, JSON body):
 *
 *   status    {"state","text"?,"stop"?}               the state has changed; "stop":"refused" if the
 *                                                     model refused the prompt
 *   text, thought, tool, plan, usage, notice, artifact, ask   as event_write writes them; text that
 *             arrives within limits.task_gather_ms is joined into one event
 *   answered  {"key","by","text"?,"client"?}          a question was closed by a principal, or
 *             closed by "nobody", because it was withdrawn or has expired; "text" has the reason.
 *             "client" is the member of the answer with that name, which core does not interpret
 */
#ifndef CORE_TASK_TASK_H
#define CORE_TASK_TASK_H

#include "base/id.h"
#include "core/agent/agent.h"
#include "core/block.h"
#include "core/session/session.h"

enum task_state {
    TASK_SUBMITTED,
    TASK_WORKING,
    TASK_INPUT_REQUIRED,
    TASK_AUTH_REQUIRED,
    TASK_COMPLETED,
    TASK_FAILED,
    TASK_CANCELED,
    TASK_REJECTED,
    TASK_STATES,
};

extern const char *const task_state_names[TASK_STATES]; /* "submitted", "input_required", ... */
bool task_state_named(struct str name, enum task_state *out); /* accepts other spellings, too */

/*
 * The status for MCP and the orchestration tools: "working", "input_required", "completed",
 * "failed", "cancelled".
 */
struct str task_status(enum task_state state);

bool task_state_final(enum task_state s);
bool task_may_become(enum task_state from, enum task_state to);

/* Return the body of an event of kind "status", in mem. */
struct str task_status_body(struct arena *mem, enum task_state state, struct str text);

/* ---- specs ----------------------------------------------------------------------------------- */

/* A request for a task. All data is borrowed until the op of task_create is done. */
struct task_spec {
    struct str tool;      /* the tool to call; STR_NONE: the task runs an agent */
    struct str agent;     /* name of the agent; STR_NONE: the default agent */
    struct blocks prompt; /* the work to do */
    struct str model, effort, output_format; /* STR_NONE: as in the agent's definition */
    int64_t max_turns;                       /* 0: as in the agent's definition */
    double budget_usd;                       /* negative: as in the agent's definition */
    bool read_only;
    /*
     * why the task is read-only, and which setting changes that; STR_NONE: the caller requested it
     */
    struct str mode_reason;
    struct str context;     /* id that several tasks can share, to group them; STR_NONE: a new id */
    struct str owner;       /* the principal that owns the task */
    enum origin origin;     /* how the owner connected */
    struct str session;     /* the session to resume; STR_NONE: a new session */
    struct str new_session; /* id of the new session; task_create sets it */
    const char *caller;     /* "mcp", "cli": the caller's name for the guard and the log */
    struct trace trace;
    struct str taint;
    struct pick_strs lock; /* paths below the root that the task locks while it runs */
    bool isolate;          /* run the task in a separate process, if the engine can start one */
    /* rights of the caller, from guard_scope_write; STR_NONE: the guard's own scope */
    struct str rights;
    struct str message; /* the client's id of the prompt as a message; STR_NONE: none */
    /* JSON object that the protocol of the caller stores with the task; STR_NONE: none */
    struct str client;
};

/* ---- facts about a task ---------------------------------------------------------------------- */

struct task_info {
    struct str id, context, model, mode, session, owner;
    /* why the task is read-only although the caller did not request that; else STR_NONE */
    struct str mode_reason;
    struct str agent; /* name of the agent, or of the tool if the task is a tool call */
    enum task_state state;
    struct str asked;   /* the prompt as text */
    struct str parts;   /* the prompt as a JSON array (block.h); STR_NONE: it is only text */
    enum origin origin; /* how the owner connected */
    struct str client;  /* task_spec.client */
    /* a sentence about the state: the reason of a failure, or the open question */
    struct str text;
    /*
     * The result of a final task as JSON; STR_NONE before: {"interrupted"?,"summary","response",
     * "artifacts":[...],"usage","stop","duration_seconds","trust":{"level","from":[...]}}, and
     * "call" if the task is a tool call. Trust level "untrusted" means that untrusted data from
     * these sources may have influenced the result.
     */
    struct str result;
    /*
     * The open questions as a JSON object: {KEY:
     * {"kind","params","tool","args","cut"?,"asked_ms"}}, where "args" is written by args_whole;
     * STR_NONE: there are no open questions
     */
    struct str asks;
    /* JSON array of whole artifacts (artifact.h); only if task_ask.artifacts was set */
    struct str artifacts;
    bool held; /* a process seems to work on the task, so that questions can be answered */
    int64_t created, updated, ended; /* ms since 1970; 0: not yet */
    int64_t version, last_seq;
};

/*
 * Return the number of calls of the task whose outcome is unknown, because a process stopped while
 * they ran. The number is taken from t->result.
 */
int64_t task_interrupted(const struct task_info *t);

/* Convert a stored task to a task_info in mem. For code that reads the store without an engine. */
struct task_info task_info_of(struct arena *mem, const struct store_task *t);

/* ---- the engine ------------------------------------------------------------------------------ */

struct task_engine;

/* An isolated task: this process has created it, and a child process works on it. */
struct task_away {
    char id[ID_TEXT];
    int64_t fence; /* the fencing token with which the child takes the task (task_take_over) */
    void *child;   /* handle of the child, set by task_isolate.start; NULL: the child has ended */

    struct task_engine *engine; /* private to the engine from here on */
    struct task_away *next;
    /*
     * kills a child that does not end; after the child has ended, tries again to store the task as
     * FAILED
     */
    struct timer timer;
    struct err why; /* why the task fails after the child has ended */
};

/* The port that starts child processes for isolated tasks. Lives as long as the program. */
struct task_isolate {
    /*
     * Start a child that works on the task and then exits. When it has exited, the implementation
     * calls task_away_ended from the loop.
     */
    bool (*start)(struct task_isolate *i, struct task_away *a, struct err *e);

    /* Kill the child and all processes it has started. May be called twice. */
    void (*stop)(struct task_isolate *i, struct task_away *a);

    bool always; /* isolate every task, even if its spec does not request that */
};

/*
 * Report that the child and all processes it had started have ended. `how` describes the end in a
 * few words for the error. If the task is not final, it fails.
 */
void task_away_ended(struct task_away *a, const char *how);

struct task_engine_opts {
    const struct session_world *world; /* must have a store */
    struct agent_registry_port *registry;
    struct guard *guard;
    struct lock_table *locks;     /* lock.h; may be NULL */
    struct task_isolate *isolate; /* NULL: all tasks run in this process */
};

/* Create the engine, which lives until task_engine_close is done. */
struct task_engine *task_engine_new(const struct task_engine_opts *opts);

/*
 * Resume tasks whose process has died, and fail those that cannot be resumed. From now on, the
 * engine looks for such tasks every limits.task_look_ms.
 */
void task_engine_recover(struct task_engine *g);

/*
 * For a child process that was started for one task: take over the task from the parent process and
 * work on it. then(ctx, e) is called from the loop. If `e` is NULL, the work has started.
 */
void task_take_over(struct task_engine *g, struct str id, int64_t fence,
                    void (*then)(void *ctx, const struct err *e), void *ctx);

/*
 * Stop all work and free the engine. Unfinished tasks stay in the store, and another process
 * resumes them. `done` is called from the loop.
 */
void task_engine_close(struct task_engine *g, void (*done)(void *ctx), void *ctx);

/*
 * ---- requests: each is an op; zero it, set the members marked "in", read those marked "out" ---
 */

struct task_ask {
    struct op op;        /* first */
    struct arena mem;    /* memory of the results; freed by task_ask_fini */
    struct str id;       /* in: id of the task; not used by task_create */
    struct str owner;    /* in: the result of principal_sees; STR_NONE: all owners */
    struct principal by; /* in, for task_answer: the principal that answers */
    /* in, for task_answer: the answer may approve a call with truncated arguments */
    bool unseen;
    bool artifacts;        /* in: also set info.artifacts; not used by task_create */
    struct task_info info; /* out: the task */
    struct task_engine *engine;
    void *state; /* private */
};

/*
 * Create a task. The op is done when the task is stored as SUBMITTED; then the work starts.
 * ERR_NOT_FOUND: the agent does not exist. ERR_INVALID: its definition is wrong.
 */
void task_create(struct task_engine *g, struct task_ask *a, const struct task_spec *spec,
                 struct op *parent, op_done_fn *done, void *ctx);

/* Read a task. ERR_NOT_FOUND: the task is unknown, expired, or owned by another principal. */
void task_get(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
              void *ctx);

/* Wait until the task is final. Cancelling the op ends the wait, not the task. */
void task_wait(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
               void *ctx);

/*
 * Stop the work on a task, even if another process works on it. The op is done when the task is
 * CANCELED. ERR_INVALID: the task was final, or has become final meanwhile (a->info has its state).
 */
void task_cancel(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
                 void *ctx);

/*
 * Answer an open question of a task, even if another process works on the task. The answer is
 * {"action","content"?,"reason"?,"client"?}, as for struct ask; "client" becomes a part of the event
 * "answered". `key` may be STR_NONE if only one question is
 * open. `key` and `answer` are borrowed until the op is done. The first answer to a question is
 * stored, and the process that works on the task reads it from the store. The op is done when the
 * question is closed. ERR_NOT_FOUND: the question is not open, or was closed before the answer
 * arrived. ERR_INVALID: the answer is not valid for this question, or it approves a call with
 * truncated arguments without a->unseen.
 *
 * Every principal that can see the task (a->owner) may answer. Agents have no tool with which they
 * could answer, so no agent can approve its own calls or the calls of an agent that it has called.
 * A program that speaks MCP over stdio cannot approve calls of a task that was started at the
 * command line (ERR_DENIED), because such a task may have more rights than MCP clients.
 */
void task_answer(struct task_engine *g, struct task_ask *a, struct str key, struct json answer,
                 struct op *parent, op_done_fn *done, void *ctx);

static inline void task_ask_fini(struct task_ask *a)
{
    arena_fini(&a->mem);
}

/* An op that reads a page of tasks, the newest first. */
struct task_list {
    struct op op; /* first */
    struct arena mem;
    struct str owner, context, agent; /* in: filters; STR_NONE: any */
    bool only_live;                   /* in */
    bool only_asking;                 /* in: only tasks with open questions */
    /* in: where the page begins, zeroed: the first page; out: where the next page begins */
    struct store_cursor cursor;
    int64_t most;        /* in; 0: limits.store_page_items */
    struct task_info *v; /* out */
    size_t n;
    bool more;
    void *state;
};

void task_list(struct task_engine *g, struct task_list *l, struct op *parent, op_done_fn *done,
               void *ctx);

/* ---- events of one task ---------------------------------------------------------------------- */

/*
 * Deliver the events of a task, beginning after a given event: first the stored ones, then new
 * ones, in order and without duplicates. The op succeeds when the task is final and all events were
 * delivered. If the reader falls behind by more than limits.task_watch_events, the op fails with
 * ERR_LIMIT, and the reader can resume from its last event. Cancelling the op ends the
 * subscription.
 */
struct task_watch {
    struct op op;  /* first */
    struct str id; /* in: id of the task */
    struct str owner;
    int64_t after; /* in: number of the event to start after; out: number of the last event */
    /* Return true to get the next event at once, or false to pause until task_watch_more. */
    bool (*event)(struct task_watch *w, int64_t seq, int64_t at, struct str kind, struct str body);
    void *state;
};

void task_watch(struct task_engine *g, struct task_watch *w, struct op *parent, op_done_fn *done,
                void *ctx);
void task_watch_more(struct task_watch *w);

/* ---- events of all tasks --------------------------------------------------------------------- */

enum { TASK_FEED_NOW = -1 };

/*
 * Deliver the events of all tasks of the root (status, ask, answered, artifact), from all
 * processes, in the order in which they were stored and without duplicates. Events of this process
 * are delivered at once, events of other processes within limits.task_look_ms. The op ends only
 * when it is cancelled, the program stops, or the reader falls behind by more than
 * limits.task_watch_events (ERR_LIMIT). *f is borrowed until then.
 */
struct task_feed {
    struct op op; /* first */
    struct str owner;
    int64_t after; /* in: the last known number, or TASK_FEED_NOW; out: the last delivered number */
    /*
     * Called once, before all events. `gap`: some of the events after `after` have already been
     * deleted.
     */
    void (*begun)(struct task_feed *f, bool gap);
    /* Return true to get the next event at once, or false to pause until task_feed_more. */
    bool (*event)(struct task_feed *f, const struct store_feed_event *ev);

    struct task_engine *engine; /* private to the engine from here on */
    struct task_feed *next;
    bool asked;       /* the store request in flight reads events for this follower */
    bool begins;      /* true until begun() was called */
    bool full, ended; /* `full`: event() has returned false; `ended`: the op is done */
};

void task_feed(struct task_engine *g, struct task_feed *f, struct op *parent, op_done_fn *done,
               void *ctx);
void task_feed_more(struct task_feed *f);

#endif
