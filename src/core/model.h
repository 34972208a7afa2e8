/*
 * model.h - requests to a language model: the port that providers implement.
 *
 * A request sends the conversation so far and a list of tools. The model answers with a stream of
 * text, thoughts and tool calls, and stops for a reason. A provider implements only HTTP and one
 * wire format; the turn (core/session/turn.h) runs the tool calls.
 *
 * The conversation is a list of blocks that does not depend on a provider. Some providers require
 * that a later request returns some of their data byte for byte, such as the signature of a thought
 * or an encrypted item. Such data is kept in block.sealed and sent only to the provider that
 * created it.
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
    BLOCK_RESULT, /* the result of a tool call */
};

struct block {
    enum block_kind kind;
    struct str text; /* BLOCK_TEXT, BLOCK_THOUGHT; BLOCK_RESULT: the text for the model */
    struct str type; /* media type of media or of a resource; STR_NONE: plain text */
    /*
     * BLOCK_TEXT in a prompt: the URI of the resource that the text comes from. If the block has no
     * text, it is a link to the resource. STR_NONE: the user wrote the text
     */
    struct str uri;
    struct str data; /* the bytes of media, in base64 */
    struct str id;   /* BLOCK_CALL: id of the call; BLOCK_RESULT: id of the call it belongs to */
    struct str name; /* name of the tool, or of the resource */
    /*
     * BLOCK_CALL: the arguments as a raw JSON object. If the model wrote something else, `args` is
     * the model's text as a raw JSON string, so that the error can be shown to the model
     */
    struct str args;
    struct str sealed;         /* raw JSON that only the provider `by` understands; or STR_NONE */
    const char *by;            /* name of the provider that created `sealed` */
    bool is_error;             /* BLOCK_RESULT: the call has failed */
    bool is_data;              /* BLOCK_TEXT: the text is one valid JSON value */
    const struct block *media; /* BLOCK_RESULT: the images and audio of the result */
    size_t medias;
};

enum message_role { ROLE_USER, ROLE_ASSISTANT };

/* Tool calls are in messages of the assistant, and their results in messages of the user. */
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
    STOP_TOOLS,    /* the model waits for the results of tool calls */
    STOP_LENGTH,   /* the answer was truncated at max_tokens; its last call may be incomplete */
    STOP_CONTEXT,  /* the conversation is too long for the model */
    STOP_REFUSED,  /* the model or a filter of the provider refuses to answer */
    STOP_NO_MODEL, /* no model is configured: the op has failed, with the reason */
};

/* Numbers of tokens; 0 if the provider does not report them. */
struct model_usage {
    int64_t input, output;
    int64_t cache_read, cache_write; /* both are included in `input` */
    int64_t thinking;                /* included in `output` */
};

struct model_turn;

/*
 * Callbacks that are called as the parts of an answer arrive. The arguments are borrowed. Each
 * callback may be NULL.
 */
struct model_events {
    void (*on_text)(struct model_turn *t, struct str delta);
    void (*on_thought)(struct model_turn *t, struct str delta);
    /* The model has named a call; its arguments are still arriving. */
    void (*on_call)(struct model_turn *t, struct str id, struct str name);
    /*
     * The provider will retry after in_ms milliseconds, because of status 429 or 5xx, or because
     * the stream broke before the first delta.
     */
    void (*on_retry)(struct model_turn *t, const struct err *why, int64_t in_ms);
};

/* ---- one request --------------------------------------------------------------------------- */

enum model_effort { EFFORT_DEFAULT, EFFORT_NONE, EFFORT_LOW, EFFORT_MEDIUM, EFFORT_HIGH };

/* A request to a model. The request and its data are borrowed until the model_turn is done. */
struct model_request {
    struct str model;  /* name of the model, as the provider spells it */
    struct str system; /* the system prompt; STR_NONE: there is none */
    const struct message *message;
    size_t messages;
    const struct model_tool *tool;
    size_t tools;
    int64_t max_tokens; /* most tokens of the answer; 0: the provider's default */
    enum model_effort effort;
    double temperature; /* negative: the provider's default */
};

/*
 * An op that sends one request to a model. On success `answer` holds the model's answer as blocks
 * in mem, ready to be the next assistant message. The op fails with ERR_DENIED (the key is not
 * valid, or the quota is used up), ERR_TIMEOUT, ERR_CLOSED (connection lost), ERR_INVALID (a
 * malformed request or response), ERR_LIMIT (too large) or ERR_CANCELED. After a failure `answer`
 * holds the blocks that had arrived, without tool calls, because an incomplete call must not run.
 * The provider retries until the first delta arrives. A conversation that is too long is not a
 * failure: the op succeeds with STOP_CONTEXT.
 *
 * Set `mem`, `request`, `events` and `owner`, and zero all other members; then call model_ask.
 */
struct model_turn {
    struct op op; /* first */
    struct arena *mem;
    const struct model_request *request;
    const struct model_events *events;
    void *owner; /* data for the event callbacks */
    struct message answer;
    enum model_stop stop;
    struct model_usage usage;
    struct str model; /* the model that answered, as the provider names it */
    void *data;       /* private to the provider */
};

struct provider;

/* The functions of a kind of provider. Each kind is one file. */
struct provider_kind {
    const char *name;         /* name in the configuration, such as "anthropic" */
    const struct op_kind *op; /* the op functions of a struct model_turn */
    void (*start)(struct provider *p, struct model_turn *t);
};

/* A provider with its address and key. It must outlive its requests. */
struct provider {
    const struct provider_kind *kind;
    const char
        *name; /* as configured; also the value of block.by in blocks with its `sealed` data */
    struct loop *loop;
    void *state; /* private to the provider */
};

/* Send a request. *t must live until the op is done. All callbacks are called from the loop. */
static inline void model_ask(struct provider *p, struct model_turn *t, struct op *parent,
                             op_done_fn *done, void *ctx)
{
    op_begin(&t->op, p->kind->op, p->loop, parent, done, ctx);
    p->kind->start(p, t);
}

#endif
