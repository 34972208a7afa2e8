#include "base/auto.h"
#include "proto/mcp/mcp_trace.h"
#include "tap.h"

#define PARENT "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"

static struct json read_json(struct arena *mem, const char *text)
{
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct json out = { 0 };
    struct err e;

    if (!json_read(mem, str_of(text), &opts, &out, &e))
        TAP_NOT("%s", e.text);
    return out;
}

/* One row: what _meta says, and what is understood. */
static const struct {
    const char *meta, *id;
    int depth;
    bool deep;
} metas[] = {
    { "{}", "", 0, false },
    { "[\"X-Trefoil-Depth\",[7]]", "", 0, false },
    { "{\"X-Trefoil-Trace-ID\":\"a\",\"X-Trefoil-Depth\":1}", "a", 1, false },
    { "{\"X-OpenStarry-Trace-ID\":\"b\",\"X-OpenStarry-Depth\":\"4\"}", "b", 4, false },
    { "{\"X-Trefoil-Trace-ID\":\"a\\r\\nX: 1\"}", "", 0, false },
    { "{\"X-Trefoil-Depth\":5}", "", 5, false },
    { "{\"X-Trefoil-Depth\":6}", "", 6, true },
    { "{\"X-Trefoil-Depth\":99999999999999999999}", "", 6, true },
    { "{\"X-Trefoil-Depth\":-1}", "", 6, true },
    { "{\"X-Trefoil-Depth\":1.5}", "", 6, true },
    { "{\"X-Trefoil-Depth\":\"\"}", "", 6, true },
    { "{\"X-Trefoil-Depth\":null}", "", 6, true },
    { "{\"X-Trefoil-Depth\":2,\"X-OpenStarry-Depth\":3}", "", 3, false },
    { "{\"traceparent\":\"" PARENT "\",\"tracestate\":\"a=b, trefoil=4,c=d\"}", "", 4, false },
    { "{\"tracestate\":\"trefoil=4,c=d\",\"traceparent\":\"" PARENT "\"}", "", 4, false },
    { "{\"traceparent\":\"" PARENT "\",\"tracestate\":\"trefoil=x\"}", "", 6, true },
    { "{\"traceparent\":\"00-1-2-01\",\"tracestate\":\"trefoil=4\"}", "", 0, false },
};

TEST(meta_says_how_deep_a_call_is)
{
    AUTO_ARENA mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(metas); i++) {
        struct trace t = { 0 };

        mcp_trace_from_meta(&mem, read_json(&mem, metas[i].meta), &t);
        if (t.depth != metas[i].depth || trace_too_deep(t.depth, TRACE_DEPTH) != metas[i].deep ||
            !str_eq(t.id, str_of(metas[i].id)))
            TAP_NOT("%s: depth %d, id " STR_FMT, metas[i].meta, t.depth, STR_ARG(t.id));
    }
}

static struct str header(const void *ctx, const char *name)
{
    const char *const *pair = ctx;

    for (; *pair; pair += 2)
        if (str_eq_nocase(str_of(*pair), str_of(name)))
            return str_of(pair[1]);
    return STR_NONE;
}

TEST(an_id_that_is_none_is_to_be_refused)
{
    AUTO_ARENA mem = { 0 };
    struct trace t = { 0 };
    char meta[MCP_TRACE_BYTES + 64], id[MCP_TRACE_BYTES + 2] = { 0 };

    memset(id, 'x', MCP_TRACE_BYTES);
    snprintf(meta, sizeof(meta), "{\"X-Trefoil-Trace-ID\":\"%s\"}", id);
    mcp_trace_from_meta(&mem, read_json(&mem, meta), &t);
    EQ(t.id.n, MCP_TRACE_BYTES);
    OK(!t.malformed);
    id[MCP_TRACE_BYTES] = 'x';
    t = (struct trace){ 0 };
    snprintf(meta, sizeof(meta), "{\"X-Trefoil-Trace-ID\":\"%s\"}", id);
    mcp_trace_from_meta(&mem, read_json(&mem, meta), &t);
    OK(!t.id.p && t.malformed);
    t = (struct trace){ 0 };
    mcp_trace_from_meta(&mem, read_json(&mem, "{\"X-OpenStarry-Trace-ID\":7}"), &t);
    OK(t.malformed);
}

TEST(headers_say_the_same)
{
    static const char *const some[] = {
        "x-openstarry-trace-id", "t", "X-OpenStarry-Depth", "5", "traceparent", PARENT, NULL
    };
    static const char *const bad[] = { "X-Trefoil-Depth", "five", NULL };
    AUTO_ARENA mem = { 0 };
    struct trace t = { 0 }, none = { 0 }, deep = { 0 };

    mcp_trace_from_headers(&mem, header, some, &t);
    OK(str_eq(t.id, STR("t")) && t.depth == 5 && str_eq(t.parent, STR(PARENT)));
    OK(!trace_too_deep(t.depth, TRACE_DEPTH));
    mcp_trace_from_headers(&mem, header, some + 6, &none);
    OK(!none.id.p && none.depth == 0);
    mcp_trace_from_headers(&mem, header, bad, &deep);
    OK(trace_too_deep(deep.depth, TRACE_DEPTH));
}

TEST(a_call_made_for_a_caller_is_one_deeper_and_keeps_the_id)
{
    AUTO_ARENA mem = { 0 };
    struct caller caller = { .trace = { .depth = 2 } };
    struct trace first = trace_next(&caller, &mem, 1000);
    struct trace second = trace_next(&caller, &mem, 2000);

    EQ(first.depth, 3);
    EQ(second.depth, 3);
    EQ(first.id.n, 36);
    OK(str_eq(first.id, second.id));
    EQ(caller.trace.depth, 2);
}

TEST(what_is_written_is_read_back)
{
    AUTO_ARENA mem = { 0 };
    struct trace t = { .id = STR("x\"y"), .depth = 4, .parent = STR(PARENT), .state = STR("a=b") },
                 back = { 0 };
    struct mcp_trace_header headers[MCP_TRACE_HEADERS];
    const char *pairs[2 * MCP_TRACE_HEADERS + 1] = { 0 };
    size_t n = mcp_trace_headers(&mem, &t, headers);
    struct buf text;
    struct jw w = jw_to(&text);

    buf_init_in(&text, &mem, 4096);
    jw_object(&w);
    mcp_trace_write_meta(&w, &t);
    jw_object_end(&w);
    mcp_trace_from_meta(&mem, read_json(&mem, arena_cstr(&mem, buf_str(&text))), &back);
    OK(str_eq(back.id, t.id) && back.depth == 4 && str_eq(back.parent, t.parent));
    OK(str_eq(back.state, t.state));
    EQ(n, 6);
    for (size_t i = 0; i < n; i++) {
        pairs[2 * i] = headers[i].name;
        pairs[2 * i + 1] = arena_cstr(&mem, headers[i].value);
    }
    back = (struct trace){ 0 };
    mcp_trace_from_headers(&mem, header, pairs, &back);
    OK(str_eq(back.id, t.id) && back.depth == 4 && str_eq(back.parent, t.parent));
    OK(str_eq(back.state, t.state));
}

/* One row: a traceparent, and whether it is one. */
static const struct {
    const char *text;
    bool is_one;
} parents[] = {
    { PARENT, true },
    { "cc-0123456789abcdef0123456789abcdef-0123456789abcdef-01-later", true },
    { PARENT "-more", false },
    { PARENT "0", false },
    { "ff-0123456789abcdef0123456789abcdef-0123456789abcdef-01", false },
    { "00-0123456789ABCDEF0123456789abcdef-0123456789abcdef-01", false },
    { "00-00000000000000000000000000000000-0123456789abcdef-01", false },
    { "00-0123456789abcdef0123456789abcdef-0000000000000000-01", false },
    { "00-0123456789abcdef0123456789abcdef-0123456789abcdef", false },
    { "", false },
};

TEST(a_traceparent_has_one_shape)
{
    for (size_t i = 0; i < ARRAY_LEN(parents); i++)
        if ((trace_parent_id(str_of(parents[i].text)).p != NULL) != parents[i].is_one)
            TAP_NOT("%s", parents[i].text);
}

TEST(a_new_traceparent_keeps_the_trace_id_only)
{
    static const char *const ids[] = { "the-trace", "01a1ec53-b4ff-7214-a0dc-2713e7b876ed", "" };
    char first[TRACE_PARENT_TEXT], second[TRACE_PARENT_TEXT];

    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        struct trace t = { .id = str_of(ids[i]), .parent = i == 2 ? STR(PARENT) : STR_NONE };

        trace_parent_new(&t, first);
        trace_parent_new(&t, second);
        OK(trace_parent_id(str_of(first)).n == 32);
        OK(str_eq(trace_parent_id(str_of(first)), trace_parent_id(str_of(second))));
        OK(!str_eq(str_of(first), str_of(second)));
    }
    OK(str_eq(trace_parent_id(str_of(first)), trace_parent_id(STR(PARENT))));
}

TEST_MAIN()
