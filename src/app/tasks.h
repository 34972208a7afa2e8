/* tasks.h - the parts of `trefoil tasks` and `trefoil agents dispatch`, a file each. */
#ifndef APP_TASKS_H
#define APP_TASKS_H

#include "app/app.h"
#include "app/store_handle.h"
#include "core/task/task.h"

/* Follow a task until it has ended, from behind the event `after` on (tasks_watch.c). */
int tasks_watch(struct app *app, struct store_handle *handle, struct str id, int64_t after,
                bool thoughts);

/* Follow all of them, from behind the number `after` of their order on; negative: from now on. */
int tasks_watch_all(struct app *app, struct store_handle *handle, int64_t after);

/* By the daemon, or without one by agents of this process (tasks_work.c). */
struct task_dispatch {
    struct task_spec spec;
    bool yes; /* allow what it asks permission for */
    bool ask; /* without a terminal, its questions wait for `approvals` */
    bool thoughts;
};

int tasks_dispatch(struct app *app, const struct task_dispatch *what);

/* Pass it to the daemon and print its ID; the daemon runs it after we have exited. */
int tasks_detach(struct app *app, const struct task_spec *spec);
int tasks_cancel(struct app *app, struct str id);

/* Work on a task that the process which has started us gave us (task_child.h), until it has ended. */
int tasks_work_on(struct app *app, struct str id, int64_t fence);

/* A task as it is stored now; its texts are valid until store_ask_fini. */
struct task_look {
    struct store_step step[2]; /* the task, then a page of its events */
    struct store_ask ask;
};

/* Look at it, and at its events behind `after`. */
bool task_look(struct task_look *l, struct store_port *port, struct str id, int64_t after,
               struct err *e);

#endif
