#include "proto/acp/agent/acp_settings.h"

#include "base/auto.h"
#include "core/guard/guard_read_only.h"

/* The value of an option that leaves the choice to the definition of the agent. */
static const struct str as_defined = STR("default");

/* ---- the mode -------------------------------------------------------------------------------- */

static const struct {
    enum agent_mode core;
    const char *id, *name, *description;
} modes[ACP_MODES] = {
    [ACP_MODE_AUTO] = { AGENT_READ_WRITE, "auto", "Auto",
                        "The agent may change files and run commands; you are asked where approval "
                        "is needed" },
    [ACP_MODE_ASK] = { AGENT_READ_WRITE, "ask", "Ask",
                       "You are asked before every change, command and download" },
    [ACP_MODE_READ_ONLY] = { AGENT_READ_ONLY, "read-only", "Read-only",
                             "The agent may read files, but not change them" },
};

const char *acp_mode_of(const struct acp_session *s)
{
    if (guard_is_read_only(&s->session.scope))
        return modes[ACP_MODE_READ_ONLY].id;
    return modes[s->asks ? ACP_MODE_ASK : ACP_MODE_AUTO].id;
}

bool acp_mode_named(struct str id, enum acp_mode *out)
{
    size_t i = 0;

    while (i < ACP_MODES && !str_eq(id, str_of(modes[i].id)))
        i++;
    if (i == ACP_MODES && !str_eq(id, str_of(agent_mode_name(AGENT_READ_WRITE))))
        return false;
    *out = i == ACP_MODES ? ACP_MODE_AUTO : (enum acp_mode)i;
    return true;
}

enum agent_mode acp_mode_core(enum acp_mode mode)
{
    return modes[mode].core;
}

bool acp_mode_is_fixed(const struct acp_session *s)
{
    return s->session.opts.read_only || guard_is_read_only(&s->session.agent_scope);
}

void acp_mode_set_asks(struct acp_session *s, bool asks)
{
    static const enum tool_kind changes[] = { TOOL_EDIT, TOOL_DELETE, TOOL_MOVE, TOOL_EXECUTE,
                                              TOOL_FETCH };

    s->asks = asks;
    for (size_t i = 0; i < ARRAY_LEN(changes); i++)
        s->session.scope.permission[changes[i]] = asks ? PERMISSION_ASK : PERMISSION_UNSET;
}

/* The first mode that the session can have. */
static size_t first_mode(const struct acp_session *s)
{
    return acp_mode_is_fixed(s) ? ACP_MODE_READ_ONLY : ACP_MODE_AUTO;
}

static void write_modes(struct jw *w, const struct acp_session *s)
{
    jw_plain_key(w, STR("modes"));
    jw_object(w);
    jw_kstr(w, "currentModeId", str_of(acp_mode_of(s)));
    jw_plain_key(w, STR("availableModes"));
    jw_array(w);
    for (size_t i = first_mode(s); i < ARRAY_LEN(modes); i++) {
        jw_object(w);
        jw_kstr(w, "id", str_of(modes[i].id));
        jw_kstr(w, "name", str_of(modes[i].name));
        jw_kstr(w, "description", str_of(modes[i].description));
        jw_object_end(w);
    }
    jw_array_end(w);
    jw_object_end(w);
}

/* ---- options --------------------------------------------------------------------------------- */

static void begin_option(struct jw *w, const char *id, const char *name, const char *category,
                         struct str current)
{
    jw_object(w);
    jw_kstr(w, "id", str_of(id));
    jw_kstr(w, "name", str_of(name));
    jw_kstr(w, "category", str_of(category));
    jw_kplain(w, "type", STR("select"));
    jw_kstr(w, "currentValue", current);
    jw_plain_key(w, STR("options"));
    jw_array(w);
}

static void write_choice(struct jw *w, struct str value, struct str name, struct str description)
{
    jw_object(w);
    jw_kstr(w, "value", value);
    jw_kstr(w, "name", name);
    if (description.n)
        jw_kstr(w, "description", description);
    jw_object_end(w);
}

static void end_option(struct jw *w)
{
    jw_array_end(w);
    jw_object_end(w);
}

static void write_mode_option(struct jw *w, const struct acp_session *s)
{
    begin_option(w, "mode", "Mode", "mode", str_of(acp_mode_of(s)));
    for (size_t i = first_mode(s); i < ARRAY_LEN(modes); i++)
        write_choice(w, str_of(modes[i].id), str_of(modes[i].name), str_of(modes[i].description));
    end_option(w);
}

static bool lists_model(const struct model_card *card, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(name, str_of(card[i].name)))
            return true;
    return false;
}

static void write_model_option(struct jw *w, const struct acp_session *s)
{
    struct agent_registry_port *registry = s->root->registry;
    struct str chosen = s->want.model, model = s->session.agent->model;
    const struct model_card *card = NULL;
    size_t n = 0;

    if (registry->kind->models)
        card = registry->kind->models(registry, &n);
    begin_option(w, "model", "Model", "model", chosen.p ? chosen : as_defined);
    write_choice(w, as_defined, STR("Default of the agent"), chosen.p ? STR_NONE : model);
    for (size_t i = 0; i < n; i++)
        write_choice(w, str_of(card[i].name), str_of(card[i].title ? card[i].title : card[i].name),
                     STR_NONE);
    if (chosen.p && !lists_model(card, n, chosen))
        write_choice(w, chosen, chosen, STR_NONE);
    end_option(w);
}

static const char *const efforts[] = { "default", "none", "low", "medium", "high" };

static void write_effort_option(struct jw *w, const struct acp_session *s)
{
    static const char *const names[] = { "Default of the agent", "None", "Low", "Medium", "High" };

    begin_option(w, "thought_level", "Thinking", "thought_level", str_of(efforts[s->want.effort]));
    for (size_t i = 0; i < ARRAY_LEN(efforts); i++)
        write_choice(w, str_of(efforts[i]), str_of(names[i]), STR_NONE);
    end_option(w);
}

static void write_agent_option(struct jw *w, const struct acp_session *s)
{
    struct agent_registry_port *registry = s->root->registry;
    struct str current = str_of(s->session.agent->def->name);
    bool listed = false;
    size_t n;
    const struct agent_card *card = registry->kind->cards(registry, &n);

    begin_option(w, "agent", "Agent", "_agent", current);
    for (size_t i = 0; i < n; i++) {
        listed = listed || str_eq(current, str_of(card[i].name));
        write_choice(w, str_of(card[i].name), str_of(card[i].title), card[i].description);
    }
    if (!listed)
        write_choice(w, current, str_of(s->session.agent->def->title),
                     s->session.agent->def->description);
    end_option(w);
}

void acp_options_write(struct jw *w, const struct acp_session *s)
{
    jw_plain_key(w, STR("configOptions"));
    jw_array(w);
    write_mode_option(w, s);
    write_model_option(w, s);
    write_effort_option(w, s);
    write_agent_option(w, s);
    jw_array_end(w);
}

void acp_settings_write(struct jw *w, const struct acp_session *s)
{
    write_modes(w, s);
    acp_options_write(w, s);
}

/* ---- the stored form ------------------------------------------------------------------------- */

struct str acp_settings_text(struct arena *mem, const struct agent_want *want, bool asks)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, want->model.n * 6 + 128);
    jw_object(&w);
    jw_kstr(&w, "model", want->model);
    if (want->effort != EFFORT_DEFAULT)
        jw_kstr(&w, "effort", str_of(efforts[want->effort]));
    if (asks)
        jw_kbool(&w, "asks", true);
    jw_object_end(&w);
    return buf_str(&out);
}

void acp_settings_read(struct acp_session *s, struct str agent, struct str text)
{
    AUTO_ARENA mem = { 0 };
    struct json_opts opts = limits_json(s->root->limits);
    struct agent_want want = { .name = agent };
    struct json v = { 0 };
    struct err e;

    if (text.n && json_read(&mem, text, &opts, &v, &e)) {
        want.model = json_str(&mem, json_get(v, STR("model")));
        want.effort = agent_effort_named(json_str(&mem, json_get(v, STR("effort"))));
        s->asks = json_true(json_get(v, STR("asks")));
    }
    acp_session_want(s, &want);
}
