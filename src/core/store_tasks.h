/*
 * store_tasks.h - tasks, the order of their events, and answers to their questions, as the store keeps
 * them.
 *
 * In a page, `most` 0 asks for limits.store_page_items rows; `more` says that further rows exist.
 */
#ifndef CORE_STORE_TASKS_H
#define CORE_STORE_TASKS_H

#include "core/store_events.h"

/* A task (core/task/task.h). Of its states the store knows only whether one is final. */
struct store_task {
    struct str id;
    struct str context, owner, agent, model, mode, session; /* UPDATE: STR_NONE keeps the value */
    struct str state, text;
    struct str spec, result, asks; /* JSON; UPDATE: likewise */
    bool final;                    /* UPDATE: in: the state is final; later changes are rejected */
    int64_t expires;               /* UPDATE: in, with final: when it expires; 0: by the limits */
    int64_t created, updated, ended; /* out */
    int64_t last_seq;                /* out */
    int64_t version;                 /* out: grows with each change; UPDATE: in too, 0 for any */
    int64_t fence;                   /* CREATE, TAKE: out. UPDATE: in */
    bool in_use;                     /* out: a process that runs, or may run, works on it */
    bool canceled;                   /* out: a client requested that; also of an UPDATE */
    const struct store_event *event; /* CREATE, UPDATE: in, appended with it */
    size_t events;
    int64_t capacity; /* CREATE: in, 0: limits.tasks; beyond it the oldest final task is deleted, or
                         ERR_BUSY when all are live */
};

/*
 * An answer to a question of a task, for the process that works on it. The first answer to a
 * question counts. ERR_NOT_FOUND: `asks` of the task has no such key, the question was answered, or
 * no process works on the task. The store drops all answers when the task ends or another process
 * takes it, because that process asks again.
 */
struct store_answer {
    struct str task, key;
    struct str answer; /* JSON */
    struct str by;     /* the principal that answered */
    int64_t n;         /* out: grows with each answer */
};

struct store_task_page {              /* the newest first; LOST: the oldest first, of all owners */
    struct str owner, context, agent; /* filters; STR_NONE: any */
    bool only_live;
    bool only_asking;           /* only live tasks with open questions */
    struct store_cursor cursor; /* in and out; by time of creation */
    int64_t most;
    struct store_task *v;
    size_t n;
    bool more;
};

/* An event of any task, with its number in the feed of all tasks. */
struct store_feed_event {
    int64_t n; /* grows in the order of commits; never used twice */
    struct str task, context, owner, agent;
    struct store_event event;
};

struct store_feed_page { /* the oldest first; without events of deleted tasks */
    int64_t after;       /* n; 0: from the first that is kept */
    int64_t most;
    struct store_feed_event *v;
    size_t n;
    bool more;
    int64_t first, last; /* out: the oldest and the newest number that are kept; 0: none */
};

struct store_answer_page { /* in the order of arrival */
    struct str task;
    int64_t after; /* n; 0: from the first */
    struct store_answer *v;
    size_t n;
};

#endif
