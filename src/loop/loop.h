/*
 * loop.h - the event loop. Almost all code runs on its thread.
 *
 * Wraps libuv so that no other folder of src/ uses it. One iteration waits for descriptors, calls
 * their handlers, and then runs a turn: it calls the posted callbacks, including those posted
 * meanwhile (up to a bound), and then the flush callbacks. So everything written in a turn is sent
 * in one system call per stream.
 *
 * Time: code on the loop uses loop_now() and loop_wall() as its clocks. With a fake clock, time
 * changes only by loop_advance(), so tests control the time and never sleep.
 */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include "base/err.h"
#include "base/str.h"

struct loop;

enum loop_clock { LOOP_REAL_CLOCK, LOOP_FAKE_CLOCK };

/*
 * Create a loop, usually for the lifetime of the program. Aborts if there is no epoll descriptor.
 */
struct loop *loop_new(enum loop_clock clock);

/* Everything on the loop must have been closed. loop may be NULL. */
void loop_free(struct loop *loop);

/* Run until loop_stop(), or until nothing is left that could post or cause a callback. */
void loop_run(struct loop *loop);

/*
 * Make loop_run return: the running call or, if there is none, the next call. Posted callbacks wait
 * until it runs again.
 */
void loop_stop(struct loop *loop);

/* Run one iteration without waiting. True: something is still posted. For tests. */
bool loop_run_once(struct loop *loop);

/* Milliseconds of a clock that never goes back; constant during one callback. */
int64_t loop_now(const struct loop *loop);

/* Milliseconds since 1970 UTC. */
int64_t loop_wall(const struct loop *loop);

/* Fake clock only: advance the time. Due timers fire in order; after each timer, the posted
 * callbacks are called. */
void loop_advance(struct loop *loop, int64_t ms);

/* ---- posting ---------------------------------------------------------------------------- */

/* A callback that the loop calls soon. Embed it in its owner. It is in at most one queue. */
struct post {
    struct post *next;
    void (*fn)(struct post *p);
    bool queued;
};

/* Call p->fn in the next pass over the posts. No effect if p is queued already. */
void loop_post(struct loop *loop, struct post *p);

/* Call p->fn after all posts of this turn. Owners use it to write what they have collected. */
void loop_post_flush(struct loop *loop, struct post *p);

/* Remove a post from its queue, if it is queued. For owners that are freed early. */
void loop_unpost(struct loop *loop, struct post *p);

/* ---- timers ----------------------------------------------------------------------------- */

struct timer {
    int64_t due;
    void (*fn)(struct timer *t);
    uint32_t slot; /* index in the heap + 1; 0: not set */
};

/*
 * Call fn once, after ms milliseconds (at least 1 if called inside a timer's callback). This
 * replaces an earlier setting of the timer.
 */
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
 * Waits for events of one descriptor. A regular file or /dev/null, which epoll refuses, counts as
 * always ready. The watch does not own the descriptor, which must be non-blocking.
 */
struct watch {
    void *uv[20]; /* uv_poll_t, checked at compile time */
    struct loop *loop;
    watch_ready_fn *on_ready;
    watch_closed_fn *on_closed;
    struct post again; /* calls on_ready of a descriptor that is always ready */
    uint8_t wanted;    /* WATCH_* */
    bool always;       /* always ready: epoll refuses this descriptor */
    bool dead;         /* could not be opened: never ready */
    bool failed;       /* reported an error; watches no longer */
    bool closing;
};

/* A watch that could not be opened reports nothing. It may be closed like any other. */
bool watch_open(struct watch *w, struct loop *loop, int fd, watch_ready_fn *on_ready,
                struct err *e);

/* Set the events to report; 0: none. Setting the same events again costs almost nothing. */
void watch_want(struct watch *w, unsigned events);

/* End the watch. The descriptor may be closed at once; *w must stay valid until on_closed. */
void watch_close(struct watch *w, watch_closed_fn *on_closed);

/* ---- signals ---------------------------------------------------------------------------- */

typedef void loop_signal_fn(int signum, void *ctx);

/* Call fn from the loop whenever this signal arrives, until the loop is freed. */
bool loop_on_signal(struct loop *loop, int signum, loop_signal_fn *fn, void *ctx, struct err *e);

/* ---- for the other files of src/loop ------------------------------------------------------ */

/* The uv_loop_t. */
void *loop_uv(struct loop *loop);

/* A buffer of 64 KB that any callback may use until it returns. */
struct loop_scratch {
    char *p;
    size_t n;
};
struct loop_scratch loop_scratch(struct loop *loop);

#endif
