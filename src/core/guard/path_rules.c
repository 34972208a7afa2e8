#include "core/guard/path_rules.h"

#include "base/utf8.h"
#include "core/guard/tool_pattern.h"

/* The patterns of one scope with a part in brackets that name the tool. */
struct path_rules {
    const struct path_rules *next;
    const char *scope, *tool;
    struct pick_strs allowed; /* set: one of them must fit */
    struct pick_strs disallowed;
};

static bool has_brackets(struct str pattern)
{
    return str_find_byte(pattern, '(') >= 0;
}

/* Copy the patterns that match only some calls of the tool. */
static struct pick_strs copy_bracketed(struct arena *mem, const struct pick_strs *list,
                                       const struct pattern_call *call)
{
    struct pick_strs out = { 0 };

    for (size_t i = 0; i < list->n; i++) {
        if (!has_brackets(list->v[i]) || !tool_pattern_names(list->v[i], call))
            continue;
        if (!out.v)
            out.v = ARENA_ARRAY(mem, struct str, list->n);
        out.v[out.n++] = arena_str(mem, list->v[i]);
    }
    return out;
}

/* An entry that matches every call of the tool makes a comparison of paths unnecessary. */
static bool allows_all(const struct pick_strs *list, const struct pattern_call *call)
{
    for (size_t i = 0; i < list->n; i++)
        if (!has_brackets(list->v[i]) && tool_pattern_names(list->v[i], call))
            return true;
    return !list->set;
}

static const struct path_rules *rules_of_one(struct arena *mem, const struct guard_scope *s,
                                             const struct pattern_call *call,
                                             const struct path_rules *next)
{
    struct path_rules r = { .next = next };
    struct path_rules *out;

    if (!allows_all(&s->allowed, call)) {
        r.allowed = copy_bracketed(mem, &s->allowed, call);
        r.allowed.set = true;
    }
    r.disallowed = copy_bracketed(mem, &s->disallowed, call);
    if (!r.allowed.set && !r.disallowed.n)
        return next;
    r.scope = arena_cstr(mem, str_of(s->name ? s->name : "this caller"));
    r.tool = arena_cstr(mem, call->tool);
    out = ARENA_NEW(mem, struct path_rules);
    *out = r;
    return out;
}

const struct path_rules *path_rules_of(struct arena *mem, const struct guard_scope *scope,
                                       const struct tool *tool)
{
    const struct pattern_call call = { .tool = str_of(tool->name), .alias = str_of(tool->alias) };
    const struct path_rules *all = NULL;

    for (const struct guard_scope *s = scope; s; s = s->parent)
        if ((s->allowed.n || s->disallowed.n) && tool_pattern_of_paths(call.tool))
            all = rules_of_one(mem, s, &call, all);
    return all;
}

static bool check_one(const struct path_rules *r, struct str path, struct err *e)
{
    const struct pattern_call call = { .tool = str_of(r->tool), .opened = path };
    const char *where = path.p ? "" : " outside the root";
    struct str head = path.p ? utf8_head(path, 80) : STR("a path");

    if (r->disallowed.n && (!path.p || tool_patterns_fit(&r->disallowed, &call, PATTERN_DENIES)))
        return fail(e, ERR_DENIED, STR_FMT "%s is denied by the disallowed_tools of %.64s",
                    STR_ARG(head), where, r->scope);
    if (r->allowed.set && (!path.p || !tool_patterns_fit(&r->allowed, &call, PATTERN_ALLOWS)))
        return fail(e, ERR_DENIED, STR_FMT "%s is not allowed by the allowed_tools of %.64s",
                    STR_ARG(head), where, r->scope);
    return true;
}

bool path_rules_check(const struct path_rules *r, struct str path, struct err *e)
{
    for (; r; r = r->next)
        if (!check_one(r, path, e))
            return false;
    return true;
}
