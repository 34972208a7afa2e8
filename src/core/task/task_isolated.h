/* task_isolated.h - tasks that this process has given to child processes (`isolate`). */
#ifndef CORE_TASK_TASK_ISOLATED_H
#define CORE_TASK_TASK_ISOLATED_H

#include "core/task/task.h"

/* Does the spec ask for a separate process, and can this engine start one? */
bool task_wants_away(const struct task_engine *g, const struct task_spec *spec);

/* Start the child for a stored task, which takes the task by its fencing token. */
void task_away_begin(struct task_engine *g, const char *id, int64_t fence);
struct task_away *task_away_find(const struct task_engine *g, struct str id); /* or NULL */
void task_away_close(struct task_engine *g);

/* The task was cancelled in the store: kill its child if it does not end in time. */
void task_away_cancel(struct task_engine *g, struct str id);

/* Check whether other processes have cancelled any of these tasks. */
void task_away_look(struct task_engine *g);

/* The attempt of task_fail_away to take the task has ended. e NULL: it succeeded. */
void task_away_taken(struct task_away *a, const struct err *e);

#endif
