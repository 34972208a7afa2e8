/*
 * batch.h - requests done together, on the store's thread.
 *
 * All requests that write share one transaction. A request that fails for a reason of its own is
 * left out, and the others continue; if the transaction fails, all of them fail. Requests that only
 * read are answered afterwards, outside the transaction: they see committed data, and a full disk
 * does not affect them.
 */
#ifndef STORE_BATCH_H
#define STORE_BATCH_H

#include "store/verbs.h"

#include <stdatomic.h>

struct batch {
    struct sql sql;
    const struct limits *limits;
    struct store_ask **ask; /* of the batch under way; room for limits.store_batch */
    char holder[HOLDER_TEXT];
    int64_t lead;      /* of the clock of leases (lease.h) */
    int64_t free;      /* bytes, once the batch under way is stored (room_make) */
    int sync;          /* PRAGMA synchronous as it is set: a durability, or -1 */
    atomic_int pages;  /* in the log */
    atomic_int folded; /* of them, when it was last folded */
    int page_bytes;
    atomic_bool damaged; /* no write any more */
};

bool batch_init(struct batch *b, const struct limits *limits, const char *path, struct err *e);

/* From now on the length of the log is known. *b stays where it is. */
void batch_watch_log(struct batch *b);

/* {0} is fine. */
void batch_fini(struct batch *b);

/* The first n of b->ask. */
void batch_run(struct batch *b, size_t n);

/* Checkpoint the rest of the write-ahead log, so that it can restart at its beginning. */
void batch_fold(struct batch *b);

/* ---- from any thread ------------------------------------------------------------------------ */

bool batch_log_is_long(const struct batch *b);

/* The database is damaged: it is only read from now on. */
void batch_refuse_writes(struct batch *b);

#endif
