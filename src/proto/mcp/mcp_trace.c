#include "proto/mcp/mcp_trace.h"

#include "base/id.h"

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
    } else if (json_here(v)) {
        json_int(v, &depth);
        note_depth(t, depth);
    }
}

void mcp_trace_from_meta(struct arena *mem, struct json meta, struct trace *t)
{
    struct str id = STR_NONE, parent;

    if (!json_here(meta))
        return;
    for (size_t i = 0; i < ARRAY_LEN(id_names) && !id.n; i++)
        id = json_str(mem, json_get(meta, str_of(id_names[i])));
    if (id.n)
        t->id = id;
    for (size_t i = 0; i < ARRAY_LEN(depth_names); i++)
        note_depth_json(mem, t, json_get(meta, str_of(depth_names[i])));
    parent = json_str(mem, json_get(meta, str_of(parent_name)));
    if (parent.p)
        t->parent = parent;
}

void mcp_trace_from_headers(mcp_header_fn *get, const void *who, struct trace *t)
{
    struct str id = STR_NONE, parent = get(who, parent_name);

    for (size_t i = 0; i < ARRAY_LEN(id_names) && !id.n; i++)
        id = get(who, id_names[i]);
    if (id.n)
        t->id = id;
    for (size_t i = 0; i < ARRAY_LEN(depth_names); i++) {
        struct str depth = get(who, depth_names[i]);

        if (depth.p)
            note_depth_text(t, depth);
    }
    if (parent.p)
        t->parent = parent;
}

bool mcp_trace_too_deep(const struct trace *t)
{
    return t->depth > TRACE_DEPTH;
}

/* ---- writing ----------------------------------------------------------------------------- */

struct trace mcp_trace_next(struct caller *caller, struct arena *mem, int64_t wall_ms)
{
    struct trace next;
    char id[ID_TEXT];

    if (!caller->trace.id.n) {
        id_new(wall_ms, id);
        caller->trace.id = arena_str(mem, str_of(id));
    }
    next = caller->trace;
    next.depth++;
    return next;
}

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
