/*
 * keep_wire.h - the messages between trefoil and a keeper.
 *
 * trefoil (loop/proc.c) starts `trefoil keep` (sandbox/keep.c) for every child:
 *
 *   argv         PROGRAM keep [KEY=VALUE...] -- CHILD ARGUMENT...
 *   environment  names that begin with KEEP_ENV_MARK are variables of the child, which gets them
 *                without the mark. The loader and libc of the keeper ignore them, so LD_PRELOAD of
 *                a child affects only the child
 *   descriptors  0, 1, 2 are the child's; KEEP_FD is one end of a SOCK_SEQPACKET pair
 *
 * Each packet is one struct below. Both ends are the same program, so plain structs are
 * sufficient. The end of the socket is a message too: for the keeper it means KEEP_KILL.
 */
#ifndef BASE_KEEP_WIRE_H
#define BASE_KEEP_WIRE_H

#include <stdint.h>

#define KEEP_VERB "keep"
#define KEEP_CWD "cwd="       /* working folder of the child; default: trefoil's own */
#define KEEP_NOFILE "nofile=" /* soft limit of open files of the child; default: trefoil's own */
#define KEEP_ARGV "--"        /* the child's own arguments follow */
#define KEEP_PROBE "probe" /* the only argument: print the sandbox features of the kernel, exit */

/* The sandbox profile of the child (loop/sandbox_profile.h). Without KEEP_SANDBOX the child runs
 * without a sandbox. */
#define KEEP_SANDBOX "sandbox=" /* name of the profile */
#define KEEP_ROOT "root="
#define KEEP_HOME "home="       /* trefoil's own home folder */
#define KEEP_CONFIG "config="   /* the user's XDG_CONFIG_HOME */
#define KEEP_PRIVATE "private=" /* private_dir of the profile */
#define KEEP_HIDE                                                                                  \
    "hide=" /* one more hidden path; may be repeated. A folder that ends with "/"
                                 * is created if it does not exist */
#define KEEP_CONNECT "connect=" /* one more TCP port; may be repeated */
#define KEEP_FLAGS "flags="     /* enum keep_flag, in decimal */
#define KEEP_ABI "landlock="    /* the Landlock ABI of the kernel */
#define KEEP_MISSING "missing=" /* the features that the kernel lacks, as text */

enum { KEEP_FD = 3, KEEP_ENV_MARK = '@' };

enum keep_flag {
    KEEP_WRITES_ROOT = 1,
    KEEP_BEST_EFFORT = 2,
    KEEP_HAS_NAMESPACES = 4, /* this and the next three: fields of struct sandbox_support */
    KEEP_HAS_NETNS = 8,
    KEEP_HAS_OWN_PROC = 16,
    KEEP_HAS_SECCOMP = 32,
    KEEP_FLAGS_ALL = 63,
};

/* How long a keeper tries to kill before it reports that a process does not die (KEEP_STUCK). */
enum { KEEP_STUCK_MS = 3000 };

/* trefoil -> keeper. */
enum keep_order {
    KEEP_TERM = 1, /* send SIGTERM to the child's group, and SIGCONT in case it is stopped */
    KEEP_KILL,     /* send SIGKILL to all processes of the tree, until none is left */
    KEEP_SIGNAL,   /* send the signal `value` to the child's group */
};

/* keeper -> trefoil. */
enum keep_news {
    KEEP_STARTED = 1, /* the child has executed its program; value: the pid of the child, or of the
                       * init process if the sandbox has namespaces */
    KEEP_FAILED,      /* the child did not start; value: errno; step: the step that failed. No
                       * message follows */
    KEEP_EXITED,      /* the child and all its descendants are gone; value: wait status of the
                       * child. No message follows */
    /* killed processes do not die; value: their number. The keeper continues to kill them */
    KEEP_STUCK,
};

/* The steps of a start that can fail. */
enum keep_step {
    KEEP_STEP_SETUP,
    KEEP_STEP_LIMIT,
    KEEP_STEP_CHDIR,
    KEEP_STEP_EXEC,
    KEEP_STEP_SANDBOX, /* `text` says what failed */
};

struct keep_order_msg {
    uint32_t order; /* enum keep_order */
    int32_t value;
};

struct keep_news_msg {
    uint32_t news; /* enum keep_news */
    uint32_t step; /* enum keep_step */
    int32_t value;
    char text[360]; /* what failed, for KEEP_STEP_SANDBOX; else empty */
};

#endif
