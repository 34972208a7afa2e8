/*
 * store.h - the store port: requests to the database that outlives this process.
 *
 * The objects are in store_sessions.h, store_tasks.h, store_locks.h and store_memory.h; a file that
 * makes no requests includes only those.
 *
 * A request (struct store_ask) is an op. Its steps run in order, all or none. Its callback runs from
 * the loop and means: committed. Requests made while a commit is under way share the next commit. A
 * request that was started is carried out even if its op is cancelled, and settles with the outcome.
 *
 * One process at a time holds a session. Creating or taking a session yields a fencing token, and
 * every later write names the token. A process that lost the session (it seemed dead, and another
 * process took the session) has an old token, and its next write fails with ERR_DENIED. A session
 * whose holder runs is never taken: TAKE fails with ERR_DENIED and names the holder. Reading needs
 * no token and works while another process holds the session.
 *
 * Errors: ERR_NOT_FOUND; ERR_DENIED (another process holds it, or the store is not writable);
 * ERR_INVALID (the version is outdated, the id exists, the store is corrupt); ERR_LIMIT (too large);
 * ERR_BUSY (too many requests wait); ERR_TIMEOUT (the database is locked by another process);
 * ERR_SYSTEM (the disk is full or broken). After any error nothing of the request is stored.
 */
#ifndef CORE_STORE_H
#define CORE_STORE_H

#include "base/arena.h"
#include "core/store_locks.h"
#include "core/store_memory.h"
#include "core/store_sessions.h"
#include "core/store_tasks.h"
#include "loop/op.h"
#include "loop/worker.h"

/* What a committed write survives: the end of the process, or also a power cut. */
enum store_durability { STORE_PROCESS, STORE_POWER };

enum store_what {
    /* steps that write */
    STORE_SESSION_CREATE, /* session */
    STORE_SESSION_UPDATE, /* session */
    STORE_SESSION_DELETE, /* session: with its events, turns and images */
    STORE_SESSION_TAKE,   /* session: become its holder */
    STORE_SESSION_LEAVE,  /* session: release it */
    STORE_SESSION_FORK,   /* fork */
    STORE_APPEND,         /* append */
    STORE_TURN_WRITE,     /* turn */
    STORE_IMAGE_PUT,      /* image */
    STORE_IMAGES_DELETE,  /* image: all of its turn, after an undo */
    STORE_MEMORY_PUT,     /* memory */
    STORE_MEMORY_DELETE,  /* memory */
    STORE_GC,             /* gc */
    STORE_TASK_CREATE,    /* task: and its first events */
    STORE_TASK_UPDATE,    /* task: and events */
    STORE_TASK_TAKE,      /* task: become its holder; fence in: the token that was handed over;
                             locks that other processes hold for it are dropped */
    STORE_TASK_CANCEL,    /* task: ask its holder to stop */
    STORE_TASK_ANSWER,    /* answer: to an open question */
    STORE_TASKS_EXPIRE,   /* gc: delete final tasks that have expired; out: deleted, more */
    STORE_LOCK_PUT,       /* lock */
    STORE_LOCK_DROP,      /* lock: all locks that this process holds for its task */
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
    STORE_TASK_EVENTS,  /* events: of the task `session` names */
    STORE_TASK_ANSWERS, /* answers: of one task */
    STORE_TASKS_LOST,   /* tasks: live ones whose holder is gone */
    STORE_TASK_FEED,    /* feed: of all tasks */
    STORE_LOCKS,        /* locks: of processes that run */
    /* long steps: alone in their request; they run beside other requests */
    STORE_CHECK,  /* nothing: check all pages; a corrupt store rejects writes from then on */
    STORE_BACKUP, /* path: a consistent copy in a new file */
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
        struct store_gc gc;
        const char *path;
    };
};

/*
 * One request. Zero it, set step, steps and durability, and call store_start. The store borrows the
 * steps and all they point to until the request is done; the caller must not touch them meanwhile.
 */
struct store_ask {
    struct op op; /* first */
    struct store_step *step;
    size_t steps;
    enum store_durability durability;
    struct arena mem; /* of the results, until store_ask_fini */

    struct work work; /* private to the store from here on */
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

/* A copy whose texts are in mem. */
struct store_session store_session_copy(struct arena *mem, const struct store_session *s);

static inline void store_ask_fini(struct store_ask *ask)
{
    arena_fini(&ask->mem);
}

#endif
