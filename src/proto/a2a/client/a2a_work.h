/*
 * a2a_work.h - the work of a remote agent on one prompt. Internals of the kind (a2a_agent.h):
 *
 *   a2a_agent.c      the functions of the kind, the saved state
 *   a2a_work.c       states, beginning, ending, cancelling
 *   a2a_work_link.c  requests: sending, subscribing, polling
 *   a2a_work_ask.c   questions of the remote agent
 *
 *   MEETING ──> SENDING ──> WAITING <──> FOLLOWING
 *                  │           ^ └─────> POLLING
 *                  v           └───────────┘
 *               ASKING ──> SENDING                   (from SENDING, FOLLOWING, POLLING)
 *
 * MEETING    the card is being read
 * SENDING    a message was sent; its answer, or the stream of its task, arrives
 * WAITING    a pause before the next request
 * FOLLOWING  trefoil has subscribed to the task, because the first stream broke or trefoil was
 *            restarted
 * POLLING    the state of the task is being read, because the agent has no streams or subscribing
 *            failed
 * ASKING     a question of the remote agent is open
 * CANCELING  the remote task is being cancelled
 * OVER       the prompt has ended. Every state can change to OVER, and every state but ASKING to
 *            CANCELING
 *
 * The requests are no children of the prompt's op: cancelling the prompt must not stop them before
 * the task is cancelled. So the work may outlive its prompt. Then it is freed when its request has
 * ended (`released`).
 */
#ifndef PROTO_A2A_CLIENT_A2A_WORK_H
#define PROTO_A2A_CLIENT_A2A_WORK_H

#include "core/session/turn.h"
#include "proto/a2a/client/a2a_agent.h"
#include "proto/a2a/client/a2a_exchange.h"
#include "proto/a2a/client/a2a_report.h"
#include "proto/a2a/client/a2a_request.h"

enum a2a_work_state {
    A2A_WORK_MEETING,
    A2A_WORK_SENDING,
    A2A_WORK_WAITING,
    A2A_WORK_FOLLOWING,
    A2A_WORK_POLLING,
    A2A_WORK_ASKING,
    A2A_WORK_CANCELING,
    A2A_WORK_OVER,
    A2A_WORK_STATES,
};

/* What is known about the remote side of a session. It is in the memory of the session. */
struct a2a_conversation {
    struct str context;    /* STR_NONE: none yet */
    struct str task;       /* the last task; STR_NONE: none */
    bool open;             /* the task waits for the next message */
    char turn[ID_TEXT];    /* the turn that the task belongs to */
    struct json made;      /* what the interrupted turn has reported (a2a_report_save) */
    struct a2a_work *work; /* the running work; NULL: none */
};

struct a2a_work {
    struct agent_prompt *prompt;
    struct turn *turn;
    struct a2a_peer *peer;
    struct a2a_conversation *c;
    enum a2a_work_state state;
    struct arena mem; /* memory of the whole work */
    struct a2a_report report;
    struct trace trace;
    struct open_trace open_trace;
    char parent[TRACE_PARENT_TEXT];
    struct timer timer;

    struct a2a_meeting meeting;
    struct blocks message; /* the message to send */

    /* the request in flight */
    struct a2a_exchange *exchange; /* NULL: none */
    struct arena round;            /* its memory */
    int64_t id;                    /* its id, for JSON-RPC */
    bool heard;                    /* something has arrived */
    bool moved;                    /* something has arrived beside the first update */
    struct err why;                /* why it failed; code ERR_NONE: it did not */
    enum a2a_error fault;          /* the error that the agent answered; A2A_ERRORS: another one */

    /* the newest state of the task */
    enum task_state status;
    struct a2a_status last; /* final or interrupted: the whole status */
    bool settled;           /* the task has ended, or waits for an answer: stop reading */
    bool messaged;          /* the agent has answered with a message, without a task */

    int64_t failures; /* consecutive ones */
    bool no_streams;  /* subscribing does not work with this agent */
    bool poll_next;   /* the last subscription brought nothing */
    bool polled;      /* the agent has just told the state of the task: no hurry */
    struct turn_question question;
    struct str question_text;
    bool asked;     /* `question` must be freed */
    bool own_form;  /* the question is a text field, and not a form of the agent */
    bool answers;   /* the message is the answer to a question */
    bool continues; /* the message was sent to a task that waits for it */
    bool stopping;  /* the prompt was cancelled */
    bool released;  /* the turn has ended: free the work when its request is done */
};

void a2a_work_set_state(struct a2a_work *w, enum a2a_work_state to);

/* End the prompt. `why` may be NULL. */
void a2a_work_end(struct a2a_work *w, enum turn_stop stop, const struct err *why);

/* The prompt is being cancelled: stop what is in flight. */
void a2a_work_cancel(struct a2a_work *w);

/* The work was released, and its request has ended: free it (a2a_agent.c). */
void a2a_work_unused(struct a2a_work *w);

/* The prompt was cancelled, and no request is in flight: cancel the remote task, then end. */
void a2a_work_stop(struct a2a_work *w);

/* The task has ended or the agent has answered with a message: end the prompt. */
void a2a_work_finish(struct a2a_work *w);

/* ---- a2a_work_link.c ------------------------------------------------------------------------- */

/* Send w->message: to the open task, or as a new one. */
void a2a_work_send(struct a2a_work *w);

/* Subscribe to the task or read its state, after a pause that depends on the failures so far. */
void a2a_work_follow(struct a2a_work *w);

void a2a_work_cancel_task(struct a2a_work *w);

/* ---- a2a_work_ask.c -------------------------------------------------------------------------- */

/* Ask the question of w->last. */
void a2a_work_ask(struct a2a_work *w);

#endif
