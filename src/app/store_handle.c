#include "app/store_handle.h"

#include "core/session/session_read.h"
#include "runtime/store_find.h"

bool store_handle_create(struct store_handle *s, struct app *app, const char *path, struct err *e)
{
    *s = (struct store_handle){ .loop = loop_new(LOOP_REAL_CLOCK) };
    if (!store_open(s->loop, &app->project.config.limits, path, &s->store, e)) {
        loop_free(s->loop);
        return false;
    }
    s->port = store_port(s->store);
    return true;
}

bool store_handle_open(struct store_handle *s, struct app *app)
{
    const char *path;
    struct err e;

    *s = (struct store_handle){ 0 };
    if (!project_find_database(&app->project, &path, &e)) {
        if (e.code == ERR_NOT_FOUND)
            return true;
        print_error(&e);
        return false;
    }
    if (store_handle_create(s, app, path, &e))
        return true;
    print_error(&e);
    return false;
}

static void on_closed(void *ctx)
{
    struct store_handle *s = ctx;

    s->store = NULL;
    loop_stop(s->loop);
}

void store_handle_close(struct store_handle *s)
{
    if (!s->port)
        return;
    store_close(s->store, on_closed, s);
    while (s->store)
        loop_run(s->loop);
    loop_free(s->loop);
    arena_fini(&s->mem);
    s->port = NULL;
}

int store_handle_run(struct app *app, store_verb_fn *act, const void *args, int words, char **word)
{
    struct store_handle s;
    int code;

    if (!store_handle_open(&s, app))
        return EXIT_FAILED;
    code = act(app, &s, args, words, word);
    store_handle_close(&s);
    return code;
}

bool store_handle_records(struct store_handle *s, struct str session,
                          bool (*each)(void *ctx, const struct store_event *record, struct err *e),
                          void *ctx, struct err *e)
{
    struct store_step step = { .what = STORE_EVENTS, .events = { .session = session } };
    bool ok, more;

    do {
        struct store_ask ask = { .step = &step, .steps = 1 };

        ok = store_wait(s->port, &ask, e);
        for (size_t i = 0; ok && i < step.events.n; i++) {
            ok = each(ctx, &step.events.v[i], e);
            step.events.after = step.events.v[i].seq;
        }
        more = ok && step.events.more;
        store_ask_fini(&ask);
    } while (more);
    return ok;
}

struct history *store_handle_history(struct store_handle *s, const struct limits *limits,
                                     struct arena *mem, struct str session, struct err *e)
{
    struct op_wait wait = { .loop = s->loop };
    struct session_reading r = { 0 };

    session_read(&r, s->port, limits, mem, session, STR_NONE, NULL, op_wait_done, &wait);
    return op_wait(&wait, e) ? r.history : NULL;
}
