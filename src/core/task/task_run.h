/*
 * task_run.h - a run: the work of this process on one task, from its locks to its stored end.
 *
 *   NEW --> LOCKING --> OPENING --> RECOVERING --> WORKING --> CLOSING --> ENDING --> OVER
 *
 *   NEW         created here, or taken from a process that has died
 *   LOCKING     waiting for the locks of the task's paths
 *   OPENING     the session is being opened; for a tool call: the start of the call is being stored
 *   RECOVERING  the session is open and may contain a part of the turn, which is being read
 *   WORKING     the turn is running; or the tool call (task_call.c), which has no session
 *   CLOSING     the session is being closed
 *   ENDING      files that the answer names are being checked; the end of the task is being stored
 *   OVER        the op has settled; the loop frees the run
 *
 * The table in task_run.c also allows a run to:
 * - skip states that a task does not need: LOCKING without locks, RECOVERING for a new task,
 *   CLOSING without an open session;
 * - enter LOCKING and OPENING again, and RECOVERING from WORKING, after a temporary failure of the
 *   store;
 * - leave each state for CLOSING (with an open session) or ENDING (without one).
 *
 * The op of a run is the parent of all its work, so cancelling the op cancels the work. If a run
 * ends early, `halt` is the reason; a later reason replaces an earlier one only if it is stronger.
 *
 * Before the first request to the model, three commits store the task, then the session and the
 * task's new state, then the prompt. If the task has locks, a fourth commit stores them. The id of
 * the session is chosen when the task is created, and the first commit stores it in the task's
 * spec. So a crash between two commits does not lose the session.
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

/* Why a run ends before its work is done. The strongest reason is last. */
enum task_run_halt {
    HALT_NONE,
    HALT_PARKED,   /* this process stops: the task stays in the store and can be resumed */
    HALT_CANCELED, /* the task was cancelled: it becomes CANCELED */
    HALT_LOST, /* another process works on the task, or it was deleted: nothing more is stored */
};

struct task_run {
    struct op op; /* first */
    struct task_engine *engine;
    struct task_run *next;
    struct arena mem;
    enum task_run_state at; /* state of the run; only task_run_go sets it */
    enum task_run_halt halt;
    char id[ID_TEXT];
    struct task_spec spec; /* the spec of the task; its data is in `mem` */
    struct str context, owner;
    int64_t fence; /* fencing token; above 1: the task has had another holder before */
    int64_t created;
    enum task_state state; /* state of the task; only task_log_state sets it */
    struct str text;       /* a sentence about the state */
    char session_id[ID_TEXT];
    int tries;         /* how often the work was retried because the store failed */
    struct str damage; /* why the work cannot be done, because data is damaged; else STR_NONE */

    struct task_log log;
    struct timer look; /* checks the store: did another process cancel the task or answer? */
    struct store_ask look_ask;
    struct store_step look_step[2]; /* steps that read the task, and the answers to its questions */
    int64_t answers_seen;           /* the number of the last answer that was read */

    struct task_call *call; /* the tool call; NULL: an agent works on the task */
    struct agent *agent;
    const struct guard_scope *rights; /* rights of the caller that created the task */
    bool read_only;
    struct lock_hold hold;
    struct session session;
    struct session_opening opening;
    bool makes_session; /* in OPENING: the session is being created */
    struct work_client client;
    struct turn turn;
    struct turn_prompt prompt;
    struct task_question *asks; /* the open questions of the task */
    size_t asked;               /* number of questions so far, used in their keys */
    struct task_artifacts made;
    struct task_files files; /* in ENDING: the files that the answer names */

    /* the final state of the task; TASK_STATES: the state does not change */
    enum task_state outcome;
    enum turn_stop stop;
    size_t interrupted; /* number of tool calls whose outcome is unknown */
    struct str why, answer, result;
    struct str taint; /* the source of untrusted data that the task has read; else STR_NONE */
    struct model_usage usage;
    struct buf lines; /* the events, if output_format is stream-json */

    /*
     * while the task is being created: the request that creates it, and its store steps; else NULL
     */
    struct task_ask *creator;
    struct store_step create[2];
};

/* Create a run in state NEW, with a copy of the spec. */
struct task_run *task_run_new(struct task_engine *g, const struct task_spec *spec);
void task_run_free(struct task_run *r);

/* Start the work. r->fence, r->created, r->state and r->log.seq must be set. */
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
 * Called in state RECOVERING. Find out from the session how far the turn got; then resume, start or
 * finish the turn.
 */
void task_run_recover(struct task_run *r);

/* Start the turn of the task from the beginning. */
void task_run_prompt(struct task_run *r);

/* Start another turn, which tells the agent to continue. */
void task_run_prompt_text(struct task_run *r, struct str text);

/* Resume the turn that was interrupted. */
void task_run_resume(struct task_run *r);

/*
 * Call this when the turn or the tool call has ended. Set r->outcome, stop, why and answer first.
 */
void task_run_turned(struct task_run *r);

/* ---- a tool call in the place of a turn: task_call.c ----------------------------------------- */

/* Run the tool, then call task_run_turned. */
void task_call_start(struct task_run *r);

/* Return the JSON text that task_call_spec.write has written; STR_NONE: there is no such text. */
struct str task_call_words(const struct task_run *r);

#endif
