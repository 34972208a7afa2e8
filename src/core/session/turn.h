/*
 * turn.h - one prompt, worked on until the agent has answered.
 *
 *   LOAD     the prompt is stored
 *   ASK      history is made shorter when it does not fit; the model is asked
 *   STREAM   its words are told as they come; its answer is stored
 *   TOOLS    that its calls begin is stored, then they run side by side; each result is stored as it
 *            comes; back to ASK
 *   END      why it ended is stored, then told
 *
 * Stored before it is told or done, so that a process that is killed at any moment loses nothing
 * that somebody knows of, and runs no tool twice: a call that was begun and has no result is told
 * to the model as "interrupted, outcome unknown".
 *
 * Cancelling is asking the op: what runs is stopped, what was said is kept, and the turn ends well
 * with TURN_CANCELED. A turn never fails but when the store does: then the op fails, nothing more
 * is told, and the session can be opened anew.
 */
#ifndef CORE_SESSION_TURN_H
#define CORE_SESSION_TURN_H

#include "core/session/session.h"

struct turn_prompt {
    const struct block *block; /* text, media and resources */
    size_t blocks;
    size_t preface; /* how many of them stand before what was asked, and give no title */
    struct str id;  /* of the message, as its client named it; STR_NONE: it gets one */
};

struct turn {
    struct op op; /* first */
    struct session *session;
    struct work_client *client;
    char id[ID_TEXT];

    /* Known when it is done: */
    enum turn_stop stop;
    struct err why; /* of TURN_FAILED and others with a reason */
    struct model_usage usage;
    double cost; /* US dollars; negative: not known */

    struct turn_work *work; /* its own */
};

/*
 * Work on a prompt. ERR_DENIED when a turn is under way. Everything borrowed lives until the op
 * is done. Zero *t before. session->history holds the answer: history_answer.
 */
void turn_start(struct turn *t, struct session *s, struct work_client *client,
                const struct turn_prompt *prompt, struct op *parent, op_done_fn *done, void *ctx);

/* Go on with the turn that was broken off (session->broken_off), without a new prompt. */
void turn_resume(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                 op_done_fn *done, void *ctx);

/* Make the history shorter now. An op like a turn; stored and told the same way. */
void turn_compact(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                  op_done_fn *done, void *ctx);

/* The id of the call in whose name something is asked; for clients. */
struct str turn_call_id(const struct ask *ask);

#endif
