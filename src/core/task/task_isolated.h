/*
 * task_isolated.h - isolated tasks (`isolate`): a child process of this process works on each of
 * them.
 */
#ifndef CORE_TASK_TASK_ISOLATED_H
#define CORE_TASK_TASK_ISOLATED_H

#include "core/task/task.h"

/* Does the spec ask for a separate process, and can this engine start one? */
bool task_wants_away(const struct task_engine *g, const struct task_spec *spec);

/* Start the child for a stored task. The child takes the task with this fencing token. */
void task_away_begin(struct task_engine *g, const char *id, int64_t fence);
struct task_away *task_away_find(const struct task_engine *g, struct str id); /* NULL: not found */
void task_away_close(struct task_engine *g);

/* Called when a task was cancelled in the store. Kills the child if it does not end in time. */
void task_away_cancel(struct task_engine *g, struct str id);

/* Check whether other processes have cancelled any of these tasks. */
void task_away_look(struct task_engine *g);

/*
 * Called when the attempt of task_fail_away to take the task has ended. If `e` is NULL, the attempt
 * has succeeded.
 */
void task_away_taken(struct task_away *a, const struct err *e);

#endif
