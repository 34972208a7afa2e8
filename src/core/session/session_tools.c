/*
 * session_tools.c - decides which tools the agent of a session can use, and changes the settings of
 * a session.
 */
#include "core/session/session.h"

#include "base/container.h"
#include "core/guard/guard.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/tool_pattern.h"
#include "core/session/turn.h"

/* ---- tools ----------------------------------------------------------------------------------- */

/* Is every call of the tool denied? A pattern with a part in brackets denies only some calls. */
static bool denied(const struct guard_scope *s, const struct pattern_call *call)
{
    for (size_t i = 0; i < s->disallowed.n; i++)
        if (str_find_byte(s->disallowed.v[i], '(') < 0 &&
            tool_pattern_names(s->disallowed.v[i], call))
            return true;
    return false;
}

static bool allowed(const struct guard_scope *s, const struct pattern_call *call)
{
    for (size_t i = 0; i < s->allowed.n; i++)
        if (tool_pattern_names(s->allowed.v[i], call))
            return true;
    return !s->allowed.set;
}

/*
 * Does a list of this scope or of a parent name the tool? Absent lists allow all tools, but name
 * none.
 */
static bool named(const struct guard_scope *scope, const struct pattern_call *call)
{
    for (const struct guard_scope *g = scope; g; g = g->parent)
        if (g->allowed.set && allowed(g, call))
            return true;
    return false;
}

/* Can the tool run in read-only mode? Of those that run commands: if the user names some of them. */
static bool only_reads(const struct guard_scope *scope, const struct pattern_call *call)
{
    for (const struct guard_scope *g = scope; g; g = g->parent)
        for (size_t i = 0; i < g->readonly_shell.n; i++)
            if (tool_pattern_names(g->readonly_shell.v[i], call))
                return true;
    return false;
}

/* Some models reject tool names with a dot. */
static bool spellable(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '.')
            return false;
    return true;
}

/* Tools of which the guard would deny every call are not offered: the model would only try them. */
static bool offered(const struct guard_scope *scope, const struct tool *t)
{
    const struct pattern_call call = { .tool = str_of(t->name),
                                       .alias = str_of(t->alias),
                                       .other = str_of(t->other_name) };

    if (!spellable(call.tool) || (t->manual && !named(scope, &call)))
        return false;
    for (const struct guard_scope *g = scope; g; g = g->parent)
        if (denied(g, &call) || !allowed(g, &call) || g->permission[t->kind] == PERMISSION_DENY)
            return false;
    return t->alias || t->kind != TOOL_EXECUTE || !guard_is_read_only(scope) ||
           only_reads(scope, &call);
}

/* A call of a withheld tool reaches the guard, which says why it is denied. */
static bool listed(const struct guard_scope *scope, const struct tool *t)
{
    return !t->withheld && offered(scope, t);
}

const struct tool *session_tool_at(const struct session *s, size_t *i)
{
    const struct tool *t;

    while ((t = offer_tool_at(s->host.offer, (*i)++)))
        if (listed(&s->scope, t))
            return t;
    return NULL;
}

const struct tool *agent_tool_at(const struct agent *a, size_t *i)
{
    const struct tool *t;

    while ((t = offer_tool_at(a->offer, (*i)++)))
        if (listed(&a->scope, t))
            return t;
    return NULL;
}

const struct tool *session_tool(const struct session *s, struct str name)
{
    const struct tool *t = offer_tool(s->host.offer, name);

    if (!t)
        t = offer_tool(s->host.offer, tool_pattern_alias(name));
    return t && offered(&s->scope, t) ? t : NULL;
}

/* ---- replay ---------------------------------------------------------------------------------- */

static void fill(void *ctx, struct event_tool *told)
{
    const struct session *s = ctx;
    const struct tool *t = session_tool(s, told->name);

    if (!t)
        return;
    told->title = str_of(t->title ? t->title : t->name);
    told->kind = t->kind;
}

void session_tell(struct session *s, struct work_client *client)
{
    history_tell(s->history, client, fill, s);
}

/* ---- changing -------------------------------------------------------------------------------- */

/* The store carries out a request that was started; its end settles the op. */
static void cancel_changing(struct op *op)
{
    (void)op;
}

static const struct op_kind changing_kind = { .name = "change session", .cancel = cancel_changing };

static void on_changed(struct op *op, const struct err *e, void *ctx)
{
    struct session_changing *c = ctx;

    (void)op;
    store_ask_fini(&c->ask);
    if (e)
        op_fail(&c->op, e);
    else
        op_ok(&c->op);
}

static void store_change(struct session_changing *c, const struct session_change *change)
{
    struct session *s = c->session;

    if (!s->fence) {
        op_ok(&c->op);
        return;
    }
    c->step = (struct store_step){
        .what = STORE_SESSION_UPDATE,
        .session = { .id = str_of(s->id),
                     .fence = s->fence,
                     .agent = change->agent ? str_of(s->agent->def->name) : STR_NONE,
                     .model = change->agent ? s->agent->model : STR_NONE,
                     .mode = change->mode.p ? str_of(agent_mode_name(s->scope.mode)) : STR_NONE,
                     .title = change->title.p ? s->title : STR_NONE,
                     .settings = change->settings },
    };
    c->ask = (struct store_ask){ .step = &c->step, .steps = 1 };
    store_start(s->world->store, &c->ask, &c->op, on_changed, c);
}

static void tell_change(struct session *s, const struct session_change *change)
{
    struct event ev = { .kind = EVENT_SESSION };
    struct work_client *client = s->turn ? s->turn->client : NULL;

    if (!client)
        return;
    ev.session = (struct event_session){
        .title = change->title.p ? s->title : STR_NONE,
        .mode = change->mode.p ? str_of(agent_mode_name(s->scope.mode)) : STR_NONE,
        .model = change->agent ? s->agent->model : STR_NONE,
    };
    client->kind->event(client, &ev);
}

static void use_agent(struct session *s, struct agent *agent)
{
    const struct guard_scope *parent = s->agent_scope.parent;

    agent_hold(agent);
    agent_drop(s->agent);
    s->agent = agent;
    s->agent_scope = agent->scope;
    s->agent_scope.parent = parent;
    s->agent_scope.inside = true;
}

void session_change(struct session *s, struct session_changing *c,
                    const struct session_change *change, struct op *parent, op_done_fn *done,
                    void *ctx)
{
    enum agent_mode mode = s->scope.mode;
    struct err e;

    *c = (struct session_changing){ .session = s };
    op_begin(&c->op, &changing_kind, s->world->loop, parent, done, ctx);
    if (change->mode.p && !agent_mode_named(change->mode, &mode)) {
        fail(&e, ERR_INVALID, "unknown mode " STR_FMT "; expected read-only or read-write",
             STR_ARG(str_head(change->mode, 40)));
        op_fail(&c->op, &e);
        return;
    }
    s->scope.mode = s->opts.read_only ? AGENT_READ_ONLY : mode;
    if (change->agent)
        use_agent(s, change->agent);
    if (change->title.p)
        s->title = arena_str(&s->mem, change->title);
    tell_change(s, change);
    store_change(c, change);
}
