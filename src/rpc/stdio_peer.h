/*
 * stdio_peer.h - serve one JSON-RPC client on a byte stream, usually our stdin and stdout.
 *
 * When the client closes its sending side, the calls in progress are answered; then `done` is
 * called. If the stream fails, the connection ends at once.
 *
 *   READING -> DRAINING -> CLOSING -> done
 *      |                      ^
 *      +----------------------+        (the stream failed, or stdio_peer_stop)
 */
#ifndef RPC_STDIO_PEER_H
#define RPC_STDIO_PEER_H

#include "rpc/peer.h"
#include "wire/stream_link.h"

struct stdio_peer;

/* Callbacks of the protocol. Each may be NULL. */
struct stdio_peer_hooks {
    /* The client sends nothing more. May be called more than once. */
    void (*end)(struct stdio_peer *s);

    /*
     * The peer is idle. Return true if the protocol has no work in progress either. After a return
     * of false, the protocol calls peer.on_idle again when its work is done.
     */
    bool (*idle)(struct stdio_peer *s);

    /* The stream is closed: free the state of the protocol, including the peer. */
    void (*fini)(struct stdio_peer *s);
};

/* Embed it in your own struct. */
struct stdio_peer {
    struct stream_link link;
    struct peer *peer;
    const struct stdio_peer_hooks *hooks;
    /* e: why the stream failed; NULL: it did not */
    void (*done)(struct stdio_peer *s, const struct err *e);
    struct err why;
    bool broken, closing;
};

/*
 * Serve `io`. The caller has opened it with stream_link_events and with &s->link as its owner, and
 * has called peer_init with &s->link.link as link.
 */
void stdio_peer_start(struct stdio_peer *s, struct peer *peer, const struct stdio_peer_hooks *hooks,
                      struct stream *io, enum framing framing,
                      void (*done)(struct stdio_peer *s, const struct err *e));

/* Stop reading, answer the calls in progress, then end. */
void stdio_peer_drain(struct stdio_peer *s);

/* End now. `done` still follows, from the loop. */
void stdio_peer_stop(struct stdio_peer *s);

#endif
