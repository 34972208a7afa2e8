/* task_create.h - storing a new task; shared by tasks of agents and tasks of tool calls. */
#ifndef CORE_TASK_TASK_CREATE_H
#define CORE_TASK_TASK_CREATE_H

#include "core/task/task_run.h"

/* Begin a->op and check the spec. False: a->op has failed. */
bool task_create_begin(struct task_engine *g, struct task_ask *a, const struct task_spec *spec,
                       struct op *parent, op_done_fn *done, void *ctx);

/* Store the task of the run as SUBMITTED, settle a->op, and start the work. */
void task_create_store(struct task_ask *a, struct task_run *r);

#endif
