/*
 * turn.h - a turn: the work of an agent on one prompt, from the prompt to its answer.
 *
 *   STORING ──> WORKING ──> ENDING ──> OVER
 *      │           │           │
 *      └───────────┴───────────┴────> BROKEN
 *
 *   STORING  the prompt is being stored
 *   WORKING  the agent works on it (agent.h); its events go into the history and to the client
 *   ENDING   the agent has finished; the last records and the end record are being stored
 *   OVER     the client has the end event; the op has succeeded
 *   BROKEN   the store failed: the op fails and the client gets no further events. The session
 *            can be opened again
 *
 * A turn is the same for every kind of agent. Cancelling the op stops the agent and reports its
 * open tool calls as canceled. What the agent has said is stored, and the turn ends with
 * TURN_CANCELED; its op succeeds.
 */
#ifndef CORE_SESSION_TURN_H
#define CORE_SESSION_TURN_H

#include "core/session/session.h"

enum turn_state { TURN_STORING, TURN_WORKING, TURN_ENDING, TURN_OVER, TURN_BROKEN, TURN_STATES };

struct turn_prompt {
    const struct block *block; /* text, media and resources */
    size_t blocks;
    /* how many of them are an instruction before the user's text; the title ignores them */
    size_t preface;
    struct str id; /* id of the message, chosen by the client; STR_NONE: the turn chooses one */
};

struct turn {
    struct op op; /* first */
    enum turn_state state;
    struct session *session;
    struct work_client *client;
    char id[ID_TEXT];

    /* Results: */
    enum turn_stop stop;
    struct err why; /* the reason, if stop has one; else code 0 */
    struct model_usage usage;
    double cost; /* US dollars; negative: unknown */

    struct agent_prompt prompt; /* passed to the agent's kind */
    struct turn_work *work;     /* private */
};

/*
 * Start a turn. Fails with ERR_DENIED if the session has a running turn. *t, *client and the data
 * of *prompt must stay valid until the op is done. Afterwards history_answer(session->history) is
 * the answer.
 */
void turn_start(struct turn *t, struct session *s, struct work_client *client,
                const struct turn_prompt *prompt, struct op *parent, op_done_fn *done, void *ctx);

/*
 * Resume the interrupted turn of the session (session->interrupted) without a new prompt. If the
 * agent cannot resume (no AGENT_RESUMES), the turn ends as TURN_FAILED.
 */
void turn_resume(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                 op_done_fn *done, void *ctx);

/*
 * Shorten the history now. If the agent cannot (no AGENT_COMPACTS), the turn ends as TURN_FAILED.
 */
void turn_compact(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                  op_done_fn *done, void *ctx);

/* For clients: the id of the tool call that an ask belongs to; STR_NONE: it has none. */
struct str turn_call_id(const struct ask *ask);

/* ---- for kinds of agents, while the turn is WORKING ------------------------------------------ */

/* The agent of the turn. session->agent may already be another one, for the next turn. */
const struct agent *turn_agent(const struct turn *t);

/*
 * Report an event of the agent. It goes into the history, and to the client once its record is
 * stored. Text and thoughts go to the client before they are stored, but after all earlier events.
 * They arrive in pieces with the id of their message (STR_NONE: the same message as before). A tool
 * event is about a call that the agent runs itself, and is reported at each change of status; the
 * name and the arguments are recorded when the call starts. Artifacts arrive in pieces.
 */
void turn_event(struct turn *t, const struct event *ev);

/* A question of the agent to the client of the turn. An op below the prompt. Zero it. */
struct turn_question {
    struct op op; /* first */
    struct turn *turn;
    struct caller caller;
    struct call call;
    struct arena mem;
    struct ask ask;
    struct str id; /* id of the tool call that the question is about; may be empty */
    enum ask_kind kind;
    struct str params;  /* as in struct ask */
    struct json answer; /* result; valid until turn_question_fini */
    const char *name;
    bool waits;                 /* earlier events are still being stored */
    struct turn_question *next; /* the next question that waits */
};

/*
 * Ask the client, once all earlier events are stored. q->id, kind and params must be set. They stay
 * valid until the op is done, and so does `name`, the name of the tool that the question is about.
 * ERR_DENIED: the client cannot be asked; other errors as for struct ask. The time limit of the turn
 * is suspended while a question is open.
 */
void turn_ask(struct turn_question *q, struct turn *t, const char *name, op_done_fn *done,
              void *ctx);
void turn_question_fini(struct turn_question *q);

#endif
