/* json_tree.c - read a tree: look up members, decode values, find the position of a value. */
#include "base/json_doc.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct json missing;

static const struct json_node *node_of(struct json v)
{
    return &v.doc->node[v.at];
}

static struct str span_of(struct json v)
{
    const struct json_node *n = node_of(v);

    return (struct str){ v.doc->text + n->at, n->len };
}

const char *json_type_name(enum json_type t)
{
    switch (t) {
    case JSON_MISSING: return "nothing";
    case JSON_NULL: return "null";
    case JSON_BOOL: return "a boolean";
    case JSON_NUMBER: return "a number";
    case JSON_STRING: return "a string";
    case JSON_ARRAY: return "an array";
    case JSON_OBJECT: return "an object";
    case JSON_TIME: return "a date or time";
    }
    return "?";
}

struct str json_raw(struct json v)
{
    struct str s;

    if (!json_here(v))
        return STR_NONE;
    s = span_of(v);
    if (node_of(v)->type == JSON_STRING)
        s = (struct str){ s.p - 1, s.n + 2 };
    return s;
}

size_t json_count(struct json v)
{
    size_t n = 0;

    if (json_type(v) == JSON_OBJECT) {
        JSON_MEMBERS(k, v)
        n++;
    } else {
        JSON_EACH(item, v)
        n++;
    }
    return n;
}

static uint32_t hex4(const char *p)
{
    uint32_t v = 0;

    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)p[i];

        v = v << 4 | (c <= '9' ? c - (uint32_t)'0' : (c | 0x20u) - 'a' + 10);
    }
    return v;
}

/* What half a surrogate pair becomes. */
enum lone { LONE_REPLACED, LONE_KEPT };

/* Decode \uXXXX at p (already validated), with its other half if there is one. */
static size_t unescape_unicode(const char *p, const char *end, enum lone lone, char *out,
                               size_t *used)
{
    uint32_t unit = hex4(p + 2), low;

    *used = 6;
    if (unit < 0xd800 || unit >= 0xe000)
        return utf8_encode(unit, out);
    if (unit < 0xdc00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
        low = hex4(p + 8);
        if (low >= 0xdc00 && low < 0xe000) {
            *used = 12;
            return utf8_encode(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), out);
        }
    }
    return utf8_encode(lone == LONE_KEPT ? unit : 0xfffd, out);
}

/* Decode the escape at p; returns the bytes put to out[4], and how many were used. */
static size_t unescape(const char *p, const char *end, enum lone lone, char *out, size_t *used)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

    if (p[1] == 'u')
        return unescape_unicode(p, end, lone, out, used);
    *used = 2;
    out[0] = to[strchr(from, p[1]) - from];
    return 1;
}

static struct str decode(struct arena *mem, struct str s, enum lone lone)
{
    char *out;
    size_t n = 0;

    out = arena_alloc(mem, s.n); /* decoding never makes it longer */
    for (const char *p = s.p, *end = s.p + s.n; p < end;) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((slash ? slash : end) - p), used = 0;

        memcpy(out + n, p, plain);
        n += plain;
        p += plain;
        if (slash)
            n += unescape(p, end, lone, out + n, &used);
        p += used;
    }
    return (struct str){ out, n };
}

struct str json_str_decode(struct arena *mem, struct json v)
{
    return decode(mem, span_of(v), LONE_REPLACED);
}

struct str json_str_halves(struct arena *mem, struct json v)
{
    return json_has_lone_surrogate(v) ? decode(mem, span_of(v), LONE_KEPT) : json_str(mem, v);
}

static bool escaped_is(struct str s, struct str want)
{
    size_t at = 0;

    for (const char *p = s.p, *end = s.p + s.n; p < end;) {
        char out[4] = { *p };
        size_t used = 1, n = 1;

        if (*p == '\\')
            n = unescape(p, end, LONE_REPLACED, out, &used);
        if (want.n - at < n || memcmp(want.p + at, out, n) != 0)
            return false;
        at += n;
        p += used;
    }
    return at == want.n;
}

/* Has a string these decoded bytes? */
static inline bool string_is(const struct json_doc *doc, const struct json_node *n, struct str s)
{
    if (n->flags & JSON_F_ESCAPED)
        return escaped_is((struct str){ doc->text + n->at, n->len }, s);
    return n->len == s.n && memcmp(doc->text + n->at, s.p, s.n) == 0;
}

bool json_is(struct json v, struct str s)
{
    return json_type(v) == JSON_STRING && string_is(v.doc, node_of(v), s);
}

struct json json_get(struct json obj, struct str key)
{
    const struct json_node *node;

    if (json_type(obj) != JSON_OBJECT)
        return missing;
    node = obj.doc->node;
    for (uint32_t at = obj.at + 1; at < node[obj.at].next; at = node[at + 1].next)
        if (string_is(obj.doc, &node[at], key))
            return (struct json){ obj.doc, at + 1 };
    return missing;
}

bool json_true(struct json v)
{
    return json_here(v) && (node_of(v)->flags & JSON_F_TRUE);
}

/* A decimal number taken apart: digits * 10^scale. */
struct decimal {
    bool negative;
    uint64_t digits;
    int64_t scale;
};

/* The mantissa; zeros at its end only scale it. False when it has too many other digits. */
static bool take_mantissa(struct str *s, struct decimal *d)
{
    size_t i = 0, zeros = 0;
    bool point = false;

    for (; i < s->n && (s->p[i] | 0x20) != 'e'; i++) {
        if (s->p[i] == '.') {
            point = true;
            continue;
        }
        d->scale -= point;
        if (s->p[i] == '0') {
            zeros++;
            continue;
        }
        for (zeros++; zeros; zeros--)
            if (__builtin_mul_overflow(d->digits, 10, &d->digits))
                return false;
        if (__builtin_add_overflow(d->digits, (uint64_t)(s->p[i] - '0'), &d->digits))
            return false;
    }
    d->scale += (int64_t)zeros;
    *s = str_skip(*s, i);
    return true;
}

static bool take_exponent(struct str s, struct decimal *d)
{
    bool negative;
    uint64_t exp;

    if (!s.n)
        return true;
    s = str_skip(s, 1);
    negative = s.p[0] == '-';
    if (s.p[0] == '-' || s.p[0] == '+')
        s = str_skip(s, 1);
    if (!str_uint(s, 0, 100000, &exp))
        return d->digits == 0;
    d->scale += negative ? -(int64_t)exp : (int64_t)exp;
    return true;
}

/* Bring the scale to 0. False when that leaves a fraction or overflows. */
static bool unscale(struct decimal *d)
{
    if (d->digits == 0)
        return true;
    for (; d->scale < 0; d->scale++) {
        if (d->digits % 10)
            return false;
        d->digits /= 10;
    }
    for (; d->scale > 0; d->scale--)
        if (__builtin_mul_overflow(d->digits, 10, &d->digits))
            return false;
    return true;
}

/* 1 to 18 digits, perhaps a sign: what nearly every integer is. */
static bool plain_int(struct str s, int64_t *out)
{
    bool negative = s.p[0] == '-';
    int64_t v = 0;

    if (negative)
        s = str_skip(s, 1);
    if (!s.n || s.n > 18)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned digit = (unsigned char)s.p[i] - (unsigned)'0';

        if (digit > 9)
            return false;
        v = v * 10 + digit;
    }
    *out = negative ? -v : v;
    return true;
}

bool json_int(struct json v, int64_t *out)
{
    struct decimal d = { 0 };
    struct str s;

    if (json_type(v) != JSON_NUMBER)
        return false;
    s = span_of(v);
    if (plain_int(s, out))
        return true;
    if (s.p[0] == '-') {
        d.negative = true;
        s = str_skip(s, 1);
    }
    if (!s.n || s.p[0] < '0' || s.p[0] > '9') /* inf and nan of TOML */
        return false;
    if (!take_mantissa(&s, &d) || !take_exponent(s, &d) || !unscale(&d))
        return false;
    if (d.digits > (uint64_t)INT64_MAX + d.negative)
        return false;
    *out = d.negative ? (int64_t)(0 - d.digits) : (int64_t)d.digits;
    return true;
}

bool json_double(struct json v, double *out)
{
    char small[128], *text = small;
    struct str s;

    if (json_type(v) != JSON_NUMBER)
        return false;
    s = span_of(v);
    if (s.n >= sizeof(small))
        text = mem_alloc(s.n + 1);
    memcpy(text, s.p, s.n);
    text[s.n] = 0;
    *out = strtod(text, NULL);
    if (text != small)
        mem_free(text);
    return true;
}

/* The child of `box` whose subtree holds node `at`; for objects its key goes to *key. */
static struct json child_holding(struct json box, uint32_t at, struct json *key, size_t *index)
{
    *key = missing;
    *index = 0;
    if (json_type(box) == JSON_OBJECT) {
        JSON_MEMBERS(k, box)
        {
            struct json val = json_value(k);

            *key = k;
            if (at == k.at || at < node_of(val)->next)
                return val;
        }
    }
    JSON_EACH(item, box)
    {
        if (at < node_of(item)->next)
            return item;
        ++*index;
    }
    return missing;
}

struct str json_path(struct arena *mem, struct json v)
{
    struct str path = STR("");
    struct json box = { v.doc, 0 };

    while (json_here(box) && box.at < v.at) {
        struct json key;
        size_t index;
        struct json child = child_holding(box, v.at, &key, &index);

        if (json_here(key))
            path = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(path), path.n ? "." : "",
                                STR_ARG(utf8_head(json_str(mem, key), 64)));
        else
            path = arena_printf(mem, STR_FMT "[%zu]", STR_ARG(path), index);
        box = child;
        if (json_here(key) && v.at == key.at)
            break;
    }
    return path;
}

struct str json_where(struct arena *mem, struct json v)
{
    struct json_pos pos;

    if (!json_here(v) || !v.doc->file)
        return STR_NONE;
    if (v.doc->pos)
        pos = v.doc->pos[v.at];
    else
        pos = json_pos_of((struct str){ v.doc->text, v.doc->text_len },
                          (size_t)(json_raw(v).p - v.doc->text));
    return arena_printf(mem, "%s:%u:%u", v.doc->file, pos.line, pos.column);
}

bool json_fail(struct json v, struct err *e, const char *fmt, ...)
{
    struct arena mem = { 0 };
    struct str where = json_where(&mem, v), path;
    char what[sizeof(e->text)];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    path = json_here(v) ? json_path(&mem, v) : STR_NONE;
    fail(e, ERR_INVALID, STR_FMT "%s" STR_FMT "%s%s", STR_ARG(where), where.n ? ": " : "",
         STR_ARG(path), path.n ? ": " : "", what);
    arena_fini(&mem);
    return false;
}
