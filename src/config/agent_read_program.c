/* agent_read_program.c - the keys of an agent that is a program which speaks ACP. */
#include "config/agent_read_parts.h"

static bool is_variable(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '=' || name.p[i] == '\0')
            return false;
    return name.n > 0;
}

static bool apply_env(const struct agent_reading *in, struct json table)
{
    struct agent_var *v = ARENA_ARRAY(in->r->mem, struct agent_var, json_count(table));

    if (!agent_read_said(table))
        return true;
    if (json_type(table) != JSON_OBJECT)
        return json_fail(table, in->e, "expected a table of strings: NAME = \"value\"");
    in->def->env = v;
    JSON_MEMBERS(key, table)
    {
        struct str name = json_str(in->r->mem, key);
        struct json value = json_value(key);

        if (!is_variable(name) || json_type(value) != JSON_STRING)
            return json_fail(key, in->e, "expected the name of a variable and a string");
        v[in->def->envs++] =
            (struct agent_var){ arena_cstr(in->r->mem, name), json_str(in->r->mem, value) };
    }
    return true;
}

/* A list of strings that are not split at commas. */
static bool words_of(const struct agent_reading *in, struct json v, const char *what,
                     struct pick_strs *out)
{
    if (!agent_read_said(v))
        return true;
    if (json_type(v) != JSON_ARRAY || !json_count(v))
        return json_fail(v, in->e, "expected a list of strings: %s", what);
    if (!agent_read_list(in, v, out))
        return false;
    for (size_t i = 0; i < out->n; i++)
        if (!out->v[i].n || str_find_byte(out->v[i], '\0') >= 0)
            return json_fail(v, in->e, "an entry is empty or contains a NUL byte");
    return true;
}

/* A program that speaks ACP needs its provider, and a command or a preset. */
bool agent_read_program(const struct agent_reading *in, const struct agent_fields *raw)
{
    struct agent_def *def = in->def;
    bool acp = str_eq(raw->provider, STR("acp"));
    bool command = agent_read_said(raw->command);

    if (acp && !command && !raw->preset.n)
        return json_fail(json_get(in->obj, STR("provider")), in->e,
                         "`provider: acp` needs `command` or `preset`");
    if (!acp &&
        (command || raw->preset.p || agent_read_said(raw->env) || agent_read_said(raw->pass_env)))
        return json_fail(in->obj, in->e,
                         "the keys command, preset, env and pass_env need `provider: acp`");
    def->preset = raw->preset;
    return words_of(in, raw->command, "the program and its arguments", &def->command) &&
           words_of(in, raw->pass_env, "names of variables", &def->pass_env) &&
           apply_env(in, raw->env);
}
