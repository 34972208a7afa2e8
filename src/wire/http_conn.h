/*
 * http_conn.h - internals of the HTTP server, for its own files only.
 *
 *   http_server.c   the server as a whole: connections, draining, closing, spare memory
 *   http_listen.c   sockets: binding, accepting
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
    HTTP_ANSWER_NONE,   /* nothing was sent */
    HTTP_ANSWER_WHOLE,  /* all was sent; the handler still holds the request */
    HTTP_ANSWER_STREAM, /* the head is out, pieces follow */
    HTTP_ANSWER_EVENTS, /* the same, an event stream */
};

/* A request with what its handler need not see. */
struct http_exchange {
    struct http_req req; /* first */
    http_handler_fn *handler;
    struct http1_body body; /* how far the body has been read */
    struct buf long_body;   /* a body that did not arrive in one piece with its head */
    uint8_t answer;         /* enum http_answer_state */
    bool served;            /* the handler has it, and finishes it */
    bool head_only;         /* HEAD: no body is sent */
    bool old;               /* HTTP/1.0 */
    bool keep_alive;        /* the client would reuse this connection */
    bool owes_room;         /* http_stream_write answered false */
    bool told_quiet;        /* on_quiet was called */
    char remote[];
};

struct http_conn {
    struct http_server *server;
    struct stream *io;
    void (*release)(struct stream *io);
    struct http_conn *prev, *next;
    struct http_exchange *x; /* the request being read or served */
    struct buf in;           /* part of a head, or requests that wait for their turn */
    struct http1_scan scan;  /* how far the head at the front of `in` was searched */
    struct timer timer;      /* fires no later than due(); may fire too early */
    struct post again;       /* continue with `in` */
    int64_t probe_at;        /* when a client that sends no more is probed again; 0: it is not */
    int64_t since;           /* when the state began, or an event stream last sent something */
    uint8_t state;           /* enum http_conn_state */
    bool busy;               /* reading what arrived: it will see to the rest itself */
    uint8_t probes;          /* that were sent to a client that sends no more, but for the first */
    bool half_closed;        /* the client sends no more, and may wait for answers */
    bool choked;             /* the client does not read: nothing more is served until it does */
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
    int64_t body_bytes; /* held by the long bodies of all requests */
    char date[64];      /* the Date line, true until date_until */
    uint8_t date_n;
    int64_t date_until;
    int reserve_fd; /* closed to accept and refuse a connection when descriptors run out; -1:
                     * none */
    bool draining, closing;
    struct post work; /* drain, close or end */
    void (*drained)(void *ctx);
    void *drained_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* ---- http_server.c ----------------------------------------------------------------------- */

/* A connection or listener is closed. */
void http_server_one_less(struct http_server *s);

/* "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", made once a second. */
struct str http_server_date(struct http_server *s);

/* ---- http_listen.c ----------------------------------------------------------------------- */

void http_listeners_close(struct http_server *s);

/* ---- http_conn.c ------------------------------------------------------------------------- */

/* A connection beyond the allowed number gets an error response and is closed. */
void http_conn_open(struct http_server *s, struct stream *io, const struct http_peer *peer,
                    void (*release)(struct stream *io), bool one_too_many);

/* The server is draining. */
void http_conn_drain(struct http_conn *c);

/* End it now; what was not sent is lost. */
void http_conn_close(struct http_conn *c);

/* Our last response is sent: wait until it has arrived, then close. */
void http_conn_linger(struct http_conn *c);

/* The only writer of c->state. Notes the time. */
void http_conn_go(struct http_conn *c, enum http_conn_state to);

/* Make sure that the timer fires in time for what is due next. */
void http_conn_arm(struct http_conn *c);

/* Bytes were written to c->io, which returned `room`. */
void http_conn_wrote(struct http_conn *c, bool room);

/* The answer to the request in service is complete. */
void http_conn_answered(struct http_conn *c, bool keep);

/* ---- http_intake.c ----------------------------------------------------------------------- */

void http_intake_init(struct http_conn *c);
void http_intake_bytes(struct stream *io, struct str bytes);

/* Continue with c->in. */
void http_intake_again(struct post *p);

/* May the next request be read? */
bool http_intake_may_go_on(const struct http_conn *c);

/*
 * Refuse and, unless `keep`, end the connection. x (may be NULL) is freed. Returns whether the next
 * request may be read.
 */
bool http_intake_turn_down(struct http_conn *c, struct http_exchange *x,
                           const struct http_refusal *no, bool keep);

/* ---- http_answer.c ----------------------------------------------------------------------- */

struct http_exchange *http_exchange_new(struct http_conn *c);

/* Whether or not the connection is still there. */
void http_exchange_free(struct http_exchange *x);

/* The connection goes: nothing of it, or of the server, may be used by x any more. */
void http_exchange_detach(struct http_exchange *x);

/* Say no. `x` may be NULL when it is not known what was asked. Does not end anything. */
void http_answer_refusal(struct http_conn *c, const struct http_exchange *x,
                         const struct http_refusal *no, bool keep);

void http_answer_continue(struct http_conn *c);
void http_answer_comment(struct http_exchange *x);

/* The last bytes of an answer that was begun. */
void http_answer_last(struct http_exchange *x);

#endif
