/*
 * a2a_view.h - a task as A2A shows it, computed from the events of the task.
 *
 * The stored events of a task (core/task/task.h) are its only source, in their order. So every
 * client gets the same task and the same updates, also after a restart: a client that gets the task
 * as it is after event N and then the updates of the later events knows as much as one that has
 * followed the task from its beginning.
 *
 * Each event leads to at most one update. docs/PROTOCOLS.md has the table.
 */
#ifndef PROTO_A2A_SERVER_A2A_VIEW_H
#define PROTO_A2A_SERVER_A2A_VIEW_H

#include "base/clock.h"
#include "core/artifact.h"
#include "core/task/task.h"
#include "proto/a2a/a2a_codec.h"

struct a2a_view_message;
struct a2a_view_ask;

struct a2a_view {
    struct arena mem;
    const struct limits *limits;
    struct str id, context, owner, agent; /* in mem */
    int64_t seq;                          /* number of the last event that was added */
    enum task_state state;
    char time[CLOCK_TEXT]; /* when the last event was stored */
    struct str text;       /* a sentence about the state; STR_NONE: none */
    int64_t text_seq;      /* the event that set it */
    struct artifact_set made;
    struct a2a_view_message *first, **end; /* the messages of the client and of the agent */
    size_t messages;
    struct a2a_view_ask *asks; /* open questions, the oldest first */
    struct str usage;          /* raw JSON; STR_NONE: none yet */
};

/* Begin a view of a task, without its events. */
void a2a_view_init(struct a2a_view *v, const struct task_info *info, const struct limits *limits);
void a2a_view_fini(struct a2a_view *v);

/*
 * Add the next event. If it leads to an update, returns true and sets *out, whose data is in
 * `scratch`, `body` or the view, and valid until the next event.
 */
bool a2a_view_add(struct a2a_view *v, struct arena *scratch, int64_t seq, int64_t at,
                  struct str kind, struct str body, struct a2a_update *out);

enum { A2A_HISTORY_ALL = -1 };

/* The task as it is now. `history`: at most so many of the newest messages. In mem or the view. */
struct a2a_task a2a_view_task(const struct a2a_view *v, struct arena *mem, int64_t history,
                              bool artifacts);

/*
 * An agent whose only output is a text with this id of its message answers with a message, and
 * shows the client no task.
 */
#define A2A_DIRECT "direct"
bool a2a_view_direct(const struct a2a_view *v, struct arena *mem, struct a2a_message *out);

/* Must the client act before the task continues, or has the task ended? */
bool a2a_view_waits(const struct a2a_view *v);

/* ---- what a task stores for A2A (task_spec.client): a2a_stored.c ------------------------------ */

/* Write {"a2a":VERSION,"message":{...}} for a message of a client; its parts only if `whole`. */
struct str a2a_stored_write(struct arena *mem, enum a2a_dialect dialect,
                            const struct a2a_message *message, bool whole);

/* Read the message of such an object. False: there is none. */
bool a2a_stored_message(struct arena *mem, const struct limits *limits, struct json client,
                        struct a2a_message *out);

/* The version of the client that created the task; STR_NONE: the task was not created over A2A. */
struct str a2a_stored_version(struct arena *mem, struct str client);

#endif
