#include "config/guard_read.h"

#include "core/guard/tool_pattern.h"

static bool says_named(struct str name, enum guard_says *out)
{
    static const struct str names[] = { STR("auto"), STR("ask"), STR("deny") };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_eq(name, names[i])) {
            *out = (enum guard_says)i;
            return true;
        }
    }
    return false;
}

static bool kind_named(struct str name, enum tool_kind *out)
{
    for (size_t i = 0; i < TOOL_KINDS; i++) {
        if (str_eq(name, str_of(guard_kind_names[i]))) {
            *out = (enum tool_kind)i;
            return true;
        }
    }
    return false;
}

static void guard_read_lay(enum guard_says *to, enum guard_says says, bool from_project)
{
    if (!from_project || says > *to)
        *to = says;
}

/* A project that says "auto" says nothing: that would waive the default. */
static void lay_permission(enum guard_permission *to, enum guard_permission says, bool from_project)
{
    if (!from_project || (says > *to && says != PERMISSION_AUTO))
        *to = says;
}

static bool apply_permission(struct arena *mem, struct json table, bool from_project,
                             struct guard_scope *to, struct err *e)
{
    enum guard_permission says;
    enum tool_kind kind;

    if (!pick_check_keys(mem, table, e))
        return false;
    JSON_MEMBERS(key, table)
    {
        if (!kind_named(json_str(mem, key), &kind))
            return json_fail(key, e,
                             "unknown kind of tool; expected read, edit, delete, move, search, "
                             "execute, fetch or think");
        if (!guard_permission_named(json_str(mem, json_value(key)), &says))
            return json_fail(json_value(key), e, "expected \"auto\", \"ask\" or \"deny\"");
        lay_permission(&to->permission[kind], says, from_project);
    }
    return true;
}

static bool apply_says(struct json at, struct str key, struct str word, bool from_project,
                       enum guard_says *to, struct err *e)
{
    enum guard_says says;

    if (!word.p)
        return true;
    if (!says_named(word, &says))
        return json_fail(json_get(at, key), e, "expected \"auto\", \"ask\" or \"deny\"");
    guard_read_lay(to, says, from_project);
    return true;
}

bool guard_table_apply(struct arena *mem, struct json at, const struct guard_table *t,
                       bool from_project, struct guard_scope *to, struct err *e)
{
    enum agent_mode mode = AGENT_READ_WRITE;

    if (t->mode.p && !agent_mode_named(t->mode, &mode))
        return json_fail(json_get(at, STR("mode")), e,
                         "unknown mode; expected \"read-write\" or \"read-only\"");
    if (t->mode.p && !(from_project && to->mode == AGENT_READ_ONLY))
        to->mode = mode;
    if (!apply_says(at, STR("taint"), t->taint, from_project, &to->taint, e) ||
        !apply_says(at, STR("secrets"), t->secrets, from_project, &to->secrets, e))
        return false;
    return !json_here(t->permission) || apply_permission(mem, t->permission, from_project, to, e);
}

bool guard_rules_check(struct json at, const struct pick_strs *rules, struct err *e)
{
    struct err why;

    for (size_t i = 0; i < rules->n; i++)
        if (!tool_pattern_check(rules->v[i], &why))
            return json_fail(at, e, "%s", why.text);
    return true;
}

void guard_rules_add(struct arena *mem, struct pick_strs *to, const struct pick_strs *more)
{
    struct str *v = ARENA_ARRAY(mem, struct str, to->n + more->n);

    for (size_t i = 0; i < to->n; i++)
        v[i] = to->v[i];
    for (size_t i = 0; i < more->n; i++)
        v[to->n + i] = more->v[i];
    *to = (struct pick_strs){ v, to->n + more->n, to->set || more->set };
}

bool guard_user_trust_apply(struct json at, const struct guard_table *t, bool from_project,
                            bool *untrusted, struct err *e)
{
    bool says = str_eq(t->user_trust, STR("untrusted"));

    if (t->user_trust.p && !says && !str_eq(t->user_trust, STR("trusted")))
        return json_fail(json_get(at, STR("user_trust")), e,
                         "expected \"trusted\" or \"untrusted\"");
    if (t->user_trust.p && !(from_project && *untrusted))
        *untrusted = says;
    return true;
}
