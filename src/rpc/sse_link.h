/*
 * sse_link.h - send JSON-RPC messages as server-sent events; a client can resume by event id.
 *
 * The sse_send_ functions send single messages on an HTTP response that is an event stream. A
 * struct sse_link is a link that sends all its messages on the event stream that the client has
 * opened by GET. With a log (event_log.h), messages are kept while no stream is open, and a client
 * that reconnects gets the messages that it missed.
 */
#ifndef RPC_SSE_LINK_H
#define RPC_SSE_LINK_H

#include "rpc/event_log.h"
#include "wire/http_server.h"
#include "wire/link.h"

/* Send one message as an event; id may be STR_NONE. */
void sse_send_message(struct http_req *req, struct str id, const struct str *piece, size_t n);

/* Send an empty event whose id lets the client resume; it reconnects after retry_ms. */
void sse_send_priming(struct http_req *req, struct event_log *log, struct event_stream *events,
                      uint32_t retry_ms);

/* Send all kept events of a stream after `from`. */
void sse_replay(struct http_req *req, const struct event_log *log, struct event_stream from);

struct sse_link {
    struct link link;
    struct http_req *stream;    /* the open event stream, or NULL */
    struct event_log *log;      /* NULL: events have no ids and cannot be resumed */
    struct event_stream events; /* stream 0 of the log */
    uint64_t sent;              /* the number of the newest event that was sent */
};

void sse_link_init(struct sse_link *l, struct event_log *log);

/*
 * Use this stream from now on; the caller has closed the previous one. First the messages that were
 * not sent yet are sent, or, if `from` is not NULL, all kept messages after it.
 */
void sse_link_open(struct sse_link *l, struct http_req *req, const struct event_stream *from);

/* End the open stream. */
void sse_link_close(struct sse_link *l);

#endif
