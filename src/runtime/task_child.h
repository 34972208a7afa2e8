/*
 * task_child.h - starts the child processes of isolated tasks: `trefoil tasks work ID FENCE`, under
 * the keeper (sandbox/keep.h).
 */
#ifndef RUNTIME_TASK_CHILD_H
#define RUNTIME_TASK_CHILD_H

#include "config/config.h"
#include "core/task/task.h"
#include "loop/proc.h"

struct task_children {
    struct task_isolate port; /* first */
    struct procs *procs;
    const char *root;
    const struct config *config; /* the current configuration, for the command line of the child */
};

void task_children_init(struct task_children *c, struct procs *procs, const char *root,
                        const struct config *config);

/* Use another configuration from now on. */
void task_children_use(struct task_children *c, const struct config *config);

#endif
