/* peer_in.h - the internals of a peer, shared by the files of this room only. */
#ifndef RPC_PEER_IN_H
#define RPC_PEER_IN_H

#include "rpc/peer.h"

/*
 * An array of messages that arrived in one frame. Its answers are collected and sent as one array
 * when the last is complete. A batch of notifications is not answered.
 */
struct rpc_batch {
    struct arena mem; /* holds this struct, the text and all calls of the batch */
    struct buf text;
    struct peer *peer;
    struct link *via; /* NULL once it is gone */
    struct buf out;   /* "[answer,answer" */
    size_t open;      /* calls whose op is not delivered yet, plus one while dispatching */
};

/* The bytes of one message and its JSON tree, before a call takes them over. */
struct rpc_packet {
    struct arena *mem; /* the link's, the batch's, or &own */
    struct arena own;
    struct buf text;
    struct json root;
};

/* Begin the op of a call, link it in and run its handler. */
void rpc_in_dispatch(struct peer *p, struct link *via, struct rpc_batch *batch,
                     struct rpc_packet *packet, const struct rpc_message *m);

/* A response to a call of ours arrived. */
void rpc_out_answer(struct peer *p, struct rpc_packet *packet, const struct rpc_message *m);

/* Send an error that belongs to no call; id is raw JSON, STR_NONE for null; data may be STR_NONE. */
void rpc_refuse(struct peer *p, struct link *via, struct rpc_batch *batch, struct str id, int code,
                struct str message, struct str data);

/* Add one answer, given in pieces. */
void rpc_batch_put(struct rpc_batch *batch, const struct str *piece, size_t n);

/* One call of a batch is over; sends the answers when it was the last. */
void rpc_batch_done(struct rpc_batch *batch);

/* Call on_idle, from the loop, if no call is in progress. */
void peer_check_idle(struct peer *p);

#endif
