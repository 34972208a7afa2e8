/*
 * mcp_stdio.h - one MCP client on a byte stream, usually our stdin and stdout (rpc/stdio_peer.h).
 *
 * When the client closes its sending side, the calls in progress are answered; then `done` is
 * called. If the stream fails, the conversation ends at once.
 */
#ifndef PROTO_MCP_SERVER_MCP_STDIO_H
#define PROTO_MCP_SERVER_MCP_STDIO_H

#include "proto/mcp/server/mcp_conversation.h"
#include "rpc/stdio_peer.h"

struct mcp_stdio {
    struct stdio_peer io;
    struct mcp_conv conv;
    /* e: why the stream failed; NULL: it did not */
    void (*done)(struct mcp_stdio *s, const struct err *e);
    void *ctx;
};

/* Serve `io`, which the caller has opened with stream_link_events and &s->io.link as owner. */
void mcp_stdio_start(struct mcp_stdio *s, struct mcp_server *server, struct stream *io,
                     enum framing framing, void (*done)(struct mcp_stdio *s, const struct err *e),
                     void *ctx);

/* Stop reading, answer the calls in progress, then end. */
void mcp_stdio_drain(struct mcp_stdio *s);

/* End now. `done` still follows, from the loop. */
void mcp_stdio_stop(struct mcp_stdio *s);

#endif
