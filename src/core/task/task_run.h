/*
 * task_run.h - a run: the work of this process on one task, from its locks to its stored end.
 *
 *   NEW --> LOCKING --> OPENING --> RECOVERING --> WORKING --> CLOSING --> ENDING --> OVER
 *
 *   NEW         created here, or taken from a process that has died
 *   LOCKING     waiting for the locks of its paths
 *   OPENING     its session is being opened; for a tool call: its start is being stored
 *   RECOVERING  the session is open and may hold a part of the turn: find out how far it got
 *   WORKING     its turn runs, or its tool call (task_call.c), which has no session
 *   CLOSING     the session is being closed
 *   ENDING      files that the answer names are checked; the end is being stored, with the result
 *   OVER        the op has settled; the loop frees the run
 *
 * The table in task_run.c also allows a run to:
 * - skip states that a task does not need: locks, recovery, a session that was never opened;
 * - enter LOCKING and OPENING again, and RECOVERING from WORKING, after a temporary failure of the
 *   store;
 * - leave each state for CLOSING (with an open session) or ENDING (without one).
 *
 * The op of a run is the parent of all its work, so cancelling it cancels everything. `halt` says
 * why a run ends early; a later reason replaces an earlier one only if it is stronger.
 *
 * The first request to the model waits for three commits: of the task, of its session together with
 * its state, and of its prompt. The id of the session is chosen when the task is created and stored
 * in its spec, so that a crash between two commits does not lose the session. Locks add a commit.
 */
#ifndef CORE_TASK_TASK_RUN_H
#define CORE_TASK_TASK_RUN_H

#include "core/lock/lock.h"
#include "core/session/turn.h"
#include "core/task/task.h"
#include "core/task/task_artifacts.h"
#include "core/task/task_log.h"

struct task_call;
struct task_question;

enum task_run_state {
    RUN_NEW,
    RUN_LOCKING,
    RUN_OPENING,
    RUN_RECOVERING,
    RUN_WORKING,
    RUN_CLOSING,
    RUN_ENDING,
    RUN_OVER,
    RUN_STATES,
};

/* Why a run ends before its work does, from the weakest to the strongest reason. */
enum task_run_halt {
    HALT_NONE,
    HALT_PARKED,   /* this process stops: the task stays as it is in the store */
    HALT_CANCELED, /* the task was cancelled: it becomes CANCELED */
    HALT_LOST, /* another process works on the task, or it was deleted: nothing more is stored */
};

struct task_run {
    struct op op; /* first */
    struct task_engine *engine;
    struct task_run *next;
    struct arena mem;
    enum task_run_state at; /* task_run_go is the only writer */
    enum task_run_halt halt;
    char id[ID_TEXT];
    struct task_spec spec; /* in mem */
    struct str context, owner;
    int64_t fence; /* fencing token; above 1: the task was assigned to another process before */
    int64_t created;
    enum task_state state; /* of the task; task_log_state is the only writer */
    struct str text;       /* a sentence about the state */
    char session_id[ID_TEXT];
    int tries;         /* how often the work was retried because the store failed */
    struct str damage; /* why the task cannot be worked on; else STR_NONE */

    struct task_log log;
    struct timer look; /* checks whether another process has cancelled the task or answered */
    struct store_ask look_ask;
    struct store_step look_step[2]; /* read the task, and answers to its questions */
    int64_t answers_seen;           /* the number of the last answer */

    struct task_call *call; /* NULL: an agent works on it */
    struct agent *agent;
    const struct guard_scope *rights; /* of the caller that created the task */
    bool read_only;
    struct lock_hold hold;
    struct session session;
    struct session_opening opening;
    bool makes_session; /* in OPENING: the session is a new one */
    struct work_client client;
    struct turn turn;
    struct turn_prompt prompt;
    struct task_question *asks; /* open ones */
    size_t asked;               /* number of questions so far, for their keys */
    struct task_artifacts made;
    struct task_files files; /* in ENDING: the files that its answer names */

    enum task_state outcome; /* what the task becomes; TASK_STATES: it stays as it is */
    enum turn_stop stop;
    size_t interrupted; /* number of its calls whose outcome is unknown */
    struct str why, answer, result;
    struct str taint; /* the source of untrusted data that it has read; else STR_NONE */
    struct model_usage usage;
    struct buf lines; /* its events, if output_format is stream-json */

    struct task_ask *creator; /* while it is being created, with these steps: */
    struct store_step create[2];
};

/* Create a run in state NEW, with a copy of the spec. */
struct task_run *task_run_new(struct task_engine *g, const struct task_spec *spec);
void task_run_free(struct task_run *r);

/* Start the work. r->fence, created, state and log.seq must be set. */
void task_run_begin(struct task_run *r);

/* Cancel the task. */
void task_run_cancel(struct task_run *r);

/* Stop working because this process stops. */
void task_run_park(struct task_run *r);

/* Stop working and store nothing more: another process works on the task, or it was deleted. */
void task_run_lose(struct task_run *r);

static inline bool task_run_is_lost(const struct task_run *r)
{
    return r->halt == HALT_LOST;
}

/* ---- the turn -------------------------------------------------------------------------------- */

/*
 * In RECOVERING: find out from the session how far the turn got; then resume, start or finish it.
 */
void task_run_recover(struct task_run *r);

/* Start the turn of the task from the beginning. */
void task_run_prompt(struct task_run *r);

/* Start another turn, which tells the agent to continue. */
void task_run_prompt_text(struct task_run *r, struct str text);

/* Resume the turn that was interrupted. */
void task_run_resume(struct task_run *r);

/* The turn or the tool call has ended: outcome, stop, why and answer are set. */
void task_run_turned(struct task_run *r);

/* ---- a tool call in the place of a turn: task_call.c ----------------------------------------- */

/* Run the tool; ends with task_run_turned. */
void task_call_start(struct task_run *r);

/* The JSON that task_call_spec.write has written; STR_NONE: none. */
struct str task_call_words(const struct task_run *r);

#endif
