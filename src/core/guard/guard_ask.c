/*
 * guard_ask.c - asks a person about a call: the states SHOWING and ASKED of guard.c.
 *
 * An approved call is judged again before it runs. While the question was open, the MCP server may
 * have changed the tool, the configuration may have been reloaded, or the mode of the session may
 * have changed. If there is a new reason to ask, the person is asked again.
 */
#include "core/guard/guard_parts.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "core/guard/secret_scan.h"
#include "core/tool/call_description.h"
#include "core/tool/offer.h"

/* A call is asked about again only for a new reason, and at most this often. */
enum { ROUNDS_MOST = 3, WHY_MOST = 1024 };

/* In the memory of its call. */
struct guard_question {
    struct ask *ask;
    char why[WHY_MOST];  /* all reasons */
    uint64_t definition; /* of the tool, as it was judged */
    bool unlisted;       /* the tool is unlisted (tool.h), so call->tool stays valid */
    int rounds;
};

/* ---- what was approved ---------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t secret, const char *text)
{
    return (h ^ (text ? hash_str_long(secret, str_of(text)) : 7)) * 0x9e3779b97f4a7c15u;
}

/* A hash of the properties of a tool that the guard or a person relies on. */
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

/* Look the tool up again: the offer may have changed meanwhile, and an unlisted tool is not in it. */
static const struct tool *find_again(const struct call *call)
{
    struct offer *offer = call->host->offer;

    if (call->pass.question->unlisted)
        return call->tool;
    return offer ? offer_tool(offer, str_of(call->what)) : call->tool;
}

/* Is there a reason to ask that the person has not seen? */
static bool is_news(const struct guard_question *q, const struct guard_verdict *v)
{
    char why[WHY_MOST];

    guard_reasons(v, why, sizeof(why));
    return v->says == GUARD_ASK && !str_eq(str_of(why), str_of(q->why));
}

/* The call was approved: judge it again before it runs. */
static void judge_again(struct call *call)
{
    struct guard_question *q = call->pass.question;
    const struct tool *tool = find_again(call);
    struct guard_verdict v;

    guard_set_state(call, GUARD_JUDGING);
    if (!tool) {
        guard_refuse(call, "%s was approved, but %s", "the tool is no longer available");
        return;
    }
    if (definition_of(call->host->guard, tool) != q->definition) {
        guard_refuse(call, "%s was approved, but %s",
                     "its definition has changed since then; call it again to request a new "
                     "approval");
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

/* A person who rejects a call may give a reason: the model can use that. */
static const char *why_rejected(const struct call *call, struct json answer)
{
    struct str reason = json_str(call->mem, json_get(answer, STR("reason")));

    if (!reason.n)
        return "the user declined";
    return arena_printf(call->mem, "the user declined: " STR_FMT, STR_ARG(utf8_head(reason, 120)))
        .p;
}

/* Parse the answer as one of the offered options; an answer without an option applies once. */
static bool read_choice(struct call *call, const struct ask *ask, enum permission_option *out,
                        struct err *e)
{
    struct json_opts opts = limits_json(call->host->limits);
    struct permission_choice choice;
    struct json params;

    if (!json_read(call->mem, ask->params, &opts, &params, e) ||
        !permission_chosen(call->mem, params, ask->answer, &choice, e))
        return false;
    return permission_option_named(choice.id, out) ||
           fail(e, ERR_INVALID, "the answer does not choose an option of the question");
}

/* The question has no answer: tell the model and the user also why approval is needed. */
static const char *why_unanswered(const struct call *call, const struct err *e)
{
    return arena_printf(call->mem, "%.90s; it needs approval because %.240s", e->text,
                        call->pass.question->why)
        .p;
}

static void on_asked(struct op *op, const struct err *e, void *ctx)
{
    struct call *call = ctx;
    const struct ask *ask = (const struct ask *)(const void *)op;
    enum permission_option option;
    struct err bad;

    if (call->op.settled)
        return;
    if (e && e->code == ERR_CANCELED) {
        call_broke(call, e);
    } else if (e) {
        guard_refuse(call, "%s was not approved: %.320s", why_unanswered(call, e));
    } else if (!read_choice(call, ask, &option, &bad)) {
        guard_refuse(call, "%s was not approved: %.300s", bad.text);
    } else {
        guard_remember(call, option);
        if (permission_options[option].allows)
            judge_again(call);
        else
            guard_refuse(call, "%s was not approved: %.300s", why_rejected(call, ask->answer));
    }
}

/* ---- the question --------------------------------------------------------------------------- */

static struct str ask_params(struct call *call, struct str shown)
{
    struct str message = arena_printf(
        call->mem, "Allow %s to run %s? Approval is needed because %s." STR_FMT, call->caller->name,
        call->what, call->pass.question->why, STR_ARG(secret_redact(call->mem, shown)));
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, call->mem, 6 * message.n + 2048); /* all of it escaped, and the options */
    jw_object(&w);
    jw_kstr(&w, "message", message);
    permission_offer_write(&w, guard_offer_of(call));
    jw_object_end(&w);
    return buf_str(&out);
}

static void ask_now(struct call *call, struct str diff)
{
    struct guard_question *q = call->pass.question;
    struct str shown = call_shown(call, call->tool, diff, &call->pass.cut);

    guard_set_state(call, GUARD_ASKED);
    q->ask = ARENA_NEW(call->mem, struct ask);
    call_ask(call, q->ask, ASK_PERMISSION,
             q->rounds > 1 ? arena_printf(call->mem, "trefoil_guard_%d", q->rounds)
                           : STR("trefoil_guard"),
             ask_params(call, shown), on_asked, call);
}

void guard_previewed(struct call *call, struct str diff)
{
    if (call->op.settled)
        return;
    ask_now(call, diff);
}

void guard_ask(struct call *call, const struct tool *tool, const struct guard_verdict *v)
{
    struct guard_question *q = call->pass.question;

    if (!q)
        q = call->pass.question = ARENA_NEW(call->mem, struct guard_question);
    guard_reasons(v, q->why, sizeof(q->why));
    if (!call_can_ask(call, ASK_PERMISSION)) {
        guard_refuse(call, "%s needs approval, and no one is available to approve it: %.300s",
                     q->why);
        return;
    }
    if (++q->rounds > ROUNDS_MOST) {
        guard_refuse(call, "%s was not approved: %.300s",
                     "the reasons why it needs approval keep "
                     "changing");
        return;
    }
    q->definition = definition_of(call->host->guard, tool);
    q->unlisted = tool->unlisted;
    call->tool = tool;
    if (!tool->preview) {
        ask_now(call, STR_NONE);
        return;
    }
    guard_set_state(call, GUARD_SHOWING);
    tool->preview(call);
}
