#include "config/server_edit.h"

#include "base/toml/toml.h"
#include "config/text_edit.h"
#include "core/tool/server_diff.h"

enum { EDIT_DEPTH = 32 };

/* One reading of the file. */
struct server_reading {
    struct json file;
    struct server_list list;
};

static bool read_text(const struct server_edit *ed, struct str text, struct server_reading *out,
                      struct err *e)
{
    struct notes notes = { 0 };
    const struct server_reader r = { ed->mem, ed->root, ed->limits, &notes, SHAPE_NATIVE, true };

    *out = (struct server_reading){ 0 };
    return toml_read(ed->mem, text, ed->file, EDIT_DEPTH, &out->file, e) &&
           config_servers(&r, out->file, &out->list, e);
}

/* ---- is the new text what was asked for? ------------------------------------------------ */

/* All that the file says but its servers. */
static struct str rest_of(const struct server_edit *ed, struct json file)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, ed->mem, (size_t)ed->limits->config_bytes * 8);
    jw_object(&w);
    JSON_MEMBERS(key, file)
    {
        bool mcp = json_is(key, STR("mcp"));

        if (json_is(key, STR("mcp_servers")))
            continue;
        if (!mcp) {
            jw_key(&w, json_str(ed->mem, key));
            jw_raw(&w, server_json_line(ed->mem, json_value(key)));
        }
    }
    JSON_MEMBERS(key, json_get(file, STR("mcp")))
    {
        if (json_is(key, STR("servers")))
            continue;
        jw_key(&w, arena_printf(ed->mem, "mcp." STR_FMT, STR_ARG(json_str(ed->mem, key))));
        jw_raw(&w, server_json_line(ed->mem, json_value(key)));
    }
    jw_object_end(&w);
    return buf_str(&out);
}

static bool others_same(const struct server_reading *was, const struct server_reading *now,
                        const char *name)
{
    for (size_t i = 0; i < was->list.n; i++) {
        const struct server_spec *old = &was->list.v[i];
        const struct server_spec *new = server_list_find(&now->list, old->name);

        if (str_eq(str_of(old->name), str_of(name)))
            continue;
        if (!new || !str_eq(old->written, new->written))
            return false;
    }
    return true;
}

/* Read the new text; `more` is by how many servers it has grown. */
static bool reread(const struct server_edit *ed, const struct server_reading *was, struct str text,
                   const char *name, int more, struct server_reading *now, struct err *e)
{
    if (!read_text(ed, text, now, e))
        return fail_in(e, "after the change");
    if (!others_same(was, now, name) || now->list.n != was->list.n + (size_t)more ||
        !str_eq(rest_of(ed, was->file), rest_of(ed, now->file)))
        return fail(
            e, ERR_INVALID,
            "%s: the edit would also change other entries, so nothing was written; edit the "
            "file by hand",
            ed->file);
    return true;
}

/* ---- places ----------------------------------------------------------------------------- */

static struct json find_in(struct json array, const char *name)
{
    JSON_EACH(entry, array)
    if (json_is(json_get(entry, STR("name")), str_of(name)))
        return entry;
    return (struct json){ 0 };
}

static struct json find_entry(struct json file, const char *name)
{
    struct json entry = find_in(json_get(json_get(file, STR("mcp")), STR("servers")), name);

    return json_here(entry) ? entry : find_in(json_get(file, STR("mcp_servers")), name);
}

static bool fail_absent(const struct server_edit *ed, const char *name, struct err *e)
{
    return fail(e, ERR_NOT_FOUND, "%s has no server %s", ed->file, name);
}

static bool blank_line_before(struct str text, size_t at)
{
    struct str head = str_head(text, at);

    return !at || str_ends(head, STR("\n\n")) || str_ends(head, STR("\n\r\n"));
}

/* Also the blank lines behind it, where there are some before it too. */
static size_t with_blank_lines(struct str text, size_t start, size_t end)
{
    if (!blank_line_before(text, start))
        return end;
    while (end < text.n && (text.p[end] == '\n' || text.p[end] == '\r'))
        end++;
    return end;
}

/* ---- remove ----------------------------------------------------------------------------- */

bool server_edit_remove(const struct server_edit *ed, const char *name, struct str *out,
                        struct err *e)
{
    struct server_reading was, now;
    struct json entry;
    struct str text;
    struct config_span lines;

    if (!read_text(ed, ed->text, &was, e))
        return false;
    entry = find_entry(was.file, name);
    if (!json_here(entry))
        return fail_absent(ed, name, e);
    if (!str_starts(str_skip(ed->text, config_text_offset(ed->text, config_text_pos(entry))),
                    STR("[[")))
        return fail(e, ERR_INVALID,
                    "%s: the server %s has no table header of its own; edit the file by hand",
                    ed->file, name);
    lines = config_text_entry(ed->text, entry, config_text_pos(entry).line);
    lines.end = with_blank_lines(ed->text, lines.start, lines.end);
    text = config_text_replace(ed->mem, ed->text, lines, STR(""));
    if (!reread(ed, &was, text, name, -1, &now, e))
        return false;
    *out = text;
    return true;
}

/* ---- enable and disable ----------------------------------------------------------------- */

/* Put the other word where `true` or `false` stands. */
static struct str flip(const struct server_edit *ed, struct json value, bool to)
{
    size_t at = config_text_offset(ed->text, config_text_pos(value));

    return config_text_replace(ed->mem, ed->text,
                               (struct config_span){ at, at + (json_true(value) ? 4 : 5) },
                               to ? STR("true") : STR("false"));
}

static struct str insert_switch(const struct server_edit *ed, struct json entry, bool on)
{
    size_t at = config_text_offset(ed->text, config_text_pos(entry));
    const char *word = on ? "true" : "false";
    struct str line =
        arena_printf(ed->mem, "enabled = %s" STR_FMT, word, STR_ARG(config_text_eol(ed->text)));

    if (ed->text.p[at] == '{')
        return config_text_replace(ed->mem, ed->text, (struct config_span){ at + 1, at + 1 },
                                   arena_printf(ed->mem, " enabled = %s,", word));
    at = config_text_line(ed->text, config_text_pos(entry).line + 1);
    return config_text_replace(ed->mem, ed->text, (struct config_span){ at, at }, line);
}

static struct str switched(const struct server_edit *ed, struct json entry, bool on)
{
    struct json enabled = json_get(entry, STR("enabled"));
    struct json disabled = json_get(entry, STR("disabled"));

    if (json_here(enabled))
        return flip(ed, enabled, on);
    if (json_here(disabled))
        return flip(ed, disabled, !on);
    return insert_switch(ed, entry, on);
}

/* The same server but for its switch. */
static bool only_switched(const struct server_edit *ed, const struct server_reading *was,
                          const struct server_reading *now, const char *name, bool on)
{
    struct server_spec old = *server_list_find(&was->list, name);
    const struct server_spec *new = server_list_find(&now->list, name);

    old.enabled = on;
    return new &&str_eq(server_spec_canonical(ed->mem, &old), server_spec_canonical(ed->mem, new));
}

bool server_edit_switch(const struct server_edit *ed, const char *name, bool on, struct str *out,
                        struct err *e)
{
    struct server_reading was, now;
    struct json entry;
    struct str text;

    if (!read_text(ed, ed->text, &was, e))
        return false;
    entry = find_entry(was.file, name);
    if (!json_here(entry))
        return fail_absent(ed, name, e);
    if (server_list_find(&was.list, name)->enabled == on) {
        *out = ed->text;
        return true;
    }
    text = switched(ed, entry, on);
    if (!reread(ed, &was, text, name, 0, &now, e))
        return false;
    if (!only_switched(ed, &was, &now, name, on))
        return fail(e, ERR_INVALID,
                    "%s: trefoil cannot change the `enabled` key of %s; edit the file by hand",
                    ed->file, name);
    *out = text;
    return true;
}

/* ---- add -------------------------------------------------------------------------------- */

/* name = { A = "b" } */
static void put_table(struct buf *out, const char *name, const struct server_pair *p, size_t n)
{
    buf_printf(out, "%s = {", name);
    for (size_t i = 0; i < n; i++) {
        buf_put(out, i ? STR(", ") : STR(" "));
        toml_put_key(out, p[i].name);
        buf_put(out, STR(" = "));
        toml_put_string(out, p[i].value);
    }
    buf_put(out, STR(" }\n"));
}

static void put_list(struct buf *out, const char *name, const struct str *v, size_t n)
{
    buf_printf(out, "%s = [", name);
    for (size_t i = 0; i < n; i++) {
        buf_put(out, i ? STR(", ") : STR(""));
        toml_put_string(out, v[i]);
    }
    buf_put(out, STR("]\n"));
}

static void put_command(struct buf *out, struct arena *mem, const char *const *argv)
{
    struct str *word;
    size_t n = 0;

    while (argv[n])
        n++;
    word = ARENA_ARRAY(mem, struct str, n);
    for (size_t i = 0; i < n; i++)
        word[i] = str_of(argv[i]);
    put_list(out, "command", word, n);
}

/* A table, or a list where a name alone passes ours on. */
static void put_env(struct buf *out, struct arena *mem, const struct server_pair *env, size_t n)
{
    struct str *item = ARENA_ARRAY(mem, struct str, n);
    bool pass = false;

    for (size_t i = 0; i < n; i++) {
        pass |= !env[i].value.p;
        item[i] = env[i].value.p ? arena_printf(mem, STR_FMT "=" STR_FMT, STR_ARG(env[i].name),
                                                STR_ARG(env[i].value))
                                 : env[i].name;
    }
    if (pass)
        put_list(out, "env", item, n);
    else
        put_table(out, "env", env, n);
}

static struct str block(const struct server_edit *ed, const struct server_new *n,
                        const char *header)
{
    struct buf out;

    buf_init_in(&out, ed->mem, (size_t)ed->limits->config_bytes);
    if (ed->text.n && !str_ends(ed->text, STR("\n")))
        buf_putc(&out, '\n');
    if (ed->text.n)
        buf_putc(&out, '\n');
    buf_printf(&out, "[[%s]]\nname = ", header);
    toml_put_string(&out, str_of(n->name));
    buf_putc(&out, '\n');
    if (n->url) {
        buf_put(&out, STR("url = "));
        toml_put_string(&out, str_of(n->url));
        buf_putc(&out, '\n');
        if (n->transport)
            buf_printf(&out, "type = \"%s\"\n", n->transport);
    } else {
        put_command(&out, ed->mem, n->argv);
    }
    if (n->envs)
        put_env(&out, ed->mem, n->env, n->envs);
    if (n->headers)
        put_table(&out, "headers", n->header, n->headers);
    return buf_str(&out);
}

static bool is_as_asked(const struct server_spec *s, const struct server_new *n)
{
    size_t i = 0;

    if (!s || s->envs + s->passes != n->envs || s->headers != n->headers)
        return false;
    if (n->transport && !str_eq(str_of(server_transport_name(s->transport)), str_of(n->transport)))
        return false;
    if (n->url)
        return s->url && str_eq(str_of(s->url), str_of(n->url));
    if (!s->argv)
        return false;
    while (s->argv[i] && n->argv[i] && str_eq(str_of(s->argv[i]), str_of(n->argv[i])))
        i++;
    return !s->argv[i] && !n->argv[i];
}

static bool try_add(const struct server_edit *ed, const struct server_reading *was,
                    const struct server_new *n, const char *header, struct str *out, struct err *e)
{
    struct server_reading now;
    struct str text =
        arena_printf(ed->mem, STR_FMT STR_FMT, STR_ARG(ed->text), STR_ARG(block(ed, n, header)));

    if (!reread(ed, was, text, n->name, 1, &now, e))
        return false;
    if (!is_as_asked(server_list_find(&now.list, n->name), n))
        return fail(e, ERR_INVALID, "%s: cannot write the server %s", ed->file, n->name);
    *out = text;
    return true;
}

bool server_edit_add(const struct server_edit *ed, const struct server_new *n, struct str *out,
                     struct err *e)
{
    struct server_reading was;
    bool ours, theirs;

    if (!read_text(ed, ed->text, &was, e))
        return false;
    if (server_list_find(&was.list, n->name))
        return fail(e, ERR_INVALID, "%s already has a server %s", ed->file, n->name);
    ours = json_count(json_get(json_get(was.file, STR("mcp")), STR("servers"))) > 0;
    theirs = json_count(json_get(was.file, STR("mcp_servers"))) > 0;
    if (theirs && !ours)
        return try_add(ed, &was, n, "mcp_servers", out, e);
    /* An inline array takes no further [[header]]; the other table does. */
    return try_add(ed, &was, n, "mcp.servers", out, e) ||
           (ours && !theirs && try_add(ed, &was, n, "mcp_servers", out, e));
}
