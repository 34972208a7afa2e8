#include "app/task/task_viewer.h"

void task_remote_open(struct task_remote *t, const struct app *app,
                      const struct store_handle *handle)
{
    *t = (struct task_remote){
        .world = { .loop = handle->loop,
                   .limits = &app->project.config.limits,
                   .store = handle->port },
    };
    t->engine = task_engine_new(&(struct task_engine_opts){ .world = &t->world });
}

static void on_closed(void *ctx)
{
    struct task_remote *t = ctx;

    t->closed = true;
    loop_stop(t->world.loop);
}

void task_remote_close(struct task_remote *t)
{
    task_engine_close(t->engine, on_closed, t);
    while (!t->closed)
        loop_run(t->world.loop);
}
