/*
 * store_tasks.h - the stored form of tasks, of the feed (the events of all tasks in one order), and
 * of answers to questions of tasks.
 *
 * In a page, `most` limits the number of rows (0: limits.store_page_items), and `more` is set if
 * further rows exist. CREATE, UPDATE and TAKE are steps of store.h. `in` and `out` are explained in
 * store_events.h.
 */
#ifndef CORE_STORE_TASKS_H
#define CORE_STORE_TASKS_H

#include "core/store_events.h"

/*
 * A task (core/task/task.h). The store does not interpret `state`. To find out whether a task has
 * ended, it uses `final`.
 */
struct store_task {
    struct str id;
    struct str context, owner, agent, model, mode, session; /* UPDATE: STR_NONE keeps the value */
    struct str state, text;
    struct str spec, result, asks; /* JSON; UPDATE: STR_NONE keeps the value */
    bool final;                    /* UPDATE: in: the state is final; later changes are rejected */
    int64_t
        expires; /* UPDATE: in, with `final`: when the task expires; 0: by limits.task_keep_ms */
    int64_t created, updated, ended; /* out */
    int64_t last_seq;                /* out */
    /* out: grows with each change. UPDATE: also in: the expected version, 0: any */
    int64_t version;
    int64_t fence; /* CREATE, TAKE: out. UPDATE: in */
    bool in_use;   /* out: held by a process that is running, or that may be running */
    bool canceled; /* out, also for UPDATE: a client has requested to cancel the task */
    const struct store_event *event; /* CREATE, UPDATE: in: events to append */
    size_t events;
    /*
     * CREATE: in: the maximum number of tasks, 0: limits.tasks. When it is reached, the oldest
     * final task is deleted; ERR_BUSY if no task is final
     */
    int64_t capacity;
};

/*
 * An answer to a question of a task, for the process that works on the task. Only the first answer
 * to a question is accepted. ERR_NOT_FOUND: the task has no question with this key (`asks`), the
 * question was answered already, or no process works on the task. When the task ends, or when
 * another process takes it (which then asks again), the store drops all answers.
 */
struct store_answer {
    struct str task, key;
    struct str answer; /* the answer as JSON */
    struct str by;     /* the principal that answered */
    int64_t n;         /* out: grows with each answer */
};

/* STORE_TASKS: the newest first. STORE_TASKS_LOST: the oldest first, of all owners. */
struct store_task_page {
    struct str owner, context, agent; /* filters; STR_NONE: any */
    bool only_live;
    bool only_asking; /* only live tasks with open questions */
    /*
     * in: where the page begins; out: where the next page begins. Tasks are sorted by the time of
     * creation
     */
    struct store_cursor cursor;
    int64_t most;
    struct store_task *v;
    size_t n;
    bool more;
};

/* An event of any task, with its number in the feed of all tasks. */
struct store_feed_event {
    int64_t n; /* number in the feed: grows with each event, never used twice */
    struct str task, context, owner, agent;
    struct store_event event;
};

/* a page of the feed, the oldest event first. Events of deleted tasks are not in the feed */
struct store_feed_page {
    int64_t after; /* only events with a larger n; 0: from the oldest that is kept */
    int64_t most;
    struct store_feed_event *v;
    size_t n;
    bool more;
    int64_t first, last; /* out: numbers of the oldest and the newest kept event; 0: none is kept */
};

/* the answers to a task's questions, in the order in which they arrived */
struct store_answer_page {
    struct str task;
    int64_t after; /* only answers with a larger n; 0: from the first */
    struct store_answer *v;
    size_t n;
};

#endif
