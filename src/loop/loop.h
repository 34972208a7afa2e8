/*
 * loop.h - the event loop: the one thread on which everything happens.
 *
 * Wraps libuv so that no other folder of src/ uses it. One iteration waits for descriptors, calls
 * their handlers, and then runs a turn. The turn delivers posted callbacks (repeatedly, up to a
 * bound) and runs the flush hooks. So everything written in a turn is sent in one system call per
 * stream.
 *
 * Time: loop_now() is the only clock in the program. A loop made with a fake clock stands
 * still until loop_advance() moves it, so tests control time and never sleep.
 */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include "base/err.h"
#include "base/str.h"

struct loop;

enum loop_clock { LOOP_REAL_CLOCK, LOOP_FAKE_CLOCK };

/* Program lifetime. Aborts when the kernel refuses an epoll descriptor. */
struct loop *loop_new(enum loop_clock clock);

/* Everything on the loop must have been closed. NULL is fine. */
void loop_free(struct loop *loop);

/* Run until loop_stop(), or until nothing is left that could wake it and all is delivered. */
void loop_run(struct loop *loop);

/* Make loop_run return, this time or the next. Posted callbacks wait until it runs again. */
void loop_stop(struct loop *loop);

/* One iteration without waiting. True while something is posted. For tests. */
bool loop_run_once(struct loop *loop);

/* Milliseconds that only go forward; constant during one callback. */
int64_t loop_now(const struct loop *loop);

/* Milliseconds since 1970 UTC. */
int64_t loop_wall(const struct loop *loop);

/* Fake clock only: advance the time. Due timers fire in order, and posts are delivered between. */
void loop_advance(struct loop *loop, int64_t ms);

/* ---- posting ---------------------------------------------------------------------------- */

/* A call that is made from the loop, soon. Embedded in its owner; posted at most once. */
struct post {
    struct post *next;
    void (*fn)(struct post *p);
    bool queued;
};

/* Deliver p->fn in the next pass. No effect when it is queued already. */
void loop_post(struct loop *loop, struct post *p);

/* Call p->fn when all posts of this turn are delivered. Owners then write what they collected. */
void loop_post_flush(struct loop *loop, struct post *p);

/* Take a post back, from either queue. For owners that end early. */
void loop_unpost(struct loop *loop, struct post *p);

/* ---- timers ----------------------------------------------------------------------------- */

struct timer {
    int64_t due;
    void (*fn)(struct timer *t);
    uint32_t slot; /* place in the heap + 1; 0: not set */
};

/* Fire once, ms from now; in a timer's callback at least 1. Setting a set timer moves it. */
void timer_set(struct loop *loop, struct timer *t, int64_t ms, void (*fn)(struct timer *t));
void timer_clear(struct loop *loop, struct timer *t);

static inline bool timer_is_set(const struct timer *t)
{
    return t->slot != 0;
}

/* ---- descriptors ------------------------------------------------------------------------ */

enum { WATCH_READ = 1, WATCH_WRITE = 2, WATCH_HANGUP = 4 };

struct watch;
typedef void watch_ready_fn(struct watch *w, unsigned events);
typedef void watch_closed_fn(struct watch *w);

/*
 * Waits for one descriptor. A regular file or /dev/null, which epoll refuses, counts as always
 * ready. Does not own the descriptor, which must not block.
 */
struct watch {
    void *uv[20]; /* uv_poll_t, checked at compile time */
    struct loop *loop;
    watch_ready_fn *on_ready;
    watch_closed_fn *on_closed;
    struct post again; /* always ready: returns control to us */
    uint8_t wanted;    /* WATCH_* */
    bool always;       /* no epoll for this descriptor */
    bool dead;         /* would not open: never ready */
    bool failed;       /* it reported an error, and watches no more */
    bool closing;
};

/* A watch that could not be opened may still be closed, and reports nothing before that. */
bool watch_open(struct watch *w, struct loop *loop, int fd, watch_ready_fn *on_ready,
                struct err *e);

/* The events to report; 0 for none. Cheap when nothing changes. */
void watch_want(struct watch *w, unsigned events);

/* Ends the watch; the descriptor may be closed at once, *w must live until on_closed ran. */
void watch_close(struct watch *w, watch_closed_fn *on_closed);

/* ---- signals ---------------------------------------------------------------------------- */

typedef void loop_signal_fn(int signum, void *ctx);

/* Call fn from the loop for each signal. Lives until the loop ends. */
bool loop_on_signal(struct loop *loop, int signum, loop_signal_fn *fn, void *ctx, struct err *e);

/* ---- for the rest of this room ----------------------------------------------------------- */

/* The uv_loop_t. */
void *loop_uv(struct loop *loop);

/* A buffer of 64 KB that any callback may use until it returns. */
struct loop_scratch {
    char *p;
    size_t n;
};
struct loop_scratch loop_scratch(struct loop *loop);

#endif
