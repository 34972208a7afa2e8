/*
 * turn_permission.c - permission questions of agents that run their tools themselves.
 *
 * The guard judges the tool that the agent describes (guard_request.h). If its verdict is to ask
 * and it remembers no answer, the client is asked. The question has the options of the agent; if
 * the agent has none, it has those of the guard. The agent gets the id of the chosen option.
 *
 * The guard remembers an answer only if it chooses an option of the guard. Only the agent knows
 * what its own options mean for later calls, so later requests are judged and asked about again.
 */
#include "base/auto.h"
#include "base/container.h"
#include "core/guard/guard_request.h"
#include "core/session/turn_parts.h"
#include "core/tool/call_description.h"
#include "core/tool/exposure.h"

enum { WHY_MOST = 1024 };

/* ---- what it is about ------------------------------------------------------------------------ */

/* The call that the agent has reported under the id of the question. */
static struct event_tool reported_call(const struct turn_question *q)
{
    const struct turn_open_call *open = q->turn->work->call;
    const struct block *begun = history_open_call(q->turn->session->history, q->id);
    struct event_tool known = { .kind = TOOL_KINDS };

    while (open && !str_eq(open->event.id, q->id))
        open = open->next;
    if (open)
        return open->event;
    if (begun) {
        known.name = begun->name;
        known.args = begun->args;
    }
    return known;
}

static struct event_tool asked_call(const struct turn_question *q)
{
    struct event_tool known = reported_call(q);
    const struct event_tool *a = q->about;

    if (!a)
        return known;
    known.name = a->name.p ? a->name : known.name;
    known.title = a->title.p ? a->title : known.title;
    known.args = a->args.p ? a->args : known.args;
    known.path = a->path.p ? a->path : known.path;
    known.kind = a->kind != TOOL_KINDS ? a->kind : known.kind;
    return known;
}

/* Parse a text of the agent as an object; missing: it is none. */
static struct json read_object(struct turn_question *q, struct str text)
{
    struct json_opts opts = limits_json(q->turn->session->host.limits);
    struct json v = { 0 };
    struct err e;

    if (!text.n || !json_read(&q->mem, arena_str(&q->mem, text), &opts, &v, &e) ||
        json_type(v) != JSON_OBJECT)
        return (struct json){ 0 };
    return v;
}

/* Rules about paths apply also if the agent names the file only, and not the arguments. */
static struct str path_as_args(struct turn_question *q, struct str path)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &q->mem, 6 * path.n + 32);
    jw_object(&w);
    jw_kstr(&w, "path", path);
    jw_object_end(&w);
    return buf_str(&out);
}

void turn_permission_describe(struct turn_question *q, struct call_about *about)
{
    struct event_tool call = asked_call(q);
    struct guard_request r = { .name = call.name, .title = call.title, .kind = call.kind };

    q->wish = read_object(q, q->params);
    about->args = read_object(q, call.args);
    r.message = json_str(&q->mem, json_get(q->wish, STR("message")));
    r.has_args = json_count(about->args) > 0;
    if (!r.has_args && call.path.n) {
        about->args = read_object(q, path_as_args(q, call.path));
        r.has_args = true;
    }
    about->tool = guard_request_tool(&q->mem, &r);
    about->what = guard_request_name(&q->mem, &r);
    /* The outcomes of the agent's calls are not known, so repetitions cannot be judged. */
    q->caller.history = NULL;
}

/* ---- the options ----------------------------------------------------------------------------- */

/* Does the option choose a row of ours, in its id and in its kind? */
static bool is_own_option(struct turn_question *q, struct json option, enum permission_option *out)
{
    return permission_option_named(json_str(&q->mem, json_get(option, STR("id"))), out) &&
           json_is(json_get(option, STR("kind")), str_of(permission_options[*out].kind));
}

/*
 * An agent may keep an answer of kind allow_always longer than the session, and only the user of
 * this machine may allow that.
 */
static bool may_offer(struct turn_question *q, struct json option)
{
    enum permission_option own;

    if (is_own_option(q, option, &own))
        return permission_offers(guard_request_offer(&q->call), own);
    return !json_is(json_get(option, STR("kind")), STR("allow_always")) ||
           origin_is_user(q->caller.origin);
}

static void write_options(struct turn_question *q, struct jw *w, struct json options)
{
    jw_kraw(w, "requestedSchema", STR("{\"type\":\"object\",\"properties\":{}}"));
    jw_plain_key(w, STR("options"));
    jw_array(w);
    JSON_EACH(option, options)
    if (may_offer(q, option))
        jw_raw(w, json_raw(option));
    jw_array_end(w);
}

/* Choose the options of the question: those of the agent, or ours. */
static void set_offer(struct turn_question *q)
{
    struct json options = json_get(q->wish, STR("options"));
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &q->mem, q->params.n + 2048);
    jw_object(&w);
    if (json_count(options))
        write_options(q, &w, options);
    else
        permission_offer_write(&w, guard_request_offer(&q->call));
    jw_object_end(&w);
    q->offer = read_object(q, buf_str(&out));
}

static struct str option_of_kind(struct turn_question *q, const char *kind)
{
    struct json found = permission_of_kind(json_get(q->offer, STR("options")), kind);

    return json_here(found) ? json_str(&q->mem, json_get(found, STR("id"))) : STR_NONE;
}

/* ---- the decision ---------------------------------------------------------------------------- */

static void permission_allow(struct turn_question *q, struct str option)
{
    q->decided = q->allows = true;
    q->option = option;
    guard_request_end(&q->call, NULL);
}

static void permission_reject(struct turn_question *q, struct str option, const char *why)
{
    q->decided = true;
    q->option = option;
    guard_request_end(&q->call, why);
}

/* Reject without the decision of a person, who reads the reason in a notice. */
static void permission_refuse(struct turn_question *q, const char *why)
{
    struct str once = option_of_kind(q, "reject_once");
    struct event ev = { .kind = EVENT_NOTICE };

    ev.notice = (struct event_notice){ NOTICE_WARNING, arena_printf(&q->mem, "%s was rejected: %s",
                                                                    q->call.what, why) };
    turn_event(q->turn, &ev);
    permission_reject(q, once.p ? once : option_of_kind(q, "reject_always"), why);
}

static void permission_deny(struct turn_question *q, const struct guard_verdict *v)
{
    char why[WHY_MOST];

    if (v->says == GUARD_DENY) {
        guard_reasons(v, why, sizeof(why));
        permission_refuse(q, why);
    } else if (str_eq(str_of(v->answer), STR("session"))) {
        permission_refuse(q, "an earlier answer is remembered for this session");
    } else {
        permission_refuse(
            q, arena_printf(&q->mem,
                            "an earlier answer is remembered; `trefoil trust forget %s` revokes it",
                            v->answer)
                   .p);
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void permission_remember(struct turn_question *q, struct str id)
{
    enum permission_option own;

    JSON_EACH(option, json_get(q->offer, STR("options")))
    if (json_is(json_get(option, STR("id")), id) && is_own_option(q, option, &own))
        guard_request_remember(&q->call, own);
}

/* A person has allowed it. The rights may have changed while the question was open. */
static void permission_approved(struct turn_question *q, struct str option)
{
    struct guard_verdict v = { 0 };

    if (guard_request_judge(&q->call, &v) == GUARD_DENY)
        permission_deny(q, &v);
    else
        permission_allow(q, option);
}

static void on_permission(struct op *op, const struct err *e, void *ctx)
{
    struct turn_question *q = ctx;
    struct permission_choice choice;
    struct err bad;

    (void)op;
    if (q->call.op.settled)
        return;
    if (e && e->code == ERR_CANCELED) {
        call_broke(&q->call, e);
    } else if (e) {
        permission_refuse(q, e->text);
    } else if (!permission_chosen(&q->mem, q->offer, q->ask.answer, &choice, &bad)) {
        permission_refuse(q, bad.text);
    } else if (choice.allows && !choice.id.n) {
        permission_refuse(q, "the answer names no option, and no option allows only this call");
    } else {
        permission_remember(q, choice.id);
        if (choice.allows)
            permission_approved(q, choice.id);
        else
            permission_reject(q, choice.id, "the user declined");
    }
}

/* ---- the question ---------------------------------------------------------------------------- */

static struct str question_text(struct turn_question *q, struct str shown, const char *why)
{
    struct str own = json_str(&q->mem, json_get(q->wish, STR("message")));

    if (!own.n)
        own = arena_printf(&q->mem, "Allow %s to run %s?", q->caller.name, q->call.what);
    return arena_printf(&q->mem, STR_FMT "\nApproval is needed because %s." STR_FMT, STR_ARG(own),
                        why, STR_ARG(shown));
}

static struct str question_params(struct turn_question *q, struct str text)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &q->mem, 6 * text.n + json_raw(q->offer).n + 64);
    jw_object(&w);
    jw_kstr(&w, "message", text);
    JSON_MEMBERS(key, q->offer)
    {
        jw_key(&w, json_str(&q->mem, key));
        jw_raw(&w, json_raw(json_value(key)));
    }
    jw_object_end(&w);
    return buf_str(&out);
}

static void permission_ask(struct turn_question *q, struct str shown, const char *why)
{
    struct call *call = &q->call;
    struct err e;

    if (!call_can_ask(call, ASK_PERMISSION)) {
        call_cannot_ask(call, ASK_PERMISSION, &e);
        permission_refuse(q, e.text);
        return;
    }
    guard_request_asks(call);
    call_ask(call, &q->ask, ASK_PERMISSION, STR("question"),
             question_params(q, question_text(q, shown, why)), on_permission, q);
}

void turn_permission_start(struct call *call)
{
    struct turn_question *q = call->ctx;
    const struct tool named = { .name = call->what };
    struct str shown = call_shown(call, &named, STR_NONE, &call->pass.cut), once;
    struct guard_verdict v = { 0 };
    char why[WHY_MOST] = "the agent asks for it";
    enum guard_says says = guard_request_judge(call, &v);

    set_offer(q);
    once = option_of_kind(q, "allow_once");
    if (says == GUARD_DENY) {
        permission_deny(q, &v);
        return;
    }
    if (says == GUARD_ALLOW && once.p) {
        permission_allow(q, once);
        return;
    }
    /* To choose an option that allows more than this call takes a person. */
    if (says == GUARD_ASK && call->host->guard)
        guard_reasons(&v, why, sizeof(why));
    permission_ask(q, shown, why);
}
