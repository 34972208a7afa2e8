#include "runtime/store_find.h"

#include "base/id.h"

/* ---- waiting --------------------------------------------------------------------------------- */

struct waiting {
    struct loop *loop;
    bool done, ok;
    struct err err;
};

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct waiting *w = ctx;

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

/* ---- ids ------------------------------------------------------------------------------------- */

bool id_search_meets(struct id_search *s, struct str id)
{
    bool whole = id.n == s->beginning.n;

    if (s->over || !id_is_meant(id, s->beginning))
        return false;
    s->n = whole ? 1 : s->n + 1;
    s->over = whole || s->n > 1;
    return true;
}

bool id_search_end(const struct id_search *s, struct err *e)
{
    if (!s->n)
        return fail(e, ERR_NOT_FOUND, "there is no %s " STR_FMT, s->what,
                    STR_ARG(str_head(s->beginning, 80)));
    if (s->n > 1)
        return fail(e, ERR_INVALID, "several %ss begin with " STR_FMT "; give more of the id",
                    s->what, STR_ARG(str_head(s->beginning, 80)));
    return true;
}
