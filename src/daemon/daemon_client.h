/*
 * daemon_client.h - a request of a verb to the daemon of its root: HTTP/1.1 on the Unix socket.
 *
 *   WAITING -> SENT -> READING -> OVER
 *      |         |        |
 *      +---------+--------+-----> OVER (refused, too late, broken)
 *
 * WAITING  the head is sent; a daemon that answers "100 Continue" gets the body. A daemon that
 *          hangs has received nothing to work on, so the caller can do the work itself.
 * SENT     the body is sent; the response has not begun.
 * READING  the head of the response has arrived; the body follows, whole or as an event stream.
 *
 * Every request carries what the daemon compares before it works for us (daemon_address.h). A daemon
 * that was started differently answers 409.
 */
#ifndef DAEMON_DAEMON_CLIENT_H
#define DAEMON_DAEMON_CLIENT_H

#include "daemon/daemon_address.h"
#include "loop/fd_stream.h"
#include "wire/http1_parse.h"
#include "wire/sse_read.h"

enum daemon_request_state { REQUEST_WAITING, REQUEST_SENT, REQUEST_READING, REQUEST_OVER };

/* How a request ended. */
enum daemon_outcome {
    DAEMON_ANSWERED, /* status and body are set; an event stream has ended in order */
    DAEMON_ABSENT, /* no daemon works for us, and none has begun to: the caller works in process */
    DAEMON_LOST,   /* the daemon disconnected after it had received the request */
};

struct daemon_request {
    /* Set these. All borrowed until done. */
    const char *method, *path;
    struct str body; /* JSON; STR_NONE: none */
    size_t body_most;
    void (*event)(struct daemon_request *r, struct str data); /* of an event stream; may be NULL */
    void (*done)(struct daemon_request *r);                   /* from the loop; *r may be freed */
    void *ctx;

    enum daemon_outcome outcome;
    int status;
    struct buf answer; /* the body, unless it is an event stream */
    int pid;           /* of the daemon */

    enum daemon_request_state state;
    struct sock_stream io;
    struct buf in; /* what is not understood yet of the head */
    struct http1_scan scan;
    struct http1_body reading;
    struct sse_reader events;
    bool streams; /* the answer is an event stream */
    struct timer late;
    const struct limits *limits;
};

/* TREFOIL_NO_ATTACH is set, and not to 0. */
bool attach_is_forbidden(void);

/*
 * Send a request. False: there is no daemon, and nothing follows. wait_ms: how long the daemon may
 * take to begin its response.
 */
bool daemon_request_start(struct daemon_request *r, struct loop *loop, struct project *project,
                          int64_t wait_ms);

/* Close it now; done follows. The daemon cancels what it does for a foreground request. */
void daemon_request_close(struct daemon_request *r);

/* An answer of the daemon. */
struct daemon_answer {
    int status;
    struct json body; /* in project->mem */
    int pid;          /* of the daemon */
};

/*
 * The same for a verb that has no loop yet: runs a loop until the response has arrived. A daemon
 * that responds with 409 counts as absent.
 */
enum daemon_outcome daemon_ask(struct project *project, const char *method, const char *path,
                               struct str body, int64_t wait_ms, struct daemon_answer *out);

/* The sentence of an answer that refuses: {"error":{"message"}}. */
void daemon_answer_error(struct project *project, const struct daemon_answer *a, struct err *e);

/* The daemon disconnected before it had finished the work. */
void daemon_lost(int pid, struct err *e);

#endif
