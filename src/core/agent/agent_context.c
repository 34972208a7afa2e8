/* agent_context.c - lists and describes agents, and delays calls until the registry is loaded. */
#include "core/agent/agent_context.h"

#include "core/guard/guard_read_only.h"

/* ---- cards --------------------------------------------------------------------------------- */

static const struct agent_card default_card = {
    .name = "default",
    .title = "Default agent",
    .description = STR("The built-in agent: works in this project with all available tools."),
};

static bool has_default(const struct agent_card *card, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(str_of(card[i].name), str_of(default_card.name)))
            return true;
    return false;
}

const struct agent_card *agent_card_at(const struct agent_context *context, size_t i)
{
    const struct agent_card *card;
    size_t n;

    if (!context || !context->registry)
        return NULL;
    card = context->registry->kind->cards(context->registry, &n);
    if (!has_default(card, n) && !i--)
        return &default_card;
    return i < n ? &card[i] : NULL;
}

struct str agent_mode_reason(struct arena *mem, const char *name, enum agent_mode mode,
                             const struct guard_scope *caller)
{
    const struct guard_scope *by = guard_read_only_by(caller);
    const char *ctx = by && by->name ? by->name : "the caller";

    if (by && ctx[0] == '[')
        return arena_printf(mem,
                            "clients of this endpoint may only read; to change that, set " STR_FMT
                            " mode = \"read-write\" in the user's config.toml",
                            STR_ARG(guard_scope_section(by)));
    if (by)
        return arena_printf(mem, "the caller of the agent, %s, may only read", ctx);
    if (mode == AGENT_READ_ONLY)
        return arena_printf(
            mem,
            "the definition of the agent %s makes it read-only (mode or approval_mode in its "
            "file)",
            name);
    return STR_NONE;
}

void agent_card_write(struct jw *w, const struct agent_card *card, const struct call *call)
{
    struct guard_scope caller = agent_caller_scope(call);
    struct str why = agent_mode_reason(call->mem, card->name, card->mode, &caller);

    jw_object(w);
    jw_kstr(w, "name", str_of(card->name));
    jw_kstr(w, "title", str_of(card->title));
    jw_kstr(w, "description", card->description.p ? card->description : STR(""));
    jw_kstr(w, "mode", str_of(agent_mode_name(why.n ? AGENT_READ_ONLY : AGENT_READ_WRITE)));
    jw_kstr(w, "mode_reason", why);
    jw_plain_key(w, STR("tier"));
    if (card->tier)
        jw_str(w, str_of(card->tier));
    else
        jw_null(w);
    jw_object_end(w);
}

/* ---- rights ---------------------------------------------------------------------------------- */

struct guard_scope agent_caller_scope(const struct call *call)
{
    const struct guard *g = call->host->guard;

    return (struct guard_scope){
        .name = "the caller",
        .parent = call->caller->scope ? call->caller->scope
                  : g                 ? guard_first_scope(g, call->caller->origin)
                                      : NULL,
    };
}

/* ---- waiting for the registry ---------------------------------------------------------------- */

struct waiting {
    struct readiness_wait wait; /* first */
    struct call *call;
    call_start_fn *then;
};

static void on_there(struct op *op, const struct err *e, void *ctx)
{
    struct waiting *w = ctx;

    (void)op;
    if (e)
        call_broke(w->call, e);
    else
        w->then(w->call);
}

void agent_context_when(struct call *call, const struct agent_context *context, call_start_fn *then)
{
    struct waiting *w;

    if (!context || !context->coming || !context->coming->open) {
        then(call);
        return;
    }
    w = ARENA_NEW(call->mem, struct waiting);
    w->call = call;
    w->then = then;
    readiness_wait(context->coming, &w->wait, call->op.loop, call->host->limits, &call->op,
                   on_there, w);
}
