/*
 * toml.c - the lines of a TOML text: keys, headers, arrays, inline tables.
 *
 * First the whole text is checked for bytes that TOML allows nowhere, so the rest of the reader
 * does not check for them.
 */
#include "base/toml/toml.h"

#include "base/auto.h"
#include "base/toml/toml_parts.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* The laid out text is at most some three times as long, and its offsets have 32 bits. */
static const size_t largest_text = UINT32_MAX / 8;

/* ---- positions and errors --------------------------------------------------------------- */

/* The position of a byte of the text. Must not lie before the previously requested one. */
static struct json_pos toml_pos(struct toml *t, const char *at)
{
    for (; t->mark < at; t->mark++) {
        if (*t->mark == '\n') {
            t->mark_pos.line++;
            t->mark_pos.column = 1;
        } else if (((unsigned char)*t->mark & 0xc0) != 0x80) {
            t->mark_pos.column++;
        }
    }
    return t->mark_pos;
}

static bool bad(struct toml *t, struct json_pos pos, enum err_code code, const char *fmt,
                va_list ap)
{
    char what[sizeof(t->e->text)];

    vsnprintf(what, sizeof(what), fmt, ap);
    if (t->file)
        return fail(t->e, code, "%s:%u:%u: %s", t->file, pos.line, pos.column, what);
    return fail(t->e, code, "line %u column %u: %s", pos.line, pos.column, what);
}

bool toml_bad_pos(struct toml *t, struct json_pos pos, enum err_code code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    bad(t, pos, code, fmt, ap);
    va_end(ap);
    return false;
}

bool toml_bad(struct toml *t, const char *at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    bad(t, json_pos_of(t->text, (size_t)(at - t->text.p)), ERR_INVALID, fmt, ap);
    va_end(ap);
    return false;
}

static bool check_bytes(struct toml *t)
{
    const char *p = t->p;

    while (p < t->end) {
        unsigned char c = (unsigned char)*p;
        size_t len = 1;

        if (c >= 0x80 && !(len = utf8_len(p, (size_t)(t->end - p))))
            return toml_bad(t, p, "not valid UTF-8");
        if (c == '\r' && (t->end - p < 2 || p[1] != '\n'))
            return toml_bad(t, p, "a CR without LF; lines end with LF or CR LF");
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return toml_bad(
                t, p, "a control character (U+%04X) must be escaped in a double-quoted string", c);
        p += len;
    }
    return true;
}

/* ---- between things --------------------------------------------------------------------- */

static void skip_blanks(struct toml *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
        t->p++;
}

static bool at_char(const struct toml *t, char c)
{
    return t->p < t->end && *t->p == c;
}

static bool take_char(struct toml *t, char c)
{
    if (!at_char(t, c))
        return false;
    t->p++;
    return true;
}

static bool at_line_end(const struct toml *t)
{
    return t->p >= t->end || *t->p == '\n' || *t->p == '\r';
}

static void skip_comment(struct toml *t)
{
    if (at_char(t, '#'))
        while (!at_line_end(t))
            t->p++;
}

/* Blanks, comments and line ends. */
static void skip_lines(struct toml *t)
{
    for (;;) {
        skip_blanks(t);
        skip_comment(t);
        if (t->p >= t->end || !at_line_end(t))
            return;
        t->p++;
    }
}

static bool end_line(struct toml *t, const char *what)
{
    skip_blanks(t);
    skip_comment(t);
    return at_line_end(t) || toml_bad(t, t->p, "expected the end of the line after %s", what);
}

/* ---- keys ------------------------------------------------------------------------------- */

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static bool read_bare(struct toml *t, struct str *out)
{
    const char *from = t->p;

    while (t->p < t->end && is_bare(*t->p))
        t->p++;
    *out = (struct str){ from, (size_t)(t->p - from) };
    return out->n || toml_bad(t, from,
                              "expected a key: letters, digits, '-' and '_', or a string in "
                              "quotes");
}

/* One part of a key, with the blanks around it. */
static bool read_part(struct toml *t, struct toml_part *part)
{
    const char *from;

    skip_blanks(t);
    from = t->p;
    part->pos = toml_pos(t, from);
    if (at_char(t, '"') || at_char(t, '\'')) {
        if (!toml_short_string(t, &part->name))
            return false;
    } else if (!read_bare(t, &part->name)) {
        return false;
    }
    part->spelled = (struct str){ from, (size_t)(t->p - from) };
    skip_blanks(t);
    return true;
}

/* ---- values ----------------------------------------------------------------------------- */

static bool read_value(struct toml *t, struct toml_item *into);

static bool read_array(struct toml *t, struct toml_item *array)
{
    const char *start = t->p++;

    for (;;) {
        skip_lines(t);
        if (take_char(t, ']'))
            return true;
        if (t->p >= t->end)
            return toml_bad(t, start, "this array is never closed; ']' must follow");
        if (!read_value(t, toml_append(t, array, toml_pos(t, t->p))))
            return false;
        skip_lines(t);
        if (!take_char(t, ',') && !at_char(t, ']') && t->p < t->end)
            return toml_bad(t, t->p, "expected ',' or ']' in the array");
    }
}

/* key = value, below a table. */
static bool read_member(struct toml *t, struct toml_item *table)
{
    struct toml_part part;
    struct toml_item *it;

    if (!read_part(t, &part))
        return false;
    while (take_char(t, '.'))
        if (!toml_enter_dotted(t, &part, &table) || !read_part(t, &part))
            return false;
    if (!take_char(t, '='))
        return toml_bad(t, t->p, "expected '=' after the key");
    if (!toml_put(t, table, &part, &it))
        return false;
    skip_blanks(t);
    it->pos = toml_pos(t, t->p);
    return read_value(t, it);
}

static bool read_inline_table(struct toml *t, struct toml_item *table)
{
    const char *start = t->p++;

    skip_blanks(t);
    if (take_char(t, '}'))
        return true;
    for (;;) {
        if (at_line_end(t) || at_char(t, '#'))
            return toml_bad(t, start, "an inline table must be closed on its line");
        if (!read_member(t, table))
            return false;
        skip_blanks(t);
        if (take_char(t, '}'))
            return true;
        if (!at_line_end(t) && !take_char(t, ','))
            return toml_bad(t, t->p, "expected ',' or '}' in the inline table");
        skip_blanks(t);
        if (at_char(t, '}'))
            return toml_bad(t, t->p, "a trailing comma is not allowed in an inline table");
    }
}

static bool read_value(struct toml *t, struct toml_item *into)
{
    if (at_char(t, '"') || at_char(t, '\'')) {
        into->type = JSON_STRING;
        return toml_string(t, &into->text);
    }
    if (at_char(t, '['))
        return toml_contain(t, into, JSON_ARRAY, TOML_VALUE) && read_array(t, into);
    if (at_char(t, '{'))
        return toml_contain(t, into, JSON_OBJECT, TOML_VALUE) && read_inline_table(t, into);
    return toml_scalar(t, into);
}

/* ---- lines ------------------------------------------------------------------------------ */

/* [a.b] or [[a.b]]: *out is the table that the lines below it fill. */
static bool read_header(struct toml *t, struct toml_item **out)
{
    struct json_pos pos = toml_pos(t, t->p);
    struct toml_item *at = t->root;
    struct toml_part part;
    bool list;

    t->p++;
    list = take_char(t, '[');
    if (!read_part(t, &part))
        return false;
    while (take_char(t, '.'))
        if (!toml_enter_header(t, &part, &at) || !read_part(t, &part))
            return false;
    if (!take_char(t, ']') || (list && !take_char(t, ']')))
        return toml_bad(t, t->p, "expected '%s' after the name of the table", list ? "]]" : "]");
    if (!(list ? toml_open_element(t, &part, pos, &at) : toml_open_table(t, &part, pos, &at)))
        return false;
    *out = at;
    return end_line(t, "the header");
}

static bool read_lines(struct toml *t)
{
    struct toml_item *table = t->root;

    for (;;) {
        skip_lines(t);
        if (t->p >= t->end)
            return true;
        if (at_char(t, '[')) {
            if (!read_header(t, &table))
                return false;
        } else if (!read_member(t, table) || !end_line(t, "the value")) {
            return false;
        }
    }
}

bool toml_read(struct arena *mem, struct str text, const char *file, uint32_t max_depth,
               struct json *out_root, struct err *e)
{
    AUTO_ARENA scratch = { 0 };
    struct toml t = { .file = file, .max_depth = max_depth, .mem = &scratch, .e = e };

    assert(max_depth >= 1 && max_depth <= JSON_DEPTH_CEILING);
    if (text.n > largest_text)
        return fail(e, ERR_LIMIT, "%s: %zu bytes of TOML; at most %zu are allowed",
                    file ? file : "text", text.n, largest_text);
    if (!text.n)
        text = STR("");
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_skip(text, 3);
    t.text = text;
    t.p = t.mark = text.p;
    t.end = text.p + text.n;
    t.mark_pos = (struct json_pos){ 1, 1 };
    toml_tree_init(&t);
    if (!check_bytes(&t) || !read_lines(&t))
        return false;
    *out_root = toml_lay_out(&t, mem);
    return true;
}
