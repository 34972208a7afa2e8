/*
 * run_job.h - the job of `trefoil run`: an agent works on one prompt until it has answered. The job
 * runs in the process of the verb (run_here.c) or in the daemon (run_in_daemon.c).
 *
 *   SEARCH ──> OPEN ──> RESUME ──> WORK ──> CLOSE ──> DONE
 *
 * RESUME and WORK may be skipped. Without a prompt, the state after OPEN or RESUME is CLOSE. If no
 * session could be opened, the state after SEARCH or OPEN is DONE.
 *
 * SEARCH    the session to resume is looked up
 * OPEN      the session is opened, or a new one is created
 * RESUME    an interrupted turn is resumed
 * WORK      the agent works on the prompt
 * CLOSE     the session is closed, then its log
 * DONE      the owner was notified
 *
 * A work_client gets the events of the turns; the functions of run_job_kind report everything else.
 */
#ifndef RUNTIME_RUN_JOB_H
#define RUNTIME_RUN_JOB_H

#include "config/project.h"
#include "core/session/turn.h"
#include "runtime/runtime.h"
#include "runtime/session_find.h"
#include "runtime/session_log.h"

/* The request for a job. It must live as long as the job. */
struct run_want {
    struct str agent, session, model, mode; /* STR_NONE: the default */
    struct str text;                        /* the prompt; STR_NONE: resume an interrupted turn */
    bool last;                              /* resume the most recently used session */
    bool no_save;
};

struct run_job;

enum run_state { RUN_SEARCH, RUN_OPEN, RUN_RESUME, RUN_WORK, RUN_CLOSE, RUN_DONE, RUN_STATES };

/* Callbacks of the job. They are called from the loop. */
struct run_job_kind {
    /* Report that the session is open. `session` is STR_NONE if the session is not stored. */
    void (*begins)(struct run_job *j, struct str session, struct str agent, struct str model);

    /* Report that a turn begins. */
    void (*turns)(struct run_job *j);

    /* Show a notice to the user, which is not output of the agent. */
    void (*note)(struct run_job *j, struct str text);

    /* Report that the job has ended. `code` is the exit code, unless the job was cancelled. */
    void (*done)(struct run_job *j, int code, bool canceled);
};

struct run_job {
    const struct run_job_kind *kind;
    struct runtime *shop;
    const char *root; /* the root folder, for the log of the session */
    struct work_client *client;
    const struct run_want *want;

    struct post begin;
    struct arena mem;
    struct session_search search;
    struct store_ask ask;
    struct store_step step;
    struct agent *agent;
    struct session session;
    struct session_opening opening;
    struct session_log log;
    struct block block;
    struct turn_prompt prompt;
    struct turn turn;
    enum run_state state;
    bool canceled; /* run_job_cancel was called */
    int code;
};

/*
 * Start the job. Set `kind`, `shop`, `root`, `client` and `want` before, and zero all other
 * members. The memory of the job is released before `done` is called.
 */
void run_job_start(struct run_job *j);

/* End the job soon. The session keeps the conversation so far. */
void run_job_cancel(struct run_job *j);

#endif
