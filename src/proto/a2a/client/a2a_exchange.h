/*
 * a2a_exchange.h - one HTTP request to a remote agent, with the credentials of the peer.
 *
 *   TOKEN ──> ASKING ──> done
 *     ^          │
 *     └──────────┘        the access token was rejected: one more try with a new one
 *
 * TOKEN    an OAuth access token is being fetched; skipped for other credentials
 * ASKING   the request is in flight
 *
 * The answer is one text, or an event stream whose events are passed on as they arrive.
 */
#ifndef PROTO_A2A_CLIENT_A2A_EXCHANGE_H
#define PROTO_A2A_CLIENT_A2A_EXCHANGE_H

#include "core/trace.h"
#include "proto/a2a/client/a2a_peer.h"
#include "wire/sse_read.h"

enum { A2A_HEADERS_MOST = 24 };

struct a2a_exchange {
    struct op op; /* first */

    /* Set by the caller, which zeroes the rest. All data must live until the op is done. */
    struct a2a_peer *peer;
    struct arena *mem;
    const char *method;
    struct str url, body;      /* body: STR_NONE: none */
    const char *version;       /* the header A2A-Version; NULL: none */
    bool streams;              /* an event stream is accepted as the answer */
    int64_t whole_ms;          /* FETCH_NEVER: no limit */
    const struct trace *trace; /* NULL: no headers of traces */
    /* an event of the stream; valid during the callback, which may cancel the op */
    void (*on_event)(struct a2a_exchange *x, struct str data);
    void *ctx; /* for on_event */

    /* Results. The op succeeds with every HTTP status. */
    int status;
    bool streamed;   /* the answer was an event stream */
    struct str text; /* the answer, unless it was a stream */
    bool unreached;  /* the op failed before anything was sent */

    /* private: */
    struct fetch fetch;
    struct buf answer;
    struct sse_reader sse;
    struct http_header header[A2A_HEADERS_MOST];
    size_t headers;
    bool retried;
    struct err broke; /* why the stream was rejected; code ERR_NONE: it was not */
};

/* Start the request. Fails as a fetch does (wire/http_client.h). */
void a2a_exchange_start(struct a2a_exchange *x, struct op *parent, op_done_fn *done, void *ctx);

#endif
