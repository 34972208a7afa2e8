/*
 * turn_parts.h - the internals of a turn, shared by its files and by the local agent, which writes
 * its own records (core/agent/local_parts.h):
 *
 *   turn.c           the states
 *   turn_record.c    turns the events of other kinds of agents into records
 *   turn_question.c  questions of an agent to the client
 *   turn_save.c      checkpoints: records and the state of the turn in one store request
 */
#ifndef CORE_SESSION_TURN_PARTS_H
#define CORE_SESSION_TURN_PARTS_H

#include "core/session/history_record.h"
#include "core/session/turn.h"

/* ---- checkpoints ----------------------------------------------------------------------------- */

/*
 * A checkpoint: records and the state of the turn, committed together. Once they are committed, the
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
 * Begin a checkpoint with memory in mem and space for more_steps calls of save_step, besides one of
 * save_state.
 */
void save_begin(struct turn_save *s, struct turn *t, struct arena *mem, size_t more_steps);
void save_record(struct turn_save *s, const char *kind, struct str body);
void save_state(struct turn_save *s, struct str turn, const char *state);
void save_step(struct turn_save *s, struct store_step step);

/*
 * Commit the checkpoint, then call then(s). If the store fails, the turn breaks (turn_broke) and
 * `then` is not called. Without a store, `then` is called before this returns.
 */
void save_run(struct turn_save *s, void (*then)(struct turn_save *s));

/* ---- the turn -------------------------------------------------------------------------------- */

/* A tool call that the agent runs itself and that has not ended. */
struct turn_open_call {
    struct event_tool event;
    bool recorded; /* the history has its start */
    struct turn_open_call *next;
};

/* An event that waits until what was reported before it is stored. */
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
    int64_t wall_left; /* the rest in ms, while the timer is suspended */
    size_t asks;       /* number of open questions, which suspend the timer */
    bool late;         /* the time limit has passed */

    struct arena mem; /* for the prompt, the end record and open calls */
    struct turn_save save;

    /* Reported by the agent and not stored yet: */
    struct arena batch[2]; /* one collects records, the other is being stored */
    size_t filling;
    struct store_event *record;
    size_t records;
    struct str state; /* state of the agent after the last record; STR_NONE: unchanged */
    struct turn_save batch_save;
    bool storing;
    struct turn_waiting_event *event[2], **event_end[2]; /* per batch: sent once it is stored */
    struct turn_question *question;                      /* asked once all is stored */
    void (*finished)(struct turn *t); /* called when everything is stored; NULL: not yet ending */
    struct buf words;                 /* collected text of the current message */
    bool thinks;                      /* `words` are thoughts, not text */
    char message[ID_TEXT];
    struct block *block; /* earlier blocks of that message; in said_mem */
    size_t blocks;
    struct arena said_mem;
    struct turn_open_call *call;
};

/* Store the text so far. True: all is stored already; false: turn_ask_waiting() is called later. */
bool turn_record_flush(struct turn *t);

/* Ask all questions that waited until earlier events were stored. */
void turn_ask_waiting(struct turn *t);

/* End the open calls, store all remaining records, then call then(t). */
void turn_record_finish(struct turn *t, void (*then)(struct turn *t));
void turn_record_free(struct turn_work *w);

/* The store has failed: fail the turn and the prompt. The client gets no further events. */
void turn_broke(struct turn *t, const struct err *e);

static inline void turn_tell(struct turn *t, const struct event *ev)
{
    t->client->kind->event(t->client, ev);
}

void turn_notice(struct turn *t, enum notice_kind kind, struct str text);

/* Suspend and resume the time limit of the turn, while a question is open: people answer slowly. */
void turn_wall_stop(struct turn *t);
void turn_wall_go_on(struct turn *t);

/* Set all fields of *c except `kind` for a caller that acts for this turn. */
void turn_fill_caller(const struct turn *t, struct caller *c);

#endif
