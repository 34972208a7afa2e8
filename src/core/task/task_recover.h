/* task_recover.h - takes over tasks whose process has died. */
#ifndef CORE_TASK_TASK_RECOVER_H
#define CORE_TASK_TASK_RECOVER_H

#include "core/task/task.h"

/* Take over a task whose process has died, and work on it. */
void task_recover_one(struct task_engine *g, struct str id);

/*
 * After the child of an isolated task has ended: take the task, fail it with a->why, and call
 * task_away_taken.
 */
void task_fail_away(struct task_away *a);

/* Stop searching for tasks whose process has died. */
void task_recover_stop(struct task_engine *g);

#endif
