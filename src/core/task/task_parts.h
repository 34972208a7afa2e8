/*
 * task_parts.h - the inside of the task engine, shared by task*.c.
 *
 * A run is a task that this process works on. Its op is over all it does, so that cancelling it
 * reaches whatever is under way; it settles when the last word is stored, and then the run is gone.
 *
 * A run is the work of an agent, or (task_call.c) a call of a tool, which has no session: it runs in
 * the place of the turn.
 *
 *   LOCKS     what it locks is waited for
 *   OPENING   its session is opened; that it is, and which, is stored before the turn begins
 *   TURNING   its turn runs
 *   LEAVING   the session is left
 *   ENDING    files that the answer names are looked at; the end is stored, with the result
 *
 * Three things shorten that: `cancel` (somebody wants it to end: CANCELED), `lost` (another process
 * has it: nothing is stored any more), `parked` (this process stops: it stays as it is).
 */
#ifndef CORE_TASK_TASK_PARTS_H
#define CORE_TASK_TASK_PARTS_H

#include "core/lock/lock.h"
#include "core/session/turn.h"
#include "core/task/task.h"
#include "core/task/task_artifacts.h"

struct task_call;
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
    struct store_step want; /* what is to be stored with `sent`: as it was when that was gathered */
    struct store_step step;
    bool storing, urgent;
    bool again;                       /* storing, that is waiting to be asked again */
    struct err why;                   /* it has to; code 0: the last request went well */
    bool brief;                       /* what is being stored was made as short as it can be */
    int64_t seq;                      /* of what is stored */
    int64_t stored;                   /* when something was, by the loop */
    void (*then)(struct task_run *r); /* once: when all of it is stored; or NULL */
};

/* The state is new: stored at once, with an event. False: it may not become that. */
bool task_log_state(struct task_run *r, enum task_state to, struct str text);

/* What an agent has told. */
void task_log_event(struct task_run *r, const struct event *ev);

/* One more event; urgent: it goes at once. body is copied. */
void task_log_add(struct task_run *r, const char *kind, struct str body, bool urgent);

/* All of it goes as soon as it can. */
void task_log_hurry(struct task_run *r);

/* All of it goes now; then(r) when it is stored, which may be at once. */
void task_log_flush(struct task_run *r, void (*then)(struct task_run *r));

/* A request that would be made again is not: this process stops. */
void task_log_stop(struct task_run *r);

/*
 * May what the store has refused with this be stored later: a full disk, a file system that is
 * read-only for now, others that write? What is too large for the store (ERR_LIMIT) never is.
 */
bool task_store_may_recover(enum err_code code);

/* ---- a run ------------------------------------------------------------------------------------ */

/* A question of the agent: an op under it, so that we hear when it is taken back. */
struct task_question {
    struct op op; /* first */
    struct task_run *run;
    struct ask *ask;
    struct str key;
    struct str json; /* as it is stored */
    int64_t asked;   /* when, by the wall */
    struct timer timer;
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
    int tries;         /* of what the store has refused */
    struct str damage; /* why it cannot be worked on; else STR_NONE */

    struct task_log log;
    struct timer look; /* has somebody elsewhere cancelled it, or answered? */
    struct store_ask look_ask;
    struct store_step look_step[2]; /* the task; answers to what it asks */
    int64_t answers_seen;           /* the number of the last one */

    struct task_call *call; /* NULL: an agent works on it */
    struct agent *agent;
    const struct guard_scope *rights; /* of whoever it works for */
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
    struct task_files files; /* while it ends: those that its answer names */

    enum task_state outcome; /* what it is to become, and why */
    enum turn_stop stop;
    size_t interrupted; /* calls of it whose outcome nobody knows */
    struct str why, answer, result;
    struct str taint; /* where untrusted data came from that it has read; else STR_NONE */
    struct model_usage usage;
    struct buf lines; /* its events, where output_format is stream-json */

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

/* Something is asked: it stays open until somebody answers, or it is taken back. */
void task_run_ask(struct task_run *r, struct ask *ask);

/* An answer that is stored. False: that is not asked any more, or this is none. */
bool task_run_answer(struct task_run *r, struct str key, struct str answer, struct str by);

/* Those that were given elsewhere. */
void task_run_take_answers(struct task_run *r, const struct store_answer_page *p);

/* What came of it, in its memory. */
struct str task_result_write(struct task_run *r);

/* What a tool wrote, and an artifact, are among the results. */
void task_run_made(struct task_run *r, const struct event *ev);

/* The answer as its output_format wants it; for that, events are noted as they come. */
void task_format_event(struct task_run *r, const struct event *ev);
struct str task_format_answer(struct task_run *r, struct str answer);

/* Find the paths that its answer names. Uses the session, which is still open. */
void task_run_find_named(struct task_run *r);

/*
 * Look which of the files found by task_run_find_named have changed; then done. False: there is
 * nothing to look at, and done is not called.
 */
bool task_run_look_at_files(struct task_run *r, op_done_fn *done);

/* ---- task_answer.c: what is an answer ---------------------------------------------------------- */

enum { TASK_KEY_TEXT = 64 };

/*
 * Which of the open asks (a->info) is meant, and does the answer fit it? key "" stands for the only
 * one, and is filled in.
 */
bool task_answer_check(struct task_ask *a, const struct limits *limits, struct json answer,
                       char key[TASK_KEY_TEXT], struct err *e);

/* Who closed an ask, by the events of kind "answered"; STR_NONE: it is not among them. */
struct str task_answered_by(struct arena *mem, const struct limits *limits,
                            const struct store_event_page *p, struct str key);

/* ---- task_spec.c ------------------------------------------------------------------------------ */

struct task_spec task_spec_copy(struct arena *mem, const struct task_spec *spec);
struct str task_spec_write(struct arena *mem, const struct task_spec *spec);
bool task_spec_read(struct arena *mem, struct str json, const struct limits *limits,
                    struct task_spec *out, struct err *e);

/* From where a stored task was begun, by what its JSON says. */
enum origin task_spec_origin(struct str origin, struct str caller);

/* The agent it asks for, held, with what it says instead of the definition. */
struct agent *task_spec_agent(const struct task_spec *spec, struct agent_registry_port *registry,
                              struct err *e);

/* What the agent is told before its task; STR_NONE: nothing. */
struct str task_spec_preface(bool read_only);

/* ---- task_call.c ------------------------------------------------------------------------------ */

/* Run the tool; ends in task_run_turned. */
void task_call_start(struct task_run *r);

/* What is kept of the end beside the rest; STR_NONE: nothing. */
struct str task_call_words(const struct task_run *r);

/* ---- creating: task_create.c ------------------------------------------------------------------ */

/* Begin the op; false: it has failed. Then store a run of that spec: the op ends with it. */
bool task_create_begin(struct task_engine *g, struct task_ask *a, const struct task_spec *spec,
                       struct op *parent, op_done_fn *done, void *ctx);
void task_create_store(struct task_ask *a, struct task_run *r);

/* ---- the engine ------------------------------------------------------------------------------- */

/* Those who follow all tasks (task_feed.c): what they have not been told is read once for all. */
struct task_feeds {
    struct task_feed *first;
    struct task_feed *next; /* while they are told of something: who is next */
    struct store_ask ask;
    struct store_step step;
    struct timer look;
    bool reading, again; /* something was stored, or somebody came, while it read */
};

struct task_follower; /* task_watch.c */
struct task_request;  /* task_request.c */

struct task_engine {
    struct task_engine_opts opts;
    struct loop *loop;
    const struct limits *limits;
    struct store_port *store;
    struct task_run *runs;
    struct task_away *away;
    struct task_follower *followers;
    struct task_follower *hears_next; /* while they are told of something */
    struct task_feeds feeds;
    struct task_request *requests;
    size_t others; /* store requests of our own, and lists */

    struct timer look; /* task_recover.c */
    bool recovers;

    bool closing;
    struct post closed;
    void (*done)(void *ctx);
    void *ctx;
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

/* Is an event of this kind told to those who follow all tasks? */
bool task_feed_tells(struct str kind);

/* Something was stored of some task. */
void task_feeds_hear(struct task_engine *g);
void task_feeds_close(struct task_engine *g);
void task_requests_close(struct task_engine *g);

/* Is it one that is worked on by a process of its own? */
bool task_wants_away(const struct task_engine *g, const struct task_spec *spec);
void task_away_begin(struct task_engine *g, const char *id, int64_t fence);
struct task_away *task_away_find(const struct task_engine *g, struct str id); /* or NULL */
void task_away_close(struct task_engine *g);

/* Its task is cancelled, which is stored: its process ends by that, or is ended. */
void task_away_cancel(struct task_engine *g, struct str id);

/* Has another process cancelled one of them? */
void task_away_look(struct task_engine *g);

/* One of those has gone: take its task, to fail it with a->why. Then task_away_taken. */
void task_fail_away(struct task_away *a);
void task_away_taken(struct task_away *a, const struct err *e);

/* Take a task that nobody works on, and work on it. */
void task_recover_one(struct task_engine *g, struct str id);
void task_recover_stop(struct task_engine *g);

#endif
