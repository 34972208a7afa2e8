/*
 * attached_mcp.h - an MCP client that attached to the daemon's socket (daemon_address.h).
 *
 * The client program passes its stdin and stdout, and then only waits: the daemon reads and writes
 * them directly, so that a call costs the same as in the program's own process. The connection
 * stays open meanwhile:
 *
 *   the program sends a byte          it has received "ok" and no longer reads its stdin; only then
 *                                     does the daemon read it
 *   the program shuts down its side   the daemon stops reading, answers the running calls, and
 *                                     disconnects
 *   the program has exited            the daemon disconnects at once
 *
 * The last message on the socket is {"bye":true} when the client had shut its side down,
 * {"error":SENTENCE} when its stdin or stdout broke, and none when the daemon stops. A program that
 * passed no descriptors speaks MCP over the socket itself.
 */
#ifndef DAEMON_ATTACHED_MCP_H
#define DAEMON_ATTACHED_MCP_H

#include "loop/fd_stream.h"
#include "proto/mcp/server/mcp_stdio.h"

struct attached_mcp {
    struct mcp_stdio stdio;
    struct stream *socket;
    struct pipe_stream own; /* on what was handed over */
    bool handed;
    bool begun; /* what was handed over is ours */
    struct mcp_server *server;
    enum framing framing;
    bool over;      /* stdio is done */
    bool shut;      /* the socket is closed */
    bool dismissed; /* by us */
    void (*done)(struct attached_mcp *g);
    void *ctx;
};

/*
 * Serve the client. It owns the events of the socket from now on and closes it. done is called from
 * the loop. False: the passed descriptors cannot be used; nothing has begun. Empties the packet.
 */
bool attached_mcp_start(struct attached_mcp *g, struct mcp_server *server, enum framing framing,
                        struct stream *socket, struct fd_packet *packet,
                        void (*done)(struct attached_mcp *g), void *ctx, struct err *e);

void attached_mcp_drain(struct attached_mcp *g); /* we stop: answer what is under way */
void attached_mcp_gone(struct attached_mcp *g);  /* the client has disconnected */
void attached_mcp_stop(struct attached_mcp *g);  /* now; one that does not read is not waited for */

#endif
