/*
 * peer.h - one other side of a JSON-RPC 2.0 conversation, in both roles at once.
 *
 * A peer holds two sets: calls it made to us that we are serving (struct rpc_in) and calls we
 * made to it whose answers we await (struct rpc_out). Messages arrive by any number of links
 * (stdio has one; an HTTP session has one per request); an answer goes out by the link its
 * request came by.
 *
 * What never happens: a message that ends the conversation because it is malformed. It gets
 * the error its kind of wrongness asks for, under its id if that could be read, else under null.
 *
 * A call we serve is an op. It is answered exactly once, or stays unanswered when the other side
 * cancelled it or left. A call we make is an op too; it settles with the answer, with
 * ERR_TIMEOUT at its deadline, with ERR_CLOSED when the peer is gone, or with ERR_CANCELED; in
 * the cases in between the peer is told to stop, in the protocol's own words.
 */
#ifndef RPC_PEER_H
#define RPC_PEER_H

#include "base/limits.h"
#include "loop/op.h"
#include "rpc/method.h"
#include "wire/link.h"

struct peer;
struct rpc_admit;
struct rpc_batch;

/* What all peers of a program share. */
struct rpc {
    struct loop *loop;
    const struct limits *limits;
    struct buf scratch; /* where a message is built, between begin and end only */
    struct jw writer;
    struct arena_pool arenas; /* for calls */
};

void rpc_init(struct rpc *rpc, struct loop *loop, const struct limits *limits);
void rpc_fini(struct rpc *rpc);

/* ---- the peer --------------------------------------------------------------------------- */

/* What differs from protocol to protocol. */
struct peer_kind {
    const char *name;
    struct method_table methods;

    /*
     * Write the params of the notification `cancel_method` that takes back our call `id`.
     * cancel_method NULL: the protocol has none.
     */
    const char *cancel_method;
    void (*write_cancel)(struct jw *w, struct str id, const struct err *why);

    /*
     * Look at a request or notification before it becomes a call: which version does it speak,
     * and may it be served? NULL: all may, in the peer's version.
     */
    void (*admit)(struct peer *p, const struct rpc_message *m, struct rpc_admit *out);

    /*
     * What came in cannot be understood. `id` is that of the message, raw, if it could be read,
     * else STR_NONE. NULL: it is answered with an error, as a server should.
     */
    void (*on_garbage)(struct peer *p, struct str id, const struct err *why);
};

struct rpc_admit {
    int version;              /* column in the method table; preset to the peer's */
    int code;                 /* 0: served. Else a request is refused with this error: */
    struct str message, data; /* of the error; data raw JSON or STR_NONE. Static, or of scratch[] */
    char scratch[512];
};

struct peer {
    struct rpc *rpc;
    const struct peer_kind *kind;
    struct link *link; /* where our own calls and notifications go; NULL once it is gone */
    void *ctx;         /* the protocol's state for this conversation */
    void *transport;   /* of the transport, for on_idle; NULL: it needs none */
    int version;       /* column in the method table */
    bool batches;      /* an array of messages is accepted */
    void (*on_idle)(struct peer *p); /* nothing is under way any more; may free the peer */

    struct rpc_in *serving;   /* youngest first */
    size_t unanswered;        /* of them */
    struct rpc_out **awaited; /* slot table; an id names slot and generation */
    uint32_t awaited_room, awaited_count;
    uint32_t next_slot, generation;
    struct post idle;
};

void peer_init(struct peer *p, struct rpc *rpc, const struct peer_kind *kind, struct link *link,
               void *ctx);

/*
 * The conversation is over: calls being served are cancelled (their answers go nowhere), calls
 * awaited fail with ERR_CLOSED. on_idle follows, from the loop, when the last has been delivered.
 */
void peer_hang_up(struct peer *p);

/* No answer will come any more to any call we made, and why. The other side is told nothing. */
void peer_fail_calls(struct peer *p, const struct err *why);

/* One link is gone: calls that came by it are cancelled and answered to nobody. */
void peer_lose_link(struct peer *p, struct link *via);

/* The other side will say nothing more: calls awaited fail with ERR_CLOSED. */
void peer_await_no_more(struct peer *p);

/* Nothing is under way. */
bool peer_idle(const struct peer *p);

/* Free what the peer holds. It must be idle. */
void peer_fini(struct peer *p);

/* A frame came in by `via`. Answers go out there too. */
void peer_receive(struct peer *p, struct link *via, const struct frame *frame);

/*
 * The same for what the owner of the link has read already, into via->mem. `m` is the envelope of
 * a single message, or NULL for an array.
 */
void peer_receive_tree(struct peer *p, struct link *via, struct json root,
                       const struct rpc_message *m);

/* Send a notification by `via`, or by the peer's own link if NULL; params is raw or STR_NONE. */
void peer_notify(struct peer *p, struct link *via, const char *method, struct str params);

/* ---- calls made to us ------------------------------------------------------------------- */

struct rpc_in {
    struct op op;      /* first; its done is the peer's */
    struct arena *mem; /* lives as long as the call */
    struct peer *peer;
    struct link *via;  /* NULL once it is gone */
    struct link *home; /* whose memory it lives in, or NULL */
    struct json id;    /* missing for a notification */
    struct str method;
    struct json params; /* an object, or missing */
    struct json meta;   /* its member _meta, or missing */
    int version;        /* it is served in */
    void *data;         /* the handler's */
    struct arena own;   /* what mem points to, unless link or batch lend theirs */
    struct buf text;    /* the message's bytes, when they were too many to copy */
    struct rpc_batch *batch;
    struct rpc_in *older, *newer;
    bool answered, silent;
};

/*
 * A handler of a request answers with one of these, once, now or later. What it does later it
 * does in child ops of in->op: they are cancelled with the call, and the call lives until the
 * last of them is done. A handler of a notification returns when it is done.
 */
struct jw *rpc_result_begin(struct rpc_in *in); /* write exactly one value, then: */
void rpc_result_end(struct rpc_in *in);
void rpc_result_raw(struct rpc_in *in, struct str json);

/* A result given in at most RPC_PIECES pieces, which are not copied more than once. */
enum { RPC_PIECES = LINK_PIECES - 4 };
void rpc_result_pieces(struct rpc_in *in, const struct str *piece, size_t n);
void rpc_error(struct rpc_in *in, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void rpc_error_data(struct rpc_in *in, int code, struct str message, struct str data);

/* The same from an err; its code is mapped by rpc_code_of. */
void rpc_error_of(struct rpc_in *in, const struct err *e);

/* Find a call the other side made, by the id it gave it; NULL when it has been answered. */
struct rpc_in *peer_find_in(struct peer *p, struct json id);

/* The other side cancelled: stop the work, and do not answer. */
void rpc_in_cancel(struct rpc_in *in);

/* Write the head of an answer under this id ("null" if STR_NONE); the caller ends the object. */
void rpc_write_error(struct jw *w, struct str id, int code, struct str message, struct str data);

/* ---- calls made by us ------------------------------------------------------------------- */

struct rpc_out {
    struct op op; /* first */
    struct rpc *rpc;
    struct peer *peer;
    struct link *via; /* NULL: the peer's own */
    struct timer deadline;
    uint64_t id;
    struct arena mem;          /* holds the answer */
    struct buf text;           /* its bytes */
    struct json result, error; /* one of them, once the op succeeded */
};

/*
 * Call a method by `via`, or by the peer's own link if NULL; params is raw JSON (an object) or
 * STR_NONE. An error answered by the other side is a success of the op with out->error set. *out
 * must live until done has returned; then rpc_out_fini frees the answer. Losing `via` does not end
 * the call: the answer may come by another link.
 */
void peer_call(struct peer *p, struct link *via, struct rpc_out *out, struct op *parent,
               const char *method, struct str params, int64_t timeout_ms, op_done_fn *done,
               void *ctx);
void rpc_out_fini(struct rpc_out *out);

/* The call of ours under way with this raw id, or NULL. */
struct rpc_out *peer_find_out(struct peer *p, struct str id);

/* No answer will come to this call: the link knows. The other side is told nothing. */
void rpc_out_fail(struct rpc_out *out, const struct err *why);

/* Start the deadline anew, as progress may. */
void rpc_out_extend(struct rpc_out *out, int64_t timeout_ms);

#endif
