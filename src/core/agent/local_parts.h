/*
 * local_parts.h - the inside of the local agent's work on a prompt, for its files:
 *
 *   local_begin.c    with a prompt, where a turn was broken off, to make room
 *   local_turn.c     asking the model, what its answer means
 *   local_tools.c    the calls of an answer: begun together, each result kept as it comes
 *   local_caller.c   the local agent as the caller of its tools: what they report and ask
 *   local_compact.c  making room in the model's window
 */
#ifndef CORE_AGENT_LOCAL_PARTS_H
#define CORE_AGENT_LOCAL_PARTS_H

#include "core/agent/local.h"
#include "core/session/history_record.h"
#include "core/session/turn_parts.h"
#include "core/session/undo.h"

/* ---- calls ----------------------------------------------------------------------------------- */

struct local_call {
    struct caller caller; /* first */
    struct local_turn *w;
    struct arena mem;
    const struct block *block; /* the model's words; of the history */
    struct call call;
    struct json args;
    struct str refusal;           /* why it is not run; STR_NONE: it is */
    struct undo_look look, after; /* files it changes, before and after */
    struct turn_save save;
    struct event_tool event; /* what is told of it */
    struct block result;
    struct str tells; /* structured result that is told as something, raw */
    enum tool_tells as;
};

/* Run the calls of the last answer that have no result; then local_ask. */
void local_tools(struct local_turn *w);

/* Give those calls this result instead; then local_ask. */
void local_tools_refuse(struct local_turn *w, const char *why);

void local_tools_free(struct local_turn *w);

/* It has begun. */
void local_call_runs(struct local_call *tc);

/* Preset tc->caller. */
void local_caller_init(struct local_call *tc);

/* A call that the model has named, and nobody has run yet. */
struct named {
    struct event_tool event;
    struct named *next;
};

/* ---- the turn -------------------------------------------------------------------------------- */

struct local_turn {
    struct agent_prompt *prompt;
    struct turn *turn;
    struct session *session;
    const struct local_agent *agent;
    const struct agent_def *def;
    const struct agent_model *model; /* the agent's, or its fallback */

    int64_t requests;
    struct err why; /* the last request failed */

    struct arena ask_mem; /* of one step: a request and its answer, a checkpoint */
    struct model_request request;
    struct model_turn ask;
    bool told;             /* something of this answer */
    struct named *named;   /* calls of it that were told */
    char message[ID_TEXT]; /* its id */
    int shortened;         /* times, since the last answer */
    bool too_long;         /* the model said so */
    bool only_shorten;
    int64_t after; /* of the record that is being made */

    struct local_call *call;
    size_t calls, left;
    size_t looking; /* calls whose files are being looked at */
    bool moved;     /* one of them was run */
    int64_t stuck;  /* answers in a row of which none was */

    struct turn_save save;
};

/* The next request to the model, or the end. */
void local_ask(struct local_turn *w);

/* Sum up what is old, then local_ask; or the end when nothing helps. */
void local_shorten(struct local_turn *w);

/* Over. why may be NULL. */
void local_end(struct local_turn *w, enum turn_stop stop, const struct err *why);

static inline struct local_turn *local_of(const struct turn *t)
{
    return t->prompt.work;
}

static inline bool local_stopping(const struct local_turn *w)
{
    return w->prompt->op.canceled;
}

/* Count what a request has cost. */
void local_spend(struct local_turn *w, const struct model_turn *t);

#endif
