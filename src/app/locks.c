/* locks.c - `trefoil locks`: which paths tasks hold, of all processes that work in this root. */
#include "app/app.h"
#include "app/store_handle.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/id.h"
#include "runtime/store_find.h"
#include "web/task_json.h"

#include <stdio.h>

enum { OUT_MOST = 1 << 28 };

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

static void print(const struct app *app, const struct store_lock_page *page)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, OUT_MOST);
    if (app->opt.json)
        jw_array(&w);
    for (size_t i = 0; i < page->n; i++) {
        const struct store_lock *v = &page->v[i];
        struct lock_info l = { v->task, v->agent, v->paths, v->exclusive ? "exclusive" : "shared",
                               v->acquired };

        if (app->opt.json)
            task_lock_write(&w, &l);
        else
            put_line(&out, &l);
    }
    if (app->opt.json) {
        jw_array_end(&w);
        buf_putc(&out, '\n');
    }
    print_output(&out);
}

static int run(struct app *app, const void *args, int words, char **word)
{
    struct store_step step = { .what = STORE_LOCKS };
    struct store_ask ask = { .step = &step, .steps = 1 };
    struct store_handle handle;
    struct err e;
    bool ok;

    (void)args;
    (void)words;
    (void)word;
    if (!store_handle_open(&handle, app))
        return EXIT_FAILED;
    ok = !handle.port || store_wait(handle.port, &ask, &e);
    if (ok)
        print(app, &step.locks);
    store_ask_fini(&ask);
    store_handle_close(&handle);
    return ok ? EXIT_OK : print_error(&e);
}

const struct verb verb_locks = {
    .name = "locks",
    .words = "",
    .summary = "List the paths that running tasks have locked",
    .run = run,
};
