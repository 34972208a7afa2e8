/*
 * child.h - prepare a forked process, and then execute the program of the child in it.
 */
#ifndef SANDBOX_CHILD_H
#define SANDBOX_CHILD_H

#include "base/keep_wire.h"
#include "sandbox/plan.h"

#include <sys/types.h>

/* The settings from the command line of the keeper (base/keep_wire.h). */
struct keep_plan {
    const char *cwd; /* NULL: the current folder or, if the sandbox hides it, the root folder */
    uint64_t nofile; /* 0: keep the limit of this process */
    char **argv;
    struct sandbox_plan sandbox;
};

enum { CHILD_NOT_STARTED = 127 };

/*
 * Set limits and working folder, enter the sandbox, and execute the program. A failure is written
 * as a KEEP_FAILED message to `setup`, a descriptor that is closed on exec. `parent` is the pid of
 * the parent: if getppid returns another pid, the parent has died, and the child exits.
 */
__attribute__((noreturn)) void child_become(struct keep_plan *plan, pid_t parent, int setup);

/* Report a failed step and exit. For KEEP_STEP_SANDBOX, *e has the reason; for other steps e is
 * NULL, and errno has the reason. */
__attribute__((noreturn)) void child_fail(int setup, enum keep_step step, const struct err *e);

#endif
