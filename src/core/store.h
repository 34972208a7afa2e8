/*
 * store.h - the store port: requests to the database of a root.
 *
 * The stored objects are defined in store_sessions.h, store_tasks.h, store_locks.h and
 * store_memory.h. A file that makes no requests includes only those headers.
 *
 * A request (struct store_ask) is an op with one or more steps, which run in order in one
 * transaction. The loop calls its callback after the transaction has ended. If the callback gets no
 * error, the transaction has been committed. Requests that arrive during a commit share the next
 * commit. Cancelling the op does not stop a request that was started: the op still ends with the
 * outcome of the request.
 *
 * Only one process at a time holds a session. Creating or taking a session returns a fencing token,
 * which every later write must pass. If a process seems dead and another process takes the session,
 * the token of the first process is outdated, and its next write fails with ERR_DENIED. A session
 * cannot be taken while its holder is running: TAKE fails with ERR_DENIED and names the holder.
 * Reading needs no token and works while another process holds the session.
 *
 * Errors: ERR_NOT_FOUND; ERR_DENIED (another process holds the object, or the store is not
 * writable); ERR_INVALID (the version is outdated, the id exists, the store is corrupt); ERR_LIMIT
 * (too large); ERR_BUSY (too many requests wait); ERR_TIMEOUT (the database is locked by another
 * process); ERR_SYSTEM (the disk is full or broken). A failed request stores nothing.
 */
#ifndef CORE_STORE_H
#define CORE_STORE_H

#include "base/arena.h"
#include "core/store_locks.h"
#include "core/store_memory.h"
#include "core/store_pushes.h"
#include "core/store_sessions.h"
#include "core/store_tasks.h"
#include "loop/op.h"
#include "loop/worker.h"

/* What a committed write survives: a crash of the process, or also a power failure. */
enum store_durability { STORE_PROCESS, STORE_POWER };

/* The kinds of steps. Each comment names the member of struct store_step that the step uses. */
enum store_what {
    /* steps that write */
    STORE_SESSION_CREATE, /* session */
    STORE_SESSION_UPDATE, /* session */
    STORE_SESSION_DELETE, /* session: delete it with its events, turns and images */
    STORE_SESSION_TAKE,   /* session: become its holder */
    STORE_SESSION_LEAVE,  /* session: release it */
    STORE_SESSION_FORK,   /* fork */
    STORE_APPEND,         /* append */
    STORE_TURN_WRITE,     /* turn */
    STORE_IMAGE_PUT,      /* image */
    STORE_IMAGES_DELETE,  /* image: delete all images of its turn, after an undo */
    STORE_MEMORY_PUT,     /* memory */
    STORE_MEMORY_DELETE,  /* memory */
    STORE_GC,             /* gc */
    STORE_TASK_CREATE,    /* task: store it with its first events */
    STORE_TASK_UPDATE,    /* task: change it and append events */
    STORE_TASK_TAKE,      /* task: become its holder. `fence` in: the token received from the
                             former holder. Drops locks that other processes hold for the task */
    STORE_TASK_CANCEL,    /* task: ask its holder to stop */
    STORE_TASK_ANSWER,    /* answer: answer an open question */
    STORE_TASKS_EXPIRE,   /* gc: delete final tasks that have expired; out: `deleted`, `more` */
    STORE_LOCK_PUT,       /* lock */
    STORE_LOCK_DROP,      /* lock: drop all locks that this process holds for the task */
    STORE_PUSH_PUT,       /* push: store a push configuration */
    STORE_PUSH_SENT,      /* push: what the webhook has received */
    STORE_PUSH_DELETE,    /* push: delete it; it need not exist */
    /* steps that read */
    STORE_SESSION_LOAD, /* session */
    STORE_SESSIONS,     /* sessions */
    STORE_EVENTS,       /* events */
    STORE_TURN_LOAD,    /* turn */
    STORE_UNFINISHED,   /* turns */
    STORE_IMAGES,       /* images */
    STORE_MEMORY_GET,   /* memory */
    STORE_MEMORIES,     /* memories */
    STORE_TASK_LOAD,    /* task */
    STORE_TASKS,        /* tasks */
    STORE_TASK_EVENTS,  /* events: the events of the task whose id is in events.session */
    STORE_TASK_ANSWERS, /* answers: the answers to the questions of one task */
    STORE_TASKS_LOST,   /* tasks: live tasks whose holder has died */
    STORE_TASK_FEED,    /* feed: the events of all tasks */
    STORE_LOCKS,        /* locks: the locks of running processes */
    STORE_PUSHES,       /* pushes */
    /* long steps: each must be the only step of its request; other requests run meanwhile */
    STORE_CHECK,  /* (no member) check all pages; a corrupt store rejects all later writes */
    STORE_BACKUP, /* path: write a consistent copy to this new file */
    STORE_WHATS
};

/* ---- requests ------------------------------------------------------------------------------- */

struct store_step {
    enum store_what what;
    union {
        struct store_session session;
        struct store_fork fork;
        struct store_append append;
        struct store_turn turn;
        struct store_image image;
        struct store_memory memory;
        struct store_session_page sessions;
        struct store_event_page events;
        struct store_turn_page turns;
        struct store_image_page images;
        struct store_memory_page memories;
        struct store_task task;
        struct store_task_page tasks;
        struct store_answer answer;
        struct store_answer_page answers;
        struct store_lock lock;
        struct store_lock_page locks;
        struct store_feed_page feed;
        struct store_push push;
        struct store_push_page pushes;
        struct store_gc gc;
        const char *path;
    };
};

/*
 * A request. Zero it, set `step`, `steps` and `durability`, and call store_start. The store borrows
 * the steps and all data they point to until the request is done. The caller must not change them
 * meanwhile.
 */
struct store_ask {
    struct op op; /* first */
    struct store_step *step;
    size_t steps;
    enum store_durability durability;
    struct arena mem; /* holds the results, until store_ask_fini */

    struct work work; /* this and the next members are private to the store */
    struct store_port *port;
    int64_t now;
    struct err err;
    bool writes, failed;
};

struct store_kind {
    const char *name;
    void (*start)(struct store_port *port, struct store_ask *ask);
};

struct store_port {
    const struct store_kind *kind;
    struct loop *loop;
};

void store_start(struct store_port *port, struct store_ask *ask, struct op *parent,
                 op_done_fn *done, void *ctx);

/* Return a copy of a session, with its texts in mem. */
struct store_session store_session_copy(struct arena *mem, const struct store_session *s);

static inline void store_ask_fini(struct store_ask *ask)
{
    arena_fini(&ask->mem);
}

#endif
