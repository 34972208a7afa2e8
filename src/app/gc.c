/* gc.c - `trefoil gc`: sessions and logs that are old, or past a size, leave. */
#include "app/log_files.h"
#include "app/shelf.h"
#include "app/store_find.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

static bool sweep_sessions(struct shelf *s, int64_t *sessions, int64_t *bytes, struct err *e)
{
    struct store_step step = { .what = STORE_GC };
    bool ok;

    do {
        struct store_ask ask = { .step = &step, .steps = 1 };

        ok = store_wait(s->port, &ask, e);
        if (ok) {
            *sessions += step.gc.deleted;
            *bytes += step.gc.freed;
        }
        store_ask_fini(&ask);
    } while (ok && step.gc.more);
    return ok;
}

static void print(const struct app *app, int64_t sessions, int64_t bytes,
                  const struct log_sweep *logs)
{
    if (app->opt.json)
        printf("{\"sessions\":%" PRId64 ",\"session_bytes\":%" PRId64 ",\"logs\":%" PRId64
               ",\"log_bytes\":%" PRId64 "}\n",
               sessions, bytes, logs->files, logs->bytes);
    else
        printf("deleted %" PRId64 " sessions (%" PRId64 " bytes) and %" PRId64 " logs (%" PRId64
               " bytes)\n",
               sessions, bytes, logs->files, logs->bytes);
}

static int run(struct app *app, const void *args, int words, char **word)
{
    struct log_sweep logs = { .now = clock_wall_ms() };
    int64_t sessions = 0, bytes = 0;
    struct shelf s;
    bool ok = true;
    struct err e;

    (void)args;
    (void)words;
    (void)word;
    if (!shelf_open(&s, app))
        return EXIT_FAILED;
    if (s.port)
        ok = sweep_sessions(&s, &sessions, &bytes, &e);
    shelf_close(&s);
    ok = ok && log_files_sweep(app->root.path, app->state.fd >= 0 ? app->state.path : NULL,
                               &app->config.limits, &logs, &e);
    print(app, sessions, bytes, &logs);
    return ok ? EXIT_OK : app_fail(&e);
}

const struct verb verb_gc = {
    .name = "gc",
    .words = "",
    .summary = "Delete old sessions and logs",
    .more = "[limits] session_keep_ms, session_keep_bytes, log_keep_ms and log_keep_bytes set the\n"
            "age and the total size that are kept. Sessions in use are never deleted.\n",
    .run = run,
};
