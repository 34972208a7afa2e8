/*
 * task_find.h - finds tasks in the store, for verbs. The functions run the loop until the store has
 * answered.
 */
#ifndef APP_TASK_TASK_FIND_H
#define APP_TASK_TASK_FIND_H

#include "app/store_handle.h"
#include "core/task/task.h"
#include "runtime/store_find.h"

/*
 * Call `each` for each task that matches the filters of the page, the newest first, until `each`
 * returns false. The texts of the task are valid only during the call of `each`.
 */
bool task_each(struct store_port *port, const struct store_task_page *filter,
               bool (*each)(void *ctx, const struct store_task *t), void *ctx, struct err *e);

/*
 * Find the only task whose id begins with `word`. *id is in app->project.mem. On failure, prints
 * the reason and returns false.
 */
bool task_find(struct app *app, const struct store_handle *handle, const char *word,
               struct str *id);

#endif
