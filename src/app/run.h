/*
 * run.h - the parts of `trefoil run`, each in a separate file.
 *
 * The screen (run_screen.c) handles the terminal, output, questions, Ctrl-C, the time limit and the
 * exit code. A job (run_job.h) works on the prompt, in this process (run_here.c) or in the daemon
 * of the root (run_in_daemon.c). The output is the same in both cases.
 */
#ifndef APP_RUN_H
#define APP_RUN_H

#include "app/app.h"
#include "runtime/run_job.h"
#include "term/console.h"

struct run_args {
    const char *agent, *session, *model, *mode, *timeout;
    bool last, yes, no_save, thoughts, no_attach;
};

struct run_screen {
    struct app *app;
    struct loop *loop;
    const struct run_args *args;
    struct work_client client; /* receives the reports and questions of the job */
    struct console console;
    struct render render;
    struct timer deadline;
    void (*stop)(struct run_screen *s); /* stops the job; set this before run_screen_open */
    bool interrupted;                   /* the user has pressed Ctrl-C */
    bool late;                          /* the time limit of --timeout has passed */
    /* the last call that needed approval was denied, because no one was available to approve it */
    bool denied;
    bool went_on; /* another call has started since `denied` was set */
    bool gone;    /* the reader of our output has closed it */
    bool ended;   /* the last reported event was the end of a turn */
    bool kept;    /* a session was opened, and it is stored */
    bool leaving, closed;
};

/* Open the screen. Fails if there is no stdout. timeout_ms 0: no time limit. */
bool run_screen_open(struct run_screen *s, int64_t timeout_ms, struct err *e);

/* Call this when the user presses Ctrl-C for the first time. */
void run_screen_interrupt(struct run_screen *s);

static inline bool run_screen_over(const struct run_screen *s)
{
    return s->interrupted || s->late || s->gone;
}

/* Show the reports of a job (struct run_job_kind). */
void run_screen_begins(struct run_screen *s, struct str session, struct str agent,
                       struct str model);
int run_screen_done(struct run_screen *s, int code, bool canceled); /* returns the exit code */

/* Return the exit code for a run that was stopped before the job started. */
int run_screen_early(struct run_screen *s);

/*
 * Write pending output and restore the terminal. Returns the exit code: `code`, or another code if
 * the output could not be written.
 */
int run_screen_close(struct run_screen *s, int code);

/* ---- where it works -------------------------------------------------------------------------- */

int run_here(struct app *app, const struct run_args *args, const struct run_want *want,
             int64_t timeout_ms);

/*
 * Run the job in the daemon. Returns false if there is no daemon with the same settings; then
 * nothing was done.
 */
bool run_attached(struct app *app, const struct run_args *args, const struct run_want *want,
                  int64_t timeout_ms, int *out_code);

#endif
