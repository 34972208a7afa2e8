/*
 * attach.h - hands over stdin and stdout of `trefoil mcp` to the daemon of the root.
 *
 * The daemon reads and writes the descriptors itself, and this process only waits until the daemon
 * has finished (daemon_socket.h). All attached clients share the daemon's servers, agents,
 * processes and locks.
 *
 * If there is no daemon, or if the daemon rejects the client or does not answer within
 * limits.attach_ms, the caller does the work in its own process.
 */
#ifndef DAEMON_ATTACH_H
#define DAEMON_ATTACH_H

#include "daemon/daemon_socket.h"

/*
 * Connect to the daemon, hand over stdin and stdout, and wait. The function sets hello.version and
 * hello.digest. True: the daemon has served the client until the client ended; *out_code is the
 * exit code.
 */
bool attach(struct project *project, struct daemon_hello hello, int *out_code);

#endif
