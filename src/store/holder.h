/*
 * holder.h - the name of a process that holds a session, a task or a lock.
 *
 * The name has the boot id, the pid namespace, the pid and the start time, so no two processes have
 * the same name. A process with the same boot id and namespace can check whether the named process
 * still runs.
 *
 * The holder is a process; the owner of a session or a task is a principal (core/principal.h).
 */
#ifndef STORE_HOLDER_H
#define STORE_HOLDER_H

#include "base/str.h"

enum { HOLDER_TEXT = 128, HOLDER_LABEL = 96 };

/* The name of this process. */
void holder_self(char out[HOLDER_TEXT]);

enum holder_life { HOLDER_DEAD, HOLDER_ALIVE, HOLDER_UNKNOWN };

/*
 * Does the named process run? HOLDER_UNKNOWN: it belongs to another machine, boot or namespace, or
 * /proc is not readable.
 */
enum holder_life holder_life(struct str name);

/*
 * Write a label for error messages: "process 42 (trefoil serve)". The part in brackets is omitted
 * if this process cannot read the command line of the other.
 */
void holder_label(struct str name, char out[HOLDER_LABEL]);

#endif
