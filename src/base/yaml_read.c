/*
 * yaml_read.c - build a document from the events of libyaml.
 *
 * Events arrive in document order, so each is added to the document at once. `open` is the stack of
 * open containers; its top tells whether the next scalar is a key or a value.
 */
#include "base/yaml_read.h"

#include "base/json_build.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <yaml.h>

struct open {
    uint32_t node; /* for json_build_close */
    bool mapping;
    bool wants_key;
};

struct yaml_reader {
    yaml_parser_t parser;
    const struct yaml_opts *opts;
    struct json_build b;
    struct open open[JSON_DEPTH_CEILING];
    uint32_t depth;
    struct err *e;
};

/* ---- plain scalars ---------------------------------------------------------------------- */

static bool one_of(struct str s, const char *small, const char *capital, const char *large)
{
    return str_eq(s, str_of(small)) || str_eq(s, str_of(capital)) || str_eq(s, str_of(large));
}

static size_t digits(struct str s)
{
    size_t n = 0;

    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    return n;
}

/* -? int frac? exp?, as RFC 8259 has it. */
static bool is_number(struct str s)
{
    size_t n;

    if (s.n && s.p[0] == '-')
        s = str_skip(s, 1);
    n = digits(s);
    if (!n || (n > 1 && s.p[0] == '0'))
        return false;
    s = str_skip(s, n);
    if (s.n && s.p[0] == '.') {
        n = digits(str_skip(s, 1));
        if (!n)
            return false;
        s = str_skip(s, n + 1);
    }
    if (s.n && (s.p[0] | 0x20) == 'e') {
        size_t sign = s.n > 1 && (s.p[1] == '-' || s.p[1] == '+');

        n = digits(str_skip(s, 1 + sign));
        if (!n)
            return false;
        s = str_skip(s, 1 + sign + n);
    }
    return s.n == 0;
}

enum json_type yaml_plain(struct str *text)
{
    struct str s = *text;

    if (!s.n || str_eq(s, STR("~")) || one_of(s, "null", "Null", "NULL")) {
        *text = STR("null");
        return JSON_NULL;
    }
    if (one_of(s, "true", "True", "TRUE")) {
        *text = STR("true");
        return JSON_BOOL;
    }
    if (one_of(s, "false", "False", "FALSE")) {
        *text = STR("false");
        return JSON_BOOL;
    }
    return is_number(s) ? JSON_NUMBER : JSON_STRING;
}

/* ---- places and errors ------------------------------------------------------------------ */

static struct json_pos pos_of(const struct yaml_reader *r, yaml_mark_t m)
{
    uint32_t first = r->opts->first_line ? r->opts->first_line : 1;

    return (struct json_pos){ first + (uint32_t)m.line, (uint32_t)m.column + 1 };
}

__attribute__((format(printf, 4, 5), cold)) static bool
bad(struct yaml_reader *r, yaml_mark_t m, enum err_code code, const char *fmt, ...)
{
    struct json_pos pos = pos_of(r, m);
    char text[200];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (r->opts->file)
        return fail(r->e, code, "%s:%u:%u: %s", r->opts->file, pos.line, pos.column, text);
    return fail(r->e, code, "line %u column %u: %s", pos.line, pos.column, text);
}

/* libyaml leaves the mark at zero when it stumbled over bytes; then the context may know. */
__attribute__((cold)) static bool bad_yaml(struct yaml_reader *r)
{
    const yaml_parser_t *p = &r->parser;

    return bad(r, p->problem_mark, ERR_INVALID, "not YAML: %s%s%s",
               p->problem ? p->problem : "cannot parse it", p->context ? " " : "",
               p->context ? p->context : "");
}

/* ---- events ----------------------------------------------------------------------------- */

static struct open *top(struct yaml_reader *r)
{
    return r->depth ? &r->open[r->depth - 1] : NULL;
}

/* A value is complete: in a mapping a key comes next. */
static void value_told(struct yaml_reader *r)
{
    if (r->depth && top(r)->mapping)
        top(r)->wants_key = true;
}

static bool counts(struct yaml_reader *r, const yaml_event_t *ev)
{
    if (r->b.count < r->opts->max_values)
        return true;
    return bad(r, ev->start_mark, ERR_LIMIT, "more than %u values", r->opts->max_values);
}

static bool on_scalar(struct yaml_reader *r, const yaml_event_t *ev)
{
    struct str text = { (const char *)ev->data.scalar.value, ev->data.scalar.length };
    struct json_pos pos = pos_of(r, ev->start_mark);
    enum json_type type = JSON_STRING;

    if (ev->data.scalar.anchor || ev->data.scalar.tag)
        return bad(r, ev->start_mark, ERR_INVALID, "anchors and tags are not accepted");
    if (!counts(r, ev))
        return false;
    if (r->depth && top(r)->wants_key) {
        json_build_key(&r->b, text, pos);
        top(r)->wants_key = false;
        return true;
    }
    if (ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        type = yaml_plain(&text);
    json_build_scalar(&r->b, type, text, pos);
    value_told(r);
    return true;
}

static bool on_open(struct yaml_reader *r, const yaml_event_t *ev, bool mapping)
{
    const yaml_char_t *anchor =
        mapping ? ev->data.mapping_start.anchor : ev->data.sequence_start.anchor;
    const yaml_char_t *tag = mapping ? ev->data.mapping_start.tag : ev->data.sequence_start.tag;

    if (anchor || tag)
        return bad(r, ev->start_mark, ERR_INVALID, "anchors and tags are not accepted");
    if (r->depth && top(r)->wants_key)
        return bad(r, ev->start_mark, ERR_INVALID, "a key must be a plain word or a string");
    if (r->depth >= r->opts->max_depth || r->depth >= JSON_DEPTH_CEILING)
        return bad(r, ev->start_mark, ERR_LIMIT, "nested too deeply; at most %u levels are allowed",
                   r->opts->max_depth);
    if (!counts(r, ev))
        return false;
    r->open[r->depth++] = (struct open){
        .node =
            json_build_open(&r->b, mapping ? JSON_OBJECT : JSON_ARRAY, pos_of(r, ev->start_mark)),
        .mapping = mapping,
        .wants_key = mapping,
    };
    return true;
}

static bool on_close(struct yaml_reader *r)
{
    json_build_close(&r->b, top(r)->node);
    r->depth--;
    value_told(r);
    return true;
}

static bool on_event(struct yaml_reader *r, const yaml_event_t *ev)
{
    switch (ev->type) {
    case YAML_SCALAR_EVENT: return on_scalar(r, ev);
    case YAML_SEQUENCE_START_EVENT: return on_open(r, ev, false);
    case YAML_MAPPING_START_EVENT: return on_open(r, ev, true);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return on_close(r);
    case YAML_ALIAS_EVENT: return bad(r, ev->start_mark, ERR_INVALID, "aliases are not accepted");
    case YAML_DOCUMENT_START_EVENT:
        if (r->b.count)
            return bad(r, ev->start_mark, ERR_INVALID, "a second document is not accepted");
        return true;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT: break;
    }
    return true;
}

static bool read_events(struct yaml_reader *r)
{
    bool ok = true, ended = false;

    while (ok && !ended) {
        yaml_event_t ev;

        if (!yaml_parser_parse(&r->parser, &ev))
            return bad_yaml(r);
        ended = ev.type == YAML_STREAM_END_EVENT;
        ok = on_event(r, &ev);
        yaml_event_delete(&ev);
    }
    return ok;
}

bool yaml_read(struct arena *mem, struct str text, const struct yaml_opts *opts,
               struct json *out_root, struct err *e)
{
    struct yaml_reader *r = ARENA_NEW(mem, struct yaml_reader);
    size_t valid = utf8_valid(text);
    bool ok;

    r->opts = opts;
    r->e = e;
    if (valid < text.n) {
        struct json_pos pos = json_pos_of(text, valid);

        return bad(r, (yaml_mark_t){ .line = pos.line - 1, .column = pos.column - 1 }, ERR_INVALID,
                   "not UTF-8");
    }
    if (!yaml_parser_initialize(&r->parser))
        return fail(e, ERR_SYSTEM, "no memory to read YAML");
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text.p, text.n);
    json_build_begin(&r->b, mem, 32);
    ok = read_events(r);
    yaml_parser_delete(&r->parser);
    if (!ok) {
        json_build_drop(&r->b);
        return false;
    }
    if (!r->b.count)
        json_build_scalar(&r->b, JSON_NULL, STR("null"), (struct json_pos){ 1, 1 });
    *out_root = json_build_end(&r->b, opts->file);
    return true;
}
