/*
 * turn.h - one prompt, worked on by the agent of a session until it has answered.
 *
 *   STORING ──> WORKING ──> ENDING ──> OVER
 *      │           │           │
 *      └───────────┴───────────┴────> BROKEN
 *
 * STORING  the prompt is being stored
 * WORKING  the agent's kind works on it (agent.h); what it reports is recorded, and told
 * ENDING   the kind has settled; the last records and the reason of the end are being stored
 * OVER     the end was told; the op has settled well
 * BROKEN   the store failed: the op fails, nothing more is told, the session can be opened anew
 *
 * A turn is the same for every kind of agent. Cancelling is asking the op: what runs is stopped,
 * what was said is kept, and the turn ends well with TURN_CANCELED; tool calls that are still open
 * are reported as canceled first.
 */
#ifndef CORE_SESSION_TURN_H
#define CORE_SESSION_TURN_H

#include "core/session/session.h"

enum turn_state { TURN_STORING, TURN_WORKING, TURN_ENDING, TURN_OVER, TURN_BROKEN, TURN_STATES };

struct turn_prompt {
    const struct block *block; /* text, media and resources */
    size_t blocks;
    size_t preface; /* how many of them stand before what was asked, and give no title */
    struct str id;  /* of the message, as its client named it; STR_NONE: it gets one */
};

struct turn {
    struct op op; /* first */
    enum turn_state state;
    struct session *session;
    struct work_client *client;
    char id[ID_TEXT];

    /* Known when it is done: */
    enum turn_stop stop;
    struct err why; /* of TURN_FAILED and others with a reason */
    struct model_usage usage;
    double cost; /* US dollars; negative: not known */

    struct agent_prompt prompt; /* for the kind */
    struct turn_work *work;     /* its own */
};

/*
 * Work on a prompt. ERR_DENIED when a turn is under way. Everything borrowed lives until the op
 * is done. Zero *t before. session->history holds the answer: history_answer.
 */
void turn_start(struct turn *t, struct session *s, struct work_client *client,
                const struct turn_prompt *prompt, struct op *parent, op_done_fn *done, void *ctx);

/*
 * Resume the interrupted turn (session->interrupted), without a new prompt. With an agent
 * that cannot resume (no AGENT_RESUMES) the turn ends as TURN_FAILED.
 */
void turn_resume(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                 op_done_fn *done, void *ctx);

/* Shorten the history now; ends as TURN_FAILED with an agent that cannot (no AGENT_COMPACTS). */
void turn_compact(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                  op_done_fn *done, void *ctx);

/* The id of the call in whose name something is asked; for clients. */
struct str turn_call_id(const struct ask *ask);

/* ---- for kinds of agents, while the turn is WORKING ------------------------------------------ */

/* The agent that works on it; the session's own may have been changed for the next turn. */
const struct agent *turn_agent(const struct turn *t);

/*
 * The agent reports what it does: it is recorded in the history, and the client is told when the
 * record is stored. Text and thoughts are told before they are stored, but after all that was
 * reported earlier. They come in pieces, by message id (STR_NONE: of the same message as before); a
 * tool call is one the agent executes itself, from its first status to its last: its name and
 * arguments are recorded when it runs; an artifact comes in pieces.
 */
void turn_event(struct turn *t, const struct event *ev);

/* A question of the agent to its client; an op under the prompt. Zero it. */
struct turn_question {
    struct op op; /* first */
    struct turn *turn;
    struct caller caller;
    struct call call;
    struct arena mem;
    struct ask ask;
    struct str id; /* of the tool call it is about; may be empty */
    enum ask_kind kind;
    struct str params;  /* as in struct ask */
    struct json answer; /* once the op succeeded; lives until turn_question_fini */
    const char *name;
    bool waits;                 /* for the store */
    struct turn_question *next; /* that waits, too */
};

/*
 * Ask, when all that was reported before is stored; set id, kind and params, which live as long as
 * the question, and so does name, that of the tool it is about. Fails with ERR_DENIED when the client cannot be asked, and as struct ask does. The time
 * of the turn stands still while a question is open.
 */
void turn_ask(struct turn_question *q, struct turn *t, const char *name, op_done_fn *done,
              void *ctx);
void turn_question_fini(struct turn_question *q);

#endif
