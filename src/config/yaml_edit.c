/*
 * yaml_edit.c - writes an entry to a YAML file, as a mapping below the key `map`.
 *
 * The entry is inserted directly below the line of the key, with the indentation of the other
 * entries, so that comments stay above what they describe. A map in flow style ({ a: 1 }) is not
 * changed, unless it is empty.
 */
#include "base/yaml_read.h"
#include "config/entry_edit.h"
#include "config/text_edit.h"

enum { EDIT_DEPTH = 128, EDIT_VALUES = 1000000, EDIT_MOST = 64 << 20, STEP = 2 };

struct yaml_edit {
    struct arena *mem;
    const struct entry_put *put;
    struct str text; /* of the file, and what it becomes */
    struct json root, value;
    struct json key, map; /* of the map in the file; missing when it has none */
};

static bool read_yaml(const struct yaml_edit *ed, struct str text, struct json *out, struct err *e)
{
    const struct yaml_opts opts = { .file = ed->put->file,
                                    .max_depth = EDIT_DEPTH,
                                    .max_values = EDIT_VALUES };

    return yaml_read(ed->mem, text, &opts, out, e);
}

static bool is_nothing(struct json v)
{
    return json_type(v) == JSON_MISSING || json_type(v) == JSON_NULL;
}

static struct json find_key(struct json obj, struct str name)
{
    JSON_MEMBERS(key, obj)
    if (json_is(key, name))
        return key;
    return (struct json){ 0 };
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool is_plain_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_./-", c));
}

/* Can it stand without quotes, and is it a string then? */
static bool is_plain(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_plain_char(s.p[i]))
            return false;
    return s.n && s.p[0] != '-' && s.p[0] != '.' && yaml_plain(&s) == JSON_STRING;
}

/* Strings of JSON are strings of YAML, too. */
static void put_scalar(struct arena *mem, struct buf *out, struct json v)
{
    struct str s = json_str(mem, v);
    struct jw w = jw_to(out);

    if (json_type(v) != JSON_STRING)
        buf_put(out, json_raw(v));
    else if (is_plain(s))
        buf_put(out, s);
    else
        jw_str(&w, s);
}

static void put_member(const struct yaml_edit *ed, struct buf *out, struct json key, int indent)
{
    struct str end = config_text_eol(ed->text);
    struct json v = json_value(key);

    buf_printf(out, "%*s", indent, "");
    put_scalar(ed->mem, out, key);
    if (json_type(v) != JSON_ARRAY || !json_count(v)) {
        buf_put(out, STR(": "));
        put_scalar(ed->mem, out, v);
        buf_put(out, end);
        return;
    }
    buf_printf(out, ":" STR_FMT, STR_ARG(end));
    JSON_EACH(item, v)
    {
        buf_printf(out, "%*s- ", indent + STEP, "");
        put_scalar(ed->mem, out, item);
        buf_put(out, end);
    }
}

/* name: and a line per member. */
static struct str write_entry(const struct yaml_edit *ed, int indent)
{
    struct buf out;

    buf_init_in(&out, ed->mem, EDIT_MOST);
    buf_printf(&out, "%*s" STR_FMT ":" STR_FMT, indent, "", STR_ARG(ed->put->name),
               STR_ARG(config_text_eol(ed->text)));
    JSON_MEMBERS(key, ed->value)
    put_member(ed, &out, key, indent + STEP);
    return buf_str(&out);
}

/* ---- places --------------------------------------------------------------------------------- */

static int indent_of(struct json key)
{
    return (int)config_text_pos(key).column - 1;
}

static struct str yaml_edit_append(const struct yaml_edit *ed)
{
    struct str text = ed->text, end = config_text_eol(text);
    bool ended = !text.n || str_ends(text, STR("\n"));

    return arena_printf(ed->mem, STR_FMT STR_FMT STR_FMT ":" STR_FMT STR_FMT, STR_ARG(text),
                        STR_ARG(ended ? STR("") : end), STR_ARG(ed->put->map), STR_ARG(end),
                        STR_ARG(write_entry(ed, STEP)));
}

static struct str yaml_edit_insert(const struct yaml_edit *ed)
{
    struct str text = ed->text;
    struct json first = json_first(ed->map);
    size_t at = config_text_line(text, config_text_pos(ed->key).line + 1);
    struct str lead = at && text.p[at - 1] != '\n' ? config_text_eol(text) : STR("");
    struct str entry =
        write_entry(ed, json_here(first) ? indent_of(first) : indent_of(ed->key) + STEP);

    return config_text_replace(
        ed->mem, text, (struct config_span){ at, at },
        arena_printf(ed->mem, STR_FMT STR_FMT, STR_ARG(lead), STR_ARG(entry)));
}

/* "map: {}" and its comment become "map:". */
static bool drop_braces(struct yaml_edit *ed, struct err *e)
{
    size_t at = config_text_offset(ed->text, config_text_pos(ed->map)), end = at + 2;

    if (json_count(ed->map) || !str_starts(str_skip(ed->text, at), STR("{}")))
        return fail(e, ERR_INVALID,
                    "%s:%u: " STR_FMT " is a flow mapping { ... }, not a block mapping",
                    ed->put->file, config_text_pos(ed->key).line, STR_ARG(ed->put->map));
    while (at && ed->text.p[at - 1] == ' ')
        at--;
    ed->text = config_text_replace(ed->mem, ed->text, (struct config_span){ at, end }, STR(""));
    return true;
}

static bool is_flow(const struct yaml_edit *ed)
{
    struct str rest = str_skip(ed->text, config_text_offset(ed->text, config_text_pos(ed->map)));

    return json_type(ed->map) == JSON_OBJECT && str_starts(rest, STR("{"));
}

/* ---- */

static bool open_edit(struct yaml_edit *ed, struct err *e)
{
    if (!entry_read_value(ed->mem, ed->put, &ed->value, e) ||
        !read_yaml(ed, ed->text, &ed->root, e))
        return false;
    if (!is_nothing(ed->root) && json_type(ed->root) != JSON_OBJECT)
        return json_fail(ed->root, e, "expected a mapping");
    ed->key = find_key(ed->root, ed->put->map);
    ed->map = json_get(ed->root, ed->put->map);
    if (!is_nothing(ed->map) && json_type(ed->map) != JSON_OBJECT)
        return json_fail(ed->map, e, "expected a mapping");
    return true;
}

static bool yaml_edit_change(struct yaml_edit *ed, struct err *e)
{
    struct json old = find_key(ed->map, ed->put->name);

    if (!json_here(ed->key))
        ed->text = yaml_edit_append(ed);
    else if (is_flow(ed) && !drop_braces(ed, e))
        return false;
    else if (json_here(old))
        ed->text = config_text_replace(
            ed->mem, ed->text,
            config_text_entry(ed->text, json_value(old), config_text_pos(old).line),
            write_entry(ed, indent_of(old)));
    else
        ed->text = yaml_edit_insert(ed);
    return true;
}

bool yaml_edit_put(struct arena *mem, const struct entry_put *put, enum entry_change *how,
                   struct str *out, struct err *e)
{
    struct yaml_edit ed = { .mem = mem, .put = put, .text = put->text };
    struct json now;

    if (!open_edit(&ed, e))
        return false;
    if (entry_is_there(mem, put, ed.map, ed.value, how, out))
        return true;
    if (!yaml_edit_change(&ed, e))
        return false;
    if (!read_yaml(&ed, ed.text, &now, e))
        return fail_in(e, "after the change");
    if (!entry_verify(mem, put, ed.root, now, ed.value, e))
        return false;
    *how = ENTRY_CHANGED;
    *out = ed.text;
    return true;
}
