/* task_recover.h - takes over tasks whose process has died. */
#ifndef CORE_TASK_TASK_RECOVER_H
#define CORE_TASK_TASK_RECOVER_H

#include "core/task/task.h"

/* Take over a task that no process works on, and work on it. */
void task_recover_one(struct task_engine *g, struct str id);

/* The child of an isolated task has ended: take the task and fail it with a->why, then call
 * task_away_taken. */
void task_fail_away(struct task_away *a);

/* Stop searching for such tasks. */
void task_recover_stop(struct task_engine *g);

#endif
