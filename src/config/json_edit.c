#include "config/entry_edit.h"

#include "base/pick.h"

enum { EDIT_DEPTH = 128, EDIT_VALUES = 1000000, EDIT_MOST = 64 << 20 };

struct edit {
    struct arena *mem;
    const struct entry_put *put;
    struct json root, map, value; /* map is missing when the document has none */
    struct str unit;              /* one step of indentation */
};

static bool read_json(struct edit *ed, struct str text, struct json *out, struct err *e)
{
    const struct json_opts opts = {
        .file = ed->put->file, .max_depth = EDIT_DEPTH, .max_values = EDIT_VALUES, .comments = true
    };

    return json_read(ed->mem, text, &opts, out, e);
}

/* ---- how it looks ----------------------------------------------------------------------- */

/* The blanks at the start of the line that `at` is in. */
static struct str indent_of(struct str text, const char *at)
{
    const char *line = at, *p;

    while (line > text.p && line[-1] != '\n')
        line--;
    for (p = line; p < at && (*p == ' ' || *p == '\t'); p++)
        ;
    return (struct str){ line, (size_t)(p - line) };
}

/* Is it the first thing on its line? */
static bool begins_line(struct str text, const char *at)
{
    struct str blanks = indent_of(text, at);

    return blanks.p + blanks.n == at && at > text.p && blanks.p > text.p;
}

static void put_pretty(struct edit *ed, struct buf *out, struct json v, struct str indent)
{
    struct str inner = arena_printf(ed->mem, STR_FMT STR_FMT, STR_ARG(indent), STR_ARG(ed->unit));
    bool first = true;

    if (json_type(v) != JSON_OBJECT || !json_count(v)) {
        buf_put(out, json_raw(v));
        return;
    }
    buf_putc(out, '{');
    JSON_MEMBERS(key, v)
    {
        buf_printf(out, "%s\n" STR_FMT STR_FMT ": ", first ? "" : ",", STR_ARG(inner),
                   STR_ARG(json_raw(key)));
        put_pretty(ed, out, json_value(key), inner);
        first = false;
    }
    buf_printf(out, "\n" STR_FMT "}", STR_ARG(indent));
}

static void put_key(struct buf *out, struct str key)
{
    struct jw w = jw_to(out);

    jw_str(&w, key);
    buf_put(out, STR(": "));
}

/* "name": { ... } */
static void put_entry(struct edit *ed, struct buf *out, struct str indent)
{
    put_key(out, ed->put->name);
    put_pretty(ed, out, ed->value, indent);
}

/* "map": { "name": { ... } } */
static void put_map(struct edit *ed, struct buf *out, struct str indent)
{
    struct str inner = arena_printf(ed->mem, STR_FMT STR_FMT, STR_ARG(indent), STR_ARG(ed->unit));

    put_key(out, ed->put->map);
    buf_printf(out, "{\n" STR_FMT, STR_ARG(inner));
    put_entry(ed, out, inner);
    buf_printf(out, "\n" STR_FMT "}", STR_ARG(indent));
}

/* ---- where it goes ---------------------------------------------------------------------- */

static const char *skip_comment(const char *p, const char *end)
{
    struct str rest = { p, (size_t)(end - p) };
    ptrdiff_t n;

    if (str_starts(rest, STR("//"))) {
        n = str_find_byte(rest, '\n');
        return n < 0 ? end : p + n + 1;
    }
    n = str_find(str_skip(rest, 2), STR("*/"));
    return n < 0 ? end : p + n + 4;
}

/* Is there a comma between the last value and the closing bracket? */
static bool has_comma(const char *p, const char *end)
{
    while (p < end) {
        if (*p == ',')
            return true;
        p = *p == '/' ? skip_comment(p, end) : p + 1;
    }
    return false;
}

static struct json last_key(struct json obj)
{
    struct json last = { 0 };

    JSON_MEMBERS(key, obj)
    last = key;
    return last;
}

static const char *end_of(struct json v)
{
    struct str raw = json_raw(v);

    return raw.p + raw.n;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

typedef void put_fn(struct edit *ed, struct buf *out, struct str indent);

/* A new last member of `obj`. */
static void json_edit_insert(struct edit *ed, struct json obj, put_fn *put, struct buf *out)
{
    struct str text = ed->put->text;
    struct json last = last_key(obj);
    const char *open = json_raw(obj).p, *close = end_of(obj) - 1, *tail = close;
    const char *value_end = json_here(last) ? end_of(json_value(last)) : open + 1;
    struct str outer = indent_of(text, open), inner;

    while (tail > value_end && is_blank(tail[-1]))
        tail--;
    inner = json_here(last) && begins_line(text, json_raw(last).p)
                ? indent_of(text, json_raw(last).p)
                : arena_printf(ed->mem, STR_FMT STR_FMT, STR_ARG(outer), STR_ARG(ed->unit));
    buf_put(out, (struct str){ text.p, (size_t)(value_end - text.p) });
    if (json_here(last) && !has_comma(value_end, close))
        buf_putc(out, ',');
    buf_put(out, (struct str){ value_end, (size_t)(tail - value_end) });
    buf_printf(out, "\n" STR_FMT, STR_ARG(inner));
    put(ed, out, inner);
    if (!memchr(tail, '\n', (size_t)(close - tail))) {
        buf_printf(out, "\n" STR_FMT, STR_ARG(outer));
        tail = close;
    }
    buf_put(out, (struct str){ tail, (size_t)(text.p + text.n - tail) });
}

static void json_edit_replace(struct edit *ed, struct json old, struct buf *out)
{
    struct str text = ed->put->text, raw = json_raw(old);

    buf_put(out, (struct str){ text.p, (size_t)(raw.p - text.p) });
    put_pretty(ed, out, ed->value, indent_of(text, raw.p));
    buf_put(out, (struct str){ raw.p + raw.n, (size_t)(text.p + text.n - raw.p - raw.n) });
}

/* ---- */

static bool open_edit(struct edit *ed, struct err *e)
{
    const struct entry_put *put = ed->put;
    struct json first;

    if (!entry_read_value(ed->mem, put, &ed->value, e) || !read_json(ed, put->text, &ed->root, e))
        return false;
    if (json_type(ed->root) != JSON_OBJECT)
        return json_fail(ed->root, e, "expected an object");
    ed->map = json_get(ed->root, put->map);
    if (json_here(ed->map) && json_type(ed->map) != JSON_OBJECT)
        return json_fail(ed->map, e, "expected an object");
    if (!pick_check_keys(ed->mem, ed->root, e) || !pick_check_keys(ed->mem, ed->map, e))
        return false;
    first = json_first(ed->root);
    ed->unit = json_here(first) && begins_line(put->text, json_raw(first).p)
                   ? indent_of(put->text, json_raw(first).p)
                   : STR("  ");
    if (!ed->unit.n)
        ed->unit = STR("  ");
    return true;
}

bool json_edit_put(struct arena *mem, const struct entry_put *given, enum entry_change *how,
                   struct str *out, struct err *e)
{
    struct entry_put put = *given;
    struct edit ed = { .mem = mem, .put = &put };
    struct json old, now;
    struct buf b;

    buf_init_in(&b, mem, EDIT_MOST);
    if (!str_trim(put.text).n)
        put.text = STR("{}\n");
    if (!open_edit(&ed, e))
        return false;
    if (entry_is_there(mem, &put, ed.map, ed.value, how, out))
        return true;
    old = json_get(ed.map, put.name);
    if (json_here(old))
        json_edit_replace(&ed, old, &b);
    else
        json_edit_insert(&ed, json_here(ed.map) ? ed.map : ed.root,
                         json_here(ed.map) ? put_entry : put_map, &b);
    if (b.full)
        return fail(e, ERR_LIMIT, "%s would be too large", put.file);
    if (!read_json(&ed, buf_str(&b), &now, e))
        return fail_in(e, "after the change");
    if (!entry_verify(mem, &put, ed.root, now, ed.value, e))
        return false;
    *how = ENTRY_CHANGED;
    *out = buf_str(&b);
    return true;
}
