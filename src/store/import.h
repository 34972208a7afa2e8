/*
 * import.h - import conversations from an untrusted database, such as one that is part of a
 * repository.
 *
 * Only the conversations of sessions are imported, up to the end of their last finished turn.
 * Rights, approvals, locks, tasks, notes and the files that /undo would restore are not imported.
 * Prompts are marked as untrusted data ("from": "import"). The functions block.
 */
#ifndef STORE_IMPORT_H
#define STORE_IMPORT_H

#include "base/err.h"
#include "base/limits.h"

struct store_import {
    /* how many of these the database has */
    int64_t sessions, records, tasks, unfinished, answers, locks, notes;
    int64_t imported;         /* number of imported sessions */
    int64_t imported_records; /* number of imported records */
};

/*
 * Count the contents of the database at `path`, a private copy, whose schema is upgraded.
 * ERR_INVALID: the database is damaged, or its schema differs from trefoil's schema.
 */
bool store_import_look(const char *path, const struct limits *limits, struct store_import *out,
                       struct err *e);

/*
 * Copy the conversations to the database `to`. Call store_import_look first. Sessions that `to`
 * already has are skipped.
 */
bool store_import_copy(const char *path, const char *to, const struct limits *limits,
                       struct store_import *out, struct err *e);

#endif
