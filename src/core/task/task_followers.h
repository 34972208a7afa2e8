/* task_followers.h - delivers events to the followers of one task and of all tasks. */
#ifndef CORE_TASK_TASK_FOLLOWERS_H
#define CORE_TASK_TASK_FOLLOWERS_H

#include "core/store.h"
#include "core/task/task.h"

struct task_run;

/* The followers of all tasks (task_follow_all.c). One reader serves all of them. */
struct task_feeds {
    struct task_feed *first;
    struct task_feed *next; /* while events are delivered: the next follower */
    struct store_ask ask;
    struct store_step step;
    struct timer look;
    bool reading, again; /* `again`: read again, because an event or a follower was added */
};

/* Is an event of this kind delivered to followers of all tasks? */
bool task_feed_tells(struct str kind);

/* Read the feed (store_tasks.h), because a task has stored an event of such a kind. */
void task_feeds_hear(struct task_engine *g);
void task_feeds_close(struct task_engine *g);

/*
 * Deliver n events that a run has stored to the followers of its task (task_follow.c). `first` is
 * the number of the first of these events.
 */
void task_followers_hear(struct task_run *r, const struct store_event *v, size_t n, int64_t first);
void task_followers_close(struct task_engine *g);

#endif
