#include "runtime/session_find.h"

/* ---- searching ------------------------------------------------------------------------------- */

/*
 * Call `each` for each session, the last changed first, until `each` returns false. Texts are valid
 * only during the call of `each`.
 */
static bool session_each(struct store_port *port,
                         bool (*each)(void *ctx, const struct store_session *s), void *ctx,
                         struct err *e)
{
    struct store_step step = { .what = STORE_SESSIONS };
    bool ok, more = true;

    do {
        struct store_ask ask = { .step = &step, .steps = 1 };

        ok = store_wait(port, &ask, e);
        for (size_t i = 0; ok && more && i < step.sessions.n; i++)
            more = each(ctx, &step.sessions.v[i]);
        more = more && ok && step.sessions.more;
        store_ask_fini(&ask);
    } while (more);
    return ok;
}

static bool look_for_beginning(struct session_search *f, const struct store_session *s)
{
    if (id_search_meets(&f->ids, s->id))
        f->found = store_session_copy(f->mem, s);
    return !f->ids.over;
}

static bool look_for_last(struct session_search *f, const struct store_session *s)
{
    if ((f->agent.p && !str_eq(s->agent, f->agent)) || (f->owner.p && !str_eq(s->owner, f->owner)))
        return true;
    if (s->in_use && !f->skips)
        f->skipped = store_session_copy(f->mem, s);
    f->skips |= s->in_use;
    if (s->in_use)
        return true;
    f->found = store_session_copy(f->mem, s);
    f->any = true;
    return false;
}

bool session_search_meets(struct session_search *f, const struct store_session *s)
{
    return f->ids.beginning.p ? look_for_beginning(f, s) : look_for_last(f, s);
}

bool session_search_end(const struct session_search *f, struct err *e)
{
    const bool named = f->agent.p != NULL;

    if (f->ids.beginning.p)
        return id_search_end(&f->ids, e);
    if (f->any)
        return true;
    if (f->skips)
        return fail(e, ERR_NOT_FOUND,
                    "the last session, " STR_FMT ", is in use, and there is no other to resume",
                    STR_ARG(f->skipped.id));
    return fail(e, ERR_NOT_FOUND, "there is no session to resume%s" STR_FMT,
                named ? " of the agent " : "", STR_ARG(named ? f->agent : STR("")));
}

static bool on_each(void *ctx, const struct store_session *s)
{
    return session_search_meets(ctx, s);
}

static bool session_find_search(struct store_port *port, struct session_search *f,
                                struct store_session *out, struct err *e)
{
    if (!session_each(port, on_each, f, e) || !session_search_end(f, e))
        return false;
    *out = f->found;
    return true;
}

bool session_named(struct store_port *port, struct arena *mem, struct str beginning,
                   struct store_session *out, struct err *e)
{
    struct session_search f = { .mem = mem, .ids = { .what = "session", .beginning = beginning } };

    return session_find_search(port, &f, out, e);
}
