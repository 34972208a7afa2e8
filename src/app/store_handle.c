#include "app/store_handle.h"

#include "runtime/store_find.h"

bool shelf_create(struct shelf *s, struct app *app, const char *path, struct err *e)
{
    *s = (struct shelf){ .loop = loop_new(LOOP_REAL_CLOCK) };
    if (!store_open(s->loop, &app->project.config.limits, path, &s->store, e)) {
        loop_free(s->loop);
        return false;
    }
    s->port = store_port(s->store);
    return true;
}

bool shelf_open(struct shelf *s, struct app *app)
{
    const char *path;
    struct err e;

    *s = (struct shelf){ 0 };
    if (!project_find_database(&app->project, &path, &e)) {
        if (e.code == ERR_NOT_FOUND)
            return true;
        print_error(&e);
        return false;
    }
    if (shelf_create(s, app, path, &e))
        return true;
    print_error(&e);
    return false;
}

static void on_closed(void *who)
{
    struct shelf *s = who;

    s->store = NULL;
    loop_stop(s->loop);
}

void shelf_close(struct shelf *s)
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

bool shelf_records(struct shelf *s, struct str session,
                   bool (*each)(void *who, const struct store_event *record, struct err *e),
                   void *who, struct err *e)
{
    struct store_step step = { .what = STORE_EVENTS, .events = { .session = session } };
    bool ok, more;

    do {
        struct store_ask ask = { .step = &step, .steps = 1 };

        ok = store_wait(s->port, &ask, e);
        for (size_t i = 0; ok && i < step.events.n; i++) {
            ok = each(who, &step.events.v[i], e);
            step.events.after = step.events.v[i].seq;
        }
        more = ok && step.events.more;
        store_ask_fini(&ask);
    } while (more);
    return ok;
}

static bool add(void *who, const struct store_event *record, struct err *e)
{
    return history_add(who, record->seq, record->kind, record->body, e);
}

struct history *shelf_history(struct shelf *s, const struct limits *limits, struct arena *mem,
                              struct str session, struct err *e)
{
    struct history *h = history_new(limits, mem);

    if (shelf_records(s, session, add, h, e))
        return h;
    history_free(h);
    return NULL;
}
