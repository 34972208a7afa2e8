/*
 * frame.h - split a byte stream into JSON-RPC messages.
 *
 * Every stream accepts two framings: one message per line, as MCP and ACP require, and
 * Content-Length headers, which some programs use anyway. The first bytes of a message determine
 * its framing; answers use the framing that was received last.
 *
 * The first bytes of a message:
 *   { or [                                a line
 *   Content-Length: / Content-Type:       a header block, in any case and spacing, CRLF or LF
 *   blank                                 skipped
 *   anything else                         a line that is not JSON; the receiver rejects it
 *
 * A message beyond the limit is reported as FRAME_TOO_LARGE with its first bytes, in which the
 * receiver may find the id for an error response; rpc/peer.c sends the error response. The rest of
 * the message is skipped.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include "base/buf.h"
#include "base/limits.h"

enum framing { FRAMING_AUTO, FRAMING_LINE, FRAMING_HEADER };

enum frame_kind {
    FRAME_MESSAGE,
    FRAME_TOO_LARGE,  /* text: its first FRAME_SALVAGE bytes */
    FRAME_BAD_HEADER, /* text: the malformed header line, or STR_NONE if a header is missing */
};

enum { FRAME_SALVAGE = 4096 };

struct frame {
    enum frame_kind kind;
    struct str text; /* valid during the callback; longer after frame_take */
    /*
     * NULL, or a buffer that holds exactly `text`. Then frame_take moves the buffer instead of
     * copying the text.
     */
    struct buf *own;
};

typedef void frame_fn(void *ctx, const struct frame *frame);

struct frame_reader {
    struct buf part; /* the part of a message that has arrived */
    size_t max, max_header;
    size_t skip;   /* DRAIN_BODY: bytes still to skip */
    size_t length; /* length of the body that must arrive */
    enum framing force, last;
    uint8_t state; /* enum in frame.c */
    bool stopped;
};

void frame_reader_init(struct frame_reader *r, enum framing force, const struct limits *limits);
void frame_reader_fini(struct frame_reader *r);

/* Feed bytes as they arrive; fn is called for each whole message. */
void frame_reader_feed(struct frame_reader *r, struct str bytes, frame_fn *fn, void *ctx);

/* The stream ended: a last line without its newline is a message too. */
void frame_reader_end(struct frame_reader *r, frame_fn *fn, void *ctx);

/* Call fn no more, because the owner is closing. May be called inside fn. */
void frame_reader_stop(struct frame_reader *r);

/* The framing for answers. */
enum framing frame_reader_answer_in(const struct frame_reader *r);

/* Keep the text of a message beyond the callback: move or copy it to *kept, and return it. */
struct str frame_take(const struct frame *frame, struct buf *kept);

/* Parse "auto", "line" or "header". False for any other name. */
bool framing_named(struct str name, enum framing *out);

/* Write the header of a Content-Length frame. Returns its length. */
enum { FRAME_HEADER = 48 };
size_t frame_header(size_t length, char out[FRAME_HEADER]);

#endif
