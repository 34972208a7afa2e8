/*
 * task_viewer.h - a task engine for verbs that show tasks and answer their questions. This engine
 * runs no tasks; other processes run them.
 */
#ifndef APP_TASK_TASK_VIEWER_H
#define APP_TASK_TASK_VIEWER_H

#include "app/store_handle.h"
#include "core/task/task.h"

struct task_remote {
    struct session_world world;
    struct task_engine *engine;
    bool closed;
};

/* Create the engine. The store of *handle must be open. */
void task_remote_open(struct task_remote *t, const struct app *app,
                      const struct store_handle *handle);

/* Close the engine, and run the loop until the engine is closed. */
void task_remote_close(struct task_remote *t);

#endif
