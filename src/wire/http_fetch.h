/*
 * http_fetch.h - inside the HTTP client; other rooms see http_client.h.
 *
 * A fetch belongs to its caller and is freed as soon as it is done. The data that libcurl uses
 * belongs to a transfer, which the client owns and which may exist a moment longer:
 *
 *   QUEUED -> RESOLVING -> CONNECTING -> ASKED -> BODY -> OVER
 *               ^  |           ^         ^  |       |
 *               |  +- kept connection ---+  |       |
 *               |              +- was dead -+       |
 *               +------------ redirect -------------+
 *
 * QUEUED      starts with the next pass of the loop; not added to libcurl yet.
 * RESOLVING   added to a pool. connect_ms runs, until ASKED.
 * CONNECTING  an address passed the check and is being connected to; TLS included.
 * ASKED       the request is being sent; the head of the response has not arrived. idle_ms runs.
 * BODY        the head is complete, the body arrives.
 * OVER        settled: fetch is NULL, nothing is reported any more; waits to be reaped.
 *
 * Any phase may change to OVER: canceled, timed out, past a cap, failed.
 *
 * libcurl calls us while it works; inside such a callback only queries are allowed. So transfers
 * are added, removed and resumed only by posts of the loop and after libcurl returned. A transfer
 * is reaped by a post that was queued before the post of its op, so libcurl no longer uses borrowed
 * data when the caller's done runs.
 *
 *   http_client.c        pools: multi handles, their sockets and timers; reaping
 *   http_fetch.c         the life of a fetch: phases, deadlines, redirects
 *   http_fetch_easy.c    a request as options of an easy handle; the address check
 *   http_fetch_answer.c  head and body as they arrive, caps
 *   http_fetch_fault.c   error messages for people
 */
#ifndef WIRE_HTTP_FETCH_H
#define WIRE_HTTP_FETCH_H

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

/* A multi handle: connections are shared within it and never beyond. One for each zone. */
struct pool {
    struct http_client *client;
    CURLM *multi; /* NULL until first used */
    struct timer timer;
    struct post now; /* libcurl's timer of 0 ms */
    struct post nudge;
    int64_t busy; /* transfers in it that have not settled */
};

enum { POOLS = FETCH_OUTSIDE + 1 };

struct http_client {
    struct loop *loop;
    const struct limits *limits;
    char *user_agent, *outside_proxy, *ca_file, *ca_dir; /* NULL: none */
    http_address_fn *allowed;
    void *ctx;
    const struct curl_api *api; /* NULL until the first fetch */
    struct pool pool[POOLS];
    struct transfer *live, *dead;
    size_t live_count;
    size_t open_socks; /* whose watch has not closed yet */
    struct sock *socks;
    struct post reap, finish;
    void (*closed)(void *ctx);
    void *closed_ctx;
    bool closing;
};

struct transfer {
    struct fetch *fetch; /* NULL once settled */
    struct http_client *client;
    struct transfer *next, **link; /* in client->live; only next in client->dead */
    struct fetch_request req;      /* a copy; 0 is replaced by the limit */
    enum fetch_phase phase;
    struct timer whole, step; /* step: connect_ms, then idle_ms */
    struct post begin, resume;

    /* the hop */
    struct http_url url;
    enum fetch_zone zone;
    bool foreign; /* redirected to another origin: headers of ours stay behind */
    int hops;     /* redirects followed */
    bool proxied; /* by outside_proxy */
    CURL *easy;
    struct pool *pool; /* where easy was added; NULL: nowhere */
    bool busy;         /* counted in it */
    struct curl_slist *headers;
    bool asked; /* the request went out, or began to */
    char detail[CURL_ERROR_SIZE];

    /* the answer */
    bool paused;
    int64_t moved_at; /* loop_now() when bytes were last received or sent */
    curl_off_t sent;  /* bytes sent at the last check */
    size_t head_bytes;
    struct http_header *header;
    size_t header_count, header_room;
    struct str location; /* a redirect that will be followed once this answer is over */
    int64_t body_bytes;
    struct buf *body; /* collected; in req.mem */
};

/* ---- http_client.c ---------------------------------------------------------------------- */

/* Open libcurl and the pool of a zone. */
bool client_open(struct http_client *c, enum fetch_zone zone, struct err *e);

/* Have the transfer's easy handle worked on, and not any more. Not from inside libcurl. */
bool pool_add(struct pool *pool, struct transfer *t, struct err *e);
void pool_remove(struct transfer *t);

/* Remove the transfer from client->live; it is freed before anything else happens. */
void client_bury(struct http_client *c, struct transfer *t);

/* ---- http_fetch.c ----------------------------------------------------------------------- */

/* The only writer of t->phase. */
void transfer_go(struct transfer *t, enum fetch_phase to);

/* Settle the fetch: e == NULL is success. t exists until it is reaped. */
void transfer_settle(struct transfer *t, const struct err *e);

/* The same with an error made here. Returns false. */
bool transfer_fail(struct transfer *t, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));

/* libcurl is done with it. */
void transfer_done(struct transfer *t, CURLcode result);

/* ---- http_fetch_easy.c ------------------------------------------------------------------ */

/* Make t->easy for the current hop and add it to its pool. */
bool easy_open(struct transfer *t, struct err *e);

/* Remove and free it. Not from inside libcurl. */
void easy_close(struct transfer *t);

/* ---- http_fetch_answer.c ---------------------------------------------------------------- */

size_t answer_on_header(char *p, size_t size, size_t n, void *ctx);
size_t answer_on_body(char *p, size_t size, size_t n, void *ctx);

/* Before each hop. */
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
