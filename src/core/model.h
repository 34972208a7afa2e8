/*
 * model.h - requests to a language model: the port that providers implement.
 *
 * One request is one answer of the model: given the conversation so far and the tools it may
 * call, it streams text and thoughts, names tool calls, and stops for a reason. The turn runs the
 * calls; a provider implements only HTTP and one wire format.
 *
 * The conversation is neutral: blocks that every provider can write in its format. Data that a
 * provider needs back byte for byte (a signature under a thought, an encrypted item) is kept as
 * `sealed` and only sent to the provider that made it.
 */
#ifndef CORE_MODEL_H
#define CORE_MODEL_H

#include "base/json.h"
#include "base/limits.h"
#include "loop/op.h"

/* ---- the conversation --------------------------------------------------------------------- */

enum block_kind {
    BLOCK_TEXT,
    BLOCK_THOUGHT,
    BLOCK_MEDIA,  /* image, audio or another file */
    BLOCK_CALL,   /* the model requests a tool call */
    BLOCK_RESULT, /* of such a call */
};

struct block {
    enum block_kind kind;
    struct str text; /* text, thought; of a result: the text for the model */
    struct str type; /* media type of media, and of a resource; STR_NONE: plain text */
    /*
     * of a text in a prompt: the resource it is from or, without text, a link to it. STR_NONE: text
     * of the user
     */
    struct str uri;
    struct str data;           /* base64 of media */
    struct str id;             /* of a call, and of its result */
    struct str name;           /* of the tool, or of a resource */
    struct str args;           /* of a call: a raw JSON object. If the model wrote no object: its
                                * text as a raw JSON string, so that it can be shown the error */
    struct str sealed;         /* raw JSON that only `by` understands; STR_NONE: none */
    const char *by;            /* name of the provider that sealed it */
    bool is_error;             /* of a result */
    bool is_data;              /* of a text: it is one valid JSON value */
    const struct block *media; /* of a result: its images and audio */
    size_t medias;
};

enum message_role { ROLE_USER, ROLE_ASSISTANT };

/* Calls are in messages of the assistant, results in messages of the user. */
struct message {
    enum message_role role;
    const struct block *block;
    size_t blocks;
};

struct model_tool {
    struct str name, description;
    struct str schema; /* raw JSON Schema of the arguments */
};

/* ---- the answer --------------------------------------------------------------------------- */

enum model_stop {
    STOP_END,      /* the model has finished its answer */
    STOP_TOOLS,    /* it waits for the results of tool calls */
    STOP_LENGTH,   /* its answer was truncated at max_tokens; its last call may be incomplete */
    STOP_CONTEXT,  /* the conversation is too long for it */
    STOP_REFUSED,  /* the model or a filter of the provider refuses to answer */
    STOP_NO_MODEL, /* no model is configured: the op has failed, with the reason */
};

/* Tokens; 0 if the provider does not report them. */
struct model_usage {
    int64_t input, output;
    int64_t cache_read, cache_write; /* parts of the input */
    int64_t thinking;                /* part of the output */
};

struct model_turn;

/* Deltas, as they arrive; borrowed for the call. All may be NULL. */
struct model_events {
    void (*on_text)(struct model_turn *t, struct str delta);
    void (*on_thought)(struct model_turn *t, struct str delta);
    /* The model has named a call; its arguments are still arriving. */
    void (*on_call)(struct model_turn *t, struct str id, struct str name);
    /*
     * The provider retries (429, 5xx, a stream broken before the first delta): the reason, and
     * when.
     */
    void (*on_retry)(struct model_turn *t, const struct err *why, int64_t in_ms);
};

/* ---- one request --------------------------------------------------------------------------- */

enum model_effort { EFFORT_DEFAULT, EFFORT_NONE, EFFORT_LOW, EFFORT_MEDIUM, EFFORT_HIGH };

/* Borrowed until the turn is done. */
struct model_request {
    struct str model;  /* as the provider spells it */
    struct str system; /* STR_NONE: none */
    const struct message *message;
    size_t messages;
    const struct model_tool *tool;
    size_t tools;
    int64_t max_tokens; /* 0: the provider's default */
    enum model_effort effort;
    double temperature; /* negative: the default */
};

/*
 * An op. On success `answer` is the model's answer as blocks in mem, ready to be the next assistant
 * message. It fails with ERR_DENIED (key, quota), ERR_TIMEOUT, ERR_CLOSED (connection lost),
 * ERR_INVALID (a malformed request or response), ERR_LIMIT (too large) or ERR_CANCELED. Then
 * `answer` holds the blocks that had arrived, without tool calls, because an incomplete call must
 * not run. The provider retries until the first delta arrives. A conversation that is too
 * long is not a failure but STOP_CONTEXT.
 *
 * Set mem, request, events and owner, the rest to 0; then call model_ask.
 */
struct model_turn {
    struct op op; /* first */
    struct arena *mem;
    const struct model_request *request;
    const struct model_events *events;
    void *owner; /* of the events */
    struct message answer;
    enum model_stop stop;
    struct model_usage usage;
    struct str model; /* the model that answered, as the provider names it */
    void *data;       /* the provider's */
};

struct provider;

/* The functions of a provider; one file, one row. */
struct provider_kind {
    const char *name;         /* "anthropic" */
    const struct op_kind *op; /* of a turn */
    void (*start)(struct provider *p, struct model_turn *t);
};

/* A provider with its address and key. Must outlive its turns. */
struct provider {
    const struct provider_kind *kind;
    const char *name; /* as configured; also block.by of the blocks that it has sealed */
    struct loop *loop;
    void *state; /* of the provider */
};

/* Send a request. *t must live until it is done. Events and the end are delivered from the loop. */
static inline void model_ask(struct provider *p, struct model_turn *t, struct op *parent,
                             op_done_fn *done, void *ctx)
{
    op_begin(&t->op, p->kind->op, p->loop, parent, done, ctx);
    p->kind->start(p, t);
}

#endif
