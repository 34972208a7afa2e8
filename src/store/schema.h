/*
 * schema.h - the database schema, and its migrations.
 *
 * The list of steps only grows. Each missing step is one transaction that also writes the new
 * number, so a process that dies between two steps leaves a complete older schema, and two
 * processes that open the database at once share the steps between them.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/sql.h"

/* The number of the newest schema, which this program writes. */
extern const int schema_newest;

/* Read the number of the database's schema. */
bool schema_read(struct sql *s, int *out, struct err *e);

/*
 * Run the missing steps up to `upto`. A newer database is rejected (ERR_INVALID) and not changed.
 */
bool schema_raise(struct sql *s, int upto, struct err *e);

#endif
