/* task_exit.h - the exit code of a command that waited for a task. */
#ifndef APP_TASK_EXIT_H
#define APP_TASK_EXIT_H

#include "core/task/task.h"
#include "term/print.h"

/* The exit code of a verb that has waited for a task: by its state, and why its turn ended. */
int task_exit_code(enum task_state state, struct str stop);

#endif
