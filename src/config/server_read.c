#include "config/server_read.h"

#include "base/display.h"
#include "base/utf8.h"
#include "config/config_values.h"
#include "config/server_read_parts.h"

enum { NAME_MOST = 64, LINE_MOST = 64 << 20 };

/* The members of an entry, or of its transport, before their types are checked. */
struct server_fields {
    struct str name, type, env_base, era, pinning, sandbox;
    struct json transport, command, args, env, url, headers, cwd, tools, include;
    struct json ignored; /* what others write and means nothing here */
    struct pick_strs allowed;
    int64_t timeout, timeout_max, idle_stop, concurrency; /* times in seconds; 0: absent */
    int64_t foreign_timeout, result_chars;
    bool enabled, disabled, roots, share;
};

#define DAY 86400

/* The first of these are all that a transport table has; the last ones only others write. */
static const struct pick entry_fields[] = {
    PICK_FIELD("type", PICK_STR, struct server_fields, type, 0),
    PICK_FIELD("command", PICK_ANY, struct server_fields, command, 0),
    PICK_FIELD("args", PICK_ANY, struct server_fields, args, 0),
    PICK_FIELD("url", PICK_ANY, struct server_fields, url, 0),
    PICK_FIELD("headers", PICK_ANY, struct server_fields, headers, 0),
    PICK_FIELD("name", PICK_STR, struct server_fields, name, 0),
    PICK_FIELD("transport", PICK_ANY, struct server_fields, transport, 0),
    PICK_FIELD("env", PICK_ANY, struct server_fields, env, 0),
    PICK_FIELD("env_base", PICK_STR, struct server_fields, env_base, 0),
    PICK_FIELD("cwd", PICK_ANY, struct server_fields, cwd, 0),
    PICK_RANGE("timeout_secs", struct server_fields, timeout, 0, 1, DAY),
    PICK_RANGE("timeout_max_secs", struct server_fields, timeout_max, 0, 1, 7 * DAY),
    PICK_RANGE("idle_stop_secs", struct server_fields, idle_stop, 0, 0, 7 * DAY),
    PICK_RANGE("concurrency", struct server_fields, concurrency, 0, 1, 10000),
    PICK_RANGE("max_result_chars", struct server_fields, result_chars, 0, 100, 10000000),
    PICK_FIELD("era", PICK_STR, struct server_fields, era, 0),
    PICK_FIELD("pinning", PICK_STR, struct server_fields, pinning, 0),
    PICK_FIELD("roots", PICK_BOOL, struct server_fields, roots, 0),
    PICK_FIELD("enabled", PICK_BOOL, struct server_fields, enabled, 0),
    PICK_FIELD("disabled", PICK_BOOL, struct server_fields, disabled, 0),
    PICK_FIELD("allowed_tools", PICK_STRS, struct server_fields, allowed, 0),
    PICK_FIELD("tools", PICK_OBJECT, struct server_fields, tools, 0),
    PICK_FIELD("toolInclude", PICK_OBJECT, struct server_fields, include, 0),
    PICK_FIELD("sandbox", PICK_STR, struct server_fields, sandbox, 0),
    PICK_FIELD("share", PICK_BOOL, struct server_fields, share, 0),
    PICK_RANGE("timeout", struct server_fields, foreign_timeout, 0, 1, 7 * DAY * 1000LL),
    PICK_FIELD("httpUrl", PICK_ANY, struct server_fields, url, 0),            /* Gemini CLI */
    PICK_FIELD("includeTools", PICK_STRS, struct server_fields, allowed, 0),  /* Gemini CLI */
    PICK_FIELD("environment", PICK_ANY, struct server_fields, env, 0),        /* opencode */
    PICK_FIELD("http_headers", PICK_ANY, struct server_fields, headers, 0),   /* codex */
    PICK_FIELD("enabled_tools", PICK_STRS, struct server_fields, allowed, 0), /* codex */
    PICK_RANGE("tool_timeout_sec", struct server_fields, timeout, 0, 1, DAY), /* codex */
    PICK_FIELD("cmd", PICK_ANY, struct server_fields, command, 0),            /* goose */
    PICK_FIELD("envs", PICK_ANY, struct server_fields, env, 0),               /* goose */
    PICK_FIELD("uri", PICK_ANY, struct server_fields, url, 0),                /* goose */
    PICK_FIELD("description", PICK_ANY, struct server_fields, ignored, 0),
    PICK_FIELD("startup_timeout_sec", PICK_ANY, struct server_fields, ignored, 0),
    PICK_FIELD("trust", PICK_ANY, struct server_fields, ignored,
               0), /* that program's trust, not ours */
};

enum {
    TRANSPORT_FIELDS = 5,
    OTHERS_FIELDS = 13, /* from "timeout" on */
    NATIVE_FIELDS = ARRAY_LEN(entry_fields) - OTHERS_FIELDS,
    ACP_FIELDS = NATIVE_FIELDS + 1, /* "timeout" */
};

/* ---- taking the entry apart ------------------------------------------------------------- */

static const struct pick *field_named(struct str key)
{
    for (size_t i = 0; i < ARRAY_LEN(entry_fields); i++)
        if (str_eq(key, entry_fields[i].name))
            return &entry_fields[i];
    return NULL;
}

/* null, false, "", [] or {}: nothing is lost when it is ignored. */
static bool is_empty(struct json v)
{
    enum json_type type = json_type(v);

    return type == JSON_NULL || (type == JSON_BOOL && !json_true(v)) || json_is(v, STR("")) ||
           ((type == JSON_ARRAY || type == JSON_OBJECT) && !json_count(v));
}

static void note_unknown_keys(const struct server_reader *r, struct json entry)
{
    JSON_MEMBERS(key, entry)
    if (!field_named(json_str(r->mem, key)) && !is_empty(json_value(key)))
        note(r->mem, r->notes, LOG_WARN, STR_FMT ": unknown key " STR_FMT " is ignored",
             STR_ARG(json_where(r->mem, key)), STR_ARG(shown_text(r->mem, json_path(r->mem, key))));
}

/* "transport" is the type, or a table with part of the members. */
static bool read_transport(const struct server_reader *r, struct json entry,
                           struct server_fields *raw, struct err *e)
{
    struct json t = raw->transport;

    if (json_type(t) == JSON_STRING && !raw->type.p) {
        raw->type = json_str(r->mem, t);
        return true;
    }
    if (json_type(t) != JSON_OBJECT)
        return json_fail(t, e, "expected a table such as { type = \"stdio\", command = \"...\" }");
    for (size_t i = 0; i < TRANSPORT_FIELDS; i++)
        if (json_here(json_get(t, entry_fields[i].name)) &&
            json_here(json_get(entry, entry_fields[i].name)))
            return json_fail(json_get(entry, entry_fields[i].name), e,
                             "duplicate key: also set in transport");
    return pick(r->mem, t, entry_fields, TRANSPORT_FIELDS,
                r->shape == SHAPE_NATIVE ? PICK_STRICT : PICK_LENIENT, raw, e);
}

/* null is as good as nothing. */
static void drop_nulls(struct server_fields *raw)
{
    struct json *const any[] = { &raw->transport, &raw->command, &raw->args, &raw->env,
                                 &raw->url,       &raw->headers, &raw->cwd };

    for (size_t i = 0; i < ARRAY_LEN(any); i++)
        if (json_type(*any[i]) == JSON_NULL)
            *any[i] = (struct json){ 0 };
}

static bool read_raw(const struct server_reader *r, struct json entry, struct server_fields *raw,
                     struct err *e)
{
    static const size_t fields[] = { [SHAPE_NATIVE] = NATIVE_FIELDS,
                                     [SHAPE_FOREIGN] = ARRAY_LEN(entry_fields),
                                     [SHAPE_ACP] = ACP_FIELDS };

    if (!pick(r->mem, entry, entry_fields, fields[r->shape],
              r->shape == SHAPE_NATIVE ? PICK_STRICT : PICK_LENIENT, raw, e))
        return false;
    if (r->shape == SHAPE_FOREIGN)
        note_unknown_keys(r, entry);
    drop_nulls(raw);
    if (json_here(raw->transport) && !read_transport(r, entry, raw, e))
        return false;
    drop_nulls(raw);
    return true;
}

/* ---- the name --------------------------------------------------------------------------- */

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.-", c));
}

static bool name_valid(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!name_char(s.p[i]))
            return false;
    return s.n >= 1 && s.n <= NAME_MOST;
}

bool server_name_check(struct str name, struct err *e)
{
    return name_valid(name) ||
           fail(e, ERR_INVALID,
                "the name of a server has 1 to %d characters: letters, digits, '_', '-' and '.'",
                NAME_MOST);
}

/* Others allow spaces and more in a name. */
static struct str tame(const struct server_reader *r, struct json at, struct str s)
{
    char *p = arena_cstr(r->mem, str_head(s, NAME_MOST));
    size_t n = s.n < NAME_MOST ? s.n : NAME_MOST;

    for (size_t i = 0; i < n; i++)
        if (!name_char(p[i]))
            p[i] = '-';
    note(r->mem, r->notes, LOG_INFO, STR_FMT "%sthe server \"" STR_FMT "\" is called %s here",
         STR_ARG(json_where(r->mem, at)), json_where(r->mem, at).n ? ": " : "",
         STR_ARG(shown_text(r->mem, utf8_head(s, NAME_MOST))), p);
    return (struct str){ p, n };
}

static bool read_name(const struct server_reader *r, struct json entry, struct json key,
                      const struct server_fields *raw, struct server_spec *out, struct err *e)
{
    struct str name = json_here(key) ? json_str(r->mem, key) : raw->name;
    struct json at = json_here(key) ? key : json_get(entry, STR("name"));
    struct err wrong;

    if (!name.p)
        return json_fail(entry, e, "missing required key \"name\" (a string)");
    if (!server_name_check(name, &wrong)) {
        if (r->shape == SHAPE_NATIVE || !name.n)
            return json_fail(at, e, "%s", wrong.text);
        name = tame(r, at, name);
    }
    out->name = arena_cstr(r->mem, name);
    return true;
}

/* ---- how it is reached ------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum server_transport transport;
} types[] = {
    { "stdio", SERVER_STDIO },          { "http", SERVER_HTTP },
    { "streamable-http", SERVER_HTTP }, { "streamableHttp", SERVER_HTTP },
    { "streamable_http", SERVER_HTTP }, { "sse", SERVER_SSE },
    { "local", SERVER_STDIO },          { "remote", SERVER_HTTP }, /* opencode */
};

bool server_transport_named(struct str name, enum server_transport *out)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (!str_eq(name, str_of(types[i].name)))
            continue;
        *out = types[i].transport;
        return true;
    }
    return false;
}

static bool read_type(const struct server_reader *r, struct json entry,
                      const struct server_fields *raw, struct server_spec *out, struct err *e)
{
    out->transport = json_here(raw->url) ? SERVER_HTTP : SERVER_STDIO;
    if (r->shape == SHAPE_ACP)
        out->transport = SERVER_STDIO;
    if (!raw->type.p || str_eq(raw->type, STR("auto")) ||
        server_transport_named(raw->type, &out->transport) || r->shape == SHAPE_ACP)
        return true;
    return json_fail(
        json_here(raw->transport) ? raw->transport : json_get(entry, STR("type")), e,
        "unknown type of transport; expected auto, stdio, http, streamable-http or sse");
}

/* "agent" is for coding agents; every other profile fits a server. */
static bool read_sandbox(struct json entry, const struct server_fields *raw,
                         struct server_spec *out, struct err *e)
{
    out->sandbox = SANDBOX_SERVER;
    out->share = raw->share;
    if (!raw->sandbox.p ||
        (sandbox_kind_of(raw->sandbox, &out->sandbox) && out->sandbox != SANDBOX_AGENT))
        return true;
    return json_fail(json_get(entry, STR("sandbox")), e,
                     "expected \"server\", \"read-only\", \"workspace\", \"network\" or "
                     "\"off\"");
}

static bool read_stdio(const struct server_reader *r, struct json entry,
                       const struct server_fields *raw, struct server_spec *out, struct err *e)
{
    struct str cwd;

    if (json_here(raw->url) || json_here(raw->headers))
        return json_fail(json_here(raw->url) ? raw->url : raw->headers, e,
                         "a server with a \"command\" cannot have \"url\" or \"headers\"");
    if (!json_here(raw->command))
        return json_fail(entry, e, "a server needs a \"command\" or a \"url\"");
    if (!read_sandbox(entry, raw, out, e) || !server_argv(r, raw->command, raw->args, out, e))
        return false;
    if (json_here(raw->env) && !server_env(r, raw->env, out, e))
        return false;
    if (json_here(raw->cwd)) {
        if (!server_text(r, raw->cwd, &cwd, e))
            return false;
        out->cwd = value_path(r->mem, cwd, r->root);
    }
    out->env_strict = raw->env_base.p && str_eq(raw->env_base, STR("strict"));
    if (raw->env_base.p && !out->env_strict && !str_eq(raw->env_base, STR("default")))
        return json_fail(json_get(entry, STR("env_base")), e, "expected \"default\" or \"strict\"");
    return true;
}

static bool read_remote(const struct server_reader *r, struct json entry,
                        const struct server_fields *raw, struct server_spec *out, struct err *e)
{
    if (json_here(raw->command) || json_here(raw->args))
        return json_fail(json_here(raw->command) ? raw->command : raw->args, e,
                         "a server with a \"url\" cannot have \"command\" or \"args\"");
    if (!json_here(raw->url))
        return json_fail(entry, e, "a server of this type needs a \"url\"");
    if (json_here(raw->env) && json_count(raw->env) && r->shape == SHAPE_NATIVE)
        return json_fail(raw->env, e, "a server with a \"url\" cannot have \"env\"");
    return server_url(r, raw->url, out, e) &&
           (!json_here(raw->headers) || server_headers(r, raw->headers, out, e));
}

/* ---- the rest --------------------------------------------------------------------------- */

static bool read_times(const struct server_reader *r, struct json entry,
                       const struct server_fields *raw, struct server_spec *out, struct err *e)
{
    int64_t others =
        raw->foreign_timeout < 1000 ? raw->foreign_timeout * 1000 : raw->foreign_timeout;

    out->timeout_ms = raw->timeout ? raw->timeout * 1000
                      : others     ? others
                                   : r->limits->server_request_ms;
    out->timeout_max_ms =
        raw->timeout_max ? raw->timeout_max * 1000 : r->limits->server_request_max_ms;
    if (out->timeout_ms > out->timeout_max_ms) {
        if (raw->timeout_max)
            return json_fail(json_get(entry, STR("timeout_max_secs")), e,
                             "is less than the timeout of one request, %lld s",
                             (long long)(out->timeout_ms / 1000));
        out->timeout_max_ms = out->timeout_ms;
    }
    out->idle_stop_ms = raw->idle_stop * 1000;
    out->concurrency = raw->concurrency ? raw->concurrency : r->limits->server_calls;
    return true;
}

/* More than the default only if the user sets it: a repository must not flood its reader. */
static int64_t read_result_chars(const struct server_reader *r, struct json entry, int64_t said)
{
    struct json at = json_get(entry, STR("max_result_chars"));
    long long most = r->limits->tool_result_chars;

    if (!r->from_project || said <= most)
        return said;
    note(r->mem, r->notes, LOG_WARN,
         STR_FMT ": max_result_chars above %lld is allowed only in your own configuration; ignored",
         STR_ARG(json_where(r->mem, at)), most);
    return 0;
}

static bool read_era(struct json entry, struct str era, enum server_era *out, struct err *e)
{
    static const char *const names[] = { "auto", "legacy", "modern" };

    if (!era.p)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!str_eq(era, str_of(names[i])))
            continue;
        *out = (enum server_era)i;
        return true;
    }
    return json_fail(json_get(entry, STR("era")), e, "expected auto, legacy or modern");
}

static bool read_pinning(struct json entry, struct str word, enum tool_pinning *out, struct err *e)
{
    return !word.p || tool_pinning_named(word, out) ||
           json_fail(json_get(entry, STR("pinning")), e, "expected off, warn or block");
}

static bool read_switch(struct json entry, const struct server_fields *raw, bool *out,
                        struct err *e)
{
    bool has_enabled = json_here(json_get(entry, STR("enabled")));

    if (has_enabled && json_here(json_get(entry, STR("disabled"))) && raw->enabled == raw->disabled)
        return json_fail(json_get(entry, STR("disabled")), e, "contradicts \"enabled\"");
    *out = has_enabled ? raw->enabled : !raw->disabled;
    return true;
}

static void put_line(struct arena *mem, struct jw *w, struct json v)
{
    if (json_type(v) == JSON_OBJECT) {
        jw_object(w);
        JSON_MEMBERS(key, v)
        {
            jw_key(w, json_str(mem, key));
            put_line(mem, w, json_value(key));
        }
        jw_object_end(w);
    } else if (json_type(v) == JSON_ARRAY) {
        jw_array(w);
        JSON_EACH(item, v)
        put_line(mem, w, item);
        jw_array_end(w);
    } else if (json_type(v) == JSON_STRING || json_type(v) == JSON_TIME) {
        jw_str(w, json_type(v) == JSON_TIME ? json_raw(v) : json_str(mem, v));
    } else {
        jw_raw(w, json_raw(v));
    }
}

struct str server_json_line(struct arena *mem, struct json v)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, LINE_MOST);
    put_line(mem, &w, v);
    return buf_str(&out);
}

const char *server_origin(const struct server_reader *r, struct json at)
{
    struct str where = json_where(r->mem, at), root = str_of(r->root);

    if (!where.n)
        return "session";
    while (where.n && where.p[where.n - 1] != ':')
        where.n--;
    where.n--;
    if (str_starts(where, root) && where.n > root.n && where.p[root.n] == '/')
        where = str_skip(where, root.n + 1);
    return arena_cstr(r->mem, where);
}

bool server_read(const struct server_reader *r, struct json entry, struct json name,
                 struct server_spec *out, struct err *e)
{
    struct server_fields raw = { .roots = true };
    struct server_spec s = { .from_project = r->from_project, .trusted = !r->from_project };

    if (!read_raw(r, entry, &raw, e) || !read_name(r, entry, name, &raw, &s, e) ||
        !read_type(r, entry, &raw, &s, e))
        return false;
    if (s.transport == SERVER_STDIO ? !read_stdio(r, entry, &raw, &s, e)
                                    : !read_remote(r, entry, &raw, &s, e))
        return false;
    if (!read_times(r, entry, &raw, &s, e) || !read_era(entry, raw.era, &s.era, e) ||
        !read_pinning(entry, raw.pinning, &s.pinning, e) ||
        !read_switch(entry, &raw, &s.enabled, e) ||
        (json_here(raw.tools) && !server_overrides(r, raw.tools, &s, e)) ||
        (json_here(raw.include) && !server_includes(r, raw.include, &s, e)))
        return false;
    s.allowed = raw.allowed;
    s.no_roots = !raw.roots;
    s.result_chars = read_result_chars(r, entry, raw.result_chars);
    s.origin = server_origin(r, json_here(name) ? name : entry);
    s.written = server_json_line(r->mem, entry);
    *out = s;
    return true;
}

/* ---- lists ------------------------------------------------------------------------------ */

struct server_spec *server_list_find(const struct server_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(str_of(l->v[i].name), str_of(name)))
            return &l->v[i];
    return NULL;
}

bool server_list_add(struct arena *mem, struct server_list *l, const struct server_spec *s,
                     struct err *e)
{
    const struct server_spec *old = server_list_find(l, s->name);

    if (old)
        return fail(e, ERR_INVALID, "duplicate server %s: in %s and in %s", s->name, old->origin,
                    s->origin);
    if (l->n == l->room) {
        size_t room = l->room ? l->room * 2 : 8;

        l->v = arena_grow(mem, l->v, l->room * sizeof(*l->v), room * sizeof(*l->v));
        l->room = room;
    }
    l->v[l->n++] = *s;
    return true;
}

bool server_specs_from_acp(struct arena *mem, struct json array, const char *root,
                           const struct limits *limits, struct notes *notes,
                           struct server_list *out, struct err *e)
{
    const struct server_reader r = { mem, root, limits, notes, SHAPE_ACP, false };
    struct server_list fresh = { 0 };

    if (json_type(array) != JSON_ARRAY)
        return json_fail(array, e, "expected an array, found %s", json_type_name(json_type(array)));
    JSON_EACH(entry, array)
    {
        struct server_spec s;

        if (!server_read(&r, entry, (struct json){ 0 }, &s, e) ||
            !server_list_add(mem, &fresh, &s, e))
            return false;
    }
    *out = fresh;
    return true;
}
