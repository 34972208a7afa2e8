/*
 * keep.h - the keeper: children that never outlive us.
 *
 * Every child of trefoil runs under a keeper, a process of this same program that only
 * supervises one child and its descendants. When the child ends, when trefoil requests it, and
 * when trefoil has exited, even by SIGKILL, the keeper kills the whole tree: including processes
 * that called setsid, forked twice to become a daemon, are stopped, or ignore every signal.
 * base/keep_wire.h defines the messages between them; loop/proc.h is trefoil's side.
 */
#ifndef SANDBOX_KEEP_H
#define SANDBOX_KEEP_H

/* The hidden verb; argv[0] is the verb itself. Returns the exit code. */
int keep_main(int argc, char **argv);

#endif
