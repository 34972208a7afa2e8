/*
 * peer.h - the other side of a JSON-RPC 2.0 connection, which may call us and be called by us.
 *
 * A peer holds two sets: the calls that the other side made and we serve (struct rpc_in), and the
 * calls that we made and whose answers we await (struct rpc_out). Messages arrive through any
 * number of links (stdio has one; an HTTP session has one per request). An answer is sent through
 * the link of its request.
 *
 * A malformed message never ends the connection. It is answered with an error. The id in the error
 * is the id of the message, or null if that id could not be read.
 *
 * A call that we serve is an op. It is answered exactly once, or not at all if the other side
 * cancelled it or disconnected. A call that we make is an op, too. It settles with the answer, with
 * ERR_TIMEOUT at its deadline, with ERR_CLOSED if the peer disconnects, or with ERR_CANCELED. After
 * a timeout or cancel, we send the cancel notification of the protocol.
 */
#ifndef RPC_PEER_H
#define RPC_PEER_H

#include "base/limits.h"
#include "loop/op.h"
#include "rpc/method.h"
#include "wire/link.h"

struct pick;
struct peer;
struct rpc_admit;
struct rpc_batch;

/* What all peers of a program share. */
struct rpc {
    struct loop *loop;
    const struct limits *limits;
    struct buf scratch; /* the message that is being written; used only between begin and end */
    struct jw writer;
    struct arena_pool arenas; /* spare arenas for calls */
};

void rpc_init(struct rpc *rpc, struct loop *loop, const struct limits *limits);
void rpc_fini(struct rpc *rpc);

/* ---- the peer --------------------------------------------------------------------------- */

/* The properties of a protocol. */
struct peer_kind {
    const char *name;
    struct method_table methods;

    /*
     * The notification by which we cancel a call that we made, and a function that writes its
     * params for the call `id`. cancel_method NULL: the protocol has none.
     */
    const char *cancel_method;
    void (*write_cancel)(struct jw *w, struct str id, const struct err *why);

    /*
     * Check a request or notification before it becomes a call: which protocol version does it
     * use, and is it accepted? NULL: all are accepted, in the peer's version.
     */
    void (*admit)(struct peer *p, const struct rpc_message *m, struct rpc_admit *out);

    /* The error to send for a failure: *e, or another one in *own. NULL: *e. */
    const struct err *(*shown)(struct peer *p, const struct err *e, struct err *own);

    /*
     * A malformed message arrived. `id` is its raw id if it could be read, else STR_NONE. If
     * on_garbage is NULL, the message is answered with an error, as a server should do.
     */
    void (*on_garbage)(struct peer *p, struct str id, const struct err *why);
};

struct rpc_admit {
    int version; /* the version that the message uses; preset to the peer's */
    int code;    /* 0: accepted; else a request is answered with this error code */
    /* The parts of the error; data is raw JSON or STR_NONE. Both are static or in `scratch`. */
    struct str message, data;
    char scratch[512];
};

struct peer {
    struct rpc *rpc;
    const struct peer_kind *kind;
    struct link *link;               /* sends our calls and notifications; NULL: it is closed */
    void *ctx;                       /* the protocol's state for this connection */
    void *transport;                 /* state of the transport, for on_idle; may be NULL */
    int version;                     /* protocol version, which selects rows of the method table */
    bool batches;                    /* arrays of messages are accepted */
    void (*on_idle)(struct peer *p); /* no call is in progress; may free the peer */

    struct rpc_in *serving;   /* newest first */
    size_t unanswered;        /* calls in `serving` that are not answered yet */
    struct rpc_out **awaited; /* slot table; the id of a call has its slot and generation */
    uint32_t awaited_room, awaited_count;
    uint32_t next_slot, generation;
    struct post idle;
};

void peer_init(struct peer *p, struct rpc *rpc, const struct peer_kind *kind, struct link *link,
               void *ctx);

/*
 * The connection has ended: calls that we serve are cancelled (their answers are dropped), and
 * calls that we made fail with ERR_CLOSED. on_idle follows, from the loop, when the last call has
 * ended.
 */
void peer_hang_up(struct peer *p);

/* Fail all calls that we made with this error. The other side is not notified. */
void peer_fail_calls(struct peer *p, const struct err *why);

/* A link was closed: cancel the calls that arrived over it. They get no answer. */
void peer_lose_link(struct peer *p, struct link *via);

/* The other side will send nothing more: the calls that we made fail with ERR_CLOSED. */
void peer_await_no_more(struct peer *p);

/* Is no call in progress, in either direction? */
bool peer_idle(const struct peer *p);

/* Free the memory of the peer, but not *p. The peer must be idle. */
void peer_fini(struct peer *p);

/* Handle a frame that has arrived over `via`. The answer is sent over the same link. */
void peer_receive(struct peer *p, struct link *via, const struct frame *frame);

/*
 * The same for a message that the owner of the link has already parsed, into via->mem. `m` is the
 * envelope of a single message; NULL: root is an array.
 */
void peer_receive_tree(struct peer *p, struct link *via, struct json root,
                       const struct rpc_message *m);

/* Send a notification over `via` (NULL: over p->link); params is raw JSON or STR_NONE. */
void peer_notify(struct peer *p, struct link *via, const char *method, struct str params);

/* ---- calls made to us ------------------------------------------------------------------- */

struct rpc_in {
    struct op op;      /* first; its done callback belongs to the peer */
    struct arena *mem; /* valid as long as the call */
    struct peer *peer;
    struct link *via;  /* the link of the request; NULL: it was closed */
    struct link *home; /* the link in whose memory it is allocated, or NULL */
    struct json id;    /* missing for a notification */
    struct str method;
    struct json params; /* an object, or missing */
    struct json meta;   /* the member _meta of params, or missing */
    int version;        /* the version in which it is served */
    void *data;         /* state of the handler */
    struct arena own;   /* memory of the call, unless the call uses the memory of a link or batch */
    struct buf text;    /* the bytes of the message, if it was too large to copy */
    struct rpc_batch *batch;
    struct rpc_in *older, *newer;
    bool answered, silent;
};

/*
 * A request handler answers with one of these functions, once, now or later. Work that continues
 * after the handler returns runs in child ops of in->op: they are cancelled with the call, and the
 * call lives until the last of them is done. A notification handler is done when it returns.
 */
struct jw *rpc_result_begin(struct rpc_in *in); /* write one value, then call rpc_result_end */
void rpc_result_end(struct rpc_in *in);
void rpc_result_raw(struct rpc_in *in, struct str json);

/* A result in at most RPC_PIECES pieces, each of which is copied at most once. */
enum { RPC_PIECES = LINK_PIECES - 4 };
void rpc_result_pieces(struct rpc_in *in, const struct str *piece, size_t n);
void rpc_error(struct rpc_in *in, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void rpc_error_data(struct rpc_in *in, int code, struct str message, struct str data);

/* Answer with an error; e->code is mapped by rpc_code_of. */
void rpc_error_of(struct rpc_in *in, const struct err *e);

/*
 * Decode the params by a table (base/pick.h); unknown members are ignored, and absent params mean {}.
 * False: the request was answered with the error.
 */
bool rpc_params(struct rpc_in *in, const struct pick *row, size_t rows, void *out);

/* Find a call of the other side by its id; NULL if it was answered already. */
struct rpc_in *peer_find_in(struct peer *p, struct json id);

/* The other side has cancelled the call: stop the work, and send no answer. */
void rpc_in_cancel(struct rpc_in *in);

/* Write an error response; id is raw JSON (STR_NONE: null), data raw JSON or STR_NONE. */
void rpc_write_error(struct jw *w, struct str id, int code, struct str message, struct str data);

/* ---- calls made by us ------------------------------------------------------------------- */

struct rpc_out {
    struct op op; /* first */
    struct rpc *rpc;
    struct peer *peer;
    struct link *via; /* NULL: peer->link */
    struct timer deadline;
    uint64_t id;
    struct arena mem;          /* holds the answer */
    struct buf text;           /* the bytes of the answer */
    struct json result, error; /* one of them is set if the op succeeded */
};

/*
 * Call a method over `via` (NULL: over p->link); params is raw JSON (an object) or STR_NONE. If the
 * other side answers with an error, the op succeeds and out->error is set. *out must stay valid
 * until done has returned; then rpc_out_fini frees the answer. Closing `via` does not end the call:
 * the answer may arrive over another link.
 */
void peer_call(struct peer *p, struct link *via, struct rpc_out *out, struct op *parent,
               const char *method, struct str params, int64_t timeout_ms, op_done_fn *done,
               void *ctx);
void rpc_out_fini(struct rpc_out *out);

/* Find a call that we made by its raw id; NULL: it is not in progress. */
struct rpc_out *peer_find_out(struct peer *p, struct str id);

/* Fail a call that will get no answer. The other side is not notified. */
void rpc_out_fail(struct rpc_out *out, const struct err *why);

/* Restart the deadline, for example when progress was reported. */
void rpc_out_extend(struct rpc_out *out, int64_t timeout_ms);

#endif
