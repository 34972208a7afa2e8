/*
 * daemon_work.h - lets the daemon do the work of a verb (work_message.h): handles the messages of
 * the daemon, and the questions to the user that the daemon sends.
 *
 *   OPEN -> ENDED -> CLOSED      ENDED: the last message has arrived, or the connection broke
 *
 * When the work has ended, open questions are withdrawn. When all questions and requests have
 * ended, the state becomes CLOSED. If the verb has told the daemon to stop and the daemon sends
 * nothing for limits.shutdown_ms, the verb closes the connection.
 */
#ifndef APP_DAEMON_WORK_H
#define APP_DAEMON_WORK_H

#include "app/app.h"
#include "core/tool/call.h"
#include "daemon/daemon_http_client.h"
#include "daemon/work_message.h"

struct daemon_ask;
struct daemon_post;
struct daemon_work;

struct daemon_work_kind {
    /* Handle a message that is not about questions. */
    void (*message)(struct daemon_work *r, struct arena *mem, const struct work_message *m);

    /* Ask the user the question, or refuse it. */
    void (*ask)(struct daemon_work *r, struct ask *ask);

    /* Report that the connection broke before the last message. */
    void (*broken)(struct daemon_work *r, const struct err *e);
};

struct daemon_work {
    /* The caller sets the next three members. */
    const struct daemon_work_kind *kind;
    struct app *app;
    struct loop *loop;

    struct daemon_request request;
    char id[ID_TEXT];
    struct host host; /* the host of the calls that the questions are about */
    struct daemon_ask *asks;
    size_t posts; /* number of running requests, apart from the stream */
    struct timer patience;
    bool canceled; /* this process has told the daemon to stop the work */
    bool ended, closed;
    bool accepted;    /* the daemon has accepted the work */
    bool showing;     /* daemon_work_wait is running, so messages are reported */
    struct buf early; /* messages that arrived before daemon_work_wait, one per line */
};

/*
 * Send the request and wait until the daemon has accepted it. Messages are reported later, by
 * daemon_work_wait. Returns false if no daemon accepts the work; then nothing was done.
 */
bool daemon_work_start(struct daemon_work *r, const char *path, struct str body);

/* Tell the daemon to end the work soon. */
void daemon_work_cancel(struct daemon_work *r);

/*
 * Pass the messages of the daemon to *kind, first those that have already arrived, and run the loop
 * until the state is CLOSED.
 */
void daemon_work_wait(struct daemon_work *r);

#endif
