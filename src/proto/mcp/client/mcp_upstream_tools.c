/*
 * mcp_upstream_tools.c - make tools from the definitions of a server.
 *
 * Two instances of trefoil may use each other as a server. Then each publishes the tools of the
 * other again, and the lists would grow forever. So the _meta of a tool from another trefoil has
 * the number of agents that the tool came through. If a call through so many agents would be
 * denied, the tool is omitted.
 */
#include "base/auto.h"
#include "base/json_canonical.h"
#include "core/tool/exposure.h"
#include "proto/mcp/client/mcp_upstream.h"

/* A schema is required; without one the arguments of a tool are unknown. */
static const char any_object[] = "{\"type\":\"object\"}";

static const char *raw(struct arena *mem, struct json tool, struct str key, enum json_type type)
{
    struct json v = json_get(tool, key);

    return json_type(v) == type ? arena_cstr(mem, json_raw(v)) : NULL;
}

static const char *text(struct arena *mem, struct json tool, struct str key)
{
    struct str s = json_str(mem, json_get(tool, key));

    return s.p ? arena_cstr(mem, s) : NULL;
}

/* ---- tools of other trefoils --------------------------------------------------------------- */

#define HOPS "trefoil/hops"

/* One more than a call may have: the error of a refused call is clearer than a missing tool. */
enum { HOPS_MOST = TRACE_DEPTH + 1 };

/* The number of agents behind the tool; 0: its server is not a trefoil. */
static int64_t hops_to(const struct mcp_remote_tool *from, bool one_of_us)
{
    int64_t hops = 0;

    if (!one_of_us)
        return 0;
    json_int(json_get(json_get(from->tool, STR("_meta")), STR(HOPS)), &hops);
    return hops < 0 || hops > HOPS_MOST ? HOPS_MOST + 1 : hops + 1;
}

static const char *marked_meta(struct arena *mem, struct json meta, int64_t hops)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, (json_here(meta) ? json_raw(meta).n : 0) + 64);
    jw_object(&w);
    jw_kint(&w, HOPS, hops);
    JSON_MEMBERS(key, meta)
    if (!json_is(key, STR(HOPS)))
        jw_member(&w, key);
    jw_object_end(&w);
    return arena_cstr(mem, buf_str(&out));
}

/* ---- definitions ----------------------------------------------------------------------------- */

static struct str definition_of(struct arena *mem, struct json tool)
{
    static const struct str keys[] = { STR("annotations"), STR("description"),  STR("inputSchema"),
                                       STR("name"),        STR("outputSchema"), STR("title") };
    AUTO_ARENA temporary = { 0 };
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &temporary, 6 * json_raw(tool).n + 16); /* as in json_canonical() */
    jw_object(&w);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct json v = json_get(tool, keys[i]);

        if (!json_here(v))
            continue;
        jw_plain_key(&w, keys[i]);
        json_canonical_write(&w, &temporary, v);
    }
    jw_object_end(&w);
    return arena_str(mem, buf_str(&out));
}

/* ---- one tool ------------------------------------------------------------------------------ */

static void start_call(struct call *call)
{
    struct upstream_tool *t = call->ctx;

    upstream_call(t->up, call, t);
}

/* Longest time of a call, whatever progress it reports. */
static int64_t longest_call(const struct server_spec *spec, const struct tool_override *over)
{
    int64_t own = over ? over->timeout_secs * 1000 : 0;

    if (spec->timeout_max_ms <= 0)
        return CALL_NO_DEADLINE;
    return own > spec->timeout_max_ms ? own : spec->timeout_max_ms;
}

static void take(struct upstream *u, struct upstream_tool *to, const struct mcp_remote_tool *from,
                 const struct tool_override *over, int64_t hops)
{
    struct arena *mem = &u->tools_mem;
    const char *schema = raw(mem, from->tool, STR("inputSchema"), JSON_OBJECT);
    struct json said = json_get(from->tool, STR("annotations"));

    *to = (struct upstream_tool){
        .up = u,
        .original = arena_str(mem, from->name),
        .rename = over ? over->rename : STR_NONE,
        .definition = u->pins ? definition_of(mem, from->tool) : STR_NONE,
        .tool = {
            .alias = arena_printf(mem, "%s:" STR_FMT, u->spec.name, STR_ARG(from->name)).p,
            .title = text(mem, from->tool, STR("title")),
            .description = text(mem, from->tool, STR("description")),
            .input_schema = schema ? schema : any_object,
            .output_schema = raw(mem, from->tool, STR("outputSchema"), JSON_OBJECT),
            .kind = TOOL_EXECUTE,
            .read_only = json_true(json_get(said, STR("readOnlyHint"))),
            .idempotent = json_true(json_get(said, STR("idempotentHint"))),
            .open_world = true,
            .always = u->always,
            .manual = server_tool_manual(&u->spec, from->name),
            .annotations = raw(mem, from->tool, STR("annotations"), JSON_OBJECT),
            .icons = raw(mem, from->tool, STR("icons"), JSON_ARRAY),
            .meta = raw(mem, from->tool, STR("_meta"), JSON_OBJECT),
            .server = u->serial,
            .timeout_ms = longest_call(&u->spec, over),
            .ctx = to,
            .start = start_call,
        },
    };
    if (hops)
        to->tool.meta = marked_meta(mem, json_get(from->tool, STR("_meta")), hops);
    if (over && over->description.p)
        to->tool.description = arena_cstr(mem, over->description);
}

/* ---- all of them --------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return str_eq(str_of(a), str_of(b)) && !a == !b;
}

/* Unchanged tools of a reconnected server need no notification. */
static bool same_tool(const struct upstream_tool *a, const struct upstream_tool *b)
{
    return str_eq(a->original, b->original) && same_text(a->tool.title, b->tool.title) &&
           same_text(a->tool.description, b->tool.description) &&
           same_text(a->tool.input_schema, b->tool.input_schema) &&
           same_text(a->tool.output_schema, b->tool.output_schema) &&
           same_text(a->tool.annotations, b->tool.annotations) &&
           same_text(a->tool.icons, b->tool.icons) && same_text(a->tool.meta, b->tool.meta) &&
           a->tool.manual == b->tool.manual && a->changed == b->changed &&
           same_text(a->tool.withheld, b->tool.withheld);
}

static bool same_tools(const struct upstream_tool *a, size_t n, const struct upstream *u)
{
    if (n != u->tools)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!same_tool(&a[i], &u->tool[i]))
            return false;
    return true;
}

static void take_all(struct upstream *u, const struct mcp_client_facts *facts)
{
    bool one_of_us = str_eq(facts->server_name, str_of(u->world->name));

    arena_init(&u->tools_mem);
    u->tool = ARENA_ARRAY(&u->tools_mem, struct upstream_tool, facts->tools);
    u->tools = 0;
    for (size_t i = 0; i < facts->tools; i++) {
        const struct tool_override *over = server_override(&u->spec, facts->tool[i].name);
        int64_t hops = hops_to(&facts->tool[i], one_of_us);

        if (hops <= HOPS_MOST && server_allows(&u->spec, facts->tool[i].name) &&
            !(over && over->hide))
            take(u, &u->tool[u->tools++], &facts->tool[i], over, hops);
    }
    if (u->pins)
        u->pins->check(u->pins, u);
}

static void keep(struct upstream *u, const struct mcp_client_facts *facts)
{
    if (!u->cache || u->kept)
        return;
    u->kept = true;
    u->cache->save(u->cache, &u->spec, facts);
}

void upstream_take_kept(struct upstream *u)
{
    struct mcp_client_facts facts = { 0 };
    AUTO_ARENA mem = { 0 };

    if (!u->cache || u->state != UP_STOPPED || !u->cache->load(u->cache, &u->spec, &mem, &facts))
        return;
    take_all(u, &facts);
    u->kept = true;
    if (u->tools)
        u->events->on_tools(u);
}

void upstream_take_tools(struct upstream *u, const struct mcp_client_facts *facts)
{
    struct arena old_mem = u->tools_mem;
    struct upstream_tool *old = u->tool;
    size_t olds = u->tools;

    take_all(u, facts);
    if (!same_tools(old, olds, u)) {
        u->kept = false;
        u->events->on_tools(u);
        arena_fini(&old_mem);
    } else {
        arena_fini(&u->tools_mem);
        u->tools_mem = old_mem;
        u->tool = old;
    }
    keep(u, facts);
}

void upstream_check_pins(struct upstream *u)
{
    AUTO_ARENA mem = { 0 };
    struct upstream_tool *old = ARENA_ARRAY(&mem, struct upstream_tool, u->tools);

    if (!u->pins || !u->tools)
        return;
    memcpy(old, u->tool, u->tools * sizeof(*old));
    u->pins->check(u->pins, u);
    if (!same_tools(old, u->tools, u))
        u->events->on_tools(u);
}
