/*
 * tasks.h - the functions that carry out `trefoil tasks` and `trefoil agents dispatch`, each in a
 * separate file.
 */
#ifndef APP_TASK_TASKS_H
#define APP_TASK_TASKS_H

#include "app/app.h"
#include "app/store_handle.h"
#include "core/task/task.h"

/*
 * Show the events of a task whose numbers are above `after`, until the task has ended
 * (tasks_watch.c).
 */
int tasks_watch(struct app *app, struct store_handle *handle, struct str id, int64_t after,
                bool thoughts);

/*
 * Show the events of all tasks whose numbers in the feed are above `after`. If `after` is negative,
 * show only new events.
 */
int tasks_watch_all(struct app *app, struct store_handle *handle, int64_t after);

/* Run a new task: in the daemon, if one is running, else in this process (tasks_work.c). */
struct task_dispatch {
    struct task_spec spec;
    bool yes; /* approve all permission questions of the task */
    bool ask; /* if there is no terminal, questions wait for `trefoil approvals` */
    bool thoughts;
};

int tasks_dispatch(struct app *app, const struct task_dispatch *what);

/*
 * Pass a new task to the daemon and print its id. The daemon runs it after this process has exited.
 */
int tasks_detach(struct app *app, const struct task_spec *spec);
int tasks_cancel(struct app *app, struct str id);

/*
 * Work on an isolated task for the process that started this child (task_child.h), until it ends.
 */
int tasks_work_on(struct app *app, struct str id, int64_t fence);

/* A store request that reads a task and its events. The texts are valid until store_ask_fini. */
struct task_look {
    struct store_step step[2]; /* the task, then a page of its events */
    struct store_ask ask;
};

/* Read the task and its events after number `after`. */
bool task_look(struct task_look *l, struct store_port *port, struct str id, int64_t after,
               struct err *e);

#endif
