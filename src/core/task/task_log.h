/*
 * task_log.h - stores the events and the state of a running task.
 *
 * A run has at most one store request in flight. Events that arrive meanwhile are collected in a
 * second arena and go with the next request. Text is collected for limits.task_gather_ms; urgent
 * events are sent as soon as the request in flight has ended.
 *
 * An event is serialized once, when it is added: the store and all followers get the same bytes. A
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
    struct store_event *v; /* collected, not sent */
    size_t n, room;
    struct store_event *sent; /* in the request that is in flight */
    size_t sents;
    struct buf words; /* collected text of one kind and message */
    enum event_kind words_kind;
    char message[ID_TEXT];
    struct timer timer; /* sends collected text, or repeats a request that failed */
    struct store_ask ask;
    struct store_step want; /* the request in flight, as it was built; kept for a retry */
    struct store_step step; /* the copy that the store works on */
    bool storing, urgent;
    bool again;     /* storing, and waiting for the timer to retry */
    struct err why; /* the reason of the retry; code 0: the last request succeeded */
    bool brief;     /* the request in flight was shortened to fit the store */
    int64_t seq;    /* number of the last stored event */
    int64_t stored; /* loop time of the last successful request */
    void (*then)(struct task_run *r); /* called once when everything is stored; or NULL */
};

/* Change the state of the task and store it at once, with an event. False: not a legal transition. */
bool task_log_state(struct task_run *r, enum task_state to, struct str text);

/* Add an event of the agent. */
void task_log_event(struct task_run *r, const struct event *ev);

/* Add an event with this JSON body, which is copied. urgent: store it at once. */
void task_log_add(struct task_run *r, const char *kind, struct str body, bool urgent);

/* Store everything collected as soon as possible. */
void task_log_hurry(struct task_run *r);

/* Store everything collected now, then call then(r), possibly before this returns. */
void task_log_flush(struct task_run *r, void (*then)(struct task_run *r));

/* Drop a request that waits for a retry, because this process stops. */
void task_log_stop(struct task_run *r);

/*
 * Can a request that failed with this code succeed later: full disk, read-only file system, locked
 * database? A value that is too large for the store (ERR_LIMIT) never can.
 */
bool task_store_may_recover(enum err_code code);

#endif
