/*
 * keep.h - the keeper: children that never outlive us.
 *
 * Every child of trefoil runs under a keeper, a process of this same program that does nothing
 * but watch over one child and all that comes from it. When the child ends, when trefoil says
 * so, and when trefoil is gone, by SIGKILL too, the keeper kills the whole tree: also who
 * called setsid, forked twice to become a daemon, is stopped, or ignores every signal.
 * base/keep_wire.h is what the two say to each other; loop/proc.h is trefoil's side.
 */
#ifndef SANDBOX_KEEP_H
#define SANDBOX_KEEP_H

/* The hidden verb; argv[0] is the verb itself. Returns the exit code. */
int keep_main(int argc, char **argv);

#endif
