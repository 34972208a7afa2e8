/*
 * acp_client_settings.c - what the definition asks for is compared with what the agent offers when its
 * session opens. Each difference becomes a request, and the requests are sent one after the other.
 *
 * Options (configOptions) are preferred. Modes and models are used if the agent has no option of
 * that category. What the agent does not offer is named in a notice.
 */
#include "proto/acp/client/acp_client_settings.h"

#include "base/auto.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/acp/client/acp_client_preset.h"

enum { REQUESTS = 3, SHOWN = 200 };

struct acp_setting {
    const char *what, *method; /* "model", "session/set_model" */
    struct str params;
};

struct acp_settings {
    struct arena mem;
    struct acp_setting request[REQUESTS];
    size_t requests, sent;
    struct str missing[REQUESTS]; /* sentences about what the agent does not offer */
    size_t missings;
    char model[256]; /* the current one; "": unknown */
};

/* What the definition asks for. */
struct setting_wanted {
    const char *what;     /* for people */
    const char *category; /* of an option */
    struct str word[4];   /* acceptable values, the best first */
    size_t words;
};

/* ---- finding --------------------------------------------------------------------------------- */

static bool is_word(struct arena *mem, const struct setting_wanted *want, size_t i,
                    struct json value, struct json name)
{
    return str_eq_nocase(want->word[i], json_str(mem, value)) ||
           str_eq_nocase(want->word[i], json_str(mem, name));
}

/* The value in a list of {value, name}, which may be grouped. Missing: it is not there. */
static struct json find_value(struct arena *mem, const struct setting_wanted *want, size_t i,
                              struct json list, struct str key)
{
    JSON_EACH(item, list)
    {
        struct json inner = json_get(item, STR("options")), value = json_get(item, key);

        if (json_here(inner))
            value = find_value(mem, want, i, inner, key);
        else if (!is_word(mem, want, i, value, json_get(item, STR("name"))))
            continue;
        if (json_here(value))
            return value;
    }
    return (struct json){ 0 };
}

static struct json find_best(struct arena *mem, const struct setting_wanted *want, struct json list,
                             struct str key)
{
    struct json found = { 0 };

    for (size_t i = 0; i < want->words && !json_here(found); i++)
        found = find_value(mem, want, i, list, key);
    return found;
}

static struct json option_of(struct json options, const char *category)
{
    JSON_EACH(option, options)
    if (json_is(json_get(option, STR("category")), str_of(category)))
        return option;
    return (struct json){ 0 };
}

/* "a, b, c": the values in a list, for a message. */
static struct str values_of(struct arena *mem, struct json list, struct str key)
{
    struct str all = STR("");

    JSON_EACH(item, list)
    {
        struct json inner = json_get(item, STR("options"));
        struct str value =
            json_here(inner) ? values_of(mem, inner, key) : json_str(mem, json_get(item, key));

        if (value.n && all.n < SHOWN)
            all = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(all), all.n ? ", " : "",
                               STR_ARG(utf8_head(value, SHOWN)));
    }
    return all;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void add_request(struct acp_driven *s, const struct setting_wanted *want, const char *method,
                        const char *key, struct json option, struct json value)
{
    struct acp_settings *set = s->settings;
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &set->mem, 1 << 16);
    jw_object(&w);
    jw_kstr(&w, "sessionId", str_of(s->id));
    if (json_here(option))
        jw_kraw(&w, "configId", json_raw(json_get(option, STR("id"))));
    jw_kraw(&w, key, json_raw(value));
    jw_object_end(&w);
    if (!out.full && set->requests < REQUESTS)
        set->request[set->requests++] = (struct acp_setting){ want->what, method, buf_str(&out) };
}

static void add_missing(struct acp_driven *s, const struct setting_wanted *want, struct str offered)
{
    struct acp_settings *set = s->settings;

    set->missing[set->missings++] = arena_printf(
        &set->mem, "the agent %s has no %s \"" STR_FMT "\"%s" STR_FMT, s->agent->def->name,
        want->what, STR_ARG(want->word[0]), offered.n ? "; it offers: " : "", STR_ARG(offered));
}

/* A list that the agent offers instead of an option: its modes, or its models. */
struct other_list {
    struct json list, now;
    struct str key; /* of an entry */
    const char *method, *param;
};

static void want_setting(struct acp_driven *s, const struct setting_wanted *want,
                         struct json options, const struct other_list *other)
{
    struct arena *mem = &s->settings->mem;
    struct json option = option_of(options, want->category), now, value;

    if (json_here(option)) {
        now = json_get(option, STR("currentValue"));
        value = find_best(mem, want, json_get(option, STR("options")), STR("value"));
        if (!json_here(value))
            add_missing(s, want, values_of(mem, json_get(option, STR("options")), STR("value")));
        else if (!str_eq(json_raw(value), json_raw(now)))
            add_request(s, want, "session/set_config_option", "value", option, value);
        return;
    }
    value = find_best(mem, want, other->list, other->key);
    if (!json_here(value))
        add_missing(s, want, values_of(mem, other->list, other->key));
    else if (!str_eq(json_raw(value), json_raw(other->now)))
        add_request(s, want, other->method, other->param, (struct json){ 0 }, value);
}

static void want_model(struct acp_driven *s, struct json result)
{
    struct json models = json_get(result, STR("models"));
    const struct setting_wanted want = { "model", "model", { s->program->model }, 1 };
    const struct other_list other = { json_get(models, STR("availableModels")),
                                      json_get(models, STR("currentModelId")), STR("modelId"),
                                      "session/set_model", "modelId" };

    if (s->program->model.n && !s->program->preset->model_option)
        want_setting(s, &want, json_get(result, STR("configOptions")), &other);
}

static void want_effort(struct acp_driven *s, struct json result)
{
    struct str effort = s->program->def->effort;
    const struct setting_wanted want = {
        "effort", "thought_level", { effort, STR("xhigh") }, str_eq(effort, STR("max")) ? 2 : 1
    };

    if (effort.n && json_here(option_of(json_get(result, STR("configOptions")), want.category)))
        want_setting(s, &want, json_get(result, STR("configOptions")), &(struct other_list){ 0 });
}

/* Other programs have other words for the approval modes. */
static struct setting_wanted mode_wanted(struct str word)
{
    static const struct setting_wanted rows[] = {
        { "mode", "mode", { STR("default"), STR("ask") }, 2 },
        { "mode", "mode", { STR("auto_edit"), STR("acceptEdits"), STR("auto"), STR("build") }, 4 },
        { "mode", "mode", { STR("yolo"), STR("bypassPermissions"), STR("full-access") }, 3 },
        { "mode", "mode", { STR("plan"), STR("read-only") }, 2 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_eq(rows[i].word[0], word))
            return rows[i];
    return (struct setting_wanted){ 0 };
}

/*
 * The agent does not ask in its mode "yolo", so the guard would not see what it does. Only a
 * definition that the user trusts may choose it.
 */
static void want_mode(struct acp_driven *s, struct json result)
{
    const struct agent_def *def = s->program->def;
    struct json modes = json_get(result, STR("modes"));
    const struct setting_wanted want = mode_wanted(def->approval_mode);
    const struct other_list other = { json_get(modes, STR("availableModes")),
                                      json_get(modes, STR("currentModeId")), STR("id"),
                                      "session/set_mode", "modeId" };
    bool yolo = str_eq(def->approval_mode, STR("yolo"));

    if (want.words && !s->program->preset->approval_option && (!yolo || def->trusted))
        want_setting(s, &want, json_get(result, STR("configOptions")), &other);
}

/* ---- the session ----------------------------------------------------------------------------- */

void acp_options_read(struct acp_driven *s, struct json result)
{
    acp_settings_free(s);
    s->settings = MEM_NEW(struct acp_settings);
    acp_settings_options(s, json_get(result, STR("configOptions")));
    want_model(s, result);
    want_effort(s, result);
    want_mode(s, result);
}

void acp_settings_free(struct acp_driven *s)
{
    if (!s->settings)
        return;
    arena_fini(&s->settings->mem);
    mem_free(s->settings);
    s->settings = NULL;
}

bool acp_settings_pending(const struct acp_driven *s)
{
    return s->settings && s->settings->sent < s->settings->requests;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void on_set(struct op *op, const struct err *e, void *ctx)
{
    struct acp_link *c = ctx;
    struct acp_driven *s = c->session;
    struct rpc_out out = acp_conn_answer(c);
    struct acp_turn *t = c->state == ACP_CONN_ENDING ? NULL : s->turn;
    struct err why;

    (void)op;
    if (t && e)
        acp_turn_notice(t, "the agent %s did not change its %s: %s", s->agent->def->name,
                        s->settings->request[s->settings->sent - 1].what, e->text);
    else if (t && json_here(out.error)) {
        acp_answer_fail(c, out.error, "change a setting", &why);
        acp_turn_notice(t, "%s", why.text);
    } else if (t) {
        acp_settings_options(s, json_get(out.result, STR("configOptions")));
    }
    rpc_out_fini(&out);
    acp_turn_next(s);
}

void acp_settings_apply(struct acp_turn *t)
{
    struct acp_driven *s = t->session;
    const struct acp_setting *one = &s->settings->request[s->settings->sent++];

    peer_call(&s->conn->peer, NULL, &s->conn->out, NULL, one->method, one->params,
              s->session->world->limits->acp_start_ms, on_set, s->conn);
}

static bool is_set(const struct agent_def *def, const char *key)
{
    const struct {
        const char *key;
        bool set;
    } rows[] = {
        { "max_turns", def->max_turns != 0 },
        { "budget", def->budget_usd > 0 },
        { "allowed_tools", def->allowed.set },
        { "disallowed_tools", def->disallowed.set },
        { "effort", def->effort.p != NULL },
        { "output_format", def->output_format.p != NULL },
        { "fallback_model", def->fallback_model.p != NULL },
        { "approval_mode", def->approval_mode.p != NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_eq(str_of(key), str_of(rows[i].key)))
            return rows[i].set;
    return false;
}

/* The keys of the definition that the program cannot follow. */
static void warn_ignored(struct acp_turn *t)
{
    const struct acp_program *program = t->session->program;
    const char *const *key = program->preset->ignores;
    struct str all = STR("");

    for (; key && *key; key++)
        if (is_set(program->def, *key))
            all = arena_printf(&t->mem, STR_FMT "%s%s", STR_ARG(all), all.n ? ", " : "", *key);
    if (all.n)
        acp_turn_notice(t,
                        "the program of the preset %s has no setting for these keys of the agent "
                        "%s: " STR_FMT,
                        program->preset->name, program->def->name, STR_ARG(all));
}

void acp_settings_warn(struct acp_turn *t)
{
    struct acp_settings *set = t->session->settings;

    for (size_t i = 0; set && i < set->missings; i++)
        acp_turn_notice(t, STR_FMT, STR_ARG(set->missing[i]));
    if (set)
        set->missings = 0;
    if (t->session->fresh)
        warn_ignored(t);
}

/* ---- updates --------------------------------------------------------------------------------- */

/* The client of a running turn learns the model that the agent uses now. */
static void report_model(const struct acp_driven *s)
{
    struct event ev = { .kind = EVENT_SESSION };

    if (!s->turn || s->turn->state < ACP_TURN_PROMPTING)
        return;
    ev.session.model = str_of(s->settings->model);
    turn_event(s->turn->prompt->turn, &ev);
}

void acp_settings_options(struct acp_driven *s, struct json options)
{
    AUTO_ARENA mem = { 0 };
    struct str model = json_str(&mem, json_get(option_of(options, "model"), STR("currentValue")));

    if (!s->settings || !model.n || str_eq(model, str_of(s->settings->model)))
        return;
    if (str_to_c(model, s->settings->model, sizeof(s->settings->model)))
        report_model(s);
}

void acp_settings_mode(struct acp_driven *s, struct str mode)
{
    LOG(LOG_DEBUG, "acp", "mode of the agent", LOG_Z("session", s->session->id),
        LOG_S("mode", utf8_head(mode, 80)));
}
