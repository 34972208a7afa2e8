#include "proto/mcp/mcp_trace.h"

enum { UNREADABLE = TRACE_DEPTH + 1 };

static const char *const id_names[] = { "X-Trefoil-Trace-ID", "X-OpenStarry-Trace-ID" };
static const char *const depth_names[] = { "X-Trefoil-Depth", "X-OpenStarry-Depth" };
static const char parent_name[] = "traceparent";

/* ---- reading ----------------------------------------------------------------------------- */

/* Of two that differ the deeper one counts. */
static void note_depth(struct trace *t, int64_t depth)
{
    if (depth < 0 || depth > UNREADABLE)
        depth = UNREADABLE;
    if (depth > t->depth)
        t->depth = (int)depth;
}

static void note_depth_text(struct trace *t, struct str text)
{
    uint64_t depth = UNREADABLE;

    str_uint(text, 0, UNREADABLE, &depth);
    note_depth(t, (int64_t)depth);
}

static void note_depth_json(struct arena *mem, struct trace *t, struct json v)
{
    int64_t depth = UNREADABLE;

    if (json_type(v) == JSON_STRING) {
        note_depth_text(t, json_str(mem, v));
    } else {
        json_int(v, &depth);
        note_depth(t, depth);
    }
}

static bool is_one_of(struct str name, const char *const names[2])
{
    return str_eq(name, str_of(names[0])) || str_eq(name, str_of(names[1]));
}

bool mcp_trace_names(struct str name)
{
    return is_one_of(name, id_names) || is_one_of(name, depth_names) ||
           str_eq(name, str_of(parent_name));
}

static bool is_printable(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~')
            return false;
    return true;
}

/* The first of its kind, if it is one. */
static void note_text(struct str *to, struct str text, bool *has)
{
    if (*has || !text.n || text.n > MCP_TRACE_BYTES || !is_printable(text))
        return;
    *to = text;
    *has = true;
}

/* One walk: this is done for every request, and nearly none has any of these. */
void mcp_trace_from_meta(struct arena *mem, struct json meta, struct trace *t)
{
    bool has_id = false, has_parent = false;

    if (json_type(meta) != JSON_OBJECT)
        return;
    JSON_MEMBERS(key, meta)
    {
        struct str name = json_str(mem, key), text;

        if (!name.n || (name.p[0] != 'X' && name.p[0] != 't'))
            continue;
        text = json_str(mem, json_value(key));
        if (is_one_of(name, depth_names)) {
            note_depth_json(mem, t, json_value(key));
        } else if (is_one_of(name, id_names)) {
            note_text(&t->id, text, &has_id);
        } else if (str_eq(name, str_of(parent_name))) {
            note_text(&t->parent, text, &has_parent);
        }
    }
}

void mcp_trace_from_headers(mcp_header_fn *get, const void *who, struct trace *t)
{
    bool has_id = false, has_parent = false;

    for (size_t i = 0; i < ARRAY_LEN(id_names); i++)
        note_text(&t->id, get(who, id_names[i]), &has_id);
    note_text(&t->parent, get(who, parent_name), &has_parent);
    for (size_t i = 0; i < ARRAY_LEN(depth_names); i++) {
        struct str depth = get(who, depth_names[i]);

        if (depth.p)
            note_depth_text(t, depth);
    }
}

/* ---- writing ----------------------------------------------------------------------------- */

void mcp_trace_write_meta(struct jw *w, const struct trace *t)
{
    for (size_t i = 0; i < ARRAY_LEN(id_names); i++)
        jw_kstr(w, id_names[i], t->id);
    for (size_t i = 0; i < ARRAY_LEN(depth_names); i++)
        jw_kint(w, depth_names[i], t->depth);
    jw_kstr(w, parent_name, t->parent);
}

size_t mcp_trace_headers(struct arena *mem, const struct trace *t,
                         struct mcp_trace_header out[MCP_TRACE_HEADERS])
{
    struct str depth = arena_printf(mem, "%d", t->depth);
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(id_names) && t->id.n; i++)
        out[n++] = (struct mcp_trace_header){ id_names[i], t->id };
    for (size_t i = 0; i < ARRAY_LEN(depth_names); i++)
        out[n++] = (struct mcp_trace_header){ depth_names[i], depth };
    if (t->parent.p)
        out[n++] = (struct mcp_trace_header){ parent_name, t->parent };
    return n;
}
