/*
 * file_lock.h - a lock that a process holds while it changes a file of the state directory, so that
 * two processes do not overwrite each other's changes. The functions block.
 */
#ifndef STATE_FILE_LOCK_H
#define STATE_FILE_LOCK_H

#include "base/err.h"

/*
 * Wait for the exclusive lock on the file at this path, which is created if it is missing (0600).
 * Returns a descriptor; closing the descriptor releases the lock. Returns -1 and sets *e if the
 * file cannot be locked.
 */
int file_lock(const char *path, struct err *e);

#endif
