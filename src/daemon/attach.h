/*
 * attach.h - work through the daemon of the root instead of in this process.
 *
 * When a daemon answers at the door (daemon_address.h) it gets the stdin and stdout of `mcp`, which then only
 * waits until it is done with them; `run` shows what the daemon tells (run_attach.c). Whoever it
 * serves shares servers, agents, processes and locks with all other clients. When there is no daemon, or it refuses, or is slow to answer
 * (limits.attach_ms), nothing has happened and the caller works in process.
 */
#ifndef DAEMON_ATTACH_H
#define DAEMON_ATTACH_H

#include "daemon/daemon_address.h"

/* TREFOIL_NO_ATTACH is set, and not to 0. */
bool attach_is_forbidden(void);

/*
 * Ask the daemon for a face. Fills in version and digest. The connection, and the daemon's process;
 * -1: there is none that would have us, and the caller works in process.
 */
int attach_socket(struct project *project, struct daemon_hello hello, int *out_pid);

/* The sentence of a daemon that went away before it had ended what it did for us. */
void attach_lost(int pid, struct err *e);

/*
 * Ask for a face, hand over stdin and stdout, and wait. Fills in version and digest. True: it was there, and all is over by
 * now; *out_code is what to exit with.
 */
bool attach(struct project *project, struct daemon_hello hello, int *out_code);

#endif
