/*
 * log_files.h - deletes old log files: logs of sessions and old files of the audit log, in the
 * project and in the state directory of the root (log_dir.h). The functions block.
 */
#ifndef STATE_LOG_FILES_H
#define STATE_LOG_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

struct log_sweep {
    int64_t now;          /* current time: wall clock in ms */
    int64_t files, bytes; /* out: number of deleted files; freed bytes */
};

/*
 * Delete logs older than limits.log_keep_ms, then the oldest session logs until the rest fits into
 * limits.log_keep_bytes. The current audit log is kept. `state` is the path of the state directory;
 * NULL: there is none.
 */
bool log_files_sweep(const char *root, const char *state, const struct limits *limits,
                     struct log_sweep *sweep, struct err *e);

/* Delete the logs of a session. */
void log_files_delete(const char *root, const char *state, const char *session);

#endif
