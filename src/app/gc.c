/* gc.c - `trefoil gc`: deletes old sessions and logs, and unused state directories. */
#include "app/store_handle.h"
#include "base/clock.h"
#include "runtime/store_find.h"
#include "state/agent_homes.h"
#include "state/log_files.h"
#include "state/state_list.h"

#include <inttypes.h>
#include <stdio.h>

static bool sweep_sessions(struct store_handle *s, int64_t *sessions, int64_t *bytes, struct err *e)
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

struct swept {
    int64_t sessions, session_bytes, states, state_bytes;
    struct log_sweep logs;
};

static void gc_print(const struct app *app, const struct swept *s)
{
    if (app->opt.json)
        printf("{\"sessions\":%" PRId64 ",\"session_bytes\":%" PRId64 ",\"logs\":%" PRId64
               ",\"log_bytes\":%" PRId64 ",\"states\":%" PRId64 ",\"state_bytes\":%" PRId64 "}\n",
               s->sessions, s->session_bytes, s->logs.files, s->logs.bytes, s->states,
               s->state_bytes);
    else
        printf("deleted %" PRId64 " sessions (%" PRId64 " bytes) and %" PRId64 " logs (%" PRId64
               " bytes); state of %" PRId64 " deleted folders (%" PRId64 " bytes)\n",
               s->sessions, s->session_bytes, s->logs.files, s->logs.bytes, s->states,
               s->state_bytes);
}

static bool sweep_homes(const struct app *app, const struct limits *limits, int64_t now)
{
    if (app->project.state.fd >= 0)
        agent_homes_sweep(app->project.state.path, limits, now);
    return true;
}

static int gc_run(struct app *app, const void *args, int words, char **word)
{
    struct swept swept = { .logs = { .now = clock_wall_ms() } };
    const struct limits *limits = &app->project.config.limits;
    struct store_handle s;
    bool ok = true;
    struct err e;

    (void)args;
    (void)words;
    (void)word;
    if (!store_handle_open(&s, app))
        return EXIT_FAILED;
    if (s.port)
        ok = sweep_sessions(&s, &swept.sessions, &swept.session_bytes, &e);
    store_handle_close(&s);
    ok = ok &&
         log_files_sweep(app->project.root.path,
                         app->project.state.fd >= 0 ? app->project.state.path : NULL, limits,
                         &swept.logs, &e) &&
         sweep_homes(app, limits, swept.logs.now) &&
         state_sweep(limits, swept.logs.now, &swept.states, &swept.state_bytes, &e);
    gc_print(app, &swept);
    return ok ? EXIT_OK : print_error(&e);
}

const struct verb verb_gc = {
    .name = "gc",
    .words = "",
    .summary = "Delete old sessions and logs, and the state of deleted folders",
    .more = "[limits] session_keep_ms, session_keep_bytes, log_keep_ms and log_keep_bytes set the\n"
            "maximum age and total size. Sessions in use are never deleted.\n"
            "The state of a root is deleted if the root folder no longer exists (see: trefoil "
            "state).\n",
    .run = gc_run,
};
