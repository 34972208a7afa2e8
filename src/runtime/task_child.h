/*
 * task_child.h - tasks in processes of their own: `trefoil tasks work ID FENCE`, under the keeper.
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
    const struct config *config; /* in force: which files the child is to read */
};

void task_children_init(struct task_children *c, struct procs *procs, const char *root,
                        const struct config *config);

/* Another configuration is in force. */
void task_children_use(struct task_children *c, const struct config *config);

#endif
