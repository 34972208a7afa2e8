/*
 * task_log.h - stores the events and the state of a running task.
 *
 * A run has at most one store request in flight. Events that arrive meanwhile are collected in a
 * second arena and go with the next request. Text is collected for limits.task_gather_ms; urgent
 * events are sent as soon as the request in flight has ended.
 *
 * An event is serialized when it is added, so the store and all followers get the same bytes. A
 * piece of an artifact that is larger than limits.task_event_bytes becomes several events.
 */
#ifndef CORE_TASK_TASK_LOG_H
#define CORE_TASK_TASK_LOG_H

#include "core/event.h"
#include "core/store.h"
#include "core/task/task.h"

struct task_run;

struct task_log {
    struct arena mem[2];
    size_t filling;        /* index of the arena that takes new events */
    struct store_event *v; /* events that are collected and not sent yet */
    size_t n, room;
    struct store_event *sent; /* events in the request that is in flight */
    size_t sents;
    struct buf words; /* collected text of one kind and message */
    enum event_kind words_kind;
    char message[ID_TEXT];
    /* when the timer ends, collected text is sent, or a failed request is repeated */
    struct timer timer;
    struct store_ask ask;
    struct store_step want; /* the request in flight, as it was built; kept for a retry */
    struct store_step step; /* copy of `want` that the store works on */
    bool storing, urgent;
    bool again;     /* the request has failed; the timer will retry it */
    struct err why; /* the reason of the retry; code 0: the last request succeeded */
    bool brief;     /* the request in flight was shortened to fit the store */
    int64_t seq;    /* number of the last stored event */
    int64_t stored; /* loop time of the last successful request */
    void (*then)(struct task_run *r); /* called when everything is stored, then reset; or NULL */
};

/*
 * Change the state of the task, and store it immediately with an event. False: the transition is
 * not allowed.
 */
bool task_log_state(struct task_run *r, enum task_state to, struct str text);

/* Add an event that the agent has reported. */
void task_log_event(struct task_run *r, const struct event *ev);

/* Add an event with this JSON body, which is copied. `urgent`: store it as soon as possible. */
void task_log_add(struct task_run *r, const char *kind, struct str body, bool urgent);

/* Store all collected events as soon as possible. */
void task_log_hurry(struct task_run *r);

/* Store all collected events, then call then(r), possibly before this function returns. */
void task_log_flush(struct task_run *r, void (*then)(struct task_run *r));

/* Drop a request that waits for a retry, because this process stops. */
void task_log_stop(struct task_run *r);

/*
 * Can a store request that failed with this code succeed later? True for a full disk, a read-only
 * file system or a locked database; false for a value that is too large (ERR_LIMIT).
 */
bool task_store_may_recover(enum err_code code);

#endif
