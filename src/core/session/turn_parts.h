/*
 * turn_parts.h - the inside of a turn, for its files:
 *
 *   turn_begin.c    with a prompt, or where one was broken off; the op
 *   turn.c          the states: asking the model, what its answer means, the end
 *   turn_tools.c    the calls of an answer: begun together, each result kept as it comes
 *   turn_caller.c   the turn as the caller of its tools: what they report and ask
 *   turn_save.c     checkpoints: records and state in one request to the store
 *   turn_compact.c  making room in the model's window
 */
#ifndef CORE_SESSION_TURN_PARTS_H
#define CORE_SESSION_TURN_PARTS_H

#include "core/session/history_record.h"
#include "core/session/turn.h"
#include "core/session/undo.h"

/* ---- checkpoints ----------------------------------------------------------------------------- */

enum { SAVE_RECORDS = 3 };

/* Records, and where the turn stands, stored together; then they are in the history too. */
struct turn_save {
    struct turn_work *w;
    struct arena *mem;
    struct store_event record[SAVE_RECORDS];
    size_t records;
    struct store_step *step;
    size_t steps, room;
    struct store_ask ask;
    void (*then)(struct turn_save *s);
};

void save_begin(struct turn_save *s, struct turn_work *w, struct arena *mem, size_t more_steps);
void save_record(struct turn_save *s, const char *kind, struct str body);
void save_state(struct turn_save *s, struct str turn, const char *state);
void save_step(struct turn_save *s, struct store_step step);

/* When it is stored, then(s). When that fails the turn does, and then is not called. */
void save_run(struct turn_save *s, void (*then)(struct turn_save *s));

/* ---- calls ----------------------------------------------------------------------------------- */

struct turn_call {
    struct caller caller; /* first */
    struct turn_work *w;
    struct arena mem;
    const struct block *block; /* the model's words; of the history */
    struct call call;
    bool running;
    struct json args;
    struct str refusal;           /* why it is not run; STR_NONE: it is */
    struct undo_look look, after; /* files it changes, before and after */
    struct turn_save save;
    struct event_tool event; /* what is told of it */
    struct block result;
    struct str tells; /* structured result that is told as something, raw */
    enum tool_tells as;
};

/* Run the calls of the last answer that have no result; then turn_ask. */
void turn_tools(struct turn_work *w);

/* Give those calls this result instead; then turn_ask. */
void turn_tools_refuse(struct turn_work *w, const char *why);

void turn_tools_cancel(struct turn_work *w);
void turn_tools_free(struct turn_work *w);

/* It has begun. */
void turn_call_runs(struct turn_call *tc);

/* Preset tc->caller. */
void turn_caller_init(struct turn_call *tc);

/* A call that the model has named, and nobody has run yet. */
struct named {
    struct event_tool event;
    struct named *next;
};

/* ---- the turn -------------------------------------------------------------------------------- */

struct turn_work {
    struct turn *turn;
    struct session *session;
    struct agent *agent;
    const struct agent_model *model; /* the agent's, or its fallback */
    op_done_fn *done;
    void *ctx;

    int64_t requests;
    struct timer wall;
    int64_t wall_left; /* ms of it, while it stands still */
    bool ending;       /* for `stop`, as soon as what is under way has ended */
    enum turn_stop stop;
    struct err why; /* the last request failed */

    struct arena ask_mem; /* of one step: a request and its answer, a checkpoint */
    struct model_request request;
    struct model_turn ask;
    bool asking;
    bool told;             /* something of this answer */
    struct named *named;   /* calls of it that were told */
    char message[ID_TEXT]; /* its id */
    int shortened;         /* times, since the last answer */
    bool too_long;         /* the model said so */
    bool only_shorten;
    int64_t after; /* of the record that is being made */

    struct turn_call *call;
    size_t calls, left;
    size_t looking; /* calls whose files are being looked at */
    bool moved;     /* one of them was run */
    int64_t stuck;  /* answers in a row of which none was */

    struct turn_save save;
};

/* The next request to the model, or the end. */
void turn_ask(struct turn_work *w);

/* Sum up what is old, then turn_ask; or the end when nothing helps. */
void turn_shorten(struct turn_work *w);

/* Over. why may be NULL. */
void turn_end(struct turn_work *w, enum turn_stop stop, const struct err *why);

/* The store has failed: nothing more is told. */
void turn_broke(struct turn_work *w, const struct err *e);

static inline bool turn_stopping(const struct turn_work *w)
{
    return w->ending || w->turn->op.canceled;
}

static inline void turn_tell(struct turn_work *w, const struct event *ev)
{
    w->turn->client->kind->event(w->turn->client, ev);
}

void turn_notice(struct turn_work *w, enum notice_kind kind, struct str text);

/* People are slow: its time stands still while one of its calls asks somebody, then goes on. */
void turn_wall_stop(struct turn_work *w);
void turn_wall_go_on(struct turn_work *w);

/* Count what a request has cost. */
void turn_spend(struct turn_work *w, const struct model_turn *t);

#endif
