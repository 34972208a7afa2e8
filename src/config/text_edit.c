#include "config/text_edit.h"

#include "base/utf8.h"

/* ---- places --------------------------------------------------------------------------------- */

size_t config_text_line(struct str text, uint32_t line)
{
    size_t at = 0;

    while (--line) {
        const char *nl = memchr(text.p + at, '\n', text.n - at);

        if (!nl)
            return text.n;
        at = (size_t)(nl - text.p) + 1;
    }
    return at;
}

struct json_pos config_text_pos(struct json v)
{
    return v.doc->pos[v.at];
}

size_t config_text_offset(struct str text, struct json_pos pos)
{
    size_t at = config_text_line(text, pos.line);

    if (pos.line == 1 && str_starts(text, STR("\xef\xbb\xbf")))
        at += 3;
    while (--pos.column && at < text.n)
        at += utf8_len(text.p + at, text.n - at);
    return at;
}

/* The first line below `own` with something on it that is not of the entry; 0: there is none. */
static uint32_t line_after(struct json entry, uint32_t own)
{
    const struct json_doc *doc = entry.doc;
    uint32_t line = 0;

    for (uint32_t i = 0; i < doc->count; i++) {
        if (i >= entry.at && i < doc->node[entry.at].next)
            continue;
        if (doc->pos[i].line > own && (!line || doc->pos[i].line < line))
            line = doc->pos[i].line;
    }
    return line;
}

static bool is_remark(struct str line)
{
    line = str_trim(line);
    return !line.n || line.p[0] == '#';
}

/* Before the blank lines and comments that end at `end`; they belong to what follows. */
static size_t without_remarks(struct str text, size_t start, size_t end)
{
    while (end > start) {
        size_t line = end - 1;

        while (line > start && text.p[line - 1] != '\n')
            line--;
        if (!is_remark((struct str){ text.p + line, end - line }))
            break;
        end = line;
    }
    return end;
}

struct config_span config_text_entry(struct str text, struct json entry, uint32_t line)
{
    size_t start = config_text_line(text, line);
    uint32_t after = line_after(entry, line);

    return (struct config_span){
        start, without_remarks(text, start, after ? config_text_line(text, after) : text.n)
    };
}

struct str config_text_replace(struct arena *mem, struct str text, struct config_span span,
                               struct str put)
{
    return arena_printf(mem, STR_FMT STR_FMT STR_FMT, STR_ARG(str_head(text, span.start)),
                        STR_ARG(put), STR_ARG(str_skip(text, span.end)));
}

struct str config_text_eol(struct str text)
{
    return str_find(text, STR("\r\n")) >= 0 ? STR("\r\n") : STR("\n");
}

/* ---- values --------------------------------------------------------------------------------- */

void toml_put_string(struct buf *out, struct str s)
{
    buf_putc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\u%04x", c);
        else
            buf_putc(out, (char)c);
    }
    buf_putc(out, '"');
}

static bool is_bare(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z') &&
            !(s.p[i] >= '0' && s.p[i] <= '9') && s.p[i] != '_' && s.p[i] != '-')
            return false;
    return s.n > 0;
}

void toml_put_key(struct buf *out, struct str key)
{
    if (is_bare(key))
        buf_put(out, key);
    else
        toml_put_string(out, key);
}

static void put_items(struct arena *mem, struct buf *out, struct json list)
{
    bool first = true;

    buf_putc(out, '[');
    JSON_EACH(item, list)
    {
        buf_put(out, first ? STR("") : STR(", "));
        toml_put_value(mem, out, item);
        first = false;
    }
    buf_putc(out, ']');
}

static void put_members(struct arena *mem, struct buf *out, struct json table)
{
    bool first = true;

    buf_putc(out, '{');
    JSON_MEMBERS(key, table)
    {
        buf_put(out, first ? STR(" ") : STR(", "));
        toml_put_key(out, json_str(mem, key));
        buf_put(out, STR(" = "));
        toml_put_value(mem, out, json_value(key));
        first = false;
    }
    buf_put(out, first ? STR("}") : STR(" }"));
}

void toml_put_value(struct arena *mem, struct buf *out, struct json v)
{
    if (json_type(v) == JSON_STRING)
        toml_put_string(out, json_str(mem, v));
    else if (json_type(v) == JSON_ARRAY)
        put_items(mem, out, v);
    else if (json_type(v) == JSON_OBJECT)
        put_members(mem, out, v);
    else
        buf_put(out, json_raw(v));
}
