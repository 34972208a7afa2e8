/*
 * store.h - what is kept beyond this process: the port that stores implement.
 *
 * A request (struct store_ask) is an op. It holds steps that are done in order, all or none; its
 * answers come with the op's callback, from the loop, and mean: committed. Requests made while
 * a commit is under way share the next one. A request that was made is carried out, also when its
 * op is cancelled, and settles with what became of it.
 *
 * Who may write: one process at a time holds a session. Creating or taking it yields a
 * fencing token, and every later write to it names the token; a process that lost the session
 * (it seemed dead, another took it) holds an old one and is refused with ERR_DENIED at its next
 * write, whatever it believes.
 *
 * Failures: ERR_NOT_FOUND; ERR_DENIED (in use elsewhere, or a store that cannot be written);
 * ERR_INVALID (a version that is not the current one any more, an id that exists, a corrupt
 * store); ERR_LIMIT (too large); ERR_BUSY (too many requests wait); ERR_TIMEOUT (another process writes
 * and does not end); ERR_SYSTEM (the disk is full, or broken). After each of them nothing of the
 * request is stored.
 */
#ifndef CORE_STORE_H
#define CORE_STORE_H

#include "base/arena.h"
#include "loop/op.h"
#include "loop/worker.h"

/* What an acknowledged write survives: the end of the process, or also a power cut. */
enum store_durability { STORE_PROCESS, STORE_POWER };

enum store_what {
    /* steps that write */
    STORE_SESSION_CREATE, /* session */
    STORE_SESSION_UPDATE, /* session */
    STORE_SESSION_DELETE, /* session: with all that belongs to it */
    STORE_SESSION_TAKE,   /* session: hold it */
    STORE_SESSION_LEAVE,  /* session: hold it no longer */
    STORE_APPEND,         /* append */
    STORE_TURN_WRITE,     /* turn */
    STORE_IMAGE_PUT,      /* image */
    STORE_IMAGES_DELETE,  /* image: those of its turn; an undo is done */
    STORE_MEMORY_PUT,     /* memory */
    STORE_MEMORY_DELETE,  /* memory */
    STORE_GC,             /* gc */
    STORE_TASK_CREATE,    /* task: and its first events */
    STORE_TASK_UPDATE,    /* task: and events */
    STORE_TASK_TAKE,      /* task: become the one who works on it; fence in: as it was given us;
                             what others hold in its name is dropped */
    STORE_TASK_CANCEL,    /* task: whoever works on it is to stop */
    STORE_TASK_ANSWER,    /* answer: to an open question; whoever works on the task will see it */
    STORE_TASKS_EXPIRE,   /* gc: terminal tasks whose time is over leave; out: deleted, more */
    STORE_LOCK_PUT,       /* lock */
    STORE_LOCK_DROP,      /* lock: all that we hold of its task */
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
    STORE_TASK_ANSWERS, /* answers: that were given to one task */
    STORE_TASKS_LOST,   /* tasks: live ones that nobody works on any more */
    STORE_TASK_FEED,    /* feed: of all tasks */
    STORE_LOCKS,        /* locks: of processes that live */
    /* long ones: alone in their request, beside all others */
    STORE_CHECK,  /* nothing: walk all pages; a corrupt store takes no write any more */
    STORE_BACKUP, /* path: a consistent copy in a new file */
    STORE_WHATS
};

/* ---- objects. Times are wall clock in ms; text is UTF-8, STR_NONE is stored as empty -------- */

struct store_session {
    struct str id;
    struct str agent, cwd, model, mode, title; /* UPDATE: STR_NONE leaves it as it is */
    struct str settings;                       /* JSON: what else it was begun with; likewise */
    struct str owner;         /* the principal whose session it is; CREATE: in, never changed */
    int64_t created, updated; /* out */
    int64_t last_seq;         /* out: of its events; 0: none */
    int64_t bytes;            /* out: of its events and pre-images */
    int64_t version;          /* out: grows with each change; UPDATE: in too, 0 for any */
    int64_t fence; /* CREATE, TAKE: out. UPDATE, LEAVE: in. DELETE: in, 0: if nobody has it */
    bool in_use;   /* out: a process that lives, or may, holds it */
};

/* Something that happened in a session. Never changed once it is there. */
struct store_event {
    int64_t seq; /* out: 1, 2, 3 ... in each session */
    int64_t at;  /* out */
    struct str kind;
    struct str body; /* JSON */
    bool feed;       /* in, of a task: it also has its place in the order of all tasks */
};

struct store_append {
    struct str session;
    int64_t fence;
    const struct store_event *event;
    size_t events;
    int64_t last_seq; /* out: of the last of them */
};

/* Where a turn stands. Writing it again replaces all of it. */
struct store_turn {
    struct str session, turn;
    int64_t fence; /* of the session; out: under which it was written */
    struct str state;
    struct str calls;   /* JSON: tool calls that were begun */
    struct str results; /* JSON: those that came back */
    bool finished;
    int64_t updated, version; /* out */
    bool in_use;              /* out: a process that lives, or may, holds its session */
};

/* A file as it was before a turn wrote to it. The first of a turn and path is kept. */
struct store_image {
    struct str session, turn;
    int64_t fence;
    struct str path;
    int64_t mode;
    struct str content;
    bool absent; /* there was no file */
};

/* A piece of work (task.h). The store knows nothing of states but whether one is final. */
struct store_task {
    struct str id;
    struct str context, owner, agent, model, mode, session; /* UPDATE: STR_NONE leaves it */
    struct str state, text;
    struct str spec, result, asks; /* JSON; UPDATE: likewise */
    bool final;                    /* UPDATE: in, the state is; then nothing can change it again */
    int64_t expires;               /* UPDATE: in, with final: when it may leave; 0: the limits' */
    int64_t created, updated, ended; /* out */
    int64_t last_seq;                /* out */
    int64_t version;                 /* out: grows with each change; UPDATE: in too, 0 for any */
    int64_t fence;                   /* CREATE, TAKE: out. UPDATE: in */
    bool in_use;                     /* out: a process that lives, or may, works on it */
    bool canceled;                   /* out: somebody asked for that; also of an UPDATE */
    const struct store_event *event; /* CREATE, UPDATE: in, appended with it */
    size_t events;
    int64_t capacity; /* CREATE: in, 0: limits.tasks; past it the oldest final one leaves, or
                         ERR_BUSY when all are live */
};

/*
 * What somebody has answered to a question of a task, for the process that works on it. Of each
 * question the first answer counts. ERR_NOT_FOUND: `asks` of the task has no such key, it was
 * answered, or nobody works on the task. All of them go when the task ends or is taken by another
 * process: that one asks anew.
 */
struct store_answer {
    struct str task, key;
    struct str answer; /* JSON */
    struct str by;
    int64_t n; /* out: grows from answer to answer */
};

struct store_lock {
    struct str task, agent;
    struct str paths; /* JSON array */
    bool exclusive;
    int64_t acquired; /* PUT: out */
};

struct store_memory {
    struct str scope, key, value;
    int64_t updated, version; /* out; PUT: version in too, 0 for any */
};

/* ---- pages of them. `most` 0: as many as a page has; `more` says that there are more -------- */

/* Where a page of sessions ended; zeroed: the first page. */
struct store_cursor {
    int64_t updated, n;
};

struct store_session_page {     /* the last changed first */
    struct store_cursor cursor; /* in and out */
    int64_t most;
    struct store_session *v;
    size_t n;
    bool more;
};

struct store_event_page {
    struct str session;
    struct str kind; /* only events of this kind; STR_NONE: all */
    int64_t after;   /* seq; 0: from the first */
    int64_t most;
    struct store_event *v;
    size_t n;
    bool more;
};

struct store_turn_page { /* unfinished ones, of all sessions */
    int64_t after;       /* in and out; 0: from the first */
    int64_t most;
    struct store_turn *v;
    size_t n;
    bool more;
};

struct store_image_page { /* in the order they were put, or the other way */
    struct str session;
    struct str turn; /* STR_NONE: the last one that has any; then out, STR_NONE when none has */
    bool newest_first;
    int64_t after; /* in and out; 0: from the first */
    int64_t most;
    struct store_image *v;
    size_t n;
    bool more;
};

struct store_memory_page { /* by key */
    struct str scope;
    struct str after; /* key; STR_NONE: from the first */
    struct str text;  /* key or value hold it, in any case (ASCII); STR_NONE: all */
    int64_t most;
    struct store_memory *v;
    size_t n;
    bool more;
};

struct store_task_page {              /* the newest first; LOST: the oldest first, of all */
    struct str owner, context, agent; /* STR_NONE: of all */
    bool only_live;
    bool only_asking;           /* only live ones with open questions */
    struct store_cursor cursor; /* in and out; by time of creation */
    int64_t most;
    struct store_task *v;
    size_t n;
    bool more;
};

/* Something that happened to one of all tasks. */
struct store_feed_event {
    int64_t n; /* grows with each, in the order of commits; never given twice */
    struct str task, context, owner, agent;
    struct store_event event;
};

struct store_feed_page { /* the oldest first; without those of tasks that have left */
    int64_t after;       /* n; 0: from the first that is kept */
    int64_t most;
    struct store_feed_event *v;
    size_t n;
    bool more;
    int64_t first, last; /* out: the oldest and the newest number that are kept; 0: there is none */
};

struct store_answer_page { /* in the order they were given */
    struct str task;
    int64_t after; /* n; 0: from the first */
    struct store_answer *v;
    size_t n;
};

struct store_lock_page { /* in the order they were put */
    struct store_lock *v;
    size_t n;
};

/* Sessions that nobody has open leave: those unchanged for long, then the oldest past a size. */
struct store_gc {
    int64_t keep_ms, keep_bytes; /* 0: the limits' */
    int64_t deleted, freed;      /* out: sessions, bytes */
    bool more;                   /* out: ask again */
};

/* ---- asking --------------------------------------------------------------------------------- */

struct store_step {
    enum store_what what;
    union {
        struct store_session session;
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
 * One request. Zero it, set step, steps and durability, and store_start it. Steps and all they
 * point to are borrowed until it is done; the loop leaves *ask and the steps alone meanwhile.
 */
struct store_ask {
    struct op op; /* first */
    struct store_step *step;
    size_t steps;
    enum store_durability durability;
    struct arena mem; /* where answers live, until store_ask_fini */

    struct work work; /* the rest is the store's */
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

/* The kind of op a request is. */
extern const struct op_kind store_ask_kind;

void store_start(struct store_port *port, struct store_ask *ask, struct op *parent,
                 op_done_fn *done, void *ctx);

static inline void store_ask_fini(struct store_ask *ask)
{
    arena_fini(&ask->mem);
}

#endif
