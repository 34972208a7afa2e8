/*
 * task.h - tasks: durable work that continues when its caller disconnects.
 *
 *   SUBMITTED -> WORKING <-> INPUT_REQUIRED <-> AUTH_REQUIRED <-> WORKING
 *       |           |             |                  |
 *       +-----------+-------------+------------------+--> COMPLETED, FAILED, CANCELED, REJECTED
 *
 * The last four states are final. A task with open questions is AUTH_REQUIRED if each of them asks
 * a person to visit a page, and INPUT_REQUIRED if at least one can be answered with text. REJECTED
 * means that the task was not permitted and did no work; every other failure is FAILED.
 *
 * A task is one prompt for one agent, in a session of its own, or one call of a tool (task_call.h).
 * The process that holds its fencing token works on it. Every change increments its version and
 * adds an event. Events are numbered 1, 2, 3 ... and stored before they are published. The work
 * continues when the caller disconnects, and resumes after a restart. Final tasks are kept for
 * limits.task_keep_ms. When limits.tasks tasks exist, creating one deletes the oldest final task;
 * if none is final, it fails with ERR_BUSY.
 *
 * Events of a task, as stored and published (kind, JSON body):
 *
 *   status    {"state","text"?}                       the state has changed
 *   text, thought, tool, plan, usage, notice, artifact, ask   as event_write writes them; text that
 *             arrives within limits.task_gather_ms is joined into one event
 *   answered  {"key","by","text"?}                    a question is closed; by "nobody": it was
 *             withdrawn or has expired, as the text says
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
bool task_state_named(struct str name, enum task_state *out); /* also the spellings of S2.E */

/*
 * The status for MCP and the orchestration tools: "working", "input_required", "completed",
 * "failed", "cancelled".
 */
struct str task_status(enum task_state state);

bool task_state_final(enum task_state s);
bool task_may_become(enum task_state from, enum task_state to);

/* The body of an event `status`, in mem. */
struct str task_status_body(struct arena *mem, enum task_state state, struct str text);

/* ---- specs ----------------------------------------------------------------------------------- */

/* A request for a task. All data is borrowed until the op of task_create is done. */
struct task_spec {
    struct str tool;      /* the tool of a call; STR_NONE: the task is for an agent */
    struct str agent;     /* STR_NONE: the default */
    struct blocks prompt; /* the work to do */
    struct str model, effort, output_format; /* instead of the agent's; STR_NONE */
    int64_t max_turns;                       /* 0: the agent's */
    double budget_usd;                       /* negative: the agent's */
    bool read_only;
    /* why it is read-only, and which setting changes that; STR_NONE: the caller wants it */
    struct str mode_reason;
    struct str context;     /* groups tasks; STR_NONE: a new context */
    struct str owner;       /* the principal that owns the task */
    enum origin origin;     /* how the owner connected */
    struct str session;     /* the session to resume; STR_NONE: a new one */
    struct str new_session; /* id of the new session; task_create sets it */
    const char *caller;     /* "mcp", "cli": the caller's name for the guard and the log */
    struct trace trace;
    struct str taint;
    struct pick_strs lock; /* paths below the root that it locks while it runs */
    bool isolate;          /* run it in a separate process, if the engine can start one */
    /* rights of its caller, by guard_scope_write; STR_NONE: the guard's own scope */
    struct str rights;
};

/* ---- facts about a task ---------------------------------------------------------------------- */

struct task_info {
    struct str id, context, model, mode, session, owner;
    /* why it is read-only although the caller did not ask for that; else STR_NONE */
    struct str mode_reason;
    struct str agent; /* the agent; of a call: the tool */
    enum task_state state;
    struct str asked;   /* the prompt as text */
    struct str parts;   /* the prompt as a JSON array (block.h); STR_NONE: it is only text */
    enum origin origin; /* how its owner connected */
    struct str text;    /* a sentence about the state: why it failed, the open question */
    /*
     * JSON, of a final task: {"interrupted"?,"summary","response","artifacts":[...],"usage","stop",
     * "duration_seconds","trust":{"level","from":[...]}}, of a call also "call"; else STR_NONE.
     * Level "untrusted": untrusted data from these sources may have influenced the result.
     */
    struct str result;
    /*
     * JSON object of open questions: {key: {"kind","params","tool","args","cut"?,"asked_ms"}}, args
     * by args_whole; or STR_NONE
     */
    struct str asks;
    /* JSON array of whole artifacts (artifact.h); only if task_ask.artifacts was set */
    struct str artifacts;
    bool held; /* a process that runs, or may run, works on it, so questions can be answered */
    int64_t created, updated, ended; /* ms; 0: not yet */
    int64_t version, last_seq;
};

/*
 * The number of calls whose outcome is unknown because their process stopped. From the task's
 * result.
 */
int64_t task_interrupted(const struct task_info *t);

/* A task as stored, in mem: for code that reads the store without an engine. */
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
    /* kills a child that does not end; after its end, retries to fail the task */
    struct timer timer;
    struct err why; /* why the task fails after the child has ended */
};

/* The port that starts child processes for isolated tasks. Program lifetime. */
struct task_isolate {
    /*
     * Start a child that works on the task and then ends. task_away_ended is called later, from the
     * loop.
     */
    bool (*start)(struct task_isolate *i, struct task_away *a, struct err *e);

    /* Kill the child and all processes it has started. May be called twice. */
    void (*stop)(struct task_isolate *i, struct task_away *a);

    bool always; /* isolate every task */
};

/*
 * The child and all processes it had started have ended; `how`: a few words for the error. If the
 * task is not final, it fails.
 */
void task_away_ended(struct task_away *a, const char *how);

struct task_engine_opts {
    const struct session_world *world; /* with a store */
    struct agent_registry_port *registry;
    struct guard *guard;
    struct lock_table *locks;     /* lock.h; may be NULL */
    struct task_isolate *isolate; /* NULL: all tasks run in this process */
};

/* Create the engine. Program lifetime. It recovers no tasks before task_engine_recover. */
struct task_engine *task_engine_new(const struct task_engine_opts *opts);

/*
 * Resume tasks whose process has died, and fail those that cannot be resumed. Checks again every
 * limits.task_look_ms for tasks of processes that die later.
 */
void task_engine_recover(struct task_engine *g);

/*
 * In a child that was started for one task: take the task over from the parent process and work on
 * it. then(ctx, e) is called from the loop; e NULL: the work has started.
 */
void task_take_over(struct task_engine *g, struct str id, int64_t fence,
                    void (*then)(void *ctx, const struct err *e), void *ctx);

/*
 * Stop working. Unfinished tasks stay in the store for the next process. done is called from the
 * loop.
 */
void task_engine_close(struct task_engine *g, void (*done)(void *ctx), void *ctx);

/* The number of tasks that run in this process. For tests. */
size_t task_engine_running(const struct task_engine *g);

/* ---- requests: each is an op; zero it, set the fields marked "in", read those marked "out" --- */

struct task_ask {
    struct op op;          /* first */
    struct arena mem;      /* memory of the results; freed by task_ask_fini */
    struct str id;         /* in, of all but create */
    struct str owner;      /* in: the result of principal_sees; STR_NONE: all owners */
    struct principal by;   /* in, of answer: the principal that answers */
    bool unseen;           /* in, of answer: may approve a call whose arguments were truncated */
    bool artifacts;        /* in, of all but create: also read info.artifacts */
    struct task_info info; /* out */
    struct task_engine *engine;
    void *state; /* private */
};

/*
 * Create a task. The op is done when the task is stored as SUBMITTED; then the work starts.
 * ERR_NOT_FOUND, ERR_INVALID: there is no such agent, or its definition is wrong.
 */
void task_create(struct task_engine *g, struct task_ask *a, const struct task_spec *spec,
                 struct op *parent, op_done_fn *done, void *ctx);

/* Read a task. ERR_NOT_FOUND: unknown, expired, or owned by another principal. */
void task_get(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
              void *ctx);

/* Wait until the task is final. Cancelling the op ends the wait, not the task. */
void task_wait(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
               void *ctx);

/*
 * Stop the work and its processes, in whichever process it runs; done when the task is CANCELED.
 * ERR_INVALID: the task was final already, or has become final meanwhile (info has its state).
 */
void task_cancel(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
                 void *ctx);

/*
 * Answer an open question of a task, in whichever process the task runs: {"action","content"?,
 * "reason"?} in the form of struct ask. key may be STR_NONE if only one question is open. key and
 * answer are borrowed until the op is done. The first answer to a question wins. It is stored, and
 * the process that works on the task takes it from the store; the op is done when the question is
 * closed. ERR_NOT_FOUND: the question is not open, or was closed before the answer arrived.
 * ERR_INVALID: not a valid answer to this question. A call with truncated arguments cannot be
 * approved unless `unseen` is set.
 *
 * Every principal that can see the task (`owner`) may answer. Agents have no tool for it, so that
 * no agent approves its own calls or those of an agent below it. A program that speaks MCP over
 * stdio cannot approve a task that was started at the command line (ERR_DENIED), because such a
 * task may have more rights than MCP clients have.
 */
void task_answer(struct task_engine *g, struct task_ask *a, struct str key, struct json answer,
                 struct op *parent, op_done_fn *done, void *ctx);

static inline void task_ask_fini(struct task_ask *a)
{
    arena_fini(&a->mem);
}

/* A page of tasks, newest first. An op. */
struct task_list {
    struct op op; /* first */
    struct arena mem;
    struct str owner, context, agent; /* in: filters; STR_NONE: any */
    bool only_live;                   /* in */
    bool only_asking;                 /* in: only tasks with open questions */
    struct store_cursor cursor;       /* in and out; zeroed: the first page */
    int64_t most;                     /* in; 0: limits.store_page_items */
    struct task_info *v;              /* out */
    size_t n;
    bool more;
    void *state;
};

void task_list(struct task_engine *g, struct task_list *l, struct op *parent, op_done_fn *done,
               void *ctx);

/* ---- events of one task ---------------------------------------------------------------------- */

/*
 * Deliver all events of a task after a number: first the stored ones, then new ones, each once and
 * in order. The op succeeds when the task is final and all events were delivered. A reader that
 * falls behind by more than limits.task_watch_events fails with ERR_LIMIT and can resume from its
 * last event. Cancelling the op ends the subscription.
 */
struct task_watch {
    struct op op;  /* first */
    struct str id; /* in */
    struct str owner;
    int64_t after; /* in: start after this event; out: the last delivered event */
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
 * processes, each once and in stored order. Events of this process are delivered at once, events of
 * other processes within limits.task_look_ms. The op ends only when it is cancelled, the program
 * stops, or the reader falls behind by more than limits.task_watch_events (ERR_LIMIT). *f is
 * borrowed until then.
 */
struct task_feed {
    struct op op; /* first */
    struct str owner;
    int64_t after; /* in: the last known number, or TASK_FEED_NOW; out: the last delivered number */
    /* Called once, before any event. `gap`: some events after `after` are not stored any more. */
    void (*begun)(struct task_feed *f, bool gap);
    /* Return true to get the next event at once, or false to pause until task_feed_more. */
    bool (*event)(struct task_feed *f, const struct store_feed_event *ev);

    struct task_engine *engine; /* private to the engine from here on */
    struct task_feed *next;
    bool asked;  /* the read in flight is for it */
    bool begins; /* begun() has not been called yet */
    bool full, ended;
};

void task_feed(struct task_engine *g, struct task_feed *f, struct op *parent, op_done_fn *done,
               void *ctx);
void task_feed_more(struct task_feed *f);

#endif
