/*
 * init.h - the init process: process 1 of the pid namespace of a sandbox.
 *
 *   keeper --> init --> child --> whatever it starts
 *
 * The init process does the mounts, starts the child, reaps orphans and forwards signals from the
 * keeper to the process group of the child. It exits when the child has ended. When the init
 * process ends, or the keeper is killed, the kernel kills all processes in the namespace.
 */
#ifndef SANDBOX_INIT_H
#define SANDBOX_INIT_H

#include "sandbox/child.h"

/* Ends of pipes between the keeper and the init process. */
struct init_pipes {
    int ready;  /* the init process reads one byte when the keeper has mapped the user ids; end of
                 * file: the keeper is dead */
    int setup;  /* the init process or the child writes the failure of a step; end of file: the
                 * child has executed its program */
    int status; /* the init process writes the wait status of the child, an int */
};

__attribute__((noreturn)) void sandbox_init(struct keep_plan *plan, const struct init_pipes *at);

/* Replace stdin, stdout and stderr by /dev/null, and change the working folder to "/", so that this
 * process does not keep the original ones in use. */
void release_standard_files(void);

#endif
