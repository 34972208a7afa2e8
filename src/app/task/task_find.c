#include "app/task/task_find.h"

bool task_each(struct store_port *port, const struct store_task_page *filter,
               bool (*each)(void *ctx, const struct store_task *t), void *ctx, struct err *e)
{
    struct store_step step = { .what = STORE_TASKS, .tasks = *filter };
    bool ok, more = true;

    do {
        struct store_ask ask = { .step = &step, .steps = 1 };

        ok = store_wait(port, &ask, e);
        for (size_t i = 0; ok && more && i < step.tasks.n; i++)
            more = each(ctx, &step.tasks.v[i]);
        more = more && ok && step.tasks.more;
        store_ask_fini(&ask);
    } while (more);
    return ok;
}

struct task_search {
    struct id_search ids;
    struct arena *mem;
    struct str found;
};

static bool task_find_look(void *ctx, const struct store_task *t)
{
    struct task_search *f = ctx;

    if (id_search_meets(&f->ids, t->id))
        f->found = arena_str(f->mem, t->id);
    return !f->ids.over;
}

/*
 * Find the only task whose id begins with this text. *id is in mem. ERR_NOT_FOUND: there is no such
 * task. ERR_INVALID: there are several.
 */
static bool task_named(struct store_port *port, struct arena *mem, struct str beginning,
                       struct str *id, struct err *e)
{
    struct task_search f = { .mem = mem, .ids = { .what = "task", .beginning = beginning } };

    if (!task_each(port, &(struct store_task_page){ 0 }, task_find_look, &f, e) ||
        !id_search_end(&f.ids, e))
        return false;
    *id = f.found;
    return true;
}

bool task_find(struct app *app, const struct store_handle *handle, const char *word, struct str *id)
{
    struct err e;

    if (handle->port && task_named(handle->port, &app->project.mem, str_of(word), id, &e))
        return true;
    if (!handle->port)
        fail(&e, ERR_NOT_FOUND, "there is no task %.80s: no tasks are stored", word);
    print_error(&e);
    return false;
}
