/*
 * store.h - the embedded database: SQLite in WAL mode, trefoil.db in the state directory of a root.
 *
 * Implements the port of core/store.h with one thread and one connection. Pending writes are
 * committed together, with one sync if any of them needs it; then reads are answered. Several
 * processes may have the same database open.
 *
 * A database that is corrupt, newer than this program, or on a full disk is refused with a reason
 * and never overwritten.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/limits.h"
#include "core/store.h"

#include <pthread.h>

struct store;

/*
 * Open or create, and bring the schema up to date. Blocks, so call it before serving, or once.
 * Fails as requests do; nothing was written then but whole steps of the schema.
 */
bool store_open(struct loop *loop, const struct limits *limits, const char *path,
                struct store **out, struct err *e);

/* The port for core. */
struct store_port *store_port(struct store *s);

typedef void store_closed_fn(void *ctx);

/*
 * Completes all pending requests, except checks and backups, which are canceled; new requests
 * are refused. Then closed(ctx) runs, from the loop, and *s is freed. Waits for the commit in
 * progress.
 */
void store_close(struct store *s, store_closed_fn *closed, void *ctx);

/* The version of the schema it has. */
int store_schema(const struct store *s);

/* ---- beside a store that is open, here or in another process. All block. --------------------- */

/* By which another thread ends one of them early. */
struct store_brake {
    pthread_mutex_t lock;
    void *db; /* what to interrupt; NULL: nothing is under way */
    bool pulled;
};

#define STORE_BRAKE ((struct store_brake){ .lock = PTHREAD_MUTEX_INITIALIZER })

/* Requests that run with this brake, now or later, fail with ERR_CANCELED, unless they have just
 * finished. */
void store_brake_pull(struct store_brake *b);

/* Walk all pages. ERR_INVALID when it is damaged. Without a brake: NULL. */
bool store_file_check(const char *path, struct store_brake *brake, struct err *e);

/* A consistent copy in a new file, for the user alone; all of it or nothing. */
bool store_file_backup(const char *path, const char *to, struct store_brake *brake, struct err *e);

#endif
