/* task_feeds.h - delivers events to the followers of one task and of all tasks. */
#ifndef CORE_TASK_TASK_FEEDS_H
#define CORE_TASK_TASK_FEEDS_H

#include "core/store.h"
#include "core/task/task.h"

struct task_run;

/* The followers of all tasks (task_feed.c). One reader serves all of them. */
struct task_feeds {
    struct task_feed *first;
    struct task_feed *next; /* while events are delivered: the next follower */
    struct store_ask ask;
    struct store_step step;
    struct timer look;
    bool reading, again; /* again: an event or a follower was added during the read */
};

/* Is an event of this kind delivered to followers of all tasks? */
bool task_feed_tells(struct str kind);

/* A task has stored an event of such a kind: read the feed. */
void task_feeds_hear(struct task_engine *g);
void task_feeds_close(struct task_engine *g);

/* A run has stored n events, the first with this number: deliver them (task_watch.c). */
void task_followers_hear(struct task_run *r, const struct store_event *v, size_t n, int64_t first);
void task_followers_close(struct task_engine *g);

#endif
