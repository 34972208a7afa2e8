/*
 * remote_work.h - work that the daemon does for a verb of this process (work_message.h): its messages,
 * and the questions for our user.
 *
 *   OPEN -> ENDED -> CLOSED      ENDED: the last message has arrived, or the connection broke
 *
 * Once it has ended, open questions are withdrawn; when the last of them and all requests are gone,
 * it is closed. If a daemon was asked to stop and sends nothing for limits.shutdown_ms, the
 * connection is closed.
 */
#ifndef APP_REMOTE_WORK_H
#define APP_REMOTE_WORK_H

#include "app/app.h"
#include "core/tool/call.h"
#include "daemon/daemon_client.h"
#include "daemon/work_message.h"

struct remote_ask;
struct remote_post;
struct remote_work;

struct remote_work_kind {
    /* A message that is not about questions. */
    void (*message)(struct remote_work *r, struct arena *mem, const struct work_message *m);

    /* Put a question to the user, or refuse it. */
    void (*ask)(struct remote_work *r, struct ask *ask);

    /* It broke before its last message. */
    void (*broken)(struct remote_work *r, const struct err *e);
};

struct remote_work {
    /* Set these. */
    const struct remote_work_kind *kind;
    struct app *app;
    struct loop *loop;

    struct daemon_request request;
    char id[ID_TEXT];
    struct host host; /* of calls that a question is about */
    struct remote_ask *asks;
    size_t posts; /* requests under way beside the stream */
    struct timer patience;
    bool canceled; /* the daemon was asked to stop */
    bool ended, closed;
    bool accepted;    /* the daemon works for us */
    bool showing;     /* remote_work_wait runs: messages are reported */
    struct buf early; /* messages before that, a line each */
};

/*
 * Send the request and wait until the daemon has accepted it: then messages follow in
 * remote_work_wait. False: no daemon works for us, and nothing has happened.
 */
bool remote_work_start(struct remote_work *r, const char *path, struct str body);

/* Tell the daemon to end the work soon. */
void remote_work_cancel(struct remote_work *r);

/* Tell messages, and run the loop until it is closed. */
void remote_work_wait(struct remote_work *r);

#endif
