/*
 * task_engine.h - the struct of the task engine: the runs, subscribers and requests of a process.
 */
#ifndef CORE_TASK_TASK_ENGINE_H
#define CORE_TASK_TASK_ENGINE_H

#include "core/task/task_followers.h"

struct task_follower; /* defined in task_follow.c */
struct task_request;  /* defined in task_request.c */

struct task_engine {
    struct task_engine_opts opts;
    struct loop *loop;
    const struct limits *limits;
    struct store_port *store;
    struct task_run *runs;
    struct task_away *away;
    struct task_follower *followers;
    struct task_follower *waiting; /* the first follower that waits for its turn to read */
    size_t reads;                  /* number of followers that are reading */
    /*
     * while events are delivered: the follower that is next. It is stored here because a callback
     * may end any follower
     */
    struct task_follower *hears_next;
    struct task_feeds feeds;
    struct task_request *requests;
    /* number of other operations: the engine's own store requests, lists, child processes */
    size_t others;

    struct timer look; /* the timer of task_recover.c */
    bool recovers;

    bool closing;
    struct post closed;
    void (*done)(void *ctx);
    void *ctx;
};

/* Find the run of a task in this process (task_run.h), or NULL. */
struct task_run *task_engine_find(struct task_engine *g, struct str id);

/*
 * Call this when a run, request or follower has ended. If the engine is closing and nothing else is
 * running, the engine is freed.
 */
void task_engine_settled(struct task_engine *g);

/* May this owner see the task, and has the task not expired? If not, *e is ERR_NOT_FOUND. */
bool task_visible(struct task_engine *g, const struct store_task *t, struct str owner,
                  struct err *e);

/*
 * Called when the run has stored something. Requests that wait for the run's task read the task
 * again.
 */
void task_requests_hear(struct task_run *r);
void task_requests_close(struct task_engine *g);

#endif
