#include "proto/mcp/server/uri_template.h"

#include "base/percent.h"

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
        if (!rest.p || !take_value(&uri, rest, &value) ||
            !percent_decode(mem, value, PERCENT_LENIENT, &value))
            return false;
        jw_key(&w, name);
        jw_str(&w, value);
    }
    jw_object_end(&w);
    return !uri.n && json_read(mem, buf_str(&text), &opts, vars, &e);
}

const struct resource *uri_template_find(const struct offer *o, struct str uri, struct arena *mem,
                                         struct json *vars)
{
    const struct resource *r = offer_resource(o, uri);

    *vars = (struct json){ 0 };
    if (r)
        return r;
    for (size_t i = 0; (r = offer_resource_at(o, i)); i++)
        if (r->is_template && uri_template_match(mem, str_of(r->uri), uri, vars))
            return r;
    return NULL;
}
