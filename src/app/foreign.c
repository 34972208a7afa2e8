#include "app/foreign.h"

#include "app/values.h"
#include "base/file.h"
#include "core/server_diff.h"

static const struct source {
    const char *name, *path;
    bool project; /* below the root; else the user's own, and only when named */
} sources[] = {
    { "mcp.json", ".mcp.json", true },
    { "cursor", ".cursor/mcp.json", true },
    { "vscode", ".vscode/mcp.json", true },
    { "zed", ".zed/settings.json", true },
    { "cursor-user", "~/.cursor/mcp.json", false },
    { "claude-desktop", "~/.config/Claude/claude_desktop_config.json", false },
    { "claude", "~/.claude.json", false },
};

bool foreign_known(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(sources); i++)
        if (str_eq(name, str_of(sources[i].name)))
            return true;
    return false;
}

const char *foreign_names(void)
{
    return "mcp.json, cursor, vscode, zed, cursor-user, claude-desktop, claude";
}

size_t foreign_paths(struct arena *mem, const char *root, const char **out, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(sources) && n < most; i++)
        out[n++] = value_path(mem, str_of(sources[i].path), root);
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
static bool add(const struct server_reader *r, struct server_list *out, const struct server_spec *s,
                struct err *e)
{
    const struct server_spec *old = server_list_find(out, s->name);

    if (old && str_eq(server_spec_canonical(r->mem, old), server_spec_canonical(r->mem, s)))
        return true;
    if (old)
        return fail(e, ERR_INVALID,
                    "the server %s is named twice and differently: in %s and in %s; choose the "
                    "files with [mcp] import",
                    s->name, old->origin, s->origin);
    return server_list_add(r->mem, out, s, e);
}

static bool read_entry(const struct server_reader *r, struct json key, struct server_list *out,
                       struct err *e)
{
    struct server_spec s;
    struct err why;

    if (!server_read(r, json_value(key), key, &s, &why)) {
        note(r->mem, r->notes, LOG_WARN, "%s; this server is left out", why.text);
        return true;
    }
    if (starts_us(&s)) {
        note(r->mem, r->notes, LOG_DEBUG, "%s: left out, for it is trefoil itself", s.origin);
        return true;
    }
    return add(r, out, &s, e);
}

static bool read_map(const struct server_reader *r, struct json map, struct server_list *out,
                     struct err *e)
{
    struct err why;

    if (!json_here(map))
        return true;
    if (json_type(map) != JSON_OBJECT ? !json_fail(map, &why, "expected an object")
                                      : !pick_check_keys(r->mem, map, &why)) {
        note(r->mem, r->notes, LOG_WARN, "%s; its servers are left out", why.text);
        return true;
    }
    JSON_MEMBERS(key, map)
    if (!read_entry(r, key, out, e))
        return false;
    return true;
}

bool foreign_read_file(const struct server_reader *r, const char *path, struct server_list *out,
                       struct err *e)
{
    const struct json_opts opts = { .file = path,
                                    .max_depth = (uint32_t)r->limits->json_depth,
                                    .max_values = (uint32_t)r->limits->json_values,
                                    .comments = true };
    struct str text;
    struct json root;
    struct err why;

    if (!file_read(r->mem, path, (size_t)r->limits->config_bytes, &text, &why)) {
        if (why.code != ERR_NOT_FOUND)
            note(r->mem, r->notes, LOG_WARN, "%s; its servers are left out", why.text);
        return true;
    }
    if (!str_trim(text).n)
        return true;
    if (!json_read(r->mem, text, &opts, &root, &why)) {
        note(r->mem, r->notes, LOG_WARN, "%s; its servers are left out", why.text);
        return true;
    }
    return read_map(r, json_get(root, STR("mcpServers")), out, e) &&
           read_map(r, json_get(root, STR("servers")), out, e) &&
           read_map(r, json_get(root, STR("context_servers")), out, e);
}

static bool wanted(const struct pick_strs *import, const struct source *s)
{
    if (!import->set)
        return s->project;
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

        if (!wanted(import, s))
            continue;
        r.shape = SHAPE_FOREIGN;
        r.from_project = s->project || asked_by_project;
        if (!foreign_read_file(&r, value_path(r.mem, str_of(s->path), r.root),
                               s->project ? project : user, e))
            return false;
    }
    return true;
}
