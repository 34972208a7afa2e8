/*
 * privileges.h - restrict the resources and capabilities of a child in a sandbox.
 */
#ifndef SANDBOX_PRIVILEGES_H
#define SANDBOX_PRIVILEGES_H

#include "base/err.h"

/*
 * Forbid core dumps, limit the number of processes, join a new session keyring, and close all
 * descriptors except stdin, stdout and stderr on exec.
 */
bool privileges_limit(struct err *e);

/*
 * Drop capabilities. Root keeps the capabilities that it needs for files of other owners, and has
 * them only inside its user namespace; other users keep none. Programs that are started later
 * cannot gain capabilities (no_new_privs).
 */
bool privileges_drop(struct err *e);

/* Drop the capabilities of the init process. Root keeps only CAP_KILL, to send signals to the
 * child, which may have changed its user. */
bool privileges_drop_init(struct err *e);

#endif
