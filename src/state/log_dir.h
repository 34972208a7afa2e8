/*
 * log_dir.h - where the logs of sessions are written: <root>/.trefoil/logs, or, when the user
 * cannot safely write there, logs/ in the state directory of the root.
 *
 * A project is not trusted. Its .trefoil, or logs in it, may be a link that leads elsewhere,
 * belong to another user, or be read-only: nothing is written through a link, and nothing to where
 * another user could read it. Logs are never read back.
 */
#ifndef STATE_LOG_DIR_H
#define STATE_LOG_DIR_H

#include "core/state.h"

/* Open it; it is created if it is missing. `state` may be NULL: only the project is tried.
 * Blocking. */
bool log_dir_open(const char *root, struct state_port *state, int *out_fd, struct err *e);

/* The log directory of the project, for cleaning up. Creates nothing; ERR_NOT_FOUND: there is
 * none. */
bool log_dir_find(const char *root, int *out_fd, struct err *e);

/* logs/ in an open state directory; `path` is its path. */
bool log_dir_find_in_state(const char *path, int *out_fd, struct err *e);

#endif
