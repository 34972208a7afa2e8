/*
 * seccomp_filter.h - forbid system calls that no child needs, and with which a child could bypass
 * the other parts of the sandbox.
 *
 * The filter programs are made at build time (seccomp_export.c), so that nothing is compiled at run
 * time.
 */
#ifndef SANDBOX_SECCOMP_FILTER_H
#define SANDBOX_SECCOMP_FILTER_H

#include "sandbox/plan.h"

#include <linux/filter.h>

enum seccomp_variant {
    SECCOMP_FULL, /* the child also has namespaces */
    /* the same without a network namespace: also forbids internet sockets */
    SECCOMP_FULL_OFFLINE,
    SECCOMP_REDUCED,         /* there are no namespaces: also forbids Unix sockets, and calls that
                              * act on other processes */
    SECCOMP_REDUCED_OFFLINE, /* the same, and forbids all sockets */
    SECCOMP_VARIANTS,
};

struct seccomp_program {
    const struct sock_filter *filter;
    unsigned short length;
};

extern const struct seccomp_program seccomp_programs[SECCOMP_VARIANTS]; /* generated */

/* Confine this process. It must have no_new_privs. */
bool sandbox_seccomp(const struct sandbox_plan *p, struct err *e);

/* For probe.h: does the kernel have seccomp filters? */
bool sandbox_seccomp_try(void);

#endif
