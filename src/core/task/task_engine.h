/*
 * task_engine.h - the struct of the task engine: the runs, subscribers and requests of a process.
 */
#ifndef CORE_TASK_TASK_ENGINE_H
#define CORE_TASK_TASK_ENGINE_H

#include "core/task/task_feeds.h"

struct task_follower; /* task_watch.c */
struct task_request;  /* task_request.c */

struct task_engine {
    struct task_engine_opts opts;
    struct loop *loop;
    const struct limits *limits;
    struct store_port *store;
    struct task_run *runs;
    struct task_away *away;
    struct task_follower *followers;
    /* while events are delivered: the next follower, so that a callback may end any */
    struct task_follower *hears_next;
    struct task_feeds feeds;
    struct task_request *requests;
    size_t others; /* store requests of the engine itself, lists, child processes */

    struct timer look; /* task_recover.c */
    bool recovers;

    bool closing;
    struct post closed;
    void (*done)(void *ctx);
    void *ctx;
};

/* The run of a task in this process, or NULL. */
struct task_run *task_engine_find(struct task_engine *g, struct str id);

/*
 * Call when a run, request or follower has ended: finishes closing the engine if it was the last.
 */
void task_engine_settled(struct task_engine *g);

/* Does the task exist for this owner, and is it not expired? Else *e is ERR_NOT_FOUND. */
bool task_visible(struct task_engine *g, const struct store_task *t, struct str owner,
                  struct err *e);

/* The run has stored something: requests that wait for its task read it again (task_request.c). */
void task_requests_hear(struct task_run *r);
void task_requests_close(struct task_engine *g);

#endif
