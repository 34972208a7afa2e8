/* task_create.h - stores a new task; shared by tasks that run agents and tasks that call tools. */
#ifndef CORE_TASK_TASK_CREATE_H
#define CORE_TASK_TASK_CREATE_H

#include "core/task/task_run.h"

/* Begin a->op and check the spec. Returns false if the spec is wrong; then a->op has failed. */
bool task_create_begin(struct task_engine *g, struct task_ask *a, const struct task_spec *spec,
                       struct op *parent, op_done_fn *done, void *ctx);

/* Store the task of the run as SUBMITTED, complete a->op, and start the work. */
void task_create_store(struct task_ask *a, struct task_run *r);

#endif
