/*
 * locks.c - `trefoil locks`: lists the locks on paths that tasks hold, in all processes of the
 * root.
 */
#include "app/app.h"
#include "app/store_handle.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/id.h"
#include "runtime/store_find.h"
#include "web/task_json.h"

#include <stdio.h>

static void put_line(struct buf *out, const struct lock_info *l)
{
    char time[CLOCK_TEXT];

    clock_text(l->acquired, time);
    buf_put(out, id_short(l->task));
    buf_printf(out, "  %.10s %.5s  %-9s  ", time, time + 11, l->mode);
    show_text(out, l->agent);
    buf_put(out, STR("  "));
    show_text(out, l->paths);
    buf_putc(out, '\n');
}

static void locks_print(const struct app *app, const struct store_lock_page *page)
{
    struct app_list list;

    app_list_begin(&list, app);
    for (size_t i = 0; i < page->n; i++) {
        const struct store_lock *v = &page->v[i];
        struct lock_info l = { v->task, v->agent, v->paths, v->exclusive ? "exclusive" : "shared",
                               v->acquired };

        if (list.json)
            task_lock_write(&list.w, &l);
        else
            put_line(&list.out, &l);
    }
    app_list_end(&list, true);
}

static int locks_list(struct app *app, struct store_handle *handle, const void *args, int words,
                      char **word)
{
    struct store_step step = { .what = STORE_LOCKS };
    struct store_ask ask = { .step = &step, .steps = 1 };
    struct err e;
    bool ok = !handle->port || store_wait(handle->port, &ask, &e);

    (void)args;
    (void)words;
    (void)word;
    if (ok)
        locks_print(app, &step.locks);
    store_ask_fini(&ask);
    return ok ? EXIT_OK : print_error(&e);
}

static int locks_run(struct app *app, const void *args, int words, char **word)
{
    return store_handle_run(app, locks_list, args, words, word);
}

const struct verb verb_locks = {
    .name = "locks",
    .words = "",
    .summary = "List the paths that running tasks have locked",
    .run = locks_run,
};
