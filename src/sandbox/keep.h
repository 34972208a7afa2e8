/*
 * keep.h - the keeper, a process which ensures that no child outlives trefoil.
 *
 * Every child of trefoil runs under a keeper: another process of this program, which supervises one
 * child and its descendants. The keeper kills the whole tree when the child ends, when trefoil
 * requests it, and when trefoil has exited, even by SIGKILL. The tree includes processes that
 * called setsid, forked twice to become a daemon, are stopped, or ignore every signal.
 * base/keep_wire.h defines the messages between trefoil and the keeper; loop/proc.h is trefoil's
 * side.
 */
#ifndef SANDBOX_KEEP_H
#define SANDBOX_KEEP_H

/* Run the verb `keep`, which is not in the help. argv[0] is the verb. Returns the exit code. */
int keep_main(int argc, char **argv);

#endif
