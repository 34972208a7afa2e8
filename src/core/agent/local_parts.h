/*
 * local_parts.h - the internals of the local agent, shared by its files:
 *
 *   local_begin.c    the entry points: work on a prompt, resume a turn, shorten the history
 *   local_turn.c     sends requests to the model, and decides what to do with the answer
 *   local_tools.c    runs the calls of an answer in parallel, and stores each result on arrival
 *   local_caller.c   handles the progress and the questions of the agent's tools
 *   local_compact.c  shortens a conversation that does not fit into the model's context
 */
#ifndef CORE_AGENT_LOCAL_PARTS_H
#define CORE_AGENT_LOCAL_PARTS_H

#include "core/agent/local.h"
#include "core/session/history_record.h"
#include "core/session/turn_parts.h"
#include "core/session/undo.h"

/* ---- calls ----------------------------------------------------------------------------------- */

/* A tool call that the last answer of the model contains. */
struct local_call {
    struct caller caller; /* first */
    struct local_turn *w;
    struct arena mem;
    const struct block *block; /* the call as the model wrote it; belongs to the history */
    struct call call;
    struct json args;
    /* if the call cannot run: the reason, which becomes its result; else STR_NONE */
    struct str refusal;
    struct undo_look look, after; /* the files that the call changes, before and after the call */
    struct turn_save save;
    struct event_tool event; /* the event that reports the call to the client */
    struct block result;
    struct str tells;   /* structured result that also becomes an event, raw JSON; else STR_NONE */
    enum tool_tells as; /* the kind of that event */
};

/* Run the calls of the last answer that have no result, then call local_ask. */
void local_tools(struct local_turn *w);

/* Do not run the calls of the last answer; store `why` as their result, then call local_ask. */
void local_tools_refuse(struct local_turn *w, const char *why);

void local_tools_free(struct local_turn *w);

/* Report to the client that the call starts, because the guard has allowed the call. */
void local_call_runs(struct local_call *tc);

/* Initialize tc->caller. */
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

    /* number of requests to the model in this turn */
    int64_t requests;
    struct err why; /* why the last request failed */

    struct arena ask_mem; /* memory of one request, its answer and its checkpoint */
    struct model_request request;
    struct model_turn ask;
    bool told;             /* the client has received a part of this answer */
    struct named *named;   /* calls of this answer that were reported to the client */
    char message[ID_TEXT]; /* id of this answer */
    int shortened;         /* how often the history was shortened since the last answer */
    bool too_long;         /* the model rejected the conversation as too long */
    /* the turn only shortens the history (turn_compact) */
    bool only_shorten;
    int64_t after; /* the value of "after" in the next compact record (history.h) */

    struct local_call *call;
    size_t calls, left;
    /* calls whose files are being read, plus one while the loop that starts them runs */
    size_t looking;
    bool moved;    /* at least one call of the last answer was run */
    int64_t stuck; /* number of answers in a row whose calls were not run */

    struct turn_save save;
};

/* Send the next request to the model, or end the turn if it was cancelled or a limit is reached. */
void local_ask(struct local_turn *w);

/* Shorten the history, then call local_ask. If that is not possible, end the turn. */
void local_shorten(struct local_turn *w);

/* End the work on the prompt. `why` may be NULL. */
void local_end(struct local_turn *w, enum turn_stop stop, const struct err *why);

static inline struct local_turn *local_of(const struct turn *t)
{
    return t->prompt.work;
}

static inline bool local_stopping(const struct local_turn *w)
{
    return w->prompt->op.canceled;
}

/*
 * True if the turn was parked: this process stops, and another process can resume the turn. Then
 * only complete answers may be stored.
 */
static inline bool local_parked(const struct local_turn *w)
{
    return w->prompt->op.canceled && w->turn->parked;
}

/* Add the usage and cost of a request to the turn and the session. */
void local_spend(struct local_turn *w, const struct model_turn *t);

#endif
