#include "core/guard/tool_pattern.h"

#include "base/auto.h"
#include "core/guard/command_pattern.h"
#include "core/tool/path_below.h"

/* ---- taking a pattern apart ------------------------------------------------------------- */

struct pattern_parts {
    struct str name;
    struct str inner; /* between the brackets; STR_NONE: no brackets */
};

static const struct {
    struct str theirs, ours;
} aliases[] = {
    { { "Read", 4 }, { "file_read", 9 } },
    { { "Write", 5 }, { "file_write", 10 } },
    { { "Edit", 4 }, { "file_edit", 9 } },
    { { "MultiEdit", 9 }, { "file_edit", 9 } },
    { { "NotebookEdit", 12 }, { "file_edit", 9 } },
    { { "Bash", 4 }, { "shell_exec", 10 } },
    { { "Grep", 4 }, { "grep", 4 } },
    { { "Glob", 4 }, { "glob", 4 } },
    { { "WebFetch", 8 }, { "web_fetch", 9 } },
    { { "LS", 2 }, { "file_list", 9 } },
    { { "TodoWrite", 9 }, { "plan_update", 11 } },
};

struct str tool_pattern_alias(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        if (str_eq(name, aliases[i].theirs))
            return aliases[i].ours;
    return name;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_-.:*/", c));
}

static bool take_apart(struct str pattern, struct pattern_parts *out, struct err *e)
{
    struct str s = str_trim(pattern);
    ptrdiff_t at = str_find_byte(s, '(');

    *out = (struct pattern_parts){ .name = at < 0 ? s : str_head(s, (size_t)at) };
    if (at >= 0 && s.p[s.n - 1] != ')')
        return fail(e, ERR_INVALID,
                    "the tool \"" STR_FMT
                    "\" has an opening bracket without a closing bracket at the end",
                    STR_ARG(str_head(s, 80)));
    if (at >= 0)
        out->inner = str_trim(str_head(str_skip(s, (size_t)at + 1), s.n - (size_t)at - 2));
    for (size_t i = 0; i < out->name.n; i++)
        if (!is_name_byte(out->name.p[i]))
            return fail(e, ERR_INVALID,
                        "\"" STR_FMT "\" is not a tool name; expected A-Z a-z 0-9 _ - . : / or *",
                        STR_ARG(str_head(out->name, 80)));
    if (!out->name.n)
        return fail(e, ERR_INVALID, "a tool has no name");
    return true;
}

bool tool_pattern_check(struct str pattern, struct err *e)
{
    struct pattern_parts p;

    return take_apart(pattern, &p, e);
}

/* ---- wildcards -------------------------------------------------------------------------- */

/* The position at which to retry after a mismatch: the star then matches more. */
struct retry {
    /* pattern after the star, and where it was tried last; pat.p NULL: no star yet */
    struct str pat, s;
    bool folders; /* a double star before a slash matches whole folders */
};

static bool try_again(struct retry *r, bool paths, bool deep, struct str *pat, struct str *s)
{
    if (!r->pat.p || !r->s.n || (paths && !deep && r->s.p[0] == '/'))
        return false;
    if (r->folders) {
        ptrdiff_t slash = str_find_byte(r->s, '/');

        if (slash < 0)
            return false;
        r->s = str_skip(r->s, (size_t)slash);
    }
    r->s = str_skip(r->s, 1);
    *pat = r->pat;
    *s = r->s;
    return true;
}

/* `*` is any run of bytes; with `paths` it stops at a slash, `**` does not, and `?` is one byte. */
static bool wild(struct str pat, struct str s, bool paths)
{
    struct retry star = { 0 }, deep = { 0 };

    for (;;) {
        if (paths && str_starts(pat, STR("**"))) {
            bool folders = pat.n > 2 && pat.p[2] == '/';

            pat = str_skip(pat, folders ? 3 : 2);
            deep = (struct retry){ pat, s, folders };
            star = (struct retry){ 0 };
        } else if (pat.n && pat.p[0] == '*') {
            pat = str_skip(pat, 1);
            star = (struct retry){ pat, s, false };
        } else if (pat.n && s.n &&
                   (pat.p[0] == s.p[0] || (paths && pat.p[0] == '?' && s.p[0] != '/'))) {
            pat = str_skip(pat, 1);
            s = str_skip(s, 1);
        } else if (!pat.n && !s.n) {
            return true;
        } else if (!try_again(&star, paths, false, &pat, &s)) {
            star = (struct retry){ 0 };
            if (!try_again(&deep, paths, true, &pat, &s))
                return false;
        }
    }
}

bool tool_pattern_wild(struct str pattern, struct str s)
{
    return wild(pattern, s, false);
}

/* ---- names ------------------------------------------------------------------------------ */

/* mcp__server__tool and mcp__server against server:tool. */
static bool fits_foreign_mcp(struct str name, struct str alias)
{
    struct str server, tool = alias;
    ptrdiff_t split;

    if (!alias.p || !str_starts(name, STR("mcp__")))
        return false;
    name = str_skip(name, 5);
    server = str_cut(&tool, ':');
    split = str_find(name, STR("__"));
    if (split < 0)
        return wild(name, server, false);
    return wild(str_head(name, (size_t)split), server, false) &&
           wild(str_skip(name, (size_t)split + 2), tool, false);
}

static bool fits_name(struct str name, const struct pattern_call *call)
{
    name = tool_pattern_alias(name);
    return wild(name, call->tool, false) || (call->alias.p && wild(name, call->alias, false)) ||
           (call->other.p && wild(name, call->other, false)) || fits_foreign_mcp(name, call->alias);
}

/* ---- commands --------------------------------------------------------------------------- */

static bool fits_command(struct str inner, const struct pattern_call *call, enum pattern_use use)
{
    return command_pattern_fits(inner, call->args, use);
}

/* ---- paths ------------------------------------------------------------------------------ */

/* The file itself, or a folder it lies in. */
static bool fits_file_or_folder(struct str inner, struct str path)
{
    if (wild(inner, path, true))
        return true;
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] == '/' && wild(inner, str_head(path, i), true))
            return true;
    return false;
}

static struct str plain_folder(struct str inner)
{
    while (str_starts(inner, STR("./")) || str_starts(inner, STR("/")))
        inner = str_skip(inner, inner.p[0] == '/' ? 1 : 2);
    while (inner.n && inner.p[inner.n - 1] == '/')
        inner.n--;
    return inner;
}

static bool fits_path_in(struct str inner, const struct pattern_call *call, struct str arg,
                         enum pattern_use use)
{
    AUTO_ARENA mem = { 0 };
    struct json at = json_get(call->args, arg);
    struct str path = call->opened;

    if (!path.p && (json_type(at) != JSON_STRING ||
                    !path_below(&mem, call->root, call->cwd, json_str(&mem, at), &path)))
        return use == PATTERN_DENIES;
    return fits_file_or_folder(plain_folder(inner), path);
}

static bool fits_path(struct str inner, const struct pattern_call *call, enum pattern_use use)
{
    return fits_path_in(inner, call, STR("path"), use);
}

/* A move changes two paths: both must be allowed, and one that is denied is enough. */
static bool fits_move(struct str inner, const struct pattern_call *call, enum pattern_use use)
{
    bool from = fits_path_in(inner, call, STR("from"), use);
    bool to = fits_path_in(inner, call, STR("to"), use);

    return use == PATTERN_ALLOWS ? from && to : from || to;
}

/* ---- hosts ------------------------------------------------------------------------------ */

/* Empty when parsers may disagree about the host of the URL. */
static struct str host_of(struct str url)
{
    ptrdiff_t at = str_find(url, STR("://"));
    size_t n = 0;

    if (at < 0)
        return STR("");
    url = str_skip(url, (size_t)at + 3);
    while (n < url.n && !strchr("/?#", url.p[n]))
        n++;
    url = str_head(url, n);
    for (size_t i = 0; i < url.n; i++)
        if (strchr("\\@%[] \t", url.p[i]))
            return STR("");
    return str_cut(&url, ':');
}

static bool fits_host(struct str inner, const struct pattern_call *call, enum pattern_use use)
{
    AUTO_ARENA mem = { 0 };
    struct json url = json_get(call->args, STR("url"));
    struct str host;

    if (!str_starts(inner, STR("domain:")) || json_type(url) != JSON_STRING)
        return use == PATTERN_DENIES;
    host = host_of(json_str(&mem, url));
    if (!host.n)
        return use == PATTERN_DENIES;
    return str_eq_nocase(host, str_trim(str_skip(inner, 7)));
}

/* ---- a call ----------------------------------------------------------------------------- */

typedef bool inner_fn(struct str inner, const struct pattern_call *call, enum pattern_use use);

/* Which argument the part in brackets is about. */
static const struct {
    struct str tool;
    inner_fn *fits;
} inners[] = {
    { { "shell_exec", 10 }, fits_command }, { { "process_start", 13 }, fits_command },
    { { "file_read", 9 }, fits_path },      { { "file_write", 10 }, fits_path },
    { { "file_edit", 9 }, fits_path },      { { "file_list", 9 }, fits_path },
    { { "file_delete", 11 }, fits_path },   { { "dir_make", 8 }, fits_path },
    { { "file_move", 9 }, fits_move },      { { "grep", 4 }, fits_path },
    { { "glob", 4 }, fits_path },           { { "web_fetch", 9 }, fits_host },
};

/*
 * Denying Bash also denies starting processes and writing to them, because a process may run
 * commands that it reads later.
 */
static bool denies_programs(struct str name, const struct pattern_call *call)
{
    return str_eq(name, STR("Bash")) &&
           (str_eq(call->tool, STR("process_start")) || str_eq(call->tool, STR("process_write")));
}

bool tool_pattern_fits(struct str pattern, const struct pattern_call *call, enum pattern_use use)
{
    struct pattern_parts p;
    struct err e;

    if (!take_apart(pattern, &p, &e))
        return use == PATTERN_DENIES;
    if (!fits_name(p.name, call) && !(use == PATTERN_DENIES && denies_programs(p.name, call)))
        return false;
    if (!p.inner.p || str_eq(p.inner, STR("*")))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(inners); i++)
        if (str_eq(call->tool, inners[i].tool))
            return inners[i].fits(p.inner, call, use);
    return use == PATTERN_DENIES;
}

bool tool_patterns_fit(const struct pick_strs *list, const struct pattern_call *call,
                       enum pattern_use use)
{
    for (size_t i = 0; i < list->n; i++)
        if (tool_pattern_fits(list->v[i], call, use))
            return true;
    return false;
}

bool tool_pattern_names(struct str pattern, const struct pattern_call *call)
{
    struct pattern_parts p;
    struct err e;

    return take_apart(pattern, &p, &e) && fits_name(p.name, call);
}

bool tool_pattern_of_paths(struct str tool)
{
    for (size_t i = 0; i < ARRAY_LEN(inners); i++)
        if (str_eq(tool, inners[i].tool))
            return inners[i].fits == fits_path || inners[i].fits == fits_move;
    return false;
}
