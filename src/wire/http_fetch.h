/*
 * http_fetch.h - internals of the HTTP client (http_client.h), for its own files only.
 *
 * A fetch belongs to its caller and is freed as soon as it is done. The data that libcurl uses is
 * in a transfer, which belongs to the client and may exist a moment longer. A hop is one request of
 * a transfer: the first one, or one after a redirect. The phases of a transfer:
 *
 *   QUEUED -> RESOLVING -> CONNECTING -> ASKED -> BODY -> OVER
 *               ^  |           ^         ^  |       |
 *               |  +- kept connection ---+  |       |
 *               |              +- was dead -+       |
 *               +------------ redirect -------------+
 *
 * QUEUED      not added to libcurl yet; starts in the next pass of the loop.
 * RESOLVING   connect_ms limits this and CONNECTING. If the URL is from outside, we resolve the
 *             host and check its addresses (address_guard.h); libcurl resolves other hosts.
 * CONNECTING  an address has passed the check; TCP and TLS connect to it.
 * ASKED       the request is being sent; the head of the response has not arrived. idle_ms limits
 *             the time without any bytes.
 * BODY        the head is complete, the body arrives.
 * OVER        the fetch is settled and t->fetch is NULL; the transfer waits to be freed ("reaped").
 *
 * Any phase may change to OVER: cancelled, timed out, too large, failed.
 *
 * A callback of libcurl must not add or remove transfers. So they are added and removed only by
 * posts of the loop, and after the call into libcurl has returned. The post that reaps a transfer
 * is queued before the post of its op. So libcurl no longer uses borrowed data when the `done` of
 * the caller runs.
 *
 *   http_client.c        pools: multi handles, their sockets and timers; reaping
 *   http_fetch.c         the phases of a transfer: deadlines, redirects
 *   http_fetch_reach.c   gets and checks the addresses of a host
 *   http_fetch_easy.c    sets the options of an easy handle
 *   http_fetch_answer.c  reads head and body as they arrive; checks their sizes
 *   http_fetch_fault.c   writes error messages
 */
#ifndef WIRE_HTTP_FETCH_H
#define WIRE_HTTP_FETCH_H

#include "loop/lookup.h"
#include "wire/curl_api.h"
#include "wire/http_client.h"
#include "wire/http_url.h"

enum fetch_phase {
    PHASE_QUEUED,
    PHASE_RESOLVING,
    PHASE_CONNECTING,
    PHASE_ASKED,
    PHASE_BODY,
    PHASE_OVER,
};

/* A multi handle of libcurl. Its transfers share connections. There is one pool for each zone. */
struct pool {
    struct http_client *client;
    CURLM *multi; /* NULL until first used */
    struct timer timer;
    struct post now; /* instead of the timer, when libcurl asks for 0 ms */
    struct post nudge;
    int64_t busy; /* number of its transfers that are not settled */
};

enum { POOLS = FETCH_OUTSIDE + 1 };

struct http_client {
    struct loop *loop;
    const struct limits *limits;
    char *user_agent, *ca_file, *ca_dir; /* NULL: none */
    http_address_fn *allowed;
    void *ctx;
    const struct curl_api *api; /* NULL until the first fetch */
    struct pool pool[POOLS];
    struct transfer *live, *dead;
    size_t live_count;
    size_t open_socks; /* number of sockets whose watch is not closed yet */
    struct sock *socks;
    struct post reap, finish;
    void (*closed)(void *ctx);
    void *closed_ctx;
    bool closing;
};

struct transfer {
    struct fetch *fetch; /* NULL: it is settled */
    struct http_client *client;
    struct transfer *next, **link; /* links of client->live; client->dead uses only `next` */
    struct fetch_request req;      /* a copy, in which the limit replaces 0 */
    enum fetch_phase phase;
    struct timer whole, step; /* whole: the total time; step: connect_ms, then idle_ms */
    struct post begin;

    /* the hop */
    struct http_url url;
    enum fetch_zone zone;
    bool foreign;                /* redirected to another origin, which gets no headers of req */
    int hops;                    /* redirects followed */
    struct lookup *lookup;       /* the lookup of the host; NULL: none in progress */
    struct curl_slist *resolved; /* the checked addresses of the host; NULL: libcurl resolves it */
    CURL *easy;
    struct pool *pool; /* the pool that easy was added to; NULL: none */
    bool busy;         /* counted in pool->busy */
    struct curl_slist *headers;
    bool asked; /* at least a part of the request was sent */
    char detail[CURL_ERROR_SIZE];

    /* the answer */
    int64_t moved_at; /* loop_now() when bytes were last received or sent */
    curl_off_t sent;  /* bytes sent at the last check */
    size_t head_bytes;
    struct http_header *header;
    size_t header_count, header_room;
    struct str location; /* the redirect to follow after this response */
    int64_t body_bytes;
    struct buf *body; /* collected; in req.mem */
};

/* ---- http_client.c ---------------------------------------------------------------------- */

/* Open libcurl and the pool of a zone. */
bool client_open(struct http_client *c, enum fetch_zone zone, struct err *e);

/*
 * pool_add adds the transfer's easy handle to the pool; pool_remove removes it. Never call them in
 * a callback of libcurl.
 */
bool pool_add(struct pool *pool, struct transfer *t, struct err *e);
void pool_remove(struct transfer *t);

/* Move the transfer from client->live to client->dead; the next post of the loop frees it. */
void client_bury(struct http_client *c, struct transfer *t);

/* ---- http_fetch.c ----------------------------------------------------------------------- */

/* Set t->phase. No other function does. */
void transfer_go(struct transfer *t, enum fetch_phase to);

/* Settle the fetch; e NULL: success. *t stays valid until it is reaped. */
void transfer_settle(struct transfer *t, const struct err *e);

/* Settle the fetch with this error. Returns false. */
bool transfer_fail(struct transfer *t, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));

/* libcurl has completed the transfer. */
void transfer_done(struct transfer *t, CURLcode result);

/* ---- http_fetch_reach.c ----------------------------------------------------------------- */

/* Check the host of the hop and, if we resolve it, its addresses; then call easy_open. */
bool reach_begin(struct transfer *t, struct err *e);

/* Stop resolving. */
void reach_stop(struct transfer *t);

/* May the fetch connect to this address? If not, it is settled. */
bool reach_allowed(struct transfer *t, const struct sockaddr *sa);

/* ---- http_fetch_easy.c ------------------------------------------------------------------ */

/* Make t->easy for the current hop and add it to its pool. */
bool easy_open(struct transfer *t, struct err *e);

/* Remove t->easy from its pool and free it. Never call it in a callback of libcurl. */
void easy_close(struct transfer *t);

/* ---- http_fetch_answer.c ---------------------------------------------------------------- */

size_t answer_on_header(char *p, size_t size, size_t n, void *ctx);
size_t answer_on_body(char *p, size_t size, size_t n, void *ctx);

/* Forget the previous response. Called before each hop. */
void answer_reset(struct transfer *t);

/* ---- http_fetch_fault.c ----------------------------------------------------------------- */

/* Explain a result other than CURLE_OK, by the phase in which it occurred. */
void fault_tell(struct transfer *t, CURLcode result, struct err *e);

/* "timed out after 10000 ms while connecting to example.com:443". */
void fault_timeout(struct transfer *t, int64_t ms, struct err *e);

/* host:port for error texts, truncated to a sensible length. */
#define HOP_FMT "%.*s:%u"
#define HOP_ARG(t) (int)str_head((t)->url.host, 80).n, (t)->url.host.p, (t)->url.port

#endif
