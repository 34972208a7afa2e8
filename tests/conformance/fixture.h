/*
 * fixture.h - what the official MCP conformance suite expects to find at the server it tests.
 *
 * Each file holds the tables of one kind and joins them to the server's offer as a source of its
 * own. Names, texts and schemas are the suite's; how they are served is the program's.
 */
#ifndef CONFORMANCE_FIXTURE_H
#define CONFORMANCE_FIXTURE_H

#include "core/session/session.h"
#include "core/tool/offer.h"

void fixture_tools_join(struct offer *o);
void fixture_asks_join(struct offer *o);
void fixture_resources_join(struct offer *o);
void fixture_prompts_join(struct offer *o);

/* ---- tasks -------------------------------------------------------------------------------- */

struct agent_context;
struct store;

/* The tools that become tasks, and what keeps those. */
struct fixture_tasks {
    char folder[64];
    struct store *store;
    struct session_world world;
    struct agent_context *context; /* of the server's host, which has the engine */
    void (*closed)(void *ctx);
    void *closed_ctx;
};

bool fixture_tasks_open(struct fixture_tasks *t, struct offer *o, struct agent_context *context,
                        struct err *e);

/* Once no client is served any more. */
void fixture_tasks_close(struct fixture_tasks *t, void (*closed)(void *ctx), void *ctx);

/* ---- prompts ------------------------------------------------------------------------------ */

/* One prompt more than before, or that one less. */
void fixture_prompts_change(void);

/* ---- work that fixtures share ------------------------------------------------------------- */

/* A picture of one point and a moment of silence, as base64. */
#define FIXTURE_PNG                                                                                \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNQ6lYCAAGiANA2xievAAAAAElFTkSuQmCC"
#define FIXTURE_WAV "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=="

#define FIXTURE_IMAGE "{\"type\":\"image\",\"data\":\"" FIXTURE_PNG "\",\"mimeType\":\"image/png\"}"

/* The same answer always: call->who is FIXTURE_BLOCKS(...), raw JSON each. */
call_start_fn fixture_fixed;
#define FIXTURE_BLOCKS(...)                                                                        \
    (void *)(const char *const[])                                                                  \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* The schema of a tool without arguments. */
#define FIXTURE_NO_ARGS "{\"type\":\"object\",\"properties\":{}}"

/* Go on with the call after so many milliseconds; never, when it is cancelled meanwhile. */
void fixture_pause(struct call *call, int64_t ms, call_start_fn *then);

/* A string among the arguments; STR_NONE: there is none of that name. */
struct str fixture_arg(struct call *call, struct str name);

/* One block written as a stream; the writer is used up by fixture_block_end. */
struct fixture_block {
    struct call *call;
    struct buf text;
    struct jw w;
};

void fixture_block_begin(struct fixture_block *b, struct call *call);
void fixture_block_end(struct fixture_block *b);

/* ---- questions ---------------------------------------------------------------------------- */

enum { FIXTURE_ROUNDS = 2, FIXTURE_QUESTIONS = 3 };

struct fixture_question {
    enum ask_kind kind;
    const char *key;    /* NULL: no more in this round */
    const char *params; /* raw JSON; NULL: made by the script */
};

struct fixture_script;

/* A call that asks. */
struct fixture_asking {
    const struct fixture_script *script;
    struct call *call;
    struct ask ask[FIXTURE_ROUNDS * FIXTURE_QUESTIONS]; /* in the order they were asked */
    size_t asked, open, round;
    struct err why; /* the first that failed */
};

/* What to ask, round by round, the questions of a round at once; then how to finish. */
struct fixture_script {
    struct fixture_question round[FIXTURE_ROUNDS][FIXTURE_QUESTIONS];
    bool if_able;     /* leave out what this client cannot be asked, instead of refusing */
    const char *lead; /* how the answer begins */
    const char *arg;  /* the argument that goes into the params, by: */
    void (*params)(struct jw *w, struct str arg);
    void (*finish)(struct fixture_asking *a);
};

/* call->who is a script. */
call_start_fn fixture_ask;

/* From the content of the n-th answer, when it is a filled in form. */
struct str fixture_form_field(struct fixture_asking *a, size_t n, struct str name);

#endif
