/*
 * acp_stdio.h - one ACP client on a byte stream, usually our stdin and stdout (rpc/stdio_peer.h).
 *
 * When the client closes its sending side, running prompts are cancelled and answered, and all
 * sessions are closed; then `done` is called.
 */
#ifndef PROTO_ACP_AGENT_ACP_STDIO_H
#define PROTO_ACP_AGENT_ACP_STDIO_H

#include "proto/acp/agent/acp_connection.h"
#include "rpc/stdio_peer.h"

struct acp_stdio {
    struct stdio_peer io;
    struct acp_conn conn;
    /* e: why the stream failed; NULL: it did not */
    void (*done)(struct acp_stdio *s, const struct err *e);
    void *ctx;
};

/* Serve `io`, which the caller has opened with stream_link_events and &s->io.link as owner. */
void acp_stdio_start(struct acp_stdio *s, const struct acp_agent *agent, struct stream *io,
                     void (*done)(struct acp_stdio *s, const struct err *e), void *ctx);

/* Stop reading, cancel and answer the prompts in progress, then end. */
void acp_stdio_drain(struct acp_stdio *s);

#endif
