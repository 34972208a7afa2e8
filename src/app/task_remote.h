/*
 * task_remote.h - an engine for verbs that show tasks and answer their questions, whichever process
 * runs them: it runs none itself.
 */
#ifndef APP_TASK_REMOTE_H
#define APP_TASK_REMOTE_H

#include "app/store_handle.h"
#include "core/task/task.h"

struct task_remote {
    struct session_world world;
    struct task_engine *engine;
    bool closed;
};

/* For a store handle whose store is open. */
void task_remote_open(struct task_remote *t, const struct app *app,
                      const struct store_handle *handle);

/* Runs the loop until it is closed. */
void task_remote_close(struct task_remote *t);

#endif
