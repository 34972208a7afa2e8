/*
 * turn.h - a turn: the work of an agent on one prompt, from the prompt to its answer.
 *
 *   STORING ──> WORKING ──> ENDING ──> OVER
 *      │           │           │
 *      └───────────┴───────────┴────> BROKEN
 *
 *   STORING  the prompt is being stored
 *   WORKING  the agent works on the prompt (agent.h); events go into the history and to the client
 *   ENDING   the agent has finished; the last records and the end record are being stored
 *   OVER     the client has received the end event, and the op has succeeded
 *   BROKEN   the store failed, or the turn was parked: the op fails and the client gets no further
 *            events. The session can be opened again
 *
 * A turn works the same way for every kind of agent. Cancelling the op stops the agent and reports
 * its open tool calls as cancelled. The text so far is stored, the turn ends with TURN_CANCELED,
 * and the op succeeds.
 *
 * Parking a turn stops it like a kill of the process: no end is stored, so that another process can
 * resume the turn.
 */
#ifndef CORE_SESSION_TURN_H
#define CORE_SESSION_TURN_H

#include "core/session/session.h"

enum turn_state { TURN_STORING, TURN_WORKING, TURN_ENDING, TURN_OVER, TURN_BROKEN, TURN_STATES };

struct turn_prompt {
    const struct block *block; /* the parts of the prompt: text, media and resources */
    size_t blocks;
    /*
     * number of blocks at the beginning that are an instruction and not the user's text. The title
     * of the session omits them
     */
    size_t preface;
    struct str id; /* id of the message, chosen by the client; STR_NONE: the turn chooses one */
    struct str message; /* another id that the client has for the message; STR_NONE: none */
};

struct turn {
    struct op op; /* first */
    enum turn_state state;
    struct session *session;
    struct work_client *client;
    char id[ID_TEXT];
    bool parked; /* true if turn_park was called and the agent can resume */

    /* Results: */
    enum turn_stop stop;
    struct err why; /* the reason for `stop`; if its code is 0, no reason is given */
    struct model_usage usage;
    double cost; /* US dollars; negative: unknown */

    struct agent_prompt prompt; /* the prompt as passed to the agent's kind */
    struct turn_work *work;     /* private */
};

/*
 * Start a turn. Fails with ERR_DENIED if a turn is already running in the session. *t, *client and
 * the data of *prompt must stay valid until the op is done. Afterwards
 * history_answer(session->history) returns the answer.
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
 * Stop the turn because this process stops: cancel the agent, store no end, and fail the op with
 * ERR_CANCELED. The session keeps the turn as interrupted, so that turn_resume can resume it. If
 * the agent cannot resume (no AGENT_RESUMES), the turn is cancelled instead.
 */
void turn_park(struct turn *t);

/*
 * Shorten the history now. If the agent cannot do that (no AGENT_COMPACTS), the turn ends as
 * TURN_FAILED.
 */
void turn_compact(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                  op_done_fn *done, void *ctx);

/*
 * Return the id of the tool call that an ask belongs to, for clients. STR_NONE: the ask has no
 * call.
 */
struct str turn_call_id(const struct ask *ask);

/* ---- for kinds of agents, while the turn is WORKING ------------------------------------------ */

/* The agent of the turn. session->agent may already be another agent, for the next turn. */
const struct agent *turn_agent(const struct turn *t);

/*
 * Report an event of the agent. The turn adds the event to the history, and sends it to the client
 * when its record is stored. Text and thoughts are sent before they are stored, but after all
 * earlier events.
 *
 * Report text and thoughts in pieces, with the id of the message (STR_NONE: the same message as
 * before). Report a tool event for each change of status of a call that the agent runs itself; the
 * name and arguments of the call are recorded when the call starts. Report artifacts in pieces.
 */
void turn_event(struct turn *t, const struct event *ev);

/*
 * Store the agent's state (agent_kind.save) now, and not only with the next record. For a state
 * that the agent needs to resume the turn although nothing has happened in it yet, such as the id
 * of a task in another process.
 */
void turn_checkpoint(struct turn *t);

/*
 * A question of the agent to the client of the turn. Its op is a child of the prompt's op. Zero it.
 */
struct turn_question {
    struct op op; /* first */
    struct turn *turn;
    struct caller caller;
    struct call call;
    struct arena mem;
    struct ask ask;
    struct str id; /* id of the tool call that the question is about; may be empty */
    enum ask_kind kind;
    struct str params; /* as in struct ask; for a permission: "message" and perhaps "options" */
    /* for a permission: the agent's description of the call; NULL: use the reported call */
    const struct event_tool *about;
    const char *name;

    /* Results, valid until turn_question_fini: */
    struct json answer; /* the answer, unless the question is a permission */
    /*
     * for a permission: id of the chosen option; STR_NONE: the call was rejected, but the agent has
     * offered no option that rejects
     */
    struct str option;
    bool allows; /* for a permission: the call is allowed */

    /* private: */
    struct json wish;           /* for a permission: `params`, parsed */
    struct json offer;          /* for a permission: options and schema, as the client gets them */
    bool decided;               /* `option` and `allows` are set */
    bool waits;                 /* the question waits until earlier events are stored */
    struct turn_question *next; /* the next question that waits */
};

/*
 * Ask the client, after all earlier events are stored. q->id, q->kind and q->params must be set.
 * `name` is the name of the tool that the question is about. All these texts must stay valid until
 * the op is done. ERR_DENIED: the client cannot be asked; other errors as for struct ask. The time
 * limit of the turn is suspended while a question is open.
 *
 * The guard judges a permission question first, and often decides without asking the client
 * (turn_permission.c). It judges the call that q->about describes. Members that *about does not set
 * are taken from the reported call with the id q->id. If the client cannot be asked, the permission
 * is rejected: the op succeeds, and a notice contains the reason.
 */
void turn_ask(struct turn_question *q, struct turn *t, const char *name, op_done_fn *done,
              void *ctx);
void turn_question_fini(struct turn_question *q);

#endif
