/*
 * spool.h - lines of JSON that are gathered on the loop and written together on the pool.
 *
 * Nobody waits for the disk, and much that happens wakes no thread for each line. A crash loses
 * what was gathered. When the disk is slower than the lines, those that have no room are left out
 * and counted: {"lost":N} stands before the next one that is not. A write that fails stops nothing.
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

/* Write what is there, then call done; now, when there is nothing. */
void spool_close(struct spool *s, void (*done)(void *ctx), void *ctx);

/* It must be closed, or never have had a line. */
void spool_fini(struct spool *s);

#endif
