/* toml_edit.c - writes an entry to a TOML file, as the table [map.name]. */
#include "base/toml/toml.h"
#include "config/entry_edit.h"
#include "config/text_edit.h"

enum { EDIT_DEPTH = 128, EDIT_MOST = 64 << 20 };

/* [map.name] and a line per member. */
static struct str write_table(struct arena *mem, const struct entry_put *put, struct json value)
{
    struct str end = config_text_eol(put->text);
    struct buf out;

    buf_init_in(&out, mem, EDIT_MOST);
    buf_putc(&out, '[');
    toml_put_key(&out, put->map);
    buf_putc(&out, '.');
    toml_put_key(&out, put->name);
    buf_printf(&out, "]" STR_FMT, STR_ARG(end));
    JSON_MEMBERS(key, value)
    {
        toml_put_key(&out, json_str(mem, key));
        buf_put(&out, STR(" = "));
        toml_put_value(mem, &out, json_value(key));
        buf_put(&out, end);
    }
    return buf_str(&out);
}

/* At the end: a table there belongs to no other one. */
static struct str toml_edit_append(struct arena *mem, const struct entry_put *put, struct str table)
{
    struct str end = config_text_eol(put->text);
    bool ended = !put->text.n || str_ends(put->text, STR("\n"));

    return arena_printf(mem, STR_FMT STR_FMT STR_FMT STR_FMT, STR_ARG(put->text),
                        STR_ARG(ended ? STR("") : end), STR_ARG(put->text.n ? end : STR("")),
                        STR_ARG(table));
}

/* The table with a header of its own; one that is written otherwise is not for us to change. */
static bool toml_edit_replace(struct arena *mem, const struct entry_put *put, struct json old,
                              struct str table, struct str *out, struct err *e)
{
    struct json_pos pos = config_text_pos(old);

    if (!str_starts(str_skip(put->text, config_text_offset(put->text, pos)), STR("[")))
        return fail(e, ERR_INVALID, "%s:%u: " STR_FMT " has no table header of its own", put->file,
                    pos.line, STR_ARG(put->name));
    *out = config_text_replace(mem, put->text, config_text_entry(put->text, old, pos.line), table);
    return true;
}

bool toml_edit_put(struct arena *mem, const struct entry_put *put, enum entry_change *how,
                   struct str *out, struct err *e)
{
    struct json was, now, value, old;
    struct str text;

    if (!entry_read_value(mem, put, &value, e) ||
        !toml_read(mem, put->text, put->file, EDIT_DEPTH, &was, e))
        return false;
    if (entry_is_there(mem, put, json_get(was, put->map), value, how, out))
        return true;
    old = json_get(json_get(was, put->map), put->name);
    text = write_table(mem, put, value);
    if (!json_here(old))
        text = toml_edit_append(mem, put, text);
    else if (!toml_edit_replace(mem, put, old, text, &text, e))
        return false;
    if (!toml_read(mem, text, put->file, EDIT_DEPTH, &now, e))
        return fail_in(e, "after the change");
    if (!entry_verify(mem, put, was, now, value, e))
        return false;
    *how = ENTRY_CHANGED;
    *out = text;
    return true;
}
