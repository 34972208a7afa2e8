/*
 * batch.h - run a batch of requests on the thread of the store.
 *
 * All requests that write share one transaction. If one request fails, its changes are undone and
 * the others continue; if the transaction fails, all of them fail. Requests that only read run
 * afterwards, outside the transaction: they see committed data, and a full disk does not affect
 * them.
 */
#ifndef STORE_BATCH_H
#define STORE_BATCH_H

#include "store/steps.h"

#include <stdatomic.h>

struct batch {
    struct sql sql;
    const struct limits *limits;
    struct store_ask **ask; /* the requests of the current batch; room for limits.store_batch */
    char holder[HOLDER_TEXT];
    int64_t lead;      /* the lead of the lease clock (lease.h) */
    int64_t free;      /* bytes of limits.store_bytes that are free after the current batch */
    int sync;          /* current value of PRAGMA synchronous, as a durability; -1: unknown */
    atomic_int pages;  /* number of pages in the write-ahead log */
    atomic_int folded; /* `pages` at the last checkpoint */
    int page_bytes;
    atomic_bool damaged; /* the database is damaged: writes are rejected */
};

bool batch_init(struct batch *b, const struct limits *limits, const char *path, struct err *e);

/* Update `pages` with every commit from now on. *b must not move. */
void batch_watch_log(struct batch *b);

/* *b may be {0}. */
void batch_fini(struct batch *b);

/* Run the first n requests of b->ask. */
void batch_run(struct batch *b, size_t n);

/*
 * Checkpoint the rest of the write-ahead log, so that writing can restart at the beginning of the
 * log.
 */
void batch_fold(struct batch *b);

/* ---- from any thread ------------------------------------------------------------------------ */

bool batch_log_is_long(const struct batch *b);

/* The database is damaged: reject writes from now on. */
void batch_refuse_writes(struct batch *b);

#endif
