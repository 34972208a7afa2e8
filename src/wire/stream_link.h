/*
 * stream_link.h - a link over a stream of bytes: stdio, or the pipes of a child.
 *
 * While the other side does not read our answers, we do not read its messages. So a client that
 * sends but never reads cannot make us buffer answers without limit.
 */
#ifndef WIRE_STREAM_LINK_H
#define WIRE_STREAM_LINK_H

#include "loop/stream.h"
#include "wire/link.h"

struct stream_link {
    struct link link; /* first */
    struct stream *io;
    struct frame_reader reader;
    bool closing; /* link_close was called; the last messages are still being written */
};

extern const struct stream_events stream_link_events;

/*
 * Take over `io`, which must have been opened with stream_link_events and this link as owner,
 * and start reading. *io must stay valid until on_closed.
 */
void stream_link_open(struct stream_link *l, struct stream *io, enum framing framing,
                      const struct limits *limits, const struct link_events *events, void *owner);

#endif
