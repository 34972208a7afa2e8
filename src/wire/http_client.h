/*
 * http_client.h - non-blocking HTTP requests.
 *
 * Uses libcurl, which is opened by the first fetch. One client serves the program: HTTP/1.1 with
 * connections kept, HTTP/2 over TLS for responses that are collected, certificates always checked,
 * no cookies.
 *
 * A POST or PATCH is sent once: if a kept connection closes during the request, it fails. Other
 * methods are retried on a new connection.
 *
 * The source of a URL determines which addresses it may reach (enum fetch_zone). Every address is
 * checked right before it is connected to, and each redirect is checked like a new URL.
 *
 * Environment, read by http_client_new: SSL_CERT_FILE, else SSL_CERT_DIR, instead of the system's
 * certificates. Read by libcurl, for configured URLs only: http_proxy, https_proxy, all_proxy,
 * no_proxy; requests to this machine never use a proxy.
 */
#ifndef WIRE_HTTP_CLIENT_H
#define WIRE_HTTP_CLIENT_H

#include "base/arena.h"
#include "base/limits.h"
#include "loop/op.h"
#include "wire/address.h"
#include "wire/http.h"

struct http_client;
struct fetch;

/* May this address be connected to? Instead of http_address_allowed. */
typedef bool http_address_fn(const struct sockaddr *sa, enum address_policy policy, void *ctx);

struct http_client_opts {
    struct loop *loop;
    const struct limits *limits; /* must outlive the client */
    const char *user_agent;      /* "trefoil/1.0"; copied */
    const char *outside_proxy;   /* for FETCH_OUTSIDE, "http://proxy:3128"; NULL: none. Copied */
    http_address_fn *allowed;    /* NULL: http_address_allowed */
    void *ctx;                   /* for it */
};

/* Cheap: nothing is opened yet. */
struct http_client *http_client_new(const struct http_client_opts *opts);

/*
 * Fetches under way fail with ERR_CLOSED; then everything is closed and freed and done is
 * called (may be NULL). No fetch may be started from now on.
 */
void http_client_close(struct http_client *c, void (*done)(void *ctx), void *ctx);

/* ---- one request ------------------------------------------------------------------------ */

enum fetch_zone {
    /* The operator named it: all but cloud metadata services; proxies of the environment. */
    FETCH_CONFIGURED,
    /* From a peer, a model, a page: public addresses only, each time over a new connection. */
    FETCH_OUTSIDE,
};

/*
 * Redirects of GET. To another origin only with FETCH_FOLLOW_ANY, then as FETCH_OUTSIDE and
 * with no headers of ours but Accept and Accept-Language; never from https to http.
 */
enum fetch_follow { FETCH_FOLLOW_NONE, FETCH_FOLLOW_ORIGIN, FETCH_FOLLOW_ANY };

enum { FETCH_NEVER = -1 }; /* no deadline, no cap */

struct fetch_request {
    struct str method; /* upper case; STR_NONE: GET */
    struct str url;
    const struct http_header *header;
    size_t headers;
    struct str body; /* p == NULL: none. Borrowed until the fetch is done; all else is copied */
    enum fetch_zone zone;
    enum fetch_follow follow;

    /* Each 0 for the limit of its name (fetch_*), or FETCH_NEVER for none. */
    int64_t connect_ms; /* look-up, connection and TLS, for each hop */
    int64_t whole_ms;   /* from start to end; FETCH_NEVER for streams */
    int64_t idle_ms;    /* silence once connected; does not run while paused */
    int64_t body_bytes;

    struct arena *mem; /* for the response; must live until the fetch is done */

    /* The head of the answer is complete, f->status and f->header are set. May be NULL. */
    void (*on_head)(struct fetch *f);

    /*
     * Bytes of the body, borrowed for the call. NULL: they are gathered in f->body. Both
     * callbacks run from the loop and may pause or cancel the fetch, or start another.
     */
    void (*on_bytes)(struct fetch *f, struct str bytes);
};

/*
 * An op; any status is success. It fails with ERR_INVALID (the URL or the answer is wrong),
 * ERR_DENIED (address, redirect, certificate), ERR_NOT_FOUND (no such host), ERR_CLOSED (refused
 * or broken off), ERR_TIMEOUT, ERR_LIMIT, ERR_CANCELED or ERR_SYSTEM. Texts name the host, never
 * the rest of the URL.
 */
struct fetch {
    struct op op;   /* first */
    int status;     /* 0 until the head is complete */
    bool unreached; /* it failed before there was a connection: nothing was sent */
    const struct http_header *header;
    size_t headers;
    struct str body;
    struct str url;            /* that answered in the end */
    struct transfer *transfer; /* of the client; NULL once settled */
};

/* Embed a struct fetch in your own and start it. The op reports failures, from the loop. */
void fetch_start(struct fetch *f, struct http_client *c, struct op *parent,
                 const struct fetch_request *req, op_done_fn *done, void *ctx);

/*
 * Back-pressure, with on_bytes: deliver no more bytes until resumed; libcurl holds at most a few
 * buffers, the rest waits at the sender. Calls in any order; bytes are delivered from the loop.
 */
void fetch_pause(struct fetch *f);
void fetch_resume(struct fetch *f);

/* The header of the answer, by name in any case; STR_NONE when absent. */
static inline struct str fetch_header(const struct fetch *f, const char *name)
{
    return http_header_get(f->header, f->headers, name);
}

#endif
