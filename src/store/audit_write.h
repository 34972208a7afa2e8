/* audit_write.h - write records to the log file. Blocks, so it must run on a thread of the pool.
 * Part of the audit log. */
#ifndef STORE_AUDIT_WRITE_H
#define STORE_AUDIT_WRITE_H

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

/* Add the lines (JSON objects, each with its line feed) and their seal to the log in `folder`. */
bool audit_write(const char *folder, const struct limits *limits, struct str lines, struct err *e);

/*
 * Delete the log files that were last written before this time (wall clock, in ms), except the
 * current file. Their number and their size are added to *files and *bytes.
 */
bool audit_expire(const char *folder, int64_t before_ms, int64_t *files, int64_t *bytes,
                  struct err *e);

#endif
