/*
 * work_stream.h - work that the daemon does while a verb waits for the result. The verb sends an
 * HTTP request, and the response is an event stream (work_message.h).
 *
 *   OPEN -> ENDING -> OVER
 *
 * OPEN    the work is under way; the client may be asked questions
 * ENDING  the work was cancelled by the client or the daemon, or because the connection was closed
 * OVER    the last message was sent, and the request is finished
 *
 * A work_stream is the first member of the handler's struct, in the arena of its request; both
 * are freed after work_stream_end.
 */
#ifndef DAEMON_WORK_STREAM_H
#define DAEMON_WORK_STREAM_H

#include "base/id.h"
#include "core/tool/caller.h"

struct service;

struct work_ask;
struct work_stream;

enum work_state { WORK_OPEN, WORK_ENDING };

/* All streams of a daemon. */
struct work_streams {
    struct work_stream *first;
    /* called when the last stream has ended; may be NULL */
    void (*emptied)(struct work_streams *all);
};

struct work_stream {
    struct http_req *req;
    struct service *service;
    struct work_streams *all;
    struct work_stream *next, **link;
    char id[ID_TEXT];
    enum work_state state;
    struct buf out;
    struct work_ask *asks; /* questions that are not answered yet */
    int64_t last_ask;
    void (*cancel)(struct work_stream *s); /* ends the work soon; called at most once */
};

/* Begin the stream. Set s->cancel first. */
void work_stream_begin(struct work_stream *s, struct work_streams *all, struct http_req *req);

/*
 * Write one message and send it. work_message_send returns false if the message is too large; then
 * it was not sent.
 */
struct jw work_message_begin(struct work_stream *s);
bool work_message_send(struct work_stream *s, struct jw *w);

/* Ask the client a question. If the work ends before the client answers, the ask is refused. */
void work_stream_ask(struct work_stream *s, struct ask *ask);

/* Send the last message, {"done":CODE,"canceled":BOOL}, and finish the request. *s is freed. */
void work_stream_end(struct work_stream *s, int code, bool canceled);

/* Cancel the work, unless it was cancelled before. */
void work_stream_cancel(struct work_stream *s);

/* Handler of POST /api/streams/ID/answer and /api/streams/ID/cancel. */
void work_streams_post(struct work_streams *all, struct http_req *req);

#endif
