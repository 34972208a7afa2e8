/* task_find.h - tasks of a store, for verbs: they run the loop until it has answered. */
#ifndef APP_TASK_FIND_H
#define APP_TASK_FIND_H

#include "app/store_handle.h"
#include "core/task/task.h"
#include "runtime/store_find.h"

/*
 * Calls `each` for each task of the page's filters, the newest first, until it returns false. Texts
 * are borrowed for the call.
 */
bool task_each(struct store_port *port, const struct store_task_page *filter,
               bool (*each)(void *ctx, const struct store_task *t), void *ctx, struct err *e);

/* The one task whose id begins with `word`, in app->project.mem. False after printing why. */
bool task_find(struct app *app, const struct store_handle *handle, const char *word,
               struct str *id);

#endif
