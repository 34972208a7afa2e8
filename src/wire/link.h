/*
 * link.h - a way to send and receive whole messages.
 *
 * A link delivers whole frames and sends whole messages, over stdio, the pipes of a child, one HTTP
 * exchange, or the fake stream of a test. The peers of rpc/ do not depend on the transport: they
 * use only links.
 */
#ifndef WIRE_LINK_H
#define WIRE_LINK_H

#include "base/err.h"
#include "wire/frame.h"

struct link;

struct link_events {
    /* A frame arrived; valid during this callback. */
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
     * Send the response to a request that arrived over this link. `code` is the code of its
     * JSON-RPC error, or 0. NULL: responses are sent like other messages.
     */
    void (*answer)(struct link *link, int code, const struct str *piece, size_t n);
    /*
     * For a link whose memory is used by calls (`mem`): one more call uses it (1), or one call less
     * (-1). With -1 the call uses the link for the last time, so the link may free itself. NULL:
     * not needed.
     */
    void (*calls)(struct link *link, int more);
};

struct link {
    const struct link_kind *kind;
    const struct link_events *events;
    void *owner; /* the receiver of the events */
    /*
     * NULL, or memory that is valid longer than every call that arrives over this link, and has the
     * text of its frames. So an HTTP request needs only one arena, and its text is not copied.
     */
    struct arena *mem;
};

enum { LINK_PIECES = 12 };

/*
 * Send one message in at most LINK_PIECES pieces. Never blocks or fails. If the other side does not
 * read and the backlog exceeds its limit, the link ends.
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

/* Close the link. Messages sent before are still written if the other side reads them. */
static inline void link_close(struct link *link)
{
    link->kind->close(link);
}

#endif
