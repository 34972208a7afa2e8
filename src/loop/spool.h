/*
 * spool.h - collect JSON lines on the loop and write them in batches on the thread pool.
 *
 * No caller waits for the disk, and many lines are written by one job of a thread. A crash loses
 * the collected lines. If lines arrive faster than they can be written and the buffer is full, new
 * lines are dropped and counted, and {"lost":N} is written before the next line. If a write fails,
 * its lines are lost, and later lines are written as before.
 */
#ifndef LOOP_SPOOL_H
#define LOOP_SPOOL_H

#include "base/json.h"
#include "loop/job.h"

struct spool;

struct spool_kind {
    /* Write these lines, each with its line feed. Runs on a pool thread: must not use the loop. */
    bool (*write)(struct spool *s, struct str lines, struct err *e);

    /* A write has failed. Called from the loop, for the first failure only. */
    void (*on_failed)(struct spool *s, const struct err *e);

    /* This number of bytes has been written. Called from the loop. May be NULL. */
    void (*on_written)(struct spool *s, size_t bytes);
};

struct spool {
    struct job job; /* first */
    const struct spool_kind *kind;
    struct loop *loop;
    struct timer later; /* starts the next batch */
    int64_t gather_ms;
    struct buf filling, writing;
    size_t line;   /* the offset in `filling` of the line that is being added */
    uint64_t lost; /* the number of dropped lines that was not written yet */
    bool busy;     /* the job is writing `writing` */
    bool complained;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* A batch begins gather_ms after its first line, or when half of `most` bytes are collected. While
 * a batch is written, at most `most` bytes are collected. */
void spool_init(struct spool *s, const struct spool_kind *kind, struct loop *loop, size_t most,
                int64_t gather_ms);

/* Add a line: write one object to the result of spool_begin, then call spool_end. A line that does
 * not fit is dropped as a whole. */
struct jw spool_begin(struct spool *s);
void spool_end(struct spool *s);

/* Write the collected lines, then call done. If there are none, done is called at once. */
void spool_close(struct spool *s, void (*done)(void *ctx), void *ctx);

/* Free the buffers. The spool must be closed, or never have had a line. */
void spool_fini(struct spool *s);

#endif
