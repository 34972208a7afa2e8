/*
 * store.h - the embedded database: SQLite in WAL mode, trefoil.db in the state directory of a root.
 *
 * The port of core/store.h over one thread with one connection. Requests that wait are
 * committed together, with one sync when one of them asks for it; then those that read are
 * answered. Several processes may have the same database open.
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

/* What core asks. */
struct store_port *store_port(struct store *s);

typedef void store_closed_fn(void *ctx);

/*
 * What was asked is done and answered, but for checks and backups, which are broken off; what is asked
 * from now on is refused. Then closed(who) runs, from the loop, and *s is gone. Waits for the commit
 * under way.
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

/* What runs under it, or will, fails with ERR_CANCELED; unless it is just done. */
void store_brake_pull(struct store_brake *b);

/* Walk all pages. ERR_INVALID when it is damaged. Without a brake: NULL. */
bool store_file_check(const char *path, struct store_brake *brake, struct err *e);

/* A consistent copy in a new file, for the user alone; all of it or nothing. */
bool store_file_backup(const char *path, const char *to, struct store_brake *brake, struct err *e);

#endif
