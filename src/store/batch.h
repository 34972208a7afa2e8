/*
 * batch.h - runs a batch of requests on the store's thread.
 *
 * All requests that write share one transaction. A request that fails by itself is left out, and
 * the others continue; if the transaction fails, all of them fail. Requests that only read are
 * answered afterwards, outside the transaction: they see committed data, and a full disk does not
 * affect them.
 */
#ifndef STORE_BATCH_H
#define STORE_BATCH_H

#include "store/verbs.h"

#include <stdatomic.h>

struct batch {
    struct sql sql;
    const struct limits *limits;
    struct store_ask **ask; /* the requests of the current batch; room for limits.store_batch */
    char holder[HOLDER_TEXT];
    int64_t lead;      /* lead of the lease clock (lease.h) */
    int64_t free;      /* bytes that are free after the current batch (room_make) */
    int sync;          /* the current PRAGMA synchronous: a durability, or -1 */
    atomic_int pages;  /* in the write-ahead log */
    atomic_int folded; /* of them, after the last checkpoint */
    int page_bytes;
    atomic_bool damaged; /* writes are rejected */
};

bool batch_init(struct batch *b, const struct limits *limits, const char *path, struct err *e);

/* Track the length of the write-ahead log from now on. *b must not move. */
void batch_watch_log(struct batch *b);

/* {0} is fine. */
void batch_fini(struct batch *b);

/* Run the first n requests of b->ask. */
void batch_run(struct batch *b, size_t n);

/* Checkpoint the rest of the write-ahead log, so that it can restart at its beginning. */
void batch_fold(struct batch *b);

/* ---- from any thread ------------------------------------------------------------------------ */

bool batch_log_is_long(const struct batch *b);

/* The database is damaged: reject writes from now on. */
void batch_refuse_writes(struct batch *b);

#endif
