/*
 * reply.h - collect the answer of a model from its stream.
 *
 * A format (format.h) identifies each block by a key, usually its index in the stream, and appends
 * to it. Each piece of text (delta) is also reported as an event of the turn when it arrives. If
 * blocks have the same key, the newest one is used. Every function fails with ERR_LIMIT when the
 * answer exceeds model_answer_bytes or model_blocks.
 */
#ifndef PROVIDER_REPLY_H
#define PROVIDER_REPLY_H

#include "base/limits.h"
#include "core/model.h"

struct reply_block {
    struct block b;
    int64_t key;
    struct buf text; /* the text or thought; for a call, its arguments */
    uint32_t half; /* the first half of a character that was split between two deltas (utf8_join) */
};

struct reply {
    struct model_turn *turn;
    const struct limits *limits;
    const char *by; /* name of the provider, for sealed blocks */
    struct reply_block *block;
    size_t blocks, room;
    size_t bytes; /* total size of the blocks */
    bool told;    /* a delta was reported, so the request must not be retried */
    bool stopped; /* the reason why the answer stopped is known */
    bool over;    /* the answer is complete */
};

/* Begin an answer. Data of an earlier attempt is removed from the turn. */
void reply_init(struct reply *r, struct model_turn *t, const struct limits *l, const char *by);

/* The newest block of this kind and key, or NULL. */
struct reply_block *reply_find(struct reply *r, enum block_kind kind, int64_t key);

/* Add a block. NULL: limits.model_blocks is reached. */
struct reply_block *reply_add(struct reply *r, enum block_kind kind, int64_t key, struct err *e);

/*
 * Append to the block with this key, which is created if needed. Empty deltas do nothing. A delta
 * may begin or end with half a surrogate pair (member_delta): the halves are joined.
 */
bool reply_text(struct reply *r, int64_t key, struct str delta, struct err *e);
bool reply_thought(struct reply *r, int64_t key, struct str delta, struct err *e);

/* Begin a call. If id is empty, the call gets a new id. */
bool reply_call(struct reply *r, int64_t key, struct str id, struct str name, struct err *e);
bool reply_args(struct reply *r, int64_t key, struct str delta, struct err *e);

/* Add a complete image or audio. */
bool reply_media(struct reply *r, struct str type, struct str data, struct err *e);

/* Seal a block: keep data (raw JSON, copied) that must be sent back to the provider with it. */
bool reply_seal(struct reply *r, struct reply_block *b, struct str raw, struct err *e);

/* Set the reason why the answer stopped. */
void reply_stop(struct reply *r, enum model_stop stop);

/* Set the name of the model that answers. Only the first use of this function has an effect. */
void reply_model(struct reply *r, struct str name);

/*
 * Store the blocks as the answer of the turn. If a complete answer ends with calls, its stop reason
 * is STOP_TOOLS. A failed answer keeps no calls.
 */
void reply_finish(struct reply *r, bool failed);

#endif
