/*
 * http_conn.h - internals of the HTTP server, for its own files only.
 *
 *   http_server.c   the server: list of connections, draining, closing, spare arenas
 *   http_listen.c   listening sockets: accepting connections
 *   http_conn.c     a connection: its states, deadlines and end
 *   http_intake.c   input: from bytes to requests
 *   http_answer.c   output: responses
 *   http_gate.c     Host, Origin, routes
 *
 * Lifetimes: a connection exists until its stream is closed, a request until its handler has
 * finished it. Either may end first; http_exchange_detach separates them.
 */
#ifndef WIRE_HTTP_CONN_H
#define WIRE_HTTP_CONN_H

#include "wire/http1_parse.h"
#include "wire/http_gate.h"
#include "wire/http_server.h"

/* See http_server.h. */
enum http_conn_state {
    HTTP_CONN_IDLE,
    HTTP_CONN_HEAD,
    HTTP_CONN_BODY,
    HTTP_CONN_SERVING,
    HTTP_CONN_LINGER,
    HTTP_CONN_CLOSED,
};

enum http_answer_state {
    HTTP_ANSWER_NONE,   /* nothing was sent yet */
    HTTP_ANSWER_WHOLE,  /* all was sent; the handler has not finished the request */
    HTTP_ANSWER_EVENTS, /* the head was sent, events follow */
};

/* A request, with data that its handler does not need. */
struct http_exchange {
    struct http_req req; /* first */
    http_handler_fn *handler;
    struct http1_body body; /* the progress of reading the body */
    struct buf long_body;   /* a body that did not arrive in one piece with its head */
    uint8_t answer;         /* enum http_answer_state */
    bool served;            /* the handler has the request, and must finish it */
    bool head_only;         /* HEAD: no body is sent */
    bool old;               /* HTTP/1.0 */
    bool keep_alive;        /* the client accepts another request on this connection */
    bool owes_room;         /* http_stream_write returned false: on_room must be called */
    bool told_quiet;        /* on_quiet was called */
    char remote[];
};

struct http_conn {
    struct http_server *server;
    struct stream *io;
    void (*release)(struct stream *io);
    struct http_conn *prev, *next;
    struct http_exchange *x; /* the request that is being read or served */
    struct buf in;           /* part of a head, or requests that wait for their turn */
    struct http1_scan scan;  /* the search for the end of the head in `in` */
    struct timer timer;      /* fires no later than due(); may fire too early */
    struct post again;       /* continue with `in` */
    int64_t probe_at;        /* when to probe a client that has stopped sending; 0: never */
    int64_t since;           /* when the state began, or an event stream last sent bytes */
    uint8_t state;           /* enum http_conn_state */
    bool busy;               /* http_intake.c is reading `in`, and continues until it is empty */
    uint8_t probes;          /* number of probes sent after the first */
    bool half_closed;        /* the client has stopped sending, and may wait for responses */
    bool choked;             /* the client does not read: serve no request until it does */
    bool loopback, any_host, has_uid;
    uint32_t uid;
    uint8_t remote_n, local_n;
    char names[]; /* remote, then local */
};

struct http_server {
    struct loop *loop;
    const struct limits *limits;
    void *ctx;
    struct http_gate gate;
    struct http_conn *conns;
    size_t count;
    struct http_listener *listeners;
    struct arena_pool arenas;
    int64_t body_bytes; /* memory of long_body of all requests */
    char date[64];      /* the Date line, correct until date_until */
    uint8_t date_n;
    int64_t date_until;
    int reserve_fd; /* a spare descriptor: when descriptors run out, it is closed so that a client
                     * can be accepted and then refused; -1: none */
    bool draining, closing;
    struct post work; /* drains, closes or frees the server */
    void (*drained)(void *ctx);
    void *drained_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* ---- http_server.c ----------------------------------------------------------------------- */

/* A connection or listener was closed: check whether the server is done. */
void http_server_one_less(struct http_server *s);

/* "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n". Formatted at most once per second. */
struct str http_server_date(struct http_server *s);

/* ---- http_listen.c ----------------------------------------------------------------------- */

void http_listeners_close(struct http_server *s);

/* ---- http_conn.c ------------------------------------------------------------------------- */

/* Serve a connection. one_too_many: send an error response and close it. */
void http_conn_open(struct http_server *s, struct stream *io, const struct http_peer *peer,
                    void (*release)(struct stream *io), bool one_too_many);

/* The server is draining: finish the current request, then close. */
void http_conn_drain(struct http_conn *c);

/* Close the connection now; unsent bytes are lost. */
void http_conn_close(struct http_conn *c);

/* Our last response was written: wait until it has arrived, then close. */
void http_conn_linger(struct http_conn *c);

/* Set c->state and c->since. No other function sets the state. */
void http_conn_go(struct http_conn *c, enum http_conn_state to);

/* Set the timer for the next deadline. */
void http_conn_arm(struct http_conn *c);

/* Bytes were written to c->io, which returned `room`. */
void http_conn_wrote(struct http_conn *c, bool room);

/* The response to the current request is complete. */
void http_conn_answered(struct http_conn *c, bool keep);

/* ---- http_intake.c ----------------------------------------------------------------------- */

void http_intake_init(struct http_conn *c);
void http_intake_bytes(struct stream *io, struct str bytes);

/* Continue to read c->in. */
void http_intake_again(struct post *p);

/* May the next request be read? */
bool http_intake_may_go_on(const struct http_conn *c);

/*
 * Reject a request and free x (may be NULL). Unless `keep`, the connection ends. True: the next
 * request may be read.
 */
bool http_intake_turn_down(struct http_conn *c, struct http_exchange *x,
                           const struct http_refusal *no, bool keep);

/* ---- http_answer.c ----------------------------------------------------------------------- */

struct http_exchange *http_exchange_new(struct http_conn *c);

/* Free x; the connection may exist or not. */
void http_exchange_free(struct http_exchange *x);

/* The connection ends: x must no longer use the connection or the server. */
void http_exchange_detach(struct http_exchange *x);

/* Send an error response, without ending the connection. x NULL: the request is unknown. */
void http_answer_refusal(struct http_conn *c, const struct http_exchange *x,
                         const struct http_refusal *no, bool keep);

void http_answer_continue(struct http_conn *c);
void http_answer_comment(struct http_exchange *x);

/* Send the last bytes of a response that has begun. */
void http_answer_last(struct http_exchange *x);

#endif
