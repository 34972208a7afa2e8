/*
 * keep_wire.h - the messages between trefoil and a keeper.
 *
 * trefoil (loop/proc.c) starts `trefoil keep` (sandbox/keep.c) for every child:
 *
 *   argv         PROGRAM keep [KEY=VALUE...] -- CHILD ARGUMENT...
 *   environment  variables that begin with KEEP_ENV_MARK are the child's, without the mark; the
 *                loader and libc of the keeper ignore them, so LD_PRELOAD of a child affects only
 *                the child
 *   descriptors  0, 1, 2 are the child's; KEEP_FD is one end of a SOCK_SEQPACKET pair
 *
 * Each packet is one struct below. Both ends are the same program, so plain structs are
 * sufficient. The end of the socket is a message too: for the keeper it means KEEP_KILL.
 */
#ifndef BASE_KEEP_WIRE_H
#define BASE_KEEP_WIRE_H

#include <stdint.h>

#define KEEP_VERB "keep"
#define KEEP_CWD "cwd="       /* where the child runs; without it where trefoil does */
#define KEEP_NOFILE "nofile=" /* its soft limit of open files; without it trefoil's */
#define KEEP_ARGV "--"        /* the child's own arguments follow */

enum { KEEP_FD = 3, KEEP_ENV_MARK = '@' };

/* How long a keeper tries to kill before it reports that a process does not die (KEEP_STUCK). */
enum { KEEP_STUCK_MS = 3000 };

/* trefoil -> keeper. */
enum keep_order {
    KEEP_TERM = 1, /* SIGTERM to the child's group, and SIGCONT so that it can heed it */
    KEEP_KILL,     /* SIGKILL to everything, until nothing is left */
};

/* keeper -> trefoil. */
enum keep_news {
    KEEP_STARTED = 1, /* value: pid of the child, which has become its program */
    KEEP_FAILED,      /* value: errno; step: the step that failed. The last message */
    KEEP_EXITED,      /* value: wait status of the child; its whole tree is gone. The last
                       * message */
    KEEP_STUCK,       /* value: how many processes are still alive; the keeper keeps trying */
};

/* Where a start can fail. */
enum keep_step { KEEP_STEP_SETUP, KEEP_STEP_LIMIT, KEEP_STEP_CHDIR, KEEP_STEP_EXEC };

struct keep_order_msg {
    uint32_t order; /* enum keep_order */
};

struct keep_news_msg {
    uint32_t news; /* enum keep_news */
    uint32_t step; /* enum keep_step */
    int32_t value;
};

#endif
