/*
 * mcp_stdio.h - one MCP client on the other end of a stream, usually our stdin and stdout.
 *
 * When the client closes its side, calls under way are answered first; then `done` runs. A
 * broken stream ends it at once.
 */
#ifndef PROTO_MCP_SERVER_MCP_STDIO_H
#define PROTO_MCP_SERVER_MCP_STDIO_H

#include "proto/mcp/server/mcp_conv.h"
#include "wire/stream_link.h"

struct mcp_stdio {
    struct stream_link link;
    struct mcp_conv conv;
    void (*done)(struct mcp_stdio *s, const struct err *e); /* e: why, or NULL for a good end */
    void *ctx;
    struct err why;
    bool broken, closing;
};

/* Serve `io`, opened with stream_link_events and &s->link as owner. */
void mcp_stdio_start(struct mcp_stdio *s, struct mcp_server *server, struct stream *io,
                     enum framing framing, void (*done)(struct mcp_stdio *s, const struct err *e),
                     void *ctx);

/* Read no more, answer what is under way, then end. */
void mcp_stdio_drain(struct mcp_stdio *s);

/* End now. `done` still follows, from the loop. */
void mcp_stdio_stop(struct mcp_stdio *s);

#endif
