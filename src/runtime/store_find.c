#include "runtime/store_find.h"

#include "base/id.h"

/* ---- waiting --------------------------------------------------------------------------------- */

void op_wait_done(struct op *op, const struct err *e, void *ctx)
{
    struct op_wait *w = ctx;

    (void)op;
    w->done = true;
    w->ok = !e;
    if (e)
        w->err = *e;
    loop_stop(w->loop);
}

bool op_wait(struct op_wait *w, struct err *e)
{
    while (!w->done)
        loop_run(w->loop);
    if (!w->ok)
        *e = w->err;
    return w->ok;
}

bool store_wait(struct store_port *port, struct store_ask *ask, struct err *e)
{
    struct op_wait w = { .loop = port->loop };

    store_start(port, ask, NULL, op_wait_done, &w);
    return op_wait(&w, e);
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
        return fail(e, ERR_INVALID, "several %s IDs begin with " STR_FMT "; give more of the ID",
                    s->what, STR_ARG(str_head(s->beginning, 80)));
    return true;
}
