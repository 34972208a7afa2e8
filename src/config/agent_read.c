#include "config/agent_read.h"

#include "base/json_doc.h"
#include "config/agent_read_parts.h"
#include "config/front_matter.h"
#include "config/markdown_include.h"
#include "config/server_read.h"
#include "core/guard/tool_pattern.h"

#include <linux/limits.h>
#include <math.h>
#include <stdlib.h>

enum { JSON_DEPTH = 32, JSON_VALUES = 10000 };

/* ---- the keys --------------------------------------------------------------------------- */

static const struct pick mcp_fields[] = {
    PICK_FIELD("expose_tools", PICK_STRS, struct agent_mcp_table, expose, 0),
    PICK_FIELD("private_tools", PICK_STRS, struct agent_mcp_table, hidden, 0),
};

static const struct pick fields[] = {
    PICK_FIELD("name", PICK_STR, struct agent_fields, name, 0),
    PICK_FIELD("description", PICK_STR, struct agent_fields, description, 0),
    PICK_FIELD("persona", PICK_STR, struct agent_fields, persona, 0),
    PICK_FIELD("tier", PICK_STR, struct agent_fields, tier, 0),
    PICK_FIELD("model", PICK_STR, struct agent_fields, model, 0),
    PICK_FIELD("provider", PICK_STR, struct agent_fields, provider, 0),
    PICK_FIELD("fallback_model", PICK_STR, struct agent_fields, fallback_model, 0),
    PICK_FIELD("mode", PICK_STR, struct agent_fields, mode, 0),
    PICK_FIELD("tools", PICK_ANY, struct agent_fields, tools, 0),
    PICK_FIELD("allowed_tools", PICK_ANY, struct agent_fields, allowed_tools, 0),
    PICK_FIELD("disallowed_tools", PICK_ANY, struct agent_fields, disallowed_tools, 0),
    PICK_RANGE("max_turns", struct agent_fields, max_turns, 0, 1, AGENT_TURNS_MOST),
    PICK_FIELD("budget", PICK_DOUBLE, struct agent_fields, budget, 0),
    PICK_FIELD("effort", PICK_STR, struct agent_fields, effort, 0),
    PICK_FIELD("output_format", PICK_STR, struct agent_fields, output_format, 0),
    PICK_FIELD("approval_mode", PICK_STR, struct agent_fields, approval_mode, 0),
    PICK_FIELD("isolate", PICK_BOOL, struct agent_fields, isolate, 0),
    PICK_FIELD("include_dirs", PICK_ANY, struct agent_fields, include_dirs, 0),
    PICK_FIELD("folder", PICK_STR, struct agent_fields, folder, 0),
    PICK_FIELD("script", PICK_STR, struct agent_fields, script, 0),
    PICK_FIELD("command", PICK_ANY, struct agent_fields, command, 0),
    PICK_FIELD("preset", PICK_STR, struct agent_fields, preset, 0),
    PICK_FIELD("env", PICK_ANY, struct agent_fields, env, 0),
    PICK_FIELD("pass_env", PICK_ANY, struct agent_fields, pass_env, 0),
    PICK_FIELD("url", PICK_STR, struct agent_fields, url, 0),
    PICK_FIELD("auth", PICK_ANY, struct agent_fields, auth, 0),
    PICK_FIELD("binding", PICK_ANY, struct agent_fields, binding, 0),
    PICK_FIELD("protocol_version", PICK_ANY, struct agent_fields, protocol_version, 0),
    PICK_FIELD("origins", PICK_ANY, struct agent_fields, origins, 0),
    PICK_FIELD("trefoil", PICK_ANY, struct agent_fields, trefoil, 0),
    PICK_NESTED("mcp", struct agent_fields, mcp, 0, mcp_fields),
};

/* ---- one value -------------------------------------------------------------------------- */

static bool bad(const struct agent_reading *in, const char *key, const char *accepted)
{
    return json_fail(json_get(in->obj, str_of(key)), in->e, "expected %s", accepted);
}

static bool apply_mode_and_tier(const struct agent_reading *in, const struct agent_fields *raw)
{
    if (raw->mode.p && !agent_mode_named(raw->mode, &in->def->mode))
        return bad(in, "mode", "read-write or read-only");
    if (raw->tier.p && !agent_tier_named(raw->tier, &in->def->tier))
        return bad(in, "tier", "low, medium or high");
    return true;
}

static bool apply_word(const struct agent_reading *in, const char *key, struct str word,
                       struct str *out)
{
    if (word.p && !agent_word_known(str_of(key), word))
        return bad(in, key, agent_words(str_of(key)));
    *out = word;
    return true;
}

static bool is_word(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
            return false;
    return s.n >= 1 && s.n <= 200;
}

static bool apply_model(const struct agent_reading *in, const char *key, struct str model,
                        struct str *out)
{
    if (model.p && !is_word(model))
        return bad(in, key, "one word of at most 200 characters");
    *out = model;
    return true;
}

static bool apply_numbers(const struct agent_reading *in, const struct agent_fields *raw)
{
    if (agent_read_said(json_get(in->obj, STR("budget"))) &&
        !(isfinite(raw->budget) && raw->budget > 0 && raw->budget <= AGENT_BUDGET_MOST))
        return bad(in, "budget", "a number above 0, up to 1000000 (US dollars)");
    in->def->max_turns = raw->max_turns;
    in->def->budget_usd = raw->budget;
    return true;
}

/* ---- lists ------------------------------------------------------------------------------ */

static void agent_read_add(struct arena *mem, struct pick_strs *list, struct str s)
{
    list->v =
        arena_grow(mem, list->v, list->n * sizeof(*list->v), (list->n + 1) * sizeof(*list->v));
    list->v[list->n++] = s;
}

/* At commas outside of brackets: Bash(a, b), Read */
static void agent_read_split(struct arena *mem, struct str s, struct pick_strs *list)
{
    size_t from = 0, deep = 0;

    for (size_t i = 0; i <= s.n; i++) {
        char c = i < s.n ? s.p[i] : ',';
        struct str item;

        deep += c == '(';
        deep -= c == ')' && deep > 0;
        if (i < s.n && (c != ',' || deep))
            continue;
        item = str_trim(str_head(str_skip(s, from), i - from));
        if (item.n)
            agent_read_add(mem, list, item);
        from = i + 1;
    }
}

bool agent_read_list(const struct agent_reading *in, struct json v, struct pick_strs *out)
{
    struct arena *mem = in->r->mem;

    if (!agent_read_said(v))
        return true;
    out->set = true;
    if (json_type(v) == JSON_STRING) {
        agent_read_split(mem, json_str(mem, v), out);
        return true;
    }
    if (json_type(v) != JSON_ARRAY)
        return json_fail(v, in->e, "expected a list of strings, or one string with commas");
    JSON_EACH(item, v)
    {
        if (json_type(item) != JSON_STRING)
            return json_fail(item, in->e, "expected a string");
        agent_read_add(mem, out, str_trim(json_str(mem, item)));
    }
    return true;
}

static bool tools_of(const struct agent_reading *in, struct json v, struct pick_strs *out)
{
    struct err why;

    if (!agent_read_list(in, v, out))
        return false;
    for (size_t i = 0; i < out->n; i++)
        if (!tool_pattern_check(out->v[i], &why))
            return json_fail(v, in->e, "%s", why.text);
    return true;
}

static bool apply_tools(const struct agent_reading *in, const struct agent_fields *raw)
{
    if (agent_read_said(raw->tools) && agent_read_said(raw->allowed_tools))
        return json_fail(raw->tools, in->e,
                         "tools and allowed_tools mean the same; use only one of them");
    return tools_of(in, agent_read_said(raw->tools) ? raw->tools : raw->allowed_tools,
                    &in->def->allowed) &&
           tools_of(in, raw->disallowed_tools, &in->def->disallowed);
}

/* ---- folders and files ------------------------------------------------------------------------- */

static bool climbs(struct str path)
{
    while (path.p)
        if (str_eq(str_cut(&path, '/'), STR("..")))
            return true;
    return false;
}

/* Below the root, links followed. What is not there yet is judged by its text. */
static bool path_inside(const struct agent_reading *in, struct json at, const char *what,
                        struct str path)
{
    const char *root = in->r->root;
    char real[PATH_MAX];
    bool inside;

    if (!path.n || path.p[0] == '/' || climbs(path) || memchr(path.p, '\0', path.n))
        return json_fail(at, in->e,
                         "expected a path of a %s below the root, relative to the root, without ..",
                         what);
    if (!realpath(arena_printf(in->r->mem, "%s/" STR_FMT, root, STR_ARG(path)).p, real))
        return true;
    inside = str_starts(str_of(real), str_of(root)) &&
             (real[strlen(root)] == '/' || real[strlen(root)] == '\0');
    return inside || json_fail(at, in->e, "this %s is outside the root", what);
}

/* A script needs its provider, and the provider its script. */
static bool apply_script(const struct agent_reading *in, const struct agent_fields *raw)
{
    bool plays = str_eq(raw->provider, STR("script"));
    struct json at = json_get(in->obj, raw->script.p ? STR("script") : STR("provider"));

    if (plays != (raw->script.p != NULL))
        return json_fail(at, in->e, "`provider: script` and `script: FILE` must be used together");
    if (!plays)
        return true;
    if (!path_inside(in, at, "file", raw->script))
        return false;
    in->def->script = arena_cstr(in->r->mem, raw->script);
    return true;
}

static bool apply_folders(const struct agent_reading *in, const struct agent_fields *raw)
{
    struct agent_def *def = in->def;

    if (!agent_read_list(in, raw->include_dirs, &def->include_dirs))
        return false;
    for (size_t i = 0; i < def->include_dirs.n; i++)
        if (!path_inside(in, raw->include_dirs, "folder", def->include_dirs.v[i]))
            return false;
    if (!raw->folder.p)
        return true;
    if (!path_inside(in, json_get(in->obj, STR("folder")), "folder", raw->folder))
        return false;
    def->folder = arena_cstr(in->r->mem, raw->folder);
    return true;
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool is_known(struct json key)
{
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (json_is(key, fields[i].name))
            return true;
    return false;
}

static void note_unknown(const struct agent_reader *r, struct json obj)
{
    JSON_MEMBERS(key, obj)
    if (!is_known(key))
        note(r->mem, r->notes, LOG_INFO, STR_FMT ": the key " STR_FMT " is not used",
             STR_ARG(json_where(r->mem, key)), STR_ARG(json_str(r->mem, key)));
}

static void note_ignored(const struct agent_reader *r, const struct agent_def *def)
{
    const char *key[AGENT_IGNORED_MOST];
    size_t n = agent_def_ignored(def, key);

    for (size_t i = 0; i < n; i++)
        note(r->mem, r->notes, LOG_WARN,
             "%s: %s is ignored: the provider " STR_FMT " does not support it", def->origin, key[i],
             STR_ARG(def->provider));
}

bool agent_read_name(const struct agent_reading *in, struct str name)
{
    if (!name.p)
        return true;
    if (!agent_name_valid(name))
        return json_fail(json_get(in->obj, STR("name")), in->e, "%s", agent_name_rule);
    in->def->name = arena_cstr(in->r->mem, name);
    return true;
}

static bool agent_read_apply(const struct agent_reading *in, const struct agent_fields *raw)
{
    struct agent_def *def = in->def;

    def->description = raw->description;
    def->persona = raw->persona;
    def->isolate = raw->isolate;
    def->expose = raw->mcp.expose;
    def->hidden = raw->mcp.hidden;
    return apply_mode_and_tier(in, raw) && apply_model(in, "model", raw->model, &def->model) &&
           apply_model(in, "fallback_model", raw->fallback_model, &def->fallback_model) &&
           apply_model(in, "provider", raw->provider, &def->provider) &&
           apply_word(in, "effort", raw->effort, &def->effort) &&
           apply_word(in, "output_format", raw->output_format, &def->output_format) &&
           apply_word(in, "approval_mode", raw->approval_mode, &def->approval_mode) &&
           apply_numbers(in, raw) && apply_tools(in, raw) && apply_folders(in, raw) &&
           apply_script(in, raw) && agent_read_program(in, raw) && agent_read_remote(in, raw);
}

/* A missing object is an empty one. The name first: a broken definition still has it. */
static bool read_object(const struct agent_reading *in, bool lenient, bool named_by_file,
                        struct str *name)
{
    const struct agent_reader *r = in->r;
    struct agent_fields raw = { 0 };

    if (!json_here(in->obj))
        return true;
    raw.name = json_str(r->mem, json_get(in->obj, STR("name")));
    if (!named_by_file && !agent_read_name(in, raw.name))
        return false;
    *name = raw.name;
    if (!pick(r->mem, in->obj, PICK_TABLE(fields), lenient ? PICK_LENIENT : PICK_STRICT, &raw,
              in->e))
        return false;
    if (lenient)
        note_unknown(r, in->obj);
    if (!agent_read_apply(in, &raw))
        return false;
    note_ignored(r, in->def);
    return true;
}

static bool add_persona(const struct agent_reader *r, const char *file, const struct file_id *id,
                        uint32_t line, struct agent_def *def, struct err *e)
{
    const struct include_opts opts = { r->root, r->limits };

    if (def->persona.n > (size_t)r->limits->prompt_bytes)
        return fail(e, ERR_LIMIT, "%s: the persona has %zu bytes; at most %lld are read", file,
                    def->persona.n, (long long)r->limits->prompt_bytes);
    return include_resolve(r->mem, &opts, file, id, line, def->persona, &def->persona, e);
}

/* reviewer of .claude/agents/reviewer.md */
static struct str stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct str s = str_of(slash ? slash + 1 : path);

    return str_ends(s, STR(".md")) ? str_head(s, s.n - 3) : s;
}

static bool read_head_and_body(const struct agent_reader *r, const char *path, bool foreign,
                               struct agent_def *def, struct err *e)
{
    const struct front_opts opts = { path, r->limits, foreign, r->notes };
    size_t max = (size_t)(r->limits->prompt_bytes + r->limits->front_matter_bytes);
    struct front_matter fm;
    struct file_id id;
    struct str text, name;
    struct agent_reading in = { .r = r, .def = def, .e = e };

    if (!file_read_beneath(r->mem, r->root, path, max, &text, &id, e) ||
        !front_matter_read(r->mem, text, &opts, &fm, e))
        return false;
    def->written = text;
    if (foreign && !json_here(fm.head))
        return fail(e, ERR_NOT_FOUND, "%s has no front matter, so it is not an agent", path);
    in.obj = fm.head;
    if (!read_object(&in, foreign, false, &name))
        return false;
    if (!agent_name_valid(str_of(def->name)))
        return fail(e, ERR_INVALID, "%s: %s", path, agent_name_rule);
    if (def->persona.n && fm.body.n)
        return json_fail(json_get(fm.head, STR("persona")), e,
                         "set the persona by this key or by "
                         "the text below the front matter, "
                         "not by both");
    if (!def->persona.n)
        def->persona = fm.body;
    return add_persona(r, path, &id, fm.line, def, e);
}

bool agent_read_markdown(const struct agent_reader *r, const char *path, bool foreign,
                         struct agent_def *out, struct err *e)
{
    bool ok;

    *out = (struct agent_def){ .name = arena_cstr(r->mem, stem_of(path)),
                               .origin = arena_printf(r->mem, "%s:1", path).p };
    ok = read_head_and_body(r, path, foreign, out, e);
    out->title = out->name;
    return ok;
}

static bool read_json_object(const struct agent_reader *r, const char *path, struct agent_def *def,
                             struct err *e)
{
    const struct json_opts opts = {
        .file = path, .max_depth = JSON_DEPTH, .max_values = JSON_VALUES, .comments = true
    };
    struct agent_reading in = { .r = r, .def = def, .e = e };
    struct str text, title = STR_NONE;

    if (!file_read_beneath(r->mem, r->root, path, (size_t)r->limits->config_bytes, &text, NULL,
                           e) ||
        !json_read(r->mem, text, &opts, &in.obj, e) || !read_object(&in, true, true, &title))
        return false;
    def->written = text;
    if (title.n)
        def->title = arena_cstr(r->mem, title);
    return add_persona(r, path, NULL, 1, def, e);
}

bool agent_read_json(const struct agent_reader *r, const char *name, struct agent_def *out,
                     struct err *e)
{
    const char *path = arena_printf(r->mem, "agents/%s/agent.json", name).p;

    *out = (struct agent_def){ .name = name,
                               .title = name,
                               .origin = arena_printf(r->mem, "%s:1", path).p };
    if (!agent_name_valid(str_of(name)))
        return fail(e, ERR_INVALID, "%s: %s", path, agent_name_rule);
    return read_json_object(r, path, out, e);
}

bool agent_read_toml(const struct agent_reader *r, struct json entry, struct agent_def *out,
                     struct err *e)
{
    struct agent_reading in = { .r = r, .obj = entry, .def = out, .e = e };
    const char *file = entry.doc->file, *slash = strrchr(file, '/');
    struct json_pos pos = entry.doc->pos[entry.at];
    struct str name;
    bool ok;

    *out = (struct agent_def){
        .origin = arena_printf(r->mem, "%s:%u", file, pos.line).p,
        .written = server_json_line(r->mem, entry),
    };
    if (json_type(entry) != JSON_OBJECT)
        return json_fail(entry, e, "expected [[agents]] with the keys of an agent");
    ok = read_object(&in, false, false, &name);
    out->title = out->name;
    if (ok && !out->name)
        return json_fail(entry, e, "an agent needs a name");
    return ok && add_persona(r, slash ? slash + 1 : file, NULL, pos.line, out, e);
}
