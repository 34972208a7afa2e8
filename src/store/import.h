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
    int64_t sessions, records, tasks, unfinished, answers, locks, notes; /* that it holds */
    int64_t imported;                                                    /* sessions */
    int64_t imported_records;                                            /* of these */
};

/*
 * Count what it holds. `path` is a private copy, which is changed: its schema is raised. ERR_INVALID
 * when it is damaged or is not exactly a database of trefoil.
 */
bool store_import_look(const char *path, const struct limits *limits, struct store_import *out,
                       struct err *e);

/* After that: copy its conversations into the database `to`. Sessions that are there are skipped. */
bool store_import_copy(const char *path, const char *to, const struct limits *limits,
                       struct store_import *out, struct err *e);

#endif
