/*
 * spool.h - collect JSON lines on the loop and write them in batches on the thread pool.
 *
 * No caller waits for the disk, and a burst of lines does not wake a thread for each line. A crash
 * loses the collected lines. When the disk is slower than the lines arrive, lines without room are
 * dropped and counted: {"lost":N} precedes the next line that is written. A failed write stops
 * nothing.
 */
#ifndef LOOP_SPOOL_H
#define LOOP_SPOOL_H

#include "base/json.h"
#include "loop/job.h"

struct spool;

struct spool_kind {
    /* On a pool thread: add these lines, each with its line feed. Sees nothing else of the loop. */
    bool (*write)(struct spool *s, struct str lines, struct err *e);

    /* From the loop, once: writing has failed. */
    void (*on_failed)(struct spool *s, const struct err *e);

    /* From the loop: so many bytes have been written. May be NULL. */
    void (*on_written)(struct spool *s, size_t bytes);
};

struct spool {
    struct job job; /* first */
    const struct spool_kind *kind;
    struct loop *loop;
    struct timer later; /* for the next batch */
    int64_t gather_ms;
    struct buf filling, writing;
    size_t line;   /* where in `filling` the line begins that is being written */
    uint64_t lost; /* lines there was no room for */
    bool busy;     /* the job has `writing` */
    bool complained;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* At most `most` bytes wait while as many are written. */
void spool_init(struct spool *s, const struct spool_kind *kind, struct loop *loop, size_t most,
                int64_t gather_ms);

/* A line: write one object to what spool_begin gives, then spool_end. Whole or not at all. */
struct jw spool_begin(struct spool *s);
void spool_end(struct spool *s);

/* Write the collected lines, then call done; at once when there are none. */
void spool_close(struct spool *s, void (*done)(void *ctx), void *ctx);

/* It must be closed, or never have had a line. */
void spool_fini(struct spool *s);

#endif
