#include "proto/mcp/client/mcp_client_headers.h"

#include "base/base64.h"
#include "proto/mcp/mcp_trace.h"

bool mcp_client_mirrors(const struct mcp_client *c)
{
    return c->modern && c->wire && c->wire->kind->transport == SERVER_HTTP;
}

/* ---- values -------------------------------------------------------------------------------- */

static bool fits_header(struct str s)
{
    if (s.n && (s.p[0] == ' ' || s.p[s.n - 1] == ' '))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7e)
            return false;
    return !(str_starts(s, STR("=?base64?")) && str_ends(s, STR("?=")));
}

struct str mcp_mirror_value(struct arena *mem, struct str value)
{
    struct str text;

    if (fits_header(value))
        return value;
    text = base64_encode(mem, BASE64_PLAIN, value);
    return arena_printf(mem, "=?base64?" STR_FMT "?=", STR_ARG(text));
}

struct str mcp_mirror_name(struct arena *mem, const char *method, struct str tool,
                           struct json params)
{
    struct str m = str_of(method), name = tool;

    if (str_eq(m, STR("prompts/get")))
        name = json_str(mem, json_get(params, STR("name")));
    else if (str_eq(m, STR("resources/read")))
        name = json_str(mem, json_get(params, STR("uri")));
    return name.p ? mcp_mirror_value(mem, name) : STR_NONE;
}

/* ---- marks ---------------------------------------------------------------------------------- */

/* A token of RFC 9110. */
static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (!alnum && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return s.n > 0;
}

struct marks {
    struct arena *mem;
    struct str name[64]; /* names found so far; more do not fit into the headers */
    size_t names;
};

static bool note_mark(struct marks *m, struct json schema, struct json mark, struct err *e)
{
    struct str name = json_str(m->mem, mark);
    struct json type = json_get(schema, STR("type"));

    if (!name.p || !is_token(name))
        return fail(e, ERR_INVALID, "x-mcp-header is not a valid header name");
    if (!json_is(type, STR("string")) && !json_is(type, STR("integer")) &&
        !json_is(type, STR("boolean")))
        return fail(e, ERR_INVALID, "x-mcp-header is allowed only at a string, integer or boolean");
    for (size_t i = 0; i < m->names; i++)
        if (str_eq_nocase(m->name[i], name))
            return fail(e, ERR_INVALID, "duplicate x-mcp-header " STR_FMT, STR_ARG(name));
    if (m->names == ARRAY_LEN(m->name))
        return fail(e, ERR_LIMIT, "more than %zu headers are requested", ARRAY_LEN(m->name));
    m->name[m->names++] = name;
    return true;
}

/* Count the members named x-mcp-header anywhere in a value. */
static size_t count_marks(struct json v)
{
    size_t n = 0;

    if (json_type(v) == JSON_OBJECT)
        JSON_MEMBERS(key, v)
    n += json_is(key, STR("x-mcp-header")) + count_marks(json_value(key));
    else if (json_type(v) == JSON_ARRAY) JSON_EACH(item, v) n += count_marks(item);
    return n;
}

/* Collect the marks that are reachable through `properties` only; others are invalid. */
static bool walk(struct marks *m, struct json schema, struct err *e)
{
    struct json properties = json_get(schema, STR("properties"));

    JSON_MEMBERS(key, properties)
    {
        struct json one = json_value(key), mark = json_get(one, STR("x-mcp-header"));

        if (json_here(mark) && !note_mark(m, one, mark, e))
            return false;
        if (!walk(m, one, e))
            return false;
    }
    return true;
}

bool mcp_mirror_check(struct arena *mem, struct json schema, struct err *e)
{
    struct marks m = { .mem = mem };

    if (!walk(&m, schema, e))
        return false;
    if (count_marks(schema) != m.names)
        return fail(e, ERR_INVALID, "x-mcp-header is allowed only below properties");
    return true;
}

/* ---- headers --------------------------------------------------------------------------------- */

static void add_request_header(struct mcp_req *r, struct http_header *to, struct str name,
                               struct str value)
{
    to[r->headers++] = (struct http_header){ name, value };
}

/* An argument as a header value; STR_NONE: it is not repeated. */
static struct str text_of(struct arena *mem, struct json v)
{
    switch (json_type(v)) {
    case JSON_STRING: return mcp_mirror_value(mem, json_str(mem, v));
    case JSON_NUMBER: return json_raw(v);
    case JSON_BOOL: return json_true(v) ? STR("true") : STR("false");
    case JSON_MISSING:
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT:
    case JSON_TIME: return STR_NONE;
    }
    return STR_NONE;
}

static void mirror_args(struct arena *mem, struct json schema, struct json args, struct mcp_req *r,
                        struct http_header *to, size_t most)
{
    struct json properties = json_get(schema, STR("properties"));

    JSON_MEMBERS(key, properties)
    {
        struct json one = json_value(key);
        struct json arg = json_get(args, json_str(mem, key));
        struct str mark = json_str(mem, json_get(one, STR("x-mcp-header")));
        struct str value = mark.p ? text_of(mem, arg) : STR_NONE;

        if (value.p && r->headers < most)
            add_request_header(r, to, arena_printf(mem, "Mcp-Param-" STR_FMT, STR_ARG(mark)),
                               value);
        if (json_type(arg) == JSON_OBJECT)
            mirror_args(mem, one, arg, r, to, most);
    }
}

void mcp_mirror(struct mcp_client *c, struct arena *mem, struct str tool, struct json args,
                const struct trace *trace, struct mcp_req *r)
{
    enum { MOST = MCP_TRACE_HEADERS + 64 };
    struct mcp_trace_header traced[MCP_TRACE_HEADERS];
    size_t n = mcp_trace_headers(mem, trace, traced);
    struct http_header *to = ARENA_ARRAY(mem, struct http_header, MOST);
    const struct mcp_remote_tool *t = tool.p ? mcp_tools_find(&c->tools, tool) : NULL;

    r->header = to;
    r->headers = 0;
    for (size_t i = 0; i < n; i++)
        add_request_header(r, to, str_of(traced[i].name), traced[i].value);
    if (t && mcp_client_mirrors(c))
        mirror_args(mem, json_get(t->tool, STR("inputSchema")), args, r, to, MOST);
}
