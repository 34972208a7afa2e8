/*
 * link.h - a transport for whole messages.
 *
 * A link delivers whole frames and sends whole messages, over stdio, a child's pipes, one HTTP
 * exchange, or a test's fake stream. The peers of rpc/ only know links.
 */
#ifndef WIRE_LINK_H
#define WIRE_LINK_H

#include "base/err.h"
#include "wire/frame.h"

struct link;

struct link_events {
    /* A frame arrived; borrowed for the call. */
    void (*on_frame)(struct link *link, const struct frame *frame);

    /* No more frames: the other side closed its end (e == NULL) or disconnected. Called once. */
    void (*on_end)(struct link *link, const struct err *e);

    /* link_close is complete: the link may be freed. */
    void (*on_closed)(struct link *link);
};

struct link_kind {
    const char *name;
    void (*send)(struct link *link, const struct str *piece, size_t n);
    void (*close)(struct link *link);
    /*
     * Send the response to a request that arrived over this link; code is that of its JSON-RPC
     * error, or 0. NULL: responses are sent like other messages.
     */
    void (*answer)(struct link *link, int code, const struct str *piece, size_t n);
    /*
     * For a link that lends its memory to calls: one more call (1) uses it, or one less (-1). The
     * second is the last use of the call and may free the link. NULL: calls are not counted.
     */
    void (*calls)(struct link *link, int more);
};

struct link {
    const struct link_kind *kind;
    const struct link_events *events;
    void *owner; /* the receiver of the events */
    /*
     * NULL, or memory that outlives every call that arrives over this link, and that holds the text
     * of its frames. So one exchange (an HTTP request) needs one arena and no copy.
     */
    struct arena *mem;
};

enum { LINK_PIECES = 12 };

/*
 * Send one message in at most LINK_PIECES pieces. Never blocks or fails; the link ends when the
 * other side does not read and the backlog exceeds its limit.
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

/* Close the link; what was sent before is still written if the other side reads it. */
static inline void link_close(struct link *link)
{
    link->kind->close(link);
}

#endif
