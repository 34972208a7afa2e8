/*
 * log_files.h - the logs of sessions and the old files of the audit log, in .trefoil/logs. Blocking.
 */
#ifndef APP_LOG_FILES_H
#define APP_LOG_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

/* What went, or with `dry` would go. */
struct log_sweep {
    bool dry;
    int64_t now; /* wall clock in ms */
    int64_t files, bytes;
};

/*
 * Delete logs older than limits.log_keep_ms, then the oldest of sessions' past log_keep_bytes. The
 * audit log that is written to stays. A folder that is not there has none.
 */
bool log_files_sweep(const char *root, const struct limits *limits, struct log_sweep *sweep,
                     struct err *e);

/* Delete those of a session. */
void log_files_delete(const char *root, const char *session);

#endif
