#include "core/agent/agent_def.h"

#include "core/agent/agent.h"

/* ---- names ------------------------------------------------------------------------------ */

const char agent_name_rule[] = "the name of an agent has 1 to 64 of the characters A-Z a-z 0-9 _ - "
                               ". and no leading dot; agents, tasks and v1 are reserved";

static bool is_reserved(struct str name)
{
    return str_eq(name, STR("agents")) || str_eq(name, STR("tasks")) || str_eq(name, STR("v1"));
}

bool agent_name_valid(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-' || (c == '.' && i > 0)))
            return false;
    }
    return name.n >= 1 && name.n <= AGENT_NAME_MOST && !is_reserved(name);
}

/* ---- words ------------------------------------------------------------------------------ */

static const char *const mode_names[] = { "read-write", "read-only" };
static const char *const tier_names[] = { NULL, "low", "medium", "high" };

bool agent_mode_named(struct str word, enum agent_mode *out)
{
    for (size_t i = 0; i < ARRAY_LEN(mode_names); i++) {
        if (!str_eq_nocase(word, str_of(mode_names[i])))
            continue;
        *out = (enum agent_mode)i;
        return true;
    }
    return false;
}

bool agent_tier_named(struct str word, enum agent_tier *out)
{
    for (size_t i = 1; i < ARRAY_LEN(tier_names); i++) {
        if (!str_eq_nocase(word, str_of(tier_names[i])))
            continue;
        *out = (enum agent_tier)i;
        return true;
    }
    return false;
}

enum agent_mode agent_def_mode(const struct agent_def *def)
{
    return str_eq(def->approval_mode, STR("plan")) ? AGENT_READ_ONLY : def->mode;
}

const char *agent_mode_name(enum agent_mode mode)
{
    return mode_names[mode];
}

const char *agent_tier_name(enum agent_tier tier)
{
    return tier_names[tier];
}

static const struct {
    struct str key;
    const char *words;
} words_of[] = {
    { { "effort", 6 }, "none, low, medium, high, max" },
    { { "output_format", 13 }, "text, json, stream-json" },
    { { "approval_mode", 13 }, "default, auto_edit, yolo, plan" },
};

const char *agent_words(struct str key)
{
    for (size_t i = 0; i < ARRAY_LEN(words_of); i++)
        if (str_eq(key, words_of[i].key))
            return words_of[i].words;
    return NULL;
}

bool agent_word_known(struct str key, struct str word)
{
    struct str rest = str_of(agent_words(key));

    while (rest.p)
        if (str_eq(str_trim(str_cut(&rest, ',')), word))
            return true;
    return agent_words(key) == NULL;
}

enum model_effort agent_effort_named(struct str word)
{
    static const struct {
        struct str word;
        enum model_effort effort;
    } rows[] = {
        { STR("none"), EFFORT_NONE }, { STR("low"), EFFORT_LOW },  { STR("medium"), EFFORT_MEDIUM },
        { STR("high"), EFFORT_HIGH }, { STR("max"), EFFORT_HIGH },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_eq(word, rows[i].word))
            return rows[i].effort;
    return EFFORT_DEFAULT;
}

/* ---- models ----------------------------------------------------------------------------- */

enum agent_tier agent_alias_tier(struct str model)
{
    if (str_eq_nocase(model, STR("haiku")))
        return TIER_LOW;
    if (str_eq_nocase(model, STR("sonnet")))
        return TIER_MEDIUM;
    return str_eq_nocase(model, STR("opus")) ? TIER_HIGH : TIER_NONE;
}

enum agent_tier agent_def_tier(const struct agent_def *def)
{
    enum agent_tier of_model = agent_alias_tier(def->model);

    return of_model ? of_model : def->tier;
}

/* ---- ignored keys ----------------------------------------------------------------------- */

enum family { FAMILY_OTHER, FAMILY_CLAUDE, FAMILY_GEMINI_CLI };

static enum family family_of(struct str provider)
{
    if (str_eq(provider, STR("anthropic")) || str_eq(provider, STR("claude")))
        return FAMILY_CLAUDE;
    return str_eq(provider, STR("gemini-cli")) ? FAMILY_GEMINI_CLI : FAMILY_OTHER;
}

size_t agent_def_ignored(const struct agent_def *def, const char *out[AGENT_IGNORED_MOST])
{
    enum family family = family_of(def->provider);
    const struct {
        const char *key;
        enum family not_by;
        bool said;
    } rows[] = {
        { "approval_mode", FAMILY_CLAUDE, def->approval_mode.p != NULL },
        { "max_turns", FAMILY_GEMINI_CLI, def->max_turns != 0 },
        { "budget", FAMILY_GEMINI_CLI, def->budget_usd > 0 },
        { "disallowed_tools", FAMILY_GEMINI_CLI, def->disallowed.set },
        { "effort", FAMILY_GEMINI_CLI, def->effort.p != NULL },
        { "fallback_model", FAMILY_GEMINI_CLI, def->fallback_model.p != NULL },
    };
    size_t n = 0;

    _Static_assert(ARRAY_LEN(rows) <= AGENT_IGNORED_MOST, "room for all");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].said && rows[i].not_by == family)
            out[n++] = rows[i].key;
    return n;
}

/* ---- copies ----------------------------------------------------------------------------- */

static const char *copy_z(struct arena *mem, const char *z)
{
    return z ? arena_cstr(mem, str_of(z)) : NULL;
}

static void copy_s(struct arena *mem, struct str *s)
{
    if (s->p)
        *s = arena_str(mem, *s);
}

static void copy_list(struct arena *mem, struct pick_strs *list)
{
    struct str *v = ARENA_ARRAY(mem, struct str, list->n);

    for (size_t i = 0; i < list->n; i++) {
        v[i] = list->v[i];
        copy_s(mem, &v[i]);
    }
    list->v = v;
}

static const struct agent_var *copy_env(struct arena *mem, const struct agent_def *def)
{
    struct agent_var *v = ARENA_ARRAY(mem, struct agent_var, def->envs);

    for (size_t i = 0; i < def->envs; i++)
        v[i] =
            (struct agent_var){ copy_z(mem, def->env[i].name), arena_str(mem, def->env[i].value) };
    return v;
}

struct agent_def agent_def_copy(struct arena *mem, const struct agent_def *def)
{
    struct agent_def c = *def;
    struct str *const texts[] = { &c.description,   &c.persona,        &c.model,
                                  &c.provider,      &c.fallback_model, &c.effort,
                                  &c.output_format, &c.approval_mode,  &c.preset };
    struct pick_strs *const lists[] = { &c.allowed, &c.disallowed, &c.include_dirs, &c.expose,
                                        &c.hidden,  &c.command,    &c.pass_env };

    c.name = copy_z(mem, c.name);
    c.title = copy_z(mem, c.title);
    c.folder = copy_z(mem, c.folder);
    c.script = copy_z(mem, c.script);
    if (c.remote) {
        struct remote_spec *remote = ARENA_NEW(mem, struct remote_spec);

        *remote = remote_spec_copy(mem, c.remote);
        c.remote = remote;
    }
    c.origin = copy_z(mem, c.origin);
    c.env = copy_env(mem, def);
    c.written = STR_NONE;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        copy_s(mem, texts[i]);
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        copy_list(mem, lists[i]);
    return c;
}
