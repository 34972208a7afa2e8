/*
 * turn_parts.h - the inside of a turn, for its files and for the local agent, which keeps records
 * of its own (core/agent/local_parts.h):
 *
 *   turn.c           the states
 *   turn_record.c    what other kinds of agents report, as records
 *   turn_question.c  what they ask
 *   turn_save.c      checkpoints: records and state in one request to the store
 */
#ifndef CORE_SESSION_TURN_PARTS_H
#define CORE_SESSION_TURN_PARTS_H

#include "core/session/history_record.h"
#include "core/session/turn.h"

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* Records, and where the turn stands, stored together; then they are in the history too. */
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

void save_begin(struct turn_save *s, struct turn *t, struct arena *mem, size_t more_steps);
void save_record(struct turn_save *s, const char *kind, struct str body);
void save_state(struct turn_save *s, struct str turn, const char *state);
void save_step(struct turn_save *s, struct store_step step);

/* When it is stored, then(s). When that fails the turn does, and then is not called. */
void save_run(struct turn_save *s, void (*then)(struct turn_save *s));

/* ---- the turn -------------------------------------------------------------------------------- */

/* A tool call that the agent executes itself and has not ended. */
struct turn_open_call {
    struct event_tool event;
    bool recorded; /* its beginning is */
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
    int64_t wall_left; /* ms of it, while it stands still */
    size_t asks;       /* open, for which it does */
    bool late;         /* its time is over */

    struct arena mem; /* of the prompt's record and the end's */
    struct turn_save save;

    /* What the agent reported and is not stored yet: */
    struct arena batch[2]; /* the one that fills, the one that is being stored */
    size_t filling;
    struct store_event *record;
    size_t records;
    struct str state; /* of the agent, after the last of the records; STR_NONE: as before */
    struct turn_save batch_save;
    bool storing;
    struct turn_waiting_event *event[2], **event_end[2]; /* of each batch: told when it is stored */
    struct turn_question *question;                      /* asked when all is stored */
    void (*finished)(struct turn *t); /* all is reported: to be called when all is stored */
    struct buf words;                 /* of the message that is being said */
    bool thinks;                      /* they are thoughts */
    char message[ID_TEXT];
    struct block *block; /* of that message, before the words; in said_mem */
    size_t blocks;
    struct arena said_mem;
    struct turn_open_call *call;
};

/* Store what was said so far. True: it is stored already; else turn_ask_waiting() follows. */
bool turn_record_flush(struct turn *t);

/* Ask all questions that waited for the store. */
void turn_ask_waiting(struct turn *t);

/* End all that is open, and store what is not; then(turn). */
void turn_record_finish(struct turn *t, void (*then)(struct turn *t));
void turn_record_free(struct turn_work *w);

/* The store has failed: nothing more is told, and the prompt is settled. */
void turn_broke(struct turn *t, const struct err *e);

static inline void turn_tell(struct turn *t, const struct event *ev)
{
    t->client->kind->event(t->client, ev);
}

void turn_notice(struct turn *t, enum notice_kind kind, struct str text);

/* People are slow: the time of a turn stands still while a question is open. */
void turn_wall_stop(struct turn *t);
void turn_wall_go_on(struct turn *t);

/* What a caller of tools is, when it works for this turn; kind stays. */
void turn_fill_caller(const struct turn *t, struct caller *c);

#endif
