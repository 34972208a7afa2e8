/*
 * chat_session.c - opens the first and the next session of the chat, and changes its settings.
 *
 * The next session is opened while the current one is still open. The current session is closed
 * only after the next session was opened, so that a wrong id does not close it.
 */
#include "app/chat/chat.h"

#include "base/display.h"
#include "core/guard/guard_read_only.h"
#include "runtime/service.h"

static struct agent_registry_port *registry_of(struct chat *c)
{
    return agent_registry_port(c->shop.registry);
}

/*
 * Take an agent from the registry. The caller must drop it. On failure, prints the reason and
 * returns NULL.
 */
static struct agent *take_agent(struct chat *c, const struct agent_want *want)
{
    struct agent_registry_port *d = registry_of(c);
    struct err e;
    struct agent *a = d->kind->take(d, want, &e);

    if (!a)
        chat_complain(c, &e);
    return a;
}

/* Without a session the chat cannot continue. */
static void give_up(struct chat *c)
{
    if (!c->session) {
        c->code = EXIT_FAILED;
        chat_leave(c);
    }
    chat_done(c);
}

/* ---- greeting ------------------------------------------------------------------------------ */

static const char *mode_of(const struct session *s)
{
    return guard_is_read_only(&s->scope) ? ", read-only" : "";
}

static void chat_session_greet(struct chat *c)
{
    const struct session *s = c->session;
    struct str model = shown_text(&c->mem, s->agent->model);

    chat_note(c, "agent %s, model " STR_FMT "%s, session %s\n", s->agent->def->name, STR_ARG(model),
              mode_of(s), s->id);
    if (c->edit.terminal)
        chat_note(c, "/help lists commands; ctrl-d exits\n");
    if (s->interrupted)
        chat_note(c, "The last turn was interrupted; /continue resumes it.\n");
}

/* ---- seats --------------------------------------------------------------------------------- */

static void on_log_closed(void *ctx)
{
    struct chat *c = ctx;

    c->left(c);
}

static void on_closed(void *ctx)
{
    struct chat *c = ctx;

    session_log_close(&c->leaving->log, on_log_closed, c);
}

void chat_leave_seat(struct chat *c, struct chat_seat *seat, void (*done)(void *ctx))
{
    c->leaving = seat;
    c->left = done;
    session_close(&seat->session, on_closed, c);
}

static void open_log(struct chat *c)
{
    if (c->shop.store)
        session_log_open(&c->here->log, c->loop, c->service.limits, c->app->project.root.path,
                         &c->app->project.state.port, c->session->id, &c->client);
}

/* ---- opening ------------------------------------------------------------------------------- */

static void on_left(void *ctx)
{
    chat_done(ctx);
}

static void on_mode_set(struct op *op, const struct err *e, void *ctx)
{
    struct chat *c = ctx;

    (void)op;
    if (e)
        chat_complain(c, e);
    chat_session_greet(c);
    chat_done(c);
}

/*
 * A session was opened. If there was a session before, close it. The first session gets the mode of
 * the command line.
 */
static void chat_session_settle(struct chat *c, struct chat_seat *before)
{
    struct session_change mode = { .mode = str_of(c->args->mode) };

    if (before) {
        chat_session_greet(c);
        chat_leave_seat(c, before, on_left);
    } else if (c->args->mode) {
        session_change(c->session, &c->changing, &mode, NULL, on_mode_set, c);
    } else {
        chat_session_greet(c);
        chat_done(c);
    }
}

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct chat *c = ctx;
    struct chat_seat *before = c->here;

    (void)op;
    c->busy = NULL;
    if (e) {
        chat_complain(c, e);
        give_up(c);
        return;
    }
    c->here = &c->seat[before == &c->seat[0]];
    c->session = &c->here->session;
    open_log(c);
    c->usage = (struct event_usage){ .cost_usd = -1 };
    buf_clear(&c->plan);
    session_tell(c->session, &c->client);
    chat_session_settle(c, before);
}

void chat_open(struct chat *c, struct str id, const struct agent_want *want)
{
    struct principal self = principal_self(ORIGIN_CHAT);
    struct session_opts opts = { .id = id,
                                 .agent = take_agent(c, want),
                                 .origin = self.origin,
                                 .principal = str_of(self.name) };
    struct chat_seat *next = &c->seat[c->here == &c->seat[0]];

    if (!opts.agent) {
        give_up(c);
        return;
    }
    c->opening = (struct session_opening){ 0 };
    chat_begin(c, &c->opening.op);
    session_open(&next->session, &c->opening, &c->shop.world, &opts, NULL, on_opened, c);
    agent_drop(opts.agent);
}

/* ---- finding ------------------------------------------------------------------------------- */

/*
 * Choose the agent for a session. The options of the command line apply to the first session only;
 * later sessions use the agent that is stored with them.
 */
static struct agent_want chat_session_wanted(const struct chat *c, struct str agent)
{
    struct agent_want want = { .name = agent };

    if (!c->here && c->args->agent)
        want.name = str_of(c->args->agent);
    if (!c->here)
        want.model = str_of(c->args->model);
    return want;
}

/*
 * Does the session match the search? Without a prefix, a match is a session of this user that no
 * process has open.
 */
static bool matches(const struct chat_search *f, const struct store_session *s)
{
    struct principal self = principal_self(ORIGIN_CHAT);

    return f->beginning.p ? id_is_meant(s->id, f->beginning)
                          : !s->in_use && str_eq(s->owner, str_of(self.name));
}

/* Search one page. Returns true if the result is known, so that no further page is needed. */
static bool look_through(struct chat *c, const struct store_session_page *page)
{
    struct chat_search *f = &c->search;

    for (size_t i = 0; i < page->n; i++) {
        if (!matches(f, &page->v[i]))
            continue;
        f->found++;
        f->id = arena_str(&c->mem, page->v[i].id);
        f->agent = arena_str(&c->mem, page->v[i].agent);
        if (!f->beginning.p || str_eq(f->id, f->beginning))
            return true;
    }
    return !page->more;
}

static bool is_one(const struct chat *c, struct err *e)
{
    const struct chat_search *f = &c->search;

    if (f->found == 1 && c->here && str_eq(f->id, str_of(c->session->id)))
        return fail(e, ERR_INVALID, "this session is already open");
    if (f->found == 1)
        return true;
    if (!f->beginning.p)
        return fail(e, ERR_NOT_FOUND, "there is no session to resume");
    return fail(e, ERR_NOT_FOUND, "%s session ID begins with " STR_FMT,
                f->found ? "more than one" : "no", STR_ARG(str_head(f->beginning, 80)));
}

static void open_found(struct chat *c)
{
    struct agent_want want = chat_session_wanted(c, c->search.agent);
    struct err e;

    if (is_one(c, &e)) {
        chat_open(c, c->search.id, &want);
        return;
    }
    chat_complain(c, &e);
    give_up(c);
}

static void ask_page(struct chat *c, struct store_cursor cursor);

static void on_page(struct op *op, const struct err *e, void *ctx)
{
    struct chat *c = ctx;
    struct store_cursor cursor = c->step.sessions.cursor;
    bool clear = e || look_through(c, &c->step.sessions);

    (void)op;
    c->busy = NULL;
    store_ask_fini(&c->ask);
    if (e) {
        chat_complain(c, e);
        give_up(c);
    } else if (clear) {
        open_found(c);
    } else {
        ask_page(c, cursor);
    }
}

static void ask_page(struct chat *c, struct store_cursor cursor)
{
    c->step = (struct store_step){ .what = STORE_SESSIONS, .sessions = { .cursor = cursor } };
    c->ask = (struct store_ask){ .step = &c->step, .steps = 1 };
    chat_begin(c, &c->ask.op);
    store_start(c->shop.world.store, &c->ask, NULL, on_page, c);
}

void chat_find(struct chat *c, struct str beginning)
{
    struct err e;

    c->search = (struct chat_search){ .beginning = beginning };
    if (beginning.p)
        c->search.beginning = arena_str(&c->mem, beginning);
    if (!c->keeps) {
        fail(&e, ERR_NOT_FOUND, "there is no session to resume: no sessions are stored");
        chat_complain(c, &e);
        give_up(c);
        return;
    }
    ask_page(c, (struct store_cursor){ 0 });
}

void chat_first(struct chat *c)
{
    struct agent_want want = chat_session_wanted(c, STR_NONE);

    if (c->args->last || c->args->session)
        chat_find(c, str_of(c->args->session));
    else
        chat_open(c, STR_NONE, &want);
}

/* ---- changing ------------------------------------------------------------------------------ */

static void on_changed(struct op *op, const struct err *e, void *ctx)
{
    struct chat *c = ctx;

    (void)op;
    if (e)
        chat_complain(c, e);
    else
        chat_session_greet(c);
    chat_done(c);
}

static void chat_session_change(struct chat *c, const struct session_change *to)
{
    chat_begin(c, &c->changing.op);
    session_change(c->session, &c->changing, to, NULL, on_changed, c);
}

void chat_use_agent(struct chat *c, const struct agent_want *want)
{
    struct session_change to = { .agent = take_agent(c, want) };

    if (!to.agent) {
        chat_done(c);
        return;
    }
    chat_session_change(c, &to);
    agent_drop(to.agent);
}

void chat_use_mode(struct chat *c, struct str mode)
{
    struct session_change to = { .mode = mode };

    chat_session_change(c, &to);
}
