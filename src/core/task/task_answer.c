/* task_answer.c - finds the question to which an answer belongs, and checks the answer. */
#include "core/task/task_question.h"

#include "base/utf8.h"
#include "core/guard/permission_option.h"
#include "core/tool/exposure.h"

enum { NAME_MOST = 80, NAMES_MOST = 150 };

/* ---- which question -------------------------------------------------------------------------- */

static bool nothing_open(const struct task_info *info, const char *key, struct err *e)
{
    if (task_state_final(info->state))
        return fail(e, ERR_NOT_FOUND, "task " STR_FMT " has ended and has no open question",
                    STR_ARG(info->id));
    if (!info->asks.n)
        return fail(e, ERR_NOT_FOUND, "task " STR_FMT " has no open question", STR_ARG(info->id));
    return fail(e, ERR_NOT_FOUND, "task " STR_FMT " has no open question %s", STR_ARG(info->id),
                key);
}

static bool which_one(struct arena *mem, struct json asks, struct err *e)
{
    struct str all = STR("");

    JSON_MEMBERS(key, asks)
    {
        all = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(all), all.n ? ", " : "",
                           STR_ARG(json_str(mem, key)));
    }
    return fail(e, ERR_INVALID,
                "the task has several open questions: name the key of one of " STR_FMT,
                STR_ARG(str_head(all, 200)));
}

/* ---- checking the answer --------------------------------------------------------------------- */

static bool shares_name(struct arena *mem, struct json a, struct json b)
{
    JSON_MEMBERS(name, a)
    {
        if (json_here(json_get(b, json_str(mem, name))))
            return true;
    }
    return false;
}

/* An answer to another form. Fields beside those of the form are no error: agents ignore them. */
static bool check_names(struct arena *mem, struct json fields, struct json content, struct err *e)
{
    struct str all = STR("");

    if (!json_count(fields) || !json_count(content) || shares_name(mem, content, fields))
        return true;
    JSON_MEMBERS(name, fields)
    {
        all = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(all), all.n ? ", " : "",
                           STR_ARG(str_head(json_str(mem, name), NAME_MOST)));
        if (all.n > NAMES_MOST)
            break;
    }
    return fail(e, ERR_INVALID,
                "the answer has no field of the form (first unknown field: " STR_FMT
                "); the form accepts: " STR_FMT,
                STR_ARG(str_head(json_str(mem, json_first(content)), NAME_MOST)),
                STR_ARG(utf8_head(all, NAMES_MOST)));
}

static bool check_form(struct arena *mem, struct json ask, struct json content, struct err *e)
{
    struct json schema = json_get(json_get(ask, STR("params")), STR("requestedSchema"));

    if (json_type(content) != JSON_OBJECT)
        return fail(e, ERR_INVALID, "an accepted form needs \"content\" (an object)");
    if (!check_names(mem, json_get(schema, STR("properties")), content, e))
        return false;
    JSON_EACH(name, json_get(schema, STR("required")))
    {
        if (!json_here(json_get(content, json_str(mem, name))))
            return fail(e, ERR_INVALID, "the answer is missing the required field " STR_FMT,
                        STR_ARG(str_head(json_str(mem, name), NAME_MOST)));
    }
    return true;
}

static bool is_kind(struct json ask, enum ask_kind kind)
{
    return json_is(json_get(ask, STR("kind")), str_of(ask_names[kind]));
}

/*
 * The answers to these questions are an answer of a model or a list of folders. They have no
 * "action", and the asking tool checks their form.
 */
static bool has_no_action(struct json ask)
{
    return is_kind(ask, ASK_SAMPLE) || is_kind(ask, ASK_ROOTS);
}

static bool check_action(struct arena *mem, struct json ask, struct json answer, struct err *e)
{
    struct json action = json_get(answer, STR("action")),
                content = json_get(answer, STR("content"));
    bool accepts = json_is(action, STR("accept"));

    if (!json_here(action) && is_kind(ask, ASK_PERMISSION) &&
        json_type(json_get(answer, STR("option"))) == JSON_STRING)
        return true;
    if (!accepts && !json_is(action, STR("decline")) && !json_is(action, STR("cancel")))
        return fail(e, ERR_INVALID,
                    "expected an object with an \"action\": accept, decline or cancel");
    if (json_here(content) && json_type(content) != JSON_OBJECT)
        return fail(e, ERR_INVALID, "expected \"content\" to be an object");
    return !accepts || !is_kind(ask, ASK_FORM) || check_form(mem, ask, content, e);
}

/* An answer with an "action" (accept, decline) is for another kind of question. */
static bool check_no_action(struct json answer, struct err *e)
{
    return !json_here(json_get(answer, STR("action"))) ||
           fail(e, ERR_INVALID,
                "only the client that made the call can answer this question, which asks for the "
                "client's model or folders");
}

/* A client over TCP without a key can reject a call, but not approve it. */
static bool check_known(const struct task_ask *a, struct err *e)
{
    return origin_may_approve(a->by.origin) ||
           fail(e, ERR_DENIED,
                "a client without a key cannot approve a call; use `trefoil approvals`, or a "
                "client with a key of [[serve.keys]]");
}

/* A person cannot approve what the question does not show. */
static bool check_seen(const struct task_ask *a, struct json ask, struct err *e)
{
    return a->unseen || !json_here(json_get(ask, STR("cut"))) ||
           fail(e, ERR_INVALID,
                "the arguments of the call are too long to show; deny the call, or allow it at the "
                "terminal where the task runs");
}

/*
 * Answers that hold for the project are stored in the user's state, so only the user may give them.
 */
static bool check_scope(const struct task_ask *a, struct str id, struct err *e)
{
    enum permission_option option;

    return !permission_option_named(id, &option) ||
           permission_options[option].scope != PERMISSION_PROJECT || origin_is_user(a->by.origin) ||
           fail(e, ERR_DENIED,
                "only the user of this machine can answer for the project; a client over TCP can "
                "answer once or for the session");
}

static bool check_permission(struct task_ask *a, struct json ask, struct json answer, struct err *e)
{
    struct permission_choice choice;

    if (!is_kind(ask, ASK_PERMISSION))
        return true;
    if (!permission_chosen(&a->mem, json_get(ask, STR("params")), answer, &choice, e) ||
        !check_scope(a, choice.id, e))
        return false;
    return !choice.allows || (check_known(a, e) && check_seen(a, ask, e));
}

bool task_answer_check(struct task_ask *a, const struct limits *limits, struct json answer,
                       char key[TASK_KEY_TEXT], struct err *e)
{
    const struct task_info *info = &a->info;
    struct arena *mem = &a->mem;
    struct json_opts opts = limits_json(limits);
    struct json asks, ask;

    if (!info->asks.n || task_state_final(info->state) ||
        !json_read(mem, info->asks, &opts, &asks, e))
        return nothing_open(info, key, e);
    if (!key[0] && json_count(asks) > 1)
        return which_one(mem, asks, e);
    if (!key[0] && !str_to_c(json_str(mem, json_first(asks)), key, TASK_KEY_TEXT))
        return nothing_open(info, "", e);
    ask = json_get(asks, str_of(key));
    if (!json_here(ask))
        return nothing_open(info, key, e);
    if (json_type(answer) != JSON_OBJECT)
        return fail(e, ERR_INVALID, "expected an answer object");
    if (has_no_action(ask))
        return check_no_action(answer, e);
    return check_action(mem, ask, answer, e) && check_permission(a, ask, answer, e);
}

/* ---- closed questions ------------------------------------------------------------------------ */

struct str task_answered_by(struct arena *mem, const struct limits *limits,
                            const struct store_event_page *p, struct str key)
{
    struct json_opts opts = limits_json(limits);
    struct json body;
    struct err e;

    for (size_t i = 0; i < p->n; i++)
        if (json_read(mem, p->v[i].body, &opts, &body, &e) &&
            json_is(json_get(body, STR("key")), key))
            return json_str(mem, json_get(body, STR("by")));
    return STR_NONE;
}
