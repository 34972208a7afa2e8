/* peer_parts.h - the internals of a peer, shared by the files of this room only. */
#ifndef RPC_PEER_PARTS_H
#define RPC_PEER_PARTS_H

#include "rpc/peer.h"

/*
 * An array of messages that arrived in one frame. Its answers are collected, and sent as one array
 * when the last answer has arrived. A batch that contains only notifications gets no answer.
 */
struct rpc_batch {
    struct arena mem; /* holds this struct, the text and all calls of the batch */
    struct buf text;
    struct peer *peer;
    struct link *via; /* NULL: it was closed */
    struct buf out;   /* "[answer,answer" */
    size_t open;      /* number of calls that have not ended; plus one while dispatching */
};

/* The bytes of one message and its JSON tree, before a call takes them over. */
struct rpc_packet {
    struct arena *mem; /* the memory of the link, of the batch, or &own */
    struct arena own;
    struct buf text;
    struct json root;
};

/* Begin the op of a call, add the call to the peer and run its handler. */
void rpc_in_dispatch(struct peer *p, struct link *via, struct rpc_batch *batch,
                     struct rpc_packet *packet, const struct rpc_message *m);

/* A response to a call that we made has arrived. */
void rpc_out_answer(struct peer *p, struct rpc_packet *packet, const struct rpc_message *m);

/* Answer a message that is no call with an error; id is raw JSON (STR_NONE: null). */
void rpc_refuse(struct peer *p, struct link *via, struct rpc_batch *batch, struct str id, int code,
                struct str message, struct str data);

/* Add an answer, given in pieces. */
void rpc_batch_put(struct rpc_batch *batch, const struct str *piece, size_t n);

/* A call of the batch has ended. If it was the last, send the answers. */
void rpc_batch_done(struct rpc_batch *batch);

/* Call on_idle, from the loop, if no call is in progress. */
void peer_check_idle(struct peer *p);

#endif
