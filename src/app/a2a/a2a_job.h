/*
 * a2a_job.h - one operation of `trefoil a2a`: a loop, an HTTP client and a peer for one command.
 */
#ifndef APP_A2A_A2A_JOB_H
#define APP_A2A_A2A_JOB_H

#include "app/app.h"
#include "proto/a2a/client/a2a_oneshot.h"

struct a2a_args {
    const char *task, *context, *binding, *protocol, *token, *api_key, *user, *state, *limit;
    bool no_wait;
};

struct a2a_job {
    struct app *app;
    const struct a2a_args *args;
    struct loop *loop;
    struct http_client *http;
    struct a2a_peer *peer;
    struct a2a_oneshot shot;
    struct a2a_ask ask;
    const char *user_agent;
    bool done, closed, interrupted;
    struct err err; /* code ERR_NONE: the operation has succeeded */

    /* what the command prints with; set by a2a_print.c */
    bool text_open; /* a line of text is not finished */
    struct str task;
    enum task_state status;
    bool answered; /* the status is known */
};

/*
 * Prepare a job for the agent with this URL, or for a configured agent with this name. Prints the
 * reason of a failure; *code is the exit code.
 */
bool a2a_job_open(struct a2a_job *j, struct app *app, const struct a2a_args *args,
                  const char *agent, int *code);

/* Run the operation j->ask, or only read the card if `ask` is false. Blocks. */
void a2a_job_run(struct a2a_job *j, bool ask,
                 void (*on_result)(struct a2a_oneshot *o, struct arena *mem, struct json result));

void a2a_job_close(struct a2a_job *j);

#endif
