/*
 * guard_ask.c - a person decides about a call.
 *
 *   SHOWING   the tool finds out what the call would change (tool->preview)
 *   ASKED     the question is open
 *   then      approved: the call is judged once more, as it is about to run, and let in; or asked
 *             about again, when there is another reason to ask by now; or denied
 *             else: refused
 *
 * While a person thinks, the tool's server may have changed its definition, the configuration may
 * have been loaded anew, and the mode of the session may have changed. Nothing runs unjudged.
 */
#include "core/guard/guard_parts.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "core/guard/guard_grants.h"
#include "core/tool/call_description.h"
#include "core/tool/offer.h"

/* How often one call is asked about: each time there was a new reason. */
enum { ROUNDS_MOST = 3, WHY_MOST = 1024 };

/* In the memory of its call. */
struct guard_question {
    struct ask *ask;
    char why[WHY_MOST];  /* all reasons */
    uint64_t definition; /* of the tool, as it was judged */
    int rounds;
};

/* ---- what was approved ---------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t secret, const char *text)
{
    return (h ^ (text ? hash_str_long(secret, str_of(text)) : 7)) * 0x9e3779b97f4a7c15u;
}

/* All by which a tool is judged, or a person would decide. */
static uint64_t definition_of(const struct guard *g, const struct tool *t)
{
    uint64_t h = t->server * 8 + (uint64_t)t->kind * 2 + t->read_only;

    h = mix(h, g->secret, t->name);
    h = mix(h, g->secret, t->alias);
    h = mix(h, g->secret, t->title);
    h = mix(h, g->secret, t->description);
    h = mix(h, g->secret, t->input_schema);
    h = mix(h, g->secret, t->output_schema);
    return mix(h, g->secret, t->annotations);
}

/* The list it came from may have changed meanwhile. */
static const struct tool *find_again(const struct call *call)
{
    struct offer *offer = call->host->offer;

    return offer ? offer_tool(offer, str_of(call->what)) : call->tool;
}

/* Is there another reason to ask than those that were agreed to? */
static bool is_news(const struct guard_question *q, const struct guard_verdict *v)
{
    char why[WHY_MOST];

    guard_reasons(v, why, sizeof(why));
    return v->says == GUARD_ASK && !str_eq(str_of(why), str_of(q->why));
}

/* Approved: judge what is about to run. */
static void judge_again(struct call *call)
{
    struct guard_question *q = call->pass.question;
    const struct tool *tool = find_again(call);
    struct guard_verdict v;

    if (!tool) {
        guard_refuse(call, "%s was approved, but %s", "is no longer there");
        return;
    }
    if (definition_of(call->host->guard, tool) != q->definition) {
        guard_refuse(call, "%s was approved, but %s",
                     "its definition has changed since then; call it again to be asked anew");
        return;
    }
    guard_judge_call(call, tool, GUARD_HAS_PAID, &v);
    if (v.says == GUARD_DENY)
        guard_deny(call, &v);
    else if (is_news(q, &v))
        guard_ask(call, tool, &v);
    else
        guard_let_in(call, tool, &v);
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* Who declines may say why; the model can do something with that. */
static const char *why_declined(const struct call *call, struct json answer)
{
    struct str reason = json_str(call->mem, json_get(answer, STR("reason")));

    if (!reason.n)
        return "the person who was asked declined";
    return arena_printf(call->mem, "the person who was asked declined: " STR_FMT,
                        STR_ARG(utf8_head(reason, 120)))
        .p;
}

static bool says_always(const struct ask *ask)
{
    return json_true(json_get(json_get(ask->answer, STR("content")), STR("always")));
}

static void on_asked(struct op *op, const struct err *e, void *ctx)
{
    struct call *call = ctx;
    const struct ask *ask = (const struct ask *)(const void *)op;

    if (e && e->code == ERR_CANCELED) {
        call_broke(call, e);
    } else if (e) {
        guard_refuse(call, "%s was not approved: %.150s", e->text);
    } else if (!json_is(json_get(ask->answer, STR("action")), STR("accept"))) {
        guard_refuse(call, "%s was not approved: %.170s", why_declined(call, ask->answer));
    } else {
        if (says_always(ask) && call->caller->grants)
            guard_grant(call->caller->grants, str_of(call->what));
        judge_again(call);
    }
}

/* ---- the question --------------------------------------------------------------------------- */

/* What a form would hold: nothing, or whether it is allowed from now on. */
static struct str ask_schema(const struct call *call)
{
    if (!call->caller->grants)
        return STR(ASK_ONCE_SCHEMA);
    return STR("{\"type\":\"object\",\"properties\":{\"always\":{\"type\":\"boolean\","
               "\"title\":\"Allow it from now on\",\"default\":false}}}");
}

static struct str ask_params(struct call *call, struct str shown)
{
    struct str message =
        arena_printf(call->mem, "Allow %s to run %s? Approval is needed because %s." STR_FMT,
                     call->caller->name, call->what, call->pass.question->why, STR_ARG(shown));
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, call->mem, 6 * message.n + 1024); /* all of it escaped, and the schema */
    jw_object(&w);
    jw_kstr(&w, "message", message);
    jw_kraw(&w, "requestedSchema", ask_schema(call));
    jw_object_end(&w);
    return buf_str(&out);
}

static void ask_now(struct call *call, struct str diff)
{
    struct guard_question *q = call->pass.question;
    struct str shown = call_shown(call, call->tool, diff, &call->pass.cut);

    q->ask = ARENA_NEW(call->mem, struct ask);
    call->pass.asked = true;
    call_ask(call, q->ask, ASK_PERMISSION,
             q->rounds > 1 ? arena_printf(call->mem, "trefoil_guard_%d", q->rounds)
                           : STR("trefoil_guard"),
             ask_params(call, shown), on_asked, call);
}

void guard_previewed(struct call *call, struct str diff)
{
    ask_now(call, diff);
}

void guard_ask(struct call *call, const struct tool *tool, const struct guard_verdict *v)
{
    struct guard_question *q = call->pass.question;

    if (!q)
        q = call->pass.question = ARENA_NEW(call->mem, struct guard_question);
    guard_reasons(v, q->why, sizeof(q->why));
    if (!call_can_ask(call, ASK_PERMISSION)) {
        guard_refuse(call, "%s needs approval, and no one can be asked for it: %.150s", q->why);
        return;
    }
    if (++q->rounds > ROUNDS_MOST) {
        guard_refuse(call, "%s was not approved: %.150s", "the reasons to ask keep changing");
        return;
    }
    q->definition = definition_of(call->host->guard, tool);
    call->tool = tool;
    if (tool->preview)
        tool->preview(call);
    else
        ask_now(call, STR_NONE);
}
