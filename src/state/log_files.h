/*
 * log_files.h - the logs of sessions and the old files of the audit log, in the project and in the
 * state directory of the root (log_dir.h). Blocking.
 */
#ifndef STATE_LOG_FILES_H
#define STATE_LOG_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

struct log_sweep {
    int64_t now;          /* wall clock in ms */
    int64_t files, bytes; /* out: that went */
};

/*
 * Delete logs older than limits.log_keep_ms, then the oldest session logs past log_keep_bytes.
 * The current audit log is kept. `state` is the path of the state directory; NULL: there is
 * none.
 */
bool log_files_sweep(const char *root, const char *state, const struct limits *limits,
                     struct log_sweep *sweep, struct err *e);

/* Delete the logs of a session. */
void log_files_delete(const char *root, const char *state, const char *session);

#endif
