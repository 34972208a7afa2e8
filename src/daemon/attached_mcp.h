/*
 * attached_mcp.h - an MCP client that came in by the door of the daemon (daemon_address.h).
 *
 * Its program hands over its stdin and stdout, and from then on only waits: the daemon reads and
 * writes them itself, so that a call costs what it costs in the program's own process. The door
 * stays open meanwhile:
 *
 *   the program says anything         it has heard that it is let in, and only waits from now on:
 *                                     nothing of its stdin is read before
 *   the program ends its side of it   read no more, answer what is under way, leave
 *   the program is gone               nobody waits for answers: leave now
 *
 * The last word through the door is {"bye":true} when the client had ended it, {"error":SENTENCE}
 * when its stdin or stdout broke, and none when the daemon stops. A program that has handed over
 * nothing speaks through the door itself.
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
    bool shut;      /* the door is closed */
    bool dismissed; /* by us */
    void (*done)(struct attached_mcp *g);
    void *ctx;
};

/*
 * Serve it; the door's events are its own from now on, and it closes it. done is called from the
 * loop. False: what was handed over is of no use; nothing has begun. Empties the parcel.
 */
bool attached_mcp_start(struct attached_mcp *g, struct mcp_server *server, enum framing framing,
                        struct stream *socket, struct fd_packet *packet,
                        void (*done)(struct attached_mcp *g), void *ctx, struct err *e);

void attached_mcp_drain(struct attached_mcp *g); /* we stop: answer what is under way */
void attached_mcp_gone(struct attached_mcp *g);  /* nobody is there any more */
void attached_mcp_stop(struct attached_mcp *g);  /* now; one that does not read is not waited for */

#endif
