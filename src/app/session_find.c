#include "app/session_find.h"

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
    struct id_search ids;
    struct arena *mem;
    struct str agent;
    struct store_session found;
    bool any;
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
    f->any = true;
}

static bool look_for_beginning(void *who, const struct store_session *s)
{
    struct search *f = who;

    if (id_search_meets(&f->ids, s->id))
        keep(f, s);
    return !f->ids.over;
}

bool session_named(struct store_port *port, struct arena *mem, struct str beginning,
                   struct store_session *out, struct err *e)
{
    struct search f = { .mem = mem, .ids = { .what = "session", .beginning = beginning } };

    if (!session_each(port, look_for_beginning, &f, e) || !id_search_end(&f.ids, e))
        return false;
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
    if (!f.any)
        return fail(e, ERR_NOT_FOUND, "there is no session to go on with%s" STR_FMT,
                    agent.p ? " of the agent " : "", STR_ARG(agent.p ? agent : STR("")));
    *out = f.found;
    return true;
}
