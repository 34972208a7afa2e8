/*
 * log_dir.h - opens the folder for the logs of sessions: <root>/.trefoil/logs or, if it is not safe
 * to write there, logs/ in the state directory of the root.
 *
 * A project is not trusted: .trefoil or .trefoil/logs may be a link, belong to another user, or be
 * read-only. Logs are never written through a link, or to a place where another user could read
 * them. trefoil never reads logs.
 */
#ifndef STATE_LOG_DIR_H
#define STATE_LOG_DIR_H

#include "core/state.h"

/*
 * Open the folder; it is created if it is missing. If `state` is NULL, only the project is tried.
 * The function blocks.
 */
bool log_dir_open(const char *root, struct state_port *state, int *out_fd, struct err *e);

/*
 * Open the log folder of the project, to delete old logs. Creates nothing; ERR_NOT_FOUND: there is
 * no such folder.
 */
bool log_dir_find(const char *root, int *out_fd, struct err *e);

/* Open logs/ in the state directory with this path. Creates nothing. */
bool log_dir_find_in_state(const char *path, int *out_fd, struct err *e);

#endif
