/*
 * task.h - a durable piece of work: it continues when its caller disconnects.
 *
 *   SUBMITTED -> WORKING <-> INPUT_REQUIRED <-> AUTH_REQUIRED <-> WORKING
 *       |           |             |                  |
 *       +-----------+-------------+------------------+--> COMPLETED, FAILED, CANCELED, REJECTED: final
 *
 * A task with open questions is AUTH_REQUIRED when all of them are pages that a person must visit,
 * and INPUT_REQUIRED as soon as one can be answered with text. REJECTED is a task that was refused
 * before any work, because it is not permitted; every later or other failure is FAILED.
 *
 * A task is one prompt for one agent, in a session of its own, worked on by the process that holds
 * its fencing token; or it is one call of a tool (task_call.h). Every change is a new version and
 * leaves an event. Events are numbered 1, 2, 3 ... and stored before they are published. When the
 * caller disconnects the work continues, and it resumes after a restart. Terminal tasks are kept
 * for limits.task_keep_ms. When there are limits.tasks tasks, the oldest terminal one is deleted;
 * when all are live, a new one is rejected (ERR_BUSY).
 *
 * Events of a task, as stored and published (kind, JSON body):
 *
 *   status    {"state","text"?}                       the state has changed
 *   text, thought, tool, plan, usage, notice, artifact, ask    as event_write writes them; text that
 *             arrives within limits.task_gather_ms is joined into one event
 *   answered  {"key","by","text"?}                    an ask is closed; by "nobody": it was
 *             withdrawn, or has expired, as the text says
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

/* As MCP and the orchestration tools say it: "working", "input_required", "completed", "failed", "cancelled". */
struct str task_status(enum task_state state);

bool task_state_final(enum task_state s);
bool task_may_become(enum task_state from, enum task_state to);

/* The body of an event `status`, in mem. */
struct str task_status_body(struct arena *mem, enum task_state state, struct str text);

/* ---- what is asked for ----------------------------------------------------------------------- */

/* Borrowed until the op is done, except where a field says that it lives as long as the engine. */
struct task_spec {
    struct str tool;                         /* of a call; STR_NONE: an agent does it */
    struct str agent;                        /* STR_NONE: the default */
    struct blocks prompt;                    /* what it is to do */
    struct str model, effort, output_format; /* instead of the agent's; STR_NONE */
    int64_t max_turns;                       /* 0: the agent's */
    double budget_usd;                       /* negative: the agent's */
    bool read_only;
    struct str mode_reason; /* why it is, and which setting changes that; STR_NONE: it was asked */
    struct str context;     /* groups tasks; STR_NONE: one of its own */
    struct str owner;       /* the principal that owns the task */
    enum origin origin;     /* the way the owner came in */
    struct str session;     /* to resume; STR_NONE: a new one */
    struct str new_session; /* the id that the new one gets; task_create chooses it */
    const char *caller;     /* "mcp", "cli": its name to the guard and the log */
    struct trace trace;
    struct str taint;
    struct pick_strs lock; /* paths it locks while it runs, below the root */
    bool isolate;          /* in a process of its own, where that can be had */
    struct str rights;     /* for whom it works, by guard_scope_write; STR_NONE: the guard's own */
};

/* ---- what is known of one -------------------------------------------------------------------- */

struct task_info {
    struct str id, context, model, mode, session, owner;
    struct str
        mode_reason; /* why it is read-only although the caller did not ask for that; else STR_NONE */
    struct str agent; /* of a call: the tool */
    enum task_state state;
    struct str asked;   /* what it is to do, as text */
    struct str parts;   /* the same as a JSON array (block.h); STR_NONE: it is only a text */
    enum origin origin; /* from where it was begun */
    struct str text;    /* a sentence about the state: why it failed, what is asked */
    struct str
        result; /* JSON, of a terminal one: {"interrupted"?,"summary","response","artifacts":[...],
                          "usage","stop","duration_seconds","trust":{"level","from":[...]}},
                          of a call also "call"; else STR_NONE. level "untrusted": data from
                          outside, from these sources, has had a say in it */
    struct str asks;      /* JSON object of open asks: {key: {"kind","params","tool","args",
                          "cut"?,"asked_ms"}}, args by args_whole; or STR_NONE */
    struct str artifacts; /* JSON array of whole artifacts (artifact.h), if they were asked for */
    bool held;            /* a process that lives, or may, works on it: asks can be answered */
    int64_t created, updated, ended; /* ms; 0: not yet */
    int64_t version, last_seq;
};

/*
 * Calls that a stopped process had begun and whose outcome is unknown; from the task's result,
 * which mentions them first.
 */
int64_t task_interrupted(const struct task_info *t);

/* A task as stored, in mem: for code that reads the store without an engine. */
struct task_info task_info_of(struct arena *mem, const struct store_task *t);

/* ---- the engine ------------------------------------------------------------------------------ */

struct task_engine;

/* A task of ours that a process of its own works on, which this one has started. */
struct task_away {
    char id[ID_TEXT];
    int64_t fence; /* what the other takes it by: task_take_over */
    void *child;   /* of the process that started it; NULL: it is gone */

    struct task_engine *engine; /* the rest is the engine's */
    struct task_away *next;
    struct timer timer; /* when it has to be gone; once it is, when the task is tried for again */
    struct err why;     /* it fails, once it is gone */
};

/* Who starts such processes. Program lifetime. */
struct task_isolate {
    /* Start one that ends with its task; task_away_ended follows from the loop. */
    bool (*start)(struct task_isolate *i, struct task_away *a, struct err *e);

    /* It need not go on: end it, and all it has started; perhaps said twice. */
    void (*stop)(struct task_isolate *i, struct task_away *a);

    bool always; /* every task is one of those */
};

/* It is gone, and so is all it has started; how: a few words. A task that has not ended fails. */
void task_away_ended(struct task_away *a, const char *how);

struct task_engine_opts {
    const struct session_world *world; /* with a store */
    struct agent_registry_port *registry;
    struct guard *guard;
    struct lock_table *locks;     /* lock.h; may be NULL */
    struct task_isolate *isolate; /* NULL: all is worked on here */
};

/* Program lifetime. Recovers nothing before task_engine_recover. */
struct task_engine *task_engine_new(const struct task_engine_opts *opts);

/*
 * Resume tasks whose process has died, and fail those that cannot be resumed. Checks again every
 * limits.task_look_ms for tasks of processes that die later.
 */
void task_engine_recover(struct task_engine *g);

/*
 * In a process that was started for one task: take the task over from the process that started us,
 * and work on it here. then(ctx, e) is called from the loop: it has begun, or why not.
 */
void task_take_over(struct task_engine *g, struct str id, int64_t fence,
                    void (*then)(void *ctx, const struct err *e), void *ctx);

/* Stop running (tasks stay in the store as they are, for the next process); done from the loop. */
void task_engine_close(struct task_engine *g, void (*done)(void *ctx), void *ctx);

/* How many run in this process; for tests, which wait for that. */
size_t task_engine_running(const struct task_engine *g);

/* ---- requests: each is an op; zero it, set the fields marked "in", read those marked "out" ----- */

struct task_ask {
    struct op op;          /* first */
    struct arena mem;      /* where what is out lives: task_ask_fini */
    struct str id;         /* in, of all but create */
    struct str owner;      /* in: principal_sees; STR_NONE sees all */
    struct principal by;   /* in, of answer: who gives it */
    bool unseen;           /* in, of answer: also to what was cut, and could not be shown */
    bool artifacts;        /* in, of all but create: read info.artifacts, too */
    struct task_info info; /* out */
    struct task_engine *engine;
    void *state; /* its own */
};

/* Stored as SUBMITTED, then the op is done; the work begins. ERR_NOT_FOUND, ERR_INVALID: the agent. */
void task_create(struct task_engine *g, struct task_ask *a, const struct task_spec *spec,
                 struct op *parent, op_done_fn *done, void *ctx);

/* ERR_NOT_FOUND: unknown, expired, or owned by another principal. */
void task_get(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
              void *ctx);

/* Done when it is terminal; also when it was before. Cancelling the op waits no longer. */
void task_wait(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
               void *ctx);

/*
 * Stop the work and its processes, wherever it runs; done when it is CANCELED. ERR_INVALID: it was
 * terminal already, or has become so by itself meanwhile (info says how).
 */
void task_cancel(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
                 void *ctx);

/*
 * Answer an open ask, in whichever process its task runs: {"action","content"?,"reason"?} in the
 * form of struct ask. key may be STR_NONE when only one ask is open; both are borrowed until the op
 * is done. The first answer to an ask wins. It is stored, taken by the process that works on the
 * task, and the op is done when the ask is closed. ERR_NOT_FOUND: the ask is not open, or was closed
 * before the answer arrived. ERR_INVALID: not a valid answer to this ask; a call with truncated
 * arguments cannot be approved unless `unseen` is set.
 *
 * Every principal that can see the task (`owner`) may answer. Agents have no tool for it, so that no
 * agent approves its own calls or those of an agent below it. A program that speaks MCP over stdio
 * cannot approve what was begun at the command line (ERR_DENIED): such work may do more than MCP
 * clients may.
 */
void task_answer(struct task_engine *g, struct task_ask *a, struct str key, struct json answer,
                 struct op *parent, op_done_fn *done, void *ctx);

static inline void task_ask_fini(struct task_ask *a)
{
    arena_fini(&a->mem);
}

/* The newest first. */
struct task_list {
    struct op op; /* first */
    struct arena mem;
    struct str owner, context, agent; /* in: STR_NONE: of all */
    bool only_live;                   /* in */
    bool only_asking;                 /* in: with open asks */
    struct store_cursor cursor;       /* in and out; zeroed: from the newest */
    int64_t most;                     /* in; 0: a page */
    struct task_info *v;              /* out */
    size_t n;
    bool more;
    void *state;
};

void task_list(struct task_engine *g, struct task_list *l, struct op *parent, op_done_fn *done,
               void *ctx);

/* ---- following one --------------------------------------------------------------------------- */

/*
 * All events after a number, from the store and then as they happen, each once and in order, until
 * the task is terminal and everything was delivered; then done. A reader that falls behind by more
 * than limits.task_watch_events is done with ERR_LIMIT and can resume from its last event.
 * Cancelling the op ends it.
 */
struct task_watch {
    struct op op;  /* first */
    struct str id; /* in */
    struct str owner;
    int64_t after; /* in; then the last that was delivered */
    /* True: go on at once. False: told too much; task_watch_more when there is room again. */
    bool (*event)(struct task_watch *w, int64_t seq, int64_t at, struct str kind, struct str body);
    void *state;
};

void task_watch(struct task_engine *g, struct task_watch *w, struct op *parent, op_done_fn *done,
                void *ctx);
void task_watch_more(struct task_watch *w);

/* ---- following all --------------------------------------------------------------------------- */

enum { TASK_FEED_NOW = -1 };

/*
 * What happens to all tasks of the root (status, ask, answered, artifact), in whichever process,
 * each once and in stored order. Events of this process are delivered at once, events of other
 * processes within limits.task_look_ms. Done only when it is cancelled, the program stops, or the
 * reader falls behind by more than limits.task_watch_events (ERR_LIMIT). Borrowed until then.
 */
struct task_feed {
    struct op op; /* first */
    struct str owner;
    int64_t
        after; /* in: the last known number, or TASK_FEED_NOW; then the last that was delivered */
    /* Once, before any event. `gap`: of what was stored after `after`, some is not kept any more. */
    void (*begun)(struct task_feed *f, bool gap);
    /* True: go on at once. False: told too much; task_feed_more when there is room again. */
    bool (*event)(struct task_feed *f, const struct store_feed_event *ev);

    struct task_engine *engine; /* the rest is the engine's */
    struct task_feed *next;
    bool asked;  /* for: by the request that is under way */
    bool begins; /* is not told yet that it has begun */
    bool full, ended;
};

void task_feed(struct task_engine *g, struct task_feed *f, struct op *parent, op_done_fn *done,
               void *ctx);
void task_feed_more(struct task_feed *f);

#endif
