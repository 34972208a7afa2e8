/*
 * schema.h - the database schema, and its migrations.
 *
 * A migration is a list of steps; steps are only added, never changed. Each step is one
 * transaction, which also writes the new number of the schema. So if a process dies between two
 * steps, the database has a complete older schema; and if two processes migrate it at the same
 * time, each step is done once.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/sql.h"

/* The number of the newest schema, which this program writes. */
extern const int schema_newest;

/* Read the number of the database's schema. */
bool schema_read(struct sql *s, int *out, struct err *e);

/*
 * Run the missing steps, up to number `upto`. ERR_INVALID: the database is newer than this program;
 * it is not changed.
 */
bool schema_raise(struct sql *s, int upto, struct err *e);

#endif
