/*
 * a2a_oneshot.h - one operation of a remote agent outside of a turn: read its card, send the
 * request, pass on the answers. For `trefoil a2a` and the tools a2a_discover and a2a_send.
 */
#ifndef PROTO_A2A_CLIENT_A2A_ONESHOT_H
#define PROTO_A2A_CLIENT_A2A_ONESHOT_H

#include "proto/a2a/client/a2a_exchange.h"
#include "proto/a2a/client/a2a_request.h"

struct a2a_oneshot {
    struct op op; /* first */

    /* Set by the caller, which zeroes the rest. All data must live until the op is done. */
    struct a2a_peer *peer;
    const struct a2a_ask *ask; /* NULL: only read the card */
    struct arena *mem;
    int64_t whole_ms;          /* longest request, unless the operation streams */
    const struct trace *trace; /* may be NULL */
    /*
     * The result of the operation, or one event of its stream. `mem` is freed after the call. May
     * cancel the op.
     */
    void (*on_result)(struct a2a_oneshot *o, struct arena *mem, struct json result);
    void *ctx; /* for on_result */

    /* private: */
    struct a2a_meeting meeting;
    struct a2a_exchange exchange;
    int64_t id;
    struct err broke; /* an event is wrong, or an error; code ERR_NONE: none */
};

/* Start. Fails with the error of the agent, or as a fetch does. */
void a2a_oneshot_start(struct a2a_oneshot *o, struct op *parent, op_done_fn *done, void *ctx);

#endif
