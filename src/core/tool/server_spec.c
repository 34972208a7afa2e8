#include "core/tool/server_spec.h"

static const char *copy_z(struct arena *mem, const char *z)
{
    return z ? arena_cstr(mem, str_of(z)) : NULL;
}

static struct str copy_s(struct arena *mem, struct str s)
{
    return s.p ? arena_str(mem, s) : STR_NONE;
}

static const char *const *copy_argv(struct arena *mem, const char *const *argv)
{
    const char **copy;
    size_t n = 0;

    if (!argv)
        return NULL;
    while (argv[n])
        n++;
    copy = ARENA_ARRAY(mem, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = copy_z(mem, argv[i]);
    return copy;
}

static struct str *copy_strs(struct arena *mem, const struct str *s, size_t n)
{
    struct str *copy = ARENA_ARRAY(mem, struct str, n);

    for (size_t i = 0; i < n; i++)
        copy[i] = copy_s(mem, s[i]);
    return copy;
}

static struct server_pair *copy_pairs(struct arena *mem, const struct server_pair *p, size_t n)
{
    struct server_pair *copy = ARENA_ARRAY(mem, struct server_pair, n);

    for (size_t i = 0; i < n; i++)
        copy[i] = (struct server_pair){ copy_s(mem, p[i].name), copy_s(mem, p[i].value) };
    return copy;
}

static struct tool_override *copy_overrides(struct arena *mem, const struct tool_override *o,
                                            size_t n)
{
    struct tool_override *copy = ARENA_ARRAY(mem, struct tool_override, n);

    for (size_t i = 0; i < n; i++) {
        copy[i] = o[i];
        copy[i].tool = copy_s(mem, o[i].tool);
        copy[i].rename = copy_s(mem, o[i].rename);
        copy[i].description = copy_s(mem, o[i].description);
    }
    return copy;
}

struct server_spec server_spec_copy(struct arena *mem, const struct server_spec *s)
{
    struct server_spec copy = *s;

    copy.name = copy_z(mem, s->name);
    copy.argv = copy_argv(mem, s->argv);
    copy.cwd = copy_z(mem, s->cwd);
    copy.pass = copy_strs(mem, s->pass, s->passes);
    copy.env = copy_pairs(mem, s->env, s->envs);
    copy.url = copy_z(mem, s->url);
    copy.header = copy_pairs(mem, s->header, s->headers);
    copy.allowed.v = copy_strs(mem, s->allowed.v, s->allowed.n);
    copy.otherwise.v = copy_strs(mem, s->otherwise.v, s->otherwise.n);
    copy.override = copy_overrides(mem, s->override, s->overrides);
    copy.origin = copy_z(mem, s->origin);
    copy.shown = copy_s(mem, s->shown);
    copy.written = copy_s(mem, s->written);
    return copy;
}

const char *server_transport_name(enum server_transport t)
{
    switch (t) {
    case SERVER_STDIO: return "stdio";
    case SERVER_HTTP: return "http";
    case SERVER_SSE: return "sse";
    }
    return "?";
}

bool tool_pinning_named(struct str word, enum tool_pinning *out)
{
    static const char *const names[] = { "", "off", "warn", "block" };

    for (size_t i = PINNING_OFF; i < ARRAY_LEN(names); i++) {
        if (!str_eq(word, str_of(names[i])))
            continue;
        *out = (enum tool_pinning)i;
        return true;
    }
    return false;
}

enum tool_pinning server_pinning(const struct server_spec *s, enum tool_pinning general)
{
    if (s->pinning == PINNING_UNSET || (s->from_project && s->pinning < general))
        return general;
    return s->pinning;
}
