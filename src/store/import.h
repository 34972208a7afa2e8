/*
 * import.h - import conversations from an untrusted database, such as one that is part of a
 * repository.
 *
 * Only sessions are imported, up to the end of their last finished turn, and only records of a
 * conversation. Rights, approvals, locks, tasks, notes and the files that /undo would restore are
 * not. Prompts are marked as untrusted data ("from": "import"). Blocking.
 */
#ifndef STORE_IMPORT_H
#define STORE_IMPORT_H

#include "base/err.h"
#include "base/limits.h"

struct store_import {
    /* contents of the database */
    int64_t sessions, records, tasks, unfinished, answers, locks, notes;
    int64_t imported;         /* sessions */
    int64_t imported_records; /* of these */
};

/*
 * Count the contents. `path` is a private copy, whose schema is upgraded. ERR_INVALID: it is
 * damaged, or not exactly a database of trefoil.
 */
bool store_import_look(const char *path, const struct limits *limits, struct store_import *out,
                       struct err *e);

/*
 * Copy its conversations into the database `to`, after store_import_look. Existing sessions are
 * skipped.
 */
bool store_import_copy(const char *path, const char *to, const struct limits *limits,
                       struct store_import *out, struct err *e);

#endif
