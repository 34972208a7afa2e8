/* json_write.c - write JSON tokens to a buf. */
#include "base/digits.h"
#include "base/json.h"
#include "base/json_scan.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put(struct jw *w, struct str s)
{
    buf_put(w->out, s);
}

/* Before a key or an element. */
static void separate(struct jw *w)
{
    if (w->comma)
        buf_putc(w->out, ',');
    w->comma = true;
}

static void open_bracket(struct jw *w, char c)
{
    separate(w);
    buf_putc(w->out, c);
    w->comma = false;
}

static void close_bracket(struct jw *w, char c)
{
    buf_putc(w->out, c);
    w->comma = true;
}

void jw_object(struct jw *w)
{
    open_bracket(w, '{');
}

void jw_object_end(struct jw *w)
{
    close_bracket(w, '}');
}

void jw_array(struct jw *w)
{
    open_bracket(w, '[');
}

void jw_array_end(struct jw *w)
{
    close_bracket(w, ']');
}

enum {
    LONGEST_ESCAPE = 6, /* \u001f */
    SHORT_STRING = 512, /* room for its longest form is reserved at once */
};

/* Write an ASCII character that must be escaped. */
static size_t write_escape(char *to, unsigned char c)
{
    static const char short_form[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't',
    };
    static const char hex[] = "0123456789abcdef";

    to[0] = '\\';
    if (c >= 0x20 || short_form[c]) {
        to[1] = c >= 0x20 ? (char)c : short_form[c];
        return 2;
    }
    memcpy(to + 1, "u00", 3);
    to[4] = hex[c >> 4];
    to[5] = hex[c & 15];
    return LONGEST_ESCAPE;
}

/* Write what stands at p and is not plain; *used says how many bytes of it that was. */
static size_t write_special(char *to, const char *p, size_t n, size_t *used)
{
    *used = 1;
    if ((unsigned char)*p < 0x80)
        return write_escape(to, (unsigned char)*p);
    *used = utf8_len(p, n);
    if (*used) {
        memcpy(to, p, *used);
        return *used;
    }
    *used = 1;
    memcpy(to, "\xef\xbf\xbd", 3);
    return 3;
}

/* Into room that is large enough for any content. */
static size_t write_string(char *to, struct str s)
{
    char *at = to;

    *at++ = '"';
    while (s.n) {
        size_t run = json_copy_plain(at, s.p, s.n), used;

        at += run;
        s = str_skip(s, run);
        if (!s.n)
            break;
        at += write_special(at, s.p, s.n, &used);
        s = str_skip(s, used);
    }
    *at++ = '"';
    return (size_t)(at - to);
}

static void put_long_string(struct jw *w, struct str s)
{
    buf_putc(w->out, '"');
    while (s.n) {
        size_t run = json_plain_run(s.p, s.n), used;
        char special[LONGEST_ESCAPE];

        put(w, str_head(s, run));
        s = str_skip(s, run);
        if (!s.n)
            break;
        put(w, (struct str){ special, write_special(special, s.p, s.n, &used) });
        s = str_skip(s, used);
    }
    buf_putc(w->out, '"');
}

static void put_string(struct jw *w, struct str s)
{
    size_t most = s.n * LONGEST_ESCAPE + 2;

    if (s.n <= SHORT_STRING && most <= w->out->max - w->out->n)
        buf_added(w->out, write_string(buf_reserve(w->out, most), s));
    else
        put_long_string(w, s);
}

void jw_key(struct jw *w, struct str key)
{
    separate(w);
    put_string(w, key);
    buf_putc(w->out, ':');
    w->comma = false;
}

void jw_plain(struct jw *w, struct str s)
{
    char *to;

    separate(w);
    to = buf_reserve(w->out, s.n + 2);
    if (!to)
        return;
    *to++ = '"';
    memcpy(to, s.p, s.n);
    to[s.n] = '"';
    w->out->n += s.n + 2;
}

void jw_member(struct jw *w, struct json key)
{
    struct str raw = json_raw(key);

    jw_plain_key(w, str_head(str_skip(raw, 1), raw.n - 2));
    jw_raw(w, json_raw(json_value(key)));
}

void jw_str(struct jw *w, struct str s)
{
    separate(w);
    put_string(w, s);
}

void jw_raw(struct jw *w, struct str json)
{
    separate(w);
    put(w, json);
}

void jw_int(struct jw *w, int64_t n)
{
    char text[DIGITS_MOST];

    jw_raw(w, (struct str){ text, digits_put_signed(text, n) });
}

void jw_double(struct jw *w, double d)
{
    char text[32];
    int len = 0;

    if (!isfinite(d)) {
        jw_null(w);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        len = snprintf(text, sizeof(text), "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
    jw_raw(w, (struct str){ text, (size_t)len });
}

void jw_bool(struct jw *w, bool b)
{
    jw_raw(w, b ? STR("true") : STR("false"));
}

void jw_null(struct jw *w)
{
    jw_raw(w, STR("null"));
}
