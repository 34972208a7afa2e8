/*
 * link.h - what carries messages.
 *
 * A link brings whole frames in and takes whole messages out, whatever lies below: stdio, a
 * child's pipes, one HTTP exchange, a test's fake wire. The rpc room speaks to links only.
 */
#ifndef WIRE_LINK_H
#define WIRE_LINK_H

#include "base/err.h"
#include "wire/frame.h"

struct link;

struct link_events {
    /* A frame came in; borrowed for the call. */
    void (*on_frame)(struct link *link, const struct frame *frame);

    /* Nothing more comes in: the other side is done (e == NULL) or gone. Called once. */
    void (*on_end)(struct link *link, const struct err *e);

    /* link_close is complete: the link may be freed. */
    void (*on_closed)(struct link *link);
};

struct link_kind {
    const char *name;
    void (*send)(struct link *link, const struct str *piece, size_t n);
    void (*close)(struct link *link);
    /*
     * The same as send for the answer to what came by this link; code is that of a JSON-RPC
     * error, or 0. NULL: send does it.
     */
    void (*answer)(struct link *link, int code, const struct str *piece, size_t n);
    /*
     * Of a link that lends its memory: one call more (1) lives in it, or one less (-1). The second
     * is the last that is done with the call, and may free the link. NULL: nobody counts.
     */
    void (*calls)(struct link *link, int more);
};

struct link {
    const struct link_kind *kind;
    const struct link_events *events;
    void *owner; /* whom the events are for */
    /*
     * NULL, or memory that outlives every call that comes by this link; its frames' text lives
     * there too. So one exchange (an HTTP request) needs one arena and no copy.
     */
    struct arena *mem;
};

enum { LINK_PIECES = 12 };

/*
 * Send one message given in at most LINK_PIECES pieces. Always taken; a peer that does not read
 * ends the link by its backlog limit.
 */
static inline void link_send(struct link *link, const struct str *piece, size_t n)
{
    link->kind->send(link, piece, n);
}

static inline void link_answer(struct link *link, int code, const struct str *piece, size_t n)
{
    if (link->kind->answer)
        link->kind->answer(link, code, piece, n);
    else
        link->kind->send(link, piece, n);
}

/* End it; what was sent before is still written if the other side takes it. */
static inline void link_close(struct link *link)
{
    link->kind->close(link);
}

#endif
