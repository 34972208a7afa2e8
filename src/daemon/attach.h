/*
 * attach.h - `mcp` passes its stdin and stdout to the daemon of the root.
 *
 * When a daemon answers on its socket (daemon_address.h), it reads and writes the descriptors itself;
 * this process only waits until the daemon is done. All attached clients share the daemon's servers,
 * agents, processes and locks. When there is no daemon, or it refuses, or it does not answer within
 * limits.attach_ms, nothing has happened and the caller works in process.
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
