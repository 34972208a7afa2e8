#include "core/tool/server_diff.h"

enum { CANONICAL_MOST = 64 << 20 }; /* far above what a configuration file can hold */

static void put_pairs(struct jw *w, const char *key, const struct server_pair *pair, size_t n)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < n; i++) {
        jw_str(w, pair[i].name);
        jw_str(w, pair[i].value);
    }
    jw_array_end(w);
}

static void put_strs(struct jw *w, const char *key, const struct str *v, size_t n)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < n; i++)
        jw_str(w, v[i]);
    jw_array_end(w);
}

static void put_stdio(struct jw *w, const struct server_spec *s)
{
    jw_plain_key(w, STR("argv"));
    jw_array(w);
    for (size_t i = 0; s->argv && s->argv[i]; i++)
        jw_str(w, str_of(s->argv[i]));
    jw_array_end(w);
    jw_kstr(w, "cwd", str_of(s->cwd));
    jw_kbool(w, "strict", s->env_strict);
    jw_kint(w, "sandbox", s->sandbox);
    jw_kbool(w, "share", s->share);
    put_strs(w, "pass", s->pass, s->passes);
    put_pairs(w, "env", s->env, s->envs);
}

static void put_overrides(struct jw *w, const struct server_spec *s)
{
    jw_plain_key(w, STR("tools"));
    jw_array(w);
    for (size_t i = 0; i < s->overrides; i++) {
        jw_object(w);
        jw_kstr(w, "tool", s->override[i].tool);
        jw_kstr(w, "rename", s->override[i].rename);
        jw_kstr(w, "description", s->override[i].description);
        jw_kint(w, "timeout", s->override[i].timeout_secs);
        jw_kbool(w, "hide", s->override[i].hide);
        jw_object_end(w);
    }
    jw_array_end(w);
}

struct str server_spec_canonical(struct arena *mem, const struct server_spec *s)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, CANONICAL_MOST);
    jw_object(&w);
    jw_kstr(&w, "name", str_of(s->name));
    jw_kint(&w, "transport", s->transport);
    put_stdio(&w, s);
    jw_kstr(&w, "url", str_of(s->url));
    put_pairs(&w, "headers", s->header, s->headers);
    jw_kint(&w, "timeout", s->timeout_ms);
    jw_kint(&w, "timeout_max", s->timeout_max_ms);
    jw_kint(&w, "idle_stop", s->idle_stop_ms);
    jw_kint(&w, "concurrency", s->concurrency);
    jw_kint(&w, "result_chars", s->result_chars);
    jw_kint(&w, "era", s->era);
    if (s->pinning != PINNING_UNSET)
        jw_kint(&w, "pinning", s->pinning);
    jw_kbool(&w, "enabled", s->enabled);
    jw_kbool(&w, "no_roots", s->no_roots);
    jw_kbool(&w, "trusted", s->trusted);
    if (s->allowed.set)
        put_strs(&w, "allowed", s->allowed.v, s->allowed.n);
    put_overrides(&w, s);
    jw_kbool(&w, "manual", s->manual);
    put_strs(&w, "otherwise", s->otherwise.v, s->otherwise.n);
    jw_object_end(&w);
    return buf_str(&out);
}

static const struct server_spec *named(const struct server_spec *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(str_of(list[i].name), str_of(name)))
            return &list[i];
    return NULL;
}

static enum server_change compare(struct arena *mem, const struct server_spec *was,
                                  const struct server_spec *now)
{
    if (!was)
        return SERVER_ADDED;
    return str_eq(server_spec_canonical(mem, was), server_spec_canonical(mem, now))
               ? SERVER_SAME
               : SERVER_CHANGED;
}

size_t server_specs_diff(struct arena *mem, const struct server_spec *was, size_t were,
                         const struct server_spec *now, size_t nows, struct server_diff **out)
{
    struct server_diff *row = ARENA_ARRAY(mem, struct server_diff, were + nows);
    size_t n = 0;

    for (size_t i = 0; i < nows; i++) {
        const struct server_spec *old = named(was, were, now[i].name);

        row[n++] = (struct server_diff){ compare(mem, old, &now[i]), old, &now[i] };
    }
    for (size_t i = 0; i < were; i++)
        if (!named(now, nows, was[i].name))
            row[n++] = (struct server_diff){ SERVER_REMOVED, &was[i], NULL };
    *out = row;
    return n;
}
