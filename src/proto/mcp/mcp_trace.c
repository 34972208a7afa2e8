#include "proto/mcp/mcp_trace.h"

#include "base/digits.h"

#include <string.h>

enum { UNREADABLE = TRACE_DEPTH + 1 };

static const char *const id_names[] = { "X-Trefoil-Trace-ID", "X-OpenStarry-Trace-ID" };
static const char *const depth_names[] = { "X-Trefoil-Depth", "X-OpenStarry-Depth" };
static const char parent_name[] = "traceparent", state_name[] = "tracestate";

enum { STATE_MOST = 512 }; /* of a tracestate, by its specification */

/* ---- reading ----------------------------------------------------------------------------- */

/* If two depths differ, the larger one counts. */
static void note_depth(struct trace *t, int64_t depth)
{
    if (depth < 0 || depth > UNREADABLE)
        depth = UNREADABLE;
    t->counted = true;
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
           str_eq(name, str_of(parent_name)) || str_eq(name, str_of(state_name));
}

static bool is_printable(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~')
            return false;
    return true;
}

/* The first id counts, but both must be valid. */
static void note_id(struct trace *t, struct str text, bool *has)
{
    if (!text.n || text.n > MCP_TRACE_BYTES || !is_printable(text))
        t->malformed = true;
    else if (!*has)
        t->id = text;
    *has = true;
}

static void note_parent(struct trace *t, struct str parent)
{
    if (trace_parent_id(parent).p)
        t->parent = parent;
}

/* Remove our own member; the rest is forwarded. */
static void note_state(struct arena *mem, struct trace *t, struct str state)
{
    struct buf rest;

    if (!t->parent.p || state.n > STATE_MOST || !is_printable(state))
        return;
    buf_init_in(&rest, mem, STATE_MOST);
    while (state.n) {
        struct str one = str_trim(str_cut(&state, ','));

        if (str_starts(one, STR("trefoil="))) {
            note_depth_text(t, str_skip(one, 8));
        } else if (one.n) {
            buf_put(&rest, rest.n ? STR(",") : STR(""));
            buf_put(&rest, one);
        }
    }
    t->state = rest.n ? buf_str(&rest) : STR_NONE;
}

/* One pass over the members: this runs for every request, and few have any of them. */
void mcp_trace_from_meta(struct arena *mem, struct json meta, struct trace *t)
{
    struct str state = STR_NONE;
    bool has_id = false;

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
            note_id(t, text, &has_id);
        } else if (str_eq(name, str_of(parent_name))) {
            note_parent(t, text);
        } else if (str_eq(name, str_of(state_name))) {
            state = text;
        }
    }
    if (state.n)
        note_state(mem, t, state);
}

void mcp_trace_from_headers(struct arena *mem, mcp_header_fn *get, const void *ctx, struct trace *t)
{
    bool has_id = false;

    for (size_t i = 0; i < ARRAY_LEN(id_names); i++) {
        struct str id = get(ctx, id_names[i]);

        if (id.p)
            note_id(t, id, &has_id);
    }
    note_parent(t, get(ctx, parent_name));
    note_state(mem, t, get(ctx, state_name));
    for (size_t i = 0; i < ARRAY_LEN(depth_names); i++) {
        struct str depth = get(ctx, depth_names[i]);

        if (depth.p)
            note_depth_text(t, depth);
    }
}

/* ---- writing ----------------------------------------------------------------------------- */

struct state_text {
    char text[STATE_MOST + 32];
};

/* If they do not fit, the members of others are omitted, not truncated. */
static struct str state_of(const struct trace *t, struct state_text *out)
{
    static const struct str ours = STR("trefoil=");
    size_t n = ours.n;

    memcpy(out->text, ours.p, ours.n);
    n += digits_put_signed(out->text + n, t->depth);
    if (t->state.n && t->state.n + 16 <= STATE_MOST) {
        out->text[n++] = ',';
        memcpy(out->text + n, t->state.p, t->state.n);
        n += t->state.n;
    }
    return (struct str){ out->text, n };
}

void mcp_trace_write_meta(struct jw *w, const struct trace *t)
{
    struct state_text state;

    for (size_t i = 0; i < ARRAY_LEN(id_names); i++)
        jw_kstr(w, id_names[i], t->id);
    for (size_t i = 0; i < ARRAY_LEN(depth_names); i++)
        jw_kint(w, depth_names[i], t->depth);
    jw_kstr(w, parent_name, t->parent);
    jw_kstr(w, state_name, state_of(t, &state));
}

size_t mcp_trace_headers(struct arena *mem, const struct trace *t,
                         struct mcp_trace_header out[MCP_TRACE_HEADERS])
{
    struct str depth = arena_printf(mem, "%d", t->depth);
    struct state_text state;
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(id_names) && t->id.n; i++)
        out[n++] = (struct mcp_trace_header){ id_names[i], t->id };
    for (size_t i = 0; i < ARRAY_LEN(depth_names); i++)
        out[n++] = (struct mcp_trace_header){ depth_names[i], depth };
    if (t->parent.p)
        out[n++] = (struct mcp_trace_header){ parent_name, t->parent };
    out[n++] = (struct mcp_trace_header){ state_name, arena_str(mem, state_of(t, &state)) };
    return n;
}
