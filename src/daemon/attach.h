/*
 * attach.h - `mcp` passes its stdin and stdout to the daemon of the root.
 *
 * A daemon that answers on its socket (daemon_address.h) reads and writes the descriptors itself.
 * This process only waits until the daemon has finished. All attached clients share the daemon's
 * servers, agents, processes and locks.
 *
 * If there is no daemon, or it rejects the client or does not answer within limits.attach_ms, the
 * caller does the work in its own process.
 */
#ifndef DAEMON_ATTACH_H
#define DAEMON_ATTACH_H

#include "daemon/daemon_address.h"

/*
 * Attach, hand over stdin and stdout, and wait. Fills in version and digest. True: the daemon served
 * the client until its end; *out_code is the exit code.
 */
bool attach(struct project *project, struct daemon_hello hello, int *out_code);

#endif
