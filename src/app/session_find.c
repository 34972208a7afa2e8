#include "app/session_find.h"

/* ---- waiting --------------------------------------------------------------------------------- */

struct waiting {
    struct loop *loop;
    bool done, ok;
    struct err err;
};

static void on_done(struct op *op, const struct err *e, void *who)
{
    struct waiting *w = who;

    (void)op;
    w->done = true;
    w->ok = !e;
    if (e)
        w->err = *e;
    loop_stop(w->loop);
}

bool store_wait(struct store_port *port, struct store_ask *ask, struct err *e)
{
    struct waiting w = { .loop = port->loop };

    store_start(port, ask, NULL, on_done, &w);
    while (!w.done)
        loop_run(port->loop);
    if (!w.ok)
        *e = w.err;
    return w.ok;
}

/* ---- looking --------------------------------------------------------------------------------- */

bool session_each(struct store_port *port, bool (*each)(void *who, const struct store_session *s),
                  void *who, struct err *e)
{
    struct store_step step = { .what = STORE_SESSIONS };
    bool ok, more = true;

    do {
        struct store_ask ask = { .step = &step, .steps = 1 };

        ok = store_wait(port, &ask, e);
        for (size_t i = 0; ok && more && i < step.sessions.n; i++)
            more = each(who, &step.sessions.v[i]);
        more = more && ok && step.sessions.more;
        store_ask_fini(&ask);
    } while (more);
    return ok;
}

struct search {
    struct arena *mem;
    struct str beginning, agent;
    struct store_session found;
    size_t n;
};

static void keep(struct search *f, const struct store_session *s)
{
    f->found = *s;
    f->found.id = arena_str(f->mem, s->id);
    f->found.agent = arena_str(f->mem, s->agent);
    f->found.cwd = arena_str(f->mem, s->cwd);
    f->found.model = arena_str(f->mem, s->model);
    f->found.mode = arena_str(f->mem, s->mode);
    f->found.title = arena_str(f->mem, s->title);
    f->found.settings = arena_str(f->mem, s->settings);
    f->n++;
}

/* A whole id ends the search; two that begin alike do too. */
static bool look_for_beginning(void *who, const struct store_session *s)
{
    struct search *f = who;

    if (!str_starts(s->id, f->beginning))
        return true;
    if (s->id.n == f->beginning.n)
        f->n = 0;
    keep(f, s);
    return s->id.n != f->beginning.n && f->n < 2;
}

bool session_named(struct store_port *port, struct arena *mem, struct str beginning,
                   struct store_session *out, struct err *e)
{
    struct search f = { .mem = mem, .beginning = beginning };

    if (!session_each(port, look_for_beginning, &f, e))
        return false;
    if (!f.n)
        return fail(e, ERR_NOT_FOUND, "there is no session " STR_FMT,
                    STR_ARG(str_head(beginning, 80)));
    if (f.n > 1)
        return fail(e, ERR_INVALID, "several sessions begin with " STR_FMT "; give more of the id",
                    STR_ARG(str_head(beginning, 80)));
    *out = f.found;
    return true;
}

static bool look_for_last(void *who, const struct store_session *s)
{
    struct search *f = who;

    if (s->in_use || (f->agent.p && !str_eq(s->agent, f->agent)))
        return true;
    keep(f, s);
    return false;
}

bool session_last(struct store_port *port, struct arena *mem, struct str agent,
                  struct store_session *out, struct err *e)
{
    struct search f = { .mem = mem, .agent = agent };

    if (!session_each(port, look_for_last, &f, e))
        return false;
    if (!f.n)
        return fail(e, ERR_NOT_FOUND, "there is no session to go on with%s" STR_FMT,
                    agent.p ? " of the agent " : "", STR_ARG(agent.p ? agent : STR("")));
    *out = f.found;
    return true;
}
