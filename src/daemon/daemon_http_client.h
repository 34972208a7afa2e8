/*
 * daemon_http_client.h - sends a request of a verb to the daemon of its root: HTTP/1.1 over the
 * Unix socket.
 *
 *   WAITING -> SENT -> READING -> OVER
 *      |         |        |
 *      +---------+--------+-----> OVER (refused, timed out, disconnected)
 *
 * WAITING  the head is sent; the body is sent when the daemon answers "100 Continue". A daemon that
 *          hangs has not received the work, so the caller can do the work itself.
 * SENT     the body is sent; the response has not begun.
 * READING  the head of the response has arrived; the body follows, whole or as an event stream.
 *
 * Every request has the header fields that the daemon compares with its own values
 * (daemon_socket.h). If they differ, the daemon responds with 409.
 */
#ifndef DAEMON_DAEMON_HTTP_CLIENT_H
#define DAEMON_DAEMON_HTTP_CLIENT_H

#include "daemon/daemon_socket.h"
#include "loop/fd_stream.h"
#include "wire/http1_parse.h"
#include "wire/sse_read.h"

enum daemon_request_state { REQUEST_WAITING, REQUEST_SENT, REQUEST_READING, REQUEST_OVER };

/* How a request ended. */
enum daemon_outcome {
    /* the daemon has answered (`status` and `answer`), or its event stream has ended normally */
    DAEMON_ANSWERED,
    DAEMON_ABSENT, /* no daemon has begun the work, so the caller works in its own process */
    DAEMON_LOST,   /* the daemon disconnected after it had received the request */
};

struct daemon_request {
    /* Set these members. The data is borrowed until done. */
    const char *method, *path;
    struct str body; /* body of the request as JSON; STR_NONE: no body */
    size_t body_most;
    /* called when an event arrives; may be NULL */
    void (*event)(struct daemon_request *r, struct str data);
    /* called from the loop; may free *r */
    void (*done)(struct daemon_request *r);
    void *ctx;

    enum daemon_outcome outcome;
    int status;
    struct buf answer; /* the body, unless it is an event stream */
    int pid;           /* process id of the daemon */

    enum daemon_request_state state;
    struct sock_stream io;
    struct buf in; /* the part of the response head that is not parsed yet */
    struct http1_scan scan;
    struct http1_body reading;
    struct sse_reader events;
    bool streams; /* the answer is an event stream */
    struct timer late;
    const struct limits *limits;
};

/* Is TREFOIL_NO_ATTACH set to a value other than 0? */
bool attach_is_forbidden(void);

/*
 * Send a request. False: there is no daemon, and no callback is called. The daemon must begin its
 * response within wait_ms.
 */
bool daemon_request_start(struct daemon_request *r, struct loop *loop, struct project *project,
                          int64_t wait_ms);

/*
 * Close the connection now; r->done is called. If the daemon is working for the request
 * (work_stream.h), it cancels this work.
 */
void daemon_request_close(struct daemon_request *r);

/* The response of the daemon to a request. */
struct daemon_answer {
    int status;
    struct json body; /* the parsed body, in project->mem */
    int pid;          /* process id of the daemon */
};

/*
 * Send a request for a verb that has no loop. The function runs a loop until the response has
 * arrived. If the daemon responds with 409, the function returns DAEMON_ABSENT.
 */
enum daemon_outcome daemon_ask(struct project *project, const char *method, const char *path,
                               struct str body, int64_t wait_ms, struct daemon_answer *out);

/* Set *e from the error message in a response: {"error":{"message"}}. */
void daemon_answer_error(struct project *project, const struct daemon_answer *a, struct err *e);

/* Set *e to the error that the daemon disconnected before it had finished the work. */
void daemon_lost(int pid, struct err *e);

#endif
