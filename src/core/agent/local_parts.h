/*
 * local_parts.h - the internals of the local agent, shared by its files:
 *
 *   local_begin.c    starts the work: on a prompt, on an unfinished turn, to shorten the history
 *   local_turn.c     requests to the model, and what follows from an answer
 *   local_tools.c    the calls of an answer: they run in parallel, each result is stored on arrival
 *   local_caller.c   the agent as the caller of its tools: their progress and questions
 *   local_compact.c  shortens a conversation that does not fit into the model's context
 */
#ifndef CORE_AGENT_LOCAL_PARTS_H
#define CORE_AGENT_LOCAL_PARTS_H

#include "core/agent/local.h"
#include "core/session/history_record.h"
#include "core/session/turn_parts.h"
#include "core/session/undo.h"

/* ---- calls ----------------------------------------------------------------------------------- */

/* A call of the last answer. */
struct local_call {
    struct caller caller; /* first */
    struct local_turn *w;
    struct arena mem;
    const struct block *block; /* the call as the model wrote it; belongs to the history */
    struct call call;
    struct json args;
    struct str refusal;           /* why it does not run, as its result; STR_NONE: it runs */
    struct undo_look look, after; /* files it changes, before and after the call */
    struct turn_save save;
    struct event_tool event; /* its event for the client */
    struct block result;
    struct str tells; /* structured result that also becomes an event, raw JSON; else STR_NONE */
    enum tool_tells as;
};

/* Run the calls of the last answer that have no result, then call local_ask. */
void local_tools(struct local_turn *w);

/* Run none of those calls; store `why` as their result, then call local_ask. */
void local_tools_refuse(struct local_turn *w, const char *why);

void local_tools_free(struct local_turn *w);

/* The guard has let the call in, and it starts: report that. */
void local_call_runs(struct local_call *tc);

/* Fill tc->caller. */
void local_caller_init(struct local_call *tc);

/* A call that the model has named while its answer is still incomplete. */
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
    const struct agent_model *model; /* the model of the agent, or the fallback */

    /* to the model, in this turn */
    int64_t requests;
    struct err why; /* why the last request failed */

    struct arena ask_mem; /* for one request with its answer and checkpoint */
    struct model_request request;
    struct model_turn ask;
    bool told;             /* the client has received a part of this answer */
    struct named *named;   /* calls of this answer that the client knows */
    char message[ID_TEXT]; /* id of this answer */
    int shortened;         /* how often the history was shortened since the last answer */
    bool too_long;         /* the model rejected the conversation as too long */
    /* the turn only shortens the history (turn_compact) */
    bool only_shorten;
    int64_t after; /* for the compact record that is being made */

    struct local_call *call;
    size_t calls, left;
    /* calls whose files are being read, plus one while the loop that starts them runs */
    size_t looking;
    bool moved;    /* at least one of the calls was run */
    int64_t stuck; /* number of answers in a row of which no call was run */

    struct turn_save save;
};

/* Send the next request to the model, or end the turn if it was cancelled or a limit is reached. */
void local_ask(struct local_turn *w);

/* Shorten the history, then call local_ask; end the turn if it cannot be made shorter. */
void local_shorten(struct local_turn *w);

/* End the work on the prompt. why may be NULL. */
void local_end(struct local_turn *w, enum turn_stop stop, const struct err *why);

static inline struct local_turn *local_of(const struct turn *t)
{
    return t->prompt.work;
}

static inline bool local_stopping(const struct local_turn *w)
{
    return w->prompt->op.canceled;
}

/* Add the usage and cost of a request to the turn and the session. */
void local_spend(struct local_turn *w, const struct model_turn *t);

#endif
