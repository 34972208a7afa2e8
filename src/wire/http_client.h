/*
 * http_client.h - non-blocking HTTP requests.
 *
 * Uses libcurl, which is opened by the first fetch. A program has one client. It uses HTTP/1.1 and
 * keeps connections open for later requests. If a URL is configured and the response is collected
 * in memory, it uses HTTP/2 over TLS where the server supports that. Certificates are always
 * checked. There are no cookies.
 *
 * A POST or PATCH is sent only once: if a kept connection closes during the request, the request
 * fails. In that case, a request with another method is sent again on a new connection.
 *
 * The source of a URL determines which addresses it may reach (enum fetch_zone); the rules are in
 * address_guard.h. Each redirect is checked like a new URL.
 *
 * http_client_new reads the environment variables SSL_CERT_FILE, else SSL_CERT_DIR, which replace
 * the certificates of the system. libcurl reads http_proxy, https_proxy, all_proxy and no_proxy,
 * but only for configured URLs that do not lead to this machine. A request for a URL from outside
 * uses no proxy: a proxy resolves the name itself, so the address could not be checked.
 */
#ifndef WIRE_HTTP_CLIENT_H
#define WIRE_HTTP_CLIENT_H

#include "base/arena.h"
#include "base/limits.h"
#include "loop/op.h"
#include "wire/address_guard.h"
#include "wire/http.h"

struct http_client;
struct fetch;

/* May a request connect to this address? Tests can use such a function instead of
 * address_guard_check. */
typedef bool http_address_fn(const struct sockaddr *sa, const struct address_policy *policy,
                             void *ctx);

struct http_client_opts {
    struct loop *loop;
    const struct limits *limits; /* must outlive the client */
    const char *user_agent;      /* "trefoil/1.0"; copied */
    http_address_fn *allowed;    /* NULL: address_guard_check */
    void *ctx;                   /* the ctx of `allowed` */
};

/* Create a client. This is cheap: libcurl is not opened yet. */
struct http_client *http_client_new(const struct http_client_opts *opts);

/*
 * Close the client: fetches in progress fail with ERR_CLOSED; then everything is closed and freed,
 * and done (may be NULL) is called. No fetch may be started after this call.
 */
void http_client_close(struct http_client *c, void (*done)(void *ctx), void *ctx);

/* ---- one request ------------------------------------------------------------------------ */

enum fetch_zone {
    /* The URL is from the configuration. It may lead to every address except cloud metadata
     * services, and proxies may be used. */
    FETCH_CONFIGURED,
    /* The URL is from a peer, a model or a page. It may lead only to addresses that the policy of
     * the request allows. Each request uses a new connection. */
    FETCH_OUTSIDE,
};

/*
 * Which redirects are followed: none, redirects to the same origin, or all. At most
 * limits.fetch_redirects are followed. Only redirects that keep the method are followed: all
 * redirects of a GET, and 307 and 308 of other methods. A redirect to another origin is followed
 * only for GET; the zone is then FETCH_OUTSIDE, and of our headers only Accept and Accept-Language
 * are sent. A redirect from https to http is never followed.
 */
enum fetch_follow { FETCH_FOLLOW_NONE, FETCH_FOLLOW_ORIGIN, FETCH_FOLLOW_ANY };

enum { FETCH_NEVER = -1 }; /* as a time or size: no limit */

struct fetch_request {
    struct str method; /* upper case; STR_NONE: GET */
    struct str url;
    const struct http_header *header;
    size_t headers;
    struct str body; /* p == NULL: none. Borrowed until the fetch is done; other texts are copied */
    enum fetch_zone zone;
    enum fetch_follow follow;
    /* The addresses that a FETCH_OUTSIDE request may connect to; borrowed. NULL: public ones. */
    const struct address_policy *policy;

    /*
     * If a member is 0, the limit of the same name (limits.fetch_connect_ms, ...) applies.
     * FETCH_NEVER: no limit.
     */
    int64_t connect_ms; /* time for look-up, connection and TLS, for the URL and each redirect */
    int64_t whole_ms;   /* time from start to end; FETCH_NEVER for streams */
    int64_t idle_ms;    /* time without any bytes after the connection was established */
    int64_t body_bytes; /* size of the response body */

    struct arena *mem; /* memory for the response; must be valid until the fetch is done */

    /* The head of the response is complete; f->status and f->header are set. May be NULL. */
    void (*on_head)(struct fetch *f);

    /*
     * Bytes of the body have arrived; they are valid during this call. NULL: the body is collected
     * in f->body. Both callbacks are called from the loop, and may cancel the fetch or start
     * another one.
     */
    void (*on_bytes)(struct fetch *f, struct str bytes);
};

/*
 * A request in progress. Its op succeeds with every HTTP status. It fails with ERR_INVALID (the URL
 * or the response is malformed), ERR_DENIED (an address, redirect or certificate was rejected),
 * ERR_NOT_FOUND (the host does not exist), ERR_CLOSED (the connection was refused or lost),
 * ERR_TIMEOUT, ERR_LIMIT, ERR_CANCELED or ERR_SYSTEM. Error messages name the host, but never the
 * rest of the URL.
 */
struct fetch {
    struct op op;   /* first */
    int status;     /* HTTP status; 0 until the head is complete */
    bool unreached; /* the fetch failed before it was connected: nothing was sent */
    const struct http_header *header;
    size_t headers;
    struct str body;
    struct str url;            /* the URL of the response, after all redirects */
    struct transfer *transfer; /* data of the client; NULL after the op was settled */
};

/* Embed a struct fetch in your own and start it. The op reports failures, from the loop. */
void fetch_start(struct fetch *f, struct http_client *c, struct op *parent,
                 const struct fetch_request *req, op_done_fn *done, void *ctx);

/* The value of a response header, by name in any case; STR_NONE if it is absent. */
static inline struct str fetch_header(const struct fetch *f, const char *name)
{
    return http_header_get(f->header, f->headers, name);
}

#endif
