/*
 * serve_attached.h - serves an MCP client that has attached to the daemon's socket
 * (daemon_socket.h).
 *
 * The client program hands over its stdin and stdout, and then only waits. The daemon reads and
 * writes the descriptors directly, so that a call is as fast as in the client's own process. The
 * socket connection stays open meanwhile:
 *
 *   the program sends a byte          it has received "ok" and no longer reads its stdin; now the
 *                                     daemon begins to read stdin
 *   the program shuts down its side   the daemon stops reading, answers the running calls, and
 *                                     disconnects
 *   the program has exited            the daemon disconnects at once
 *
 * The last message of the daemon on the socket is {"bye":true} after the client has shut down its
 * side, or {"error":SENTENCE} if reading stdin or writing stdout failed. When the daemon stops, it
 * sends no message. If a program hands over no descriptors, the daemon speaks MCP over the socket
 * instead.
 */
#ifndef DAEMON_SERVE_ATTACHED_H
#define DAEMON_SERVE_ATTACHED_H

#include "loop/fd_stream.h"
#include "proto/mcp/server/mcp_stdio.h"

struct attached_mcp {
    struct mcp_stdio stdio;
    struct stream *socket;
    struct pipe_stream own; /* a stream on the handed-over descriptors */
    bool handed;
    /* the client no longer uses the handed-over descriptors, so the daemon may use them */
    bool begun;
    struct mcp_server *server;
    enum framing framing;
    bool over;      /* `stdio` has ended */
    bool shut;      /* `socket` is closed */
    bool dismissed; /* the daemon has ended the connection */
    void (*done)(struct attached_mcp *g);
    void *ctx;
};

/*
 * Serve the client. From now on *g handles the events of `socket` and closes the socket. `done` is
 * called from the loop. False: the passed descriptors cannot be used, and nothing was started. The
 * function takes the descriptors out of *packet.
 */
bool attached_mcp_start(struct attached_mcp *g, struct mcp_server *server, enum framing framing,
                        struct stream *socket, struct fd_packet *packet,
                        void (*done)(struct attached_mcp *g), void *ctx, struct err *e);

void attached_mcp_drain(struct attached_mcp *g); /* stop reading, and answer running calls */
void attached_mcp_gone(struct attached_mcp *g);  /* report that the client has disconnected */
void attached_mcp_stop(struct attached_mcp *g);  /* stop now, without waiting for slow clients */

#endif
