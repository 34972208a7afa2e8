/*
 * run.h - the parts of `trefoil run`, a file each.
 *
 * The screen (run_screen.c) is the user's side: the terminal, output, questions, Ctrl-C, the
 * time limit, the exit code. Behind it a job (run_job.h) works on the prompt, in this process
 * (run_here.c) or in the daemon of the root (run_attach.c): the output is the same.
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
    void (*stop)(struct run_screen *s); /* whatever is under way; set it before run_screen_open */
    bool interrupted;                   /* by Ctrl-C */
    bool late;                          /* --timeout has passed */
    bool denied;                        /* no person was available to approve the last call that
                                         * needed it */
    bool went_on;                       /* another call has begun since then */
    bool gone;                          /* the reader of our output has closed it */
    bool ended;                         /* the last reported event was the end of a turn */
    bool kept;                          /* a session was begun that is kept */
    bool leaving, closed;
};

/* Fails when there is no stdout. timeout_ms: 0 for none. */
bool run_screen_open(struct run_screen *s, int64_t timeout_ms, struct err *e);

/* Ctrl-C, for the first time. */
void run_screen_interrupt(struct run_screen *s);

static inline bool run_screen_over(const struct run_screen *s)
{
    return s->interrupted || s->late || s->gone;
}

/* Reports of a job (struct run_job_kind). */
void run_screen_begins(struct run_screen *s, struct str session, struct str agent,
                       struct str model);
int run_screen_done(struct run_screen *s, int code, bool canceled); /* what to exit with */

/* It is over before anything was done: what to exit with. */
int run_screen_early(struct run_screen *s);

/* Write pending output and restore the terminal. Returns the exit code, `code` unless that
 * failed. */
int run_screen_close(struct run_screen *s, int code);

/* ---- where it works -------------------------------------------------------------------------- */

int run_here(struct app *app, const struct run_args *args, const struct run_want *want,
             int64_t timeout_ms);

/* False: there is no daemon that would do the same as this process, and nothing has happened. */
bool run_attached(struct app *app, const struct run_args *args, const struct run_want *want,
                  int64_t timeout_ms, int *out_code);

#endif
