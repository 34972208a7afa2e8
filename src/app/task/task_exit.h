/* task_exit.h - the exit code of a command that waited for a task. */
#ifndef APP_TASK_TASK_EXIT_H
#define APP_TASK_TASK_EXIT_H

#include "core/task/task.h"
#include "term/print.h"

/*
 * Return the exit code for a task with this state. `stop` is the reason why the task's turn ended.
 */
int task_exit_code(enum task_state state, struct str stop);

#endif
