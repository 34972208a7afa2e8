/*
 * turn_parts.h - the internals of a turn, shared by its files and by the local agent, which writes
 * its own records (core/agent/local_parts.h):
 *
 *   turn.c           the states
 *   turn_record.c    converts the events of other kinds of agents to records
 *   turn_question.c  questions of an agent to the client
 *   turn_permission.c  questions for permission, which the guard judges first
 *   turn_save.c      checkpoints: records and the state of the turn in one store request
 */
#ifndef CORE_SESSION_TURN_PARTS_H
#define CORE_SESSION_TURN_PARTS_H

#include "core/session/history_record.h"
#include "core/session/turn.h"

/* ---- checkpoints ----------------------------------------------------------------------------- */

/*
 * A checkpoint: records and the state of the turn, committed together. After the commit, the
 * records are also added to the history of the session.
 */
struct turn_save {
    struct turn *turn;
    struct arena *mem;
    struct store_event *record;
    size_t records;
    struct store_step *step;
    size_t steps, room;
    struct store_ask ask;
    void (*then)(struct turn_save *s);
};

/*
 * Begin a checkpoint, which uses memory of mem. It has space for one call of save_state and
 * more_steps calls of save_step.
 */
void save_begin(struct turn_save *s, struct turn *t, struct arena *mem, size_t more_steps);
void save_record(struct turn_save *s, const char *kind, struct str body);
void save_state(struct turn_save *s, struct str turn, const char *state);
void save_step(struct turn_save *s, struct store_step step);

/*
 * Commit the checkpoint, then call then(s). If the store fails, turn_broke is called instead of
 * `then`. Without a store, `then` is called before save_run returns.
 */
void save_run(struct turn_save *s, void (*then)(struct turn_save *s));

/* ---- the turn -------------------------------------------------------------------------------- */

/* A tool call that the agent runs itself and that has not ended. */
struct turn_open_call {
    struct event_tool event;
    bool recorded; /* the start of the call is in the history */
    struct turn_open_call *next;
};

/* An event that waits until all events before it are stored. */
struct turn_waiting_event {
    struct event event;
    struct turn_waiting_event *next;
};

struct turn_work {
    struct turn *turn;
    struct agent *agent;
    op_done_fn *done;
    void *ctx;
    struct timer wall;
    int64_t wall_left; /* the remaining time in ms, while the timer is suspended */
    size_t asks;       /* number of open questions; the timer is suspended while there are any */
    bool late;         /* the time limit has passed */

    struct arena mem; /* memory of the prompt, the end record and open calls */
    struct turn_save save;

    /* Events that the agent has reported and that are not stored yet: */
    struct arena batch[2]; /* one collects records while the records of the other are stored */
    size_t filling;
    struct store_event *record;
    size_t records;
    struct str state; /* the agent's state after the last record; STR_NONE: unchanged */
    struct turn_save batch_save;
    bool storing;
    /* per batch: the events to send to the client when the batch is stored */
    struct turn_waiting_event *event[2], **event_end[2];
    struct turn_question *question;   /* questions to ask when all records are stored */
    void (*finished)(struct turn *t); /* called when everything is stored; NULL: not yet ending */
    struct buf words;                 /* collected text of the current message */
    bool thinks;                      /* `words` are thoughts, not text */
    char message[ID_TEXT];
    struct block *block; /* earlier blocks of that message; in said_mem */
    size_t blocks;
    struct arena said_mem;
    struct turn_open_call *call;
};

/*
 * Store the text so far. Returns true if everything is stored already. Otherwise turn_ask_waiting()
 * is called when everything is stored.
 */
bool turn_record_flush(struct turn *t);

/*
 * Describe in *about the call that the permission question *q asks about: set its tool, arguments
 * and name. q->caller must be set.
 */
void turn_permission_describe(struct turn_question *q, struct call_about *about);

/*
 * The start function of the call that runs a permission question. It decides, or asks the client.
 */
void turn_permission_start(struct call *call);

/* Ask all questions that have waited for earlier events to be stored. */
void turn_ask_waiting(struct turn *t);

/* End the open calls, store all remaining records, then call then(t). */
void turn_record_finish(struct turn *t, void (*then)(struct turn *t));
void turn_record_free(struct turn_work *w);

/* Fail the turn and the prompt because the store failed. The client gets no further events. */
void turn_broke(struct turn *t, const struct err *e);

static inline void turn_tell(struct turn *t, const struct event *ev)
{
    t->client->kind->event(t->client, ev);
}

void turn_notice(struct turn *t, enum notice_kind kind, struct str text);

/* Suspend the time limit of the turn while a question is open, and resume it afterwards. */
void turn_wall_stop(struct turn *t);
void turn_wall_go_on(struct turn *t);

/* Set all fields of *c except `kind` for a caller that acts for this turn. */
void turn_fill_caller(const struct turn *t, struct caller *c);

#endif
