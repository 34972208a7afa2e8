#include "config/foreign_servers.h"

#include "base/nearest.h"
#include "base/toml/toml.h"
#include "base/utf8.h"
#include "base/yaml_read.h"
#include "config/client_programs.h"
#include "core/tool/server_diff.h"
#include "loop/file.h"

#include <stdio.h>

static const struct source {
    const char *name, *path; /* the path as client_path() reads it */
    const char *map;         /* the key that holds the servers; NULL: one of the usual ones */
    bool project;            /* below the root; else the user's own */
    bool by_default;         /* read unless [mcp] import says otherwise */
} sources[] = {
    { "mcp.json", ".mcp.json", NULL, true, true },
    { "cursor", ".cursor/mcp.json", NULL, true, true },
    { "vscode", ".vscode/mcp.json", NULL, true, true },
    { "zed", ".zed/settings.json", NULL, true, true },
    { "gemini", ".gemini/settings.json", NULL, true, false },
    { "opencode", "opencode.json|opencode.jsonc", "mcp", true, false },
    { "cursor-user", "~/.cursor/mcp.json", NULL, false, false },
    { "gemini-user", "~/.gemini/settings.json", NULL, false, false },
    { "opencode-user", "$CONFIG/opencode/opencode.json|$CONFIG/opencode/opencode.jsonc", "mcp",
      false, false },
    { "claude-desktop", "$CONFIG/Claude/claude_desktop_config.json", NULL, false, false },
    { "claude", "~/.claude.json", NULL, false, false },
    { "codex", "$CODEX/config.toml", "mcp_servers", false, false },
    { "goose", "$CONFIG/goose/config.yaml", "extensions", false, false },
};

bool foreign_check(struct json import, struct str name, struct err *e)
{
    struct nearest n = nearest_to(name);
    char list[160] = "";
    size_t at = 0;

    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        if (str_eq(name, str_of(sources[i].name)))
            return true;
        nearest_try(&n, str_of(sources[i].name));
        at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s",
                               at ? ", " : "; known sources: ", sources[i].name);
    }
    return json_fail(import, e, "unknown source \"" STR_FMT "\"%s", STR_ARG(utf8_head(name, 40)),
                     n.best.p ? nearest_hint(&n) : list);
}

size_t foreign_paths(struct arena *mem, const char *root, const char **out, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(sources) && n < most; i++) {
        out[n] = client_path(mem, sources[i].path, root);
        n += out[n] != NULL;
    }
    return n;
}

/* Would it start trefoil as an MCP server? Then we would start ourselves, and that one again. */
static bool starts_us(const struct server_spec *s)
{
    const char *slash;

    if (str_eq(str_of(s->name), STR("trefoil")))
        return true;
    if (s->transport != SERVER_STDIO)
        return false;
    slash = strrchr(s->argv[0], '/');
    if (!str_eq(str_of(slash ? slash + 1 : s->argv[0]), STR("trefoil")))
        return false;
    for (size_t i = 1; s->argv[i]; i++)
        if (str_eq(str_of(s->argv[i]), STR("mcp")))
            return true;
    return false;
}

/* Two programs often carry the same server: that is one, not two. */
static bool foreign_servers_add(const struct server_reader *r, struct server_list *out,
                                const struct server_spec *s, struct err *e)
{
    const struct server_spec *old = server_list_find(out, s->name);

    if (old && str_eq(server_spec_canonical(r->mem, old), server_spec_canonical(r->mem, s)))
        return true;
    if (old)
        return fail(e, ERR_INVALID,
                    "the server %s has conflicting definitions in %s and in %s; choose the files "
                    "with [mcp] import",
                    s->name, old->origin, s->origin);
    return server_list_add(r->mem, out, s, e);
}

/* goose lists the extensions that it brings along among the others. */
static bool is_server(struct json entry)
{
    static const char *const others[] = { "builtin", "platform", "frontend", "inline_python" };
    struct json type = json_get(entry, STR("type"));

    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (json_is(type, str_of(others[i])))
            return false;
    return true;
}

/* {env:NAME} or {file:PATH}, but not ${env:NAME}: that is put in by config_values.h. */
static bool has_variable(struct str raw)
{
    for (size_t i = 0; i < raw.n; i++) {
        struct str rest = str_skip(raw, i);

        if ((str_starts(rest, STR("{env:")) || str_starts(rest, STR("{file:"))) &&
            (!i || raw.p[i - 1] != '$'))
            return true;
    }
    return false;
}

static bool read_entry(const struct server_reader *r, struct json key, struct server_list *out,
                       struct err *e)
{
    struct server_spec s;
    struct err why;

    if (!is_server(json_value(key)))
        return true;
    if (has_variable(json_raw(json_value(key)))) {
        note(r->mem, r->notes, LOG_WARN,
             STR_FMT
             ": {env:NAME} and {file:PATH} of opencode are not supported; this server is skipped",
             STR_ARG(json_where(r->mem, key)));
        return true;
    }
    if (!server_read(r, json_value(key), key, &s, &why)) {
        note(r->mem, r->notes, LOG_WARN, "%s; this server is skipped", why.text);
        return true;
    }
    if (starts_us(&s)) {
        note(r->mem, r->notes, LOG_DEBUG, "%s: skipped because it is trefoil itself", s.origin);
        return true;
    }
    return foreign_servers_add(r, out, &s, e);
}

static bool read_map(const struct server_reader *r, struct json map, struct server_list *out,
                     struct err *e)
{
    struct err why;

    if (!json_here(map))
        return true;
    if (json_type(map) != JSON_OBJECT ? !json_fail(map, &why, "expected an object")
                                      : !pick_check_keys(r->mem, map, &why)) {
        note(r->mem, r->notes, LOG_WARN, "%s; its servers are skipped", why.text);
        return true;
    }
    JSON_MEMBERS(key, map)
    if (!read_entry(r, key, out, e))
        return false;
    return true;
}

static bool parse(const struct server_reader *r, const char *path, struct str text,
                  struct json *out, struct err *e)
{
    const struct json_opts json = { .file = path,
                                    .max_depth = (uint32_t)r->limits->json_depth,
                                    .max_values = (uint32_t)r->limits->json_values,
                                    .comments = true };
    const struct yaml_opts yaml = { .file = path,
                                    .max_depth = (uint32_t)r->limits->json_depth,
                                    .max_values = (uint32_t)r->limits->json_values };

    if (str_ends(str_of(path), STR(".toml")))
        return toml_read(r->mem, text, path, json.max_depth, out, e);
    if (str_ends(str_of(path), STR(".yaml")))
        return yaml_read(r->mem, text, &yaml, out, e);
    return json_read(r->mem, text, &json, out, e);
}

bool foreign_read_file(const struct server_reader *r, const char *path, const char *map,
                       struct server_list *out, struct err *e)
{
    struct str text;
    struct json root;
    struct err why;

    if (!file_read(r->mem, path, (size_t)r->limits->config_bytes, &text, &why)) {
        if (why.code != ERR_NOT_FOUND)
            note(r->mem, r->notes, LOG_WARN, "%s; its servers are skipped", why.text);
        return true;
    }
    if (!str_trim(text).n)
        return true;
    if (!parse(r, path, text, &root, &why)) {
        note(r->mem, r->notes, LOG_WARN, "%s; its servers are skipped", why.text);
        return true;
    }
    if (map)
        return read_map(r, json_get(root, str_of(map)), out, e);
    return read_map(r, json_get(root, STR("mcpServers")), out, e) &&
           read_map(r, json_get(root, STR("servers")), out, e) &&
           read_map(r, json_get(root, STR("context_servers")), out, e);
}

static bool foreign_servers_wanted(const struct pick_strs *import, const struct source *s)
{
    if (!import->set)
        return s->by_default;
    for (size_t i = 0; i < import->n; i++)
        if (str_eq(import->v[i], str_of(s->name)))
            return true;
    return false;
}

bool foreign_read(const struct server_reader *base, const struct pick_strs *import,
                  bool asked_by_project, struct server_list *project, struct server_list *user,
                  struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        const struct source *s = &sources[i];
        struct server_reader r = *base;
        const char *path;

        if (!foreign_servers_wanted(import, s))
            continue;
        path = client_path(r.mem, s->path, r.root);
        r.shape = SHAPE_FOREIGN;
        r.from_project = s->project || asked_by_project;
        if (path && !foreign_read_file(&r, path, s->map, s->project ? project : user, e))
            return false;
    }
    return true;
}
