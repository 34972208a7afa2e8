/*
 * task_parts.h - the inside of the task engine, shared by task*.c.
 *
 * A run is a task that this process works on. Its op is over all it does, so that cancelling it
 * reaches whatever is under way; it settles when the last word is stored, and then the run is gone.
 *
 *   LOCKS     what it locks is waited for
 *   OPENING   its session is opened; that it is, and which, is stored before the turn begins
 *   TURNING   its turn runs
 *   LEAVING   the session is left
 *   ENDING    the end is stored, with the result
 *
 * Three things shorten that: `cancel` (somebody wants it to end: CANCELED), `lost` (another process
 * has it: nothing is stored any more), `parked` (this process stops: it stays as it is).
 */
#ifndef CORE_TASK_PARTS_H
#define CORE_TASK_PARTS_H

#include "core/lock.h"
#include "core/task.h"
#include "core/task_artifacts.h"
#include "core/turn.h"

struct task_run;

/* ---- task_log.c: what is stored, and when ----------------------------------------------------- */

/*
 * Events wait in one arena while those of the other are being stored: one request at a time. Words
 * are gathered for limits.task_gather_ms; what is urgent goes as soon as it can.
 */
struct task_log {
    struct arena mem[2];
    size_t filling; /* which of them takes what comes */
    struct store_event *v;
    size_t n, room;
    struct store_event *sent; /* being stored */
    size_t sents;
    struct buf words; /* of one kind and message */
    enum event_kind words_kind;
    char message[ID_TEXT];
    struct timer timer; /* when what was gathered goes, or a request that failed goes again */
    struct store_ask ask;
    struct store_step step;
    bool storing, urgent;
    bool again;                       /* storing, that is waiting to be asked again */
    bool complained;                  /* that it has to */
    int64_t seq, version;             /* of what is stored */
    int64_t stored;                   /* when something was, by the loop */
    void (*then)(struct task_run *r); /* once: when all of it is stored; or NULL */
};

/* The state is new: stored at once, with an event. False: it may not become that. */
bool task_log_state(struct task_run *r, enum task_state to, struct str text);

/* What an agent has told. */
void task_log_event(struct task_run *r, const struct event *ev);

/* One more event; urgent: it goes at once. body is copied. */
void task_log_add(struct task_run *r, const char *kind, struct str body, bool urgent);

/* All of it goes now; then(r) when it is stored, which may be at once. */
void task_log_flush(struct task_run *r, void (*then)(struct task_run *r));

/* A request that would be made again is not: this process stops. */
void task_log_stop(struct task_run *r);

/* {"state","text"?} in mem. */
struct str task_status_body(struct arena *mem, enum task_state state, struct str text);

/* ---- a run ------------------------------------------------------------------------------------ */

/* A question of the agent: an op under it, so that we hear when it is taken back. */
struct task_question {
    struct op op; /* first */
    struct task_run *run;
    struct ask *ask;
    struct str key;
    struct task_question *next;
};

struct task_run {
    struct op op; /* first */
    struct task_engine *engine;
    struct task_run *next;
    struct arena mem;
    char id[ID_TEXT];
    struct task_spec spec; /* in mem */
    struct str context, owner;
    int64_t fence, created;
    enum task_state state;
    struct str text; /* of the state */
    char session_id[ID_TEXT];
    bool taken; /* from a process that is gone: how far had it come? */
    bool cancel, lost, parked;
    struct str damage; /* why it cannot be worked on; else STR_NONE */

    struct task_log log;
    struct timer look; /* has somebody elsewhere cancelled it? */
    struct store_ask look_ask;
    struct store_step look_step;

    struct agent *agent;
    bool read_only;
    struct lock_hold hold;
    bool holds;
    struct session session;
    struct session_opening opening;
    bool open;
    struct work_client client;
    struct turn turn;
    struct block block[2]; /* of the prompt */
    struct turn_prompt prompt;
    struct task_question *asks; /* open ones */
    size_t asked;               /* ever */
    struct task_artifacts made;

    enum task_state outcome; /* what it is to become, and why */
    enum turn_stop stop;
    struct str why, answer, result;
    struct model_usage usage;

    struct task_ask *creator; /* while it is being created, by these: */
    struct store_step create[2];
};

/* A run that nothing is done with yet, its spec copied. */
struct task_run *task_run_new(struct task_engine *g, const struct task_spec *spec);
void task_run_free(struct task_run *r);

/* Work on it: r->fence, created, state, log.seq are set. */
void task_run_begin(struct task_run *r);

/* Somebody wants it to end; or this process stops. */
void task_run_cancel(struct task_run *r);
void task_run_park(struct task_run *r);

/* Another process has it, or it is gone: stop without a word. */
void task_run_lose(struct task_run *r);

/* How far a taken one has come, by its session; then the turn goes on, or begins, or has ended. */
void task_run_recover(struct task_run *r);
void task_run_prompt(struct task_run *r, struct str before, struct str text);
void task_run_resume(struct task_run *r);
void task_run_turned(struct task_run *r); /* outcome, stop, why and answer are set */

/* What happens in its turn: task_client.c. */
extern const struct work_client_kind task_client_kind;

/* Open questions as JSON, in mem; "" for none. */
struct str task_run_asks(const struct task_run *r, struct arena *mem);

/* Answer one. ERR_NOT_FOUND, ERR_INVALID. */
bool task_run_answer(struct task_run *r, struct str key, struct json answer, struct str by,
                     struct err *e);

/* A tool has ended: what it wrote is one of the results. */
void task_run_made(struct task_run *r, const struct event_tool *t);

/* ---- task_spec.c ------------------------------------------------------------------------------ */

struct task_spec task_spec_copy(struct arena *mem, const struct task_spec *spec);
struct str task_spec_write(struct arena *mem, const struct task_spec *spec);
bool task_spec_read(struct arena *mem, struct str json, const struct limits *limits,
                    struct task_spec *out, struct err *e);

/* The agent it asks for, held, with what it says instead of the definition. */
struct agent *task_spec_agent(const struct task_spec *spec, struct agent_desk *desk, struct err *e);

/* What the agent is told before its task; STR_NONE: nothing. */
struct str task_spec_preface(bool read_only);

/* ---- the engine ------------------------------------------------------------------------------- */

struct task_follower; /* task_watch.c */
struct task_request;  /* task_ask.c */

struct task_engine {
    struct task_engine_opts opts;
    struct loop *loop;
    const struct limits *limits;
    struct store_port *store;
    struct task_run *runs;
    struct task_away *away;
    struct task_follower *followers;
    struct task_request *requests;
    size_t others; /* store requests of our own, and lists */

    struct timer look; /* task_recover.c */
    bool recovers;

    bool closing;
    struct post closed;
    void (*done)(void *who);
    void *who;
};

struct task_run *task_engine_find(struct task_engine *g, struct str id);

/* Something has ended: is it the last thing a closing engine waits for? */
void task_engine_settled(struct task_engine *g);

/* Is there such a task, for this owner? Fills *e. */
bool task_visible(struct task_engine *g, const struct store_task *t, struct str owner,
                  struct err *e);

/* Events of a run were stored, the first with this number: followers and requests hear of it. */
void task_followers_hear(struct task_run *r, const struct store_event *v, size_t n, int64_t first);
void task_requests_hear(struct task_run *r);

void task_followers_close(struct task_engine *g);
void task_requests_close(struct task_engine *g);

/* Is it one that is worked on by a process of its own? */
bool task_wants_away(const struct task_engine *g, const struct task_spec *spec);
void task_away_begin(struct task_engine *g, const char *id, int64_t fence);
bool task_away_find(const struct task_engine *g, struct str id);
void task_away_close(struct task_engine *g);

/* One of those has gone: if its task has not ended, it fails. Then task_away_free. */
void task_fail_away(struct task_away *a, const struct err *why);
void task_away_free(struct task_away *a);

/* Take a task that nobody works on, and work on it. */
void task_recover_one(struct task_engine *g, struct str id);
void task_recover_stop(struct task_engine *g);

#endif
