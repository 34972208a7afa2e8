/*
 * store.h - the embedded database: SQLite in WAL mode, trefoil.db in the state directory of a root.
 *
 * Implements the port of core/store.h with one thread and one connection. Pending writes are
 * committed together, with one sync if one of them needs it; then reads are answered. Several
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
 * Open or create the database, and upgrade its schema. Blocks. On failure the schema is unchanged
 * or was upgraded by some complete steps (schema.h).
 */
bool store_open(struct loop *loop, const struct limits *limits, const char *path,
                struct store **out, struct err *e);

/* The interface (port) that core uses. */
struct store_port *store_port(struct store *s);

typedef void store_closed_fn(void *ctx);

/*
 * Complete all pending requests, except checks and backups, which are cancelled; new requests are
 * rejected. Blocks until the commit in progress is done. Later closed(ctx) is called, from the
 * loop, and *s is freed.
 */
void store_close(struct store *s, store_closed_fn *closed, void *ctx);

/* The number of the schema of the database. */
int store_schema(const struct store *s);

/* ---- checks and backups of a database file; all of them block -------------------------------- */

/* Lets another thread cancel a check or backup. */
struct store_brake {
    pthread_mutex_t lock;
    void *db; /* the connection to interrupt; NULL: nothing is running */
    bool pulled;
};

#define STORE_BRAKE ((struct store_brake){ .lock = PTHREAD_MUTEX_INITIALIZER })

/* Checks and backups that run with this brake, now or later, fail with ERR_CANCELED, unless they
 * have just finished. */
void store_brake_pull(struct store_brake *b);

/* Check all pages. ERR_INVALID: the database is damaged. brake may be NULL. */
bool store_file_check(const char *path, struct store_brake *brake, struct err *e);

/* Write a consistent copy to a new file that only the user can read. On failure no file remains. */
bool store_file_backup(const char *path, const char *to, struct store_brake *brake, struct err *e);

#endif
