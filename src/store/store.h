/*
 * store.h - the embedded database.
 *
 * SQLite in WAL mode at <root>/.trefoil/trefoil.db. Opening brings the schema up to date in one
 * transaction, or changes nothing: a database that is corrupt, newer than this program or on a
 * full disk is refused with a reason and never overwritten.
 *
 * Today it holds only its own description (table meta); sessions and tasks move in with their
 * features.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/err.h"

#include <stdint.h>

struct store;

/* Open or create. `now` is the wall clock in ms. ERR_SYSTEM, or ERR_INVALID when refused. */
bool store_open(const char *path, int64_t now, struct store **out, struct err *e);

/* Open an existing one to look at it; nothing is written or migrated. */
bool store_look(const char *path, struct store **out, struct err *e);
void store_close(struct store *s);

/* The version of the schema it has now. */
int store_schema(const struct store *s);

/* Walk all pages. For `trefoil doctor`. */
bool store_check(struct store *s, struct err *e);

#endif
