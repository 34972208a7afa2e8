#include "core/uri_template.h"

#include "base/utf8.h"

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* A stray '%' stands for itself; false for what is no text. */
static bool percent_decode(struct arena *mem, struct str in, struct str *out)
{
    char *p = arena_alloc(mem, in.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < in.n; i++) {
        if (in.p[i] == '%' && i + 2 < in.n && hex(in.p[i + 1]) >= 0 && hex(in.p[i + 2]) >= 0) {
            p[n++] = (char)(hex(in.p[i + 1]) << 4 | hex(in.p[i + 2]));
            i += 2;
        } else {
            p[n++] = in.p[i];
        }
    }
    *out = (struct str){ p, n };
    return utf8_valid(*out) == out->n;
}

/* Takes the value of one expression off the front of *uri; `until` is what follows it. */
static bool take_value(struct str *uri, struct str until, struct str *value)
{
    size_t n = 0;

    while (n < uri->n && uri->p[n] != '/' && !(until.n && uri->p[n] == until.p[0]))
        n++;
    *value = str_head(*uri, n);
    *uri = str_skip(*uri, n);
    return n > 0;
}

bool uri_template_match(struct arena *mem, struct str uri_template, struct str uri,
                        struct json *vars)
{
    struct buf text;
    struct jw w = jw_to(&text);
    struct str rest = uri_template;
    struct json_opts opts = { .max_depth = 4, .max_values = 10000 };
    struct err e;

    buf_init_in(&text, mem, 16 * (uri.n + uri_template.n) + 64);
    jw_object(&w);
    while (rest.n) {
        struct str name, value;

        if (rest.p[0] != '{') {
            if (!uri.n || uri.p[0] != rest.p[0])
                return false;
            uri = str_skip(uri, 1);
            rest = str_skip(rest, 1);
            continue;
        }
        rest = str_skip(rest, 1);
        name = str_cut(&rest, '}');
        if (!rest.p || !take_value(&uri, rest, &value) || !percent_decode(mem, value, &value))
            return false;
        jw_key(&w, name);
        jw_str(&w, value);
    }
    jw_object_end(&w);
    return !uri.n && json_read(mem, buf_str(&text), &opts, vars, &e);
}
