/*
 * run_job.h - one prompt, worked on in a runtime until the agent has answered: what `trefoil run`
 * does, in its own process (run_here.c) or in the daemon's (attached_run.c).
 *
 *   SEARCH ──> OPEN ──> RESUME ──> WORK ──> CLOSE ──> DONE
 *
 * RESUME and WORK may be skipped. OPEN and RESUME lead to CLOSE when there is no prompt. If no
 * session could be opened, SEARCH and OPEN lead to DONE.
 *
 * SEARCH    the session to resume is looked up
 * OPEN      it is opened, or a new one is made
 * RESUME    an interrupted turn is resumed
 * WORK      the prompt is worked on
 * CLOSE     the session is closed, then its log
 * DONE      the owner was notified
 *
 * A work_client gets the events, as of any turn; the kind reports everything else.
 */
#ifndef RUNTIME_RUN_JOB_H
#define RUNTIME_RUN_JOB_H

#include "config/project.h"
#include "core/session/turn.h"
#include "runtime/runtime.h"
#include "runtime/session_find.h"
#include "runtime/session_log.h"

/* The request. Borrowed as long as the job. */
struct run_want {
    struct str agent, session, model, mode; /* STR_NONE: the default */
    struct str text;                        /* the prompt; STR_NONE: resume an interrupted turn */
    bool last;                              /* resume the last session */
    bool no_save;
};

struct run_job;

enum run_state { RUN_SEARCH, RUN_OPEN, RUN_RESUME, RUN_WORK, RUN_CLOSE, RUN_DONE, RUN_STATES };

/* Never from inside a call of the job's owner. */
struct run_job_kind {
    /* The session is open; session is STR_NONE when nothing is kept. */
    void (*begins)(struct run_job *j, struct str session, struct str agent, struct str model);

    /* A turn begins. */
    void (*turns)(struct run_job *j);

    /* A notice beside the output of the agent. */
    void (*note)(struct run_job *j, struct str text);

    /* All is closed; `code` is what to exit with, unless it was cancelled. */
    void (*done)(struct run_job *j, int code, bool canceled);
};

struct run_job {
    const struct run_job_kind *kind;
    struct runtime *shop;
    const char *root; /* whose .trefoil has the log */
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
    bool canceled; /* it was asked to end soon, in whatever state */
    int code;
};

/* Begin. Set kind, shop, root, client and want; zero the rest. It is freed when done is called. */
void run_job_start(struct run_job *j);

/* End it soon; the session keeps the conversation so far. */
void run_job_cancel(struct run_job *j);

#endif
