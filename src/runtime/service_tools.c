#include "runtime/service_tools.h"

#include "base/nearest.h"
#include "base/utf8.h"
#include "base/version.h"
#include "proto/mcp/tool_name.h"

/* ---- one tool -------------------------------------------------------------------------------- */

static void fail_unknown(const struct service *s, struct str name, struct err *e)
{
    struct nearest n = nearest_to(name);
    const struct tool *t;

    for (size_t i = 0; (t = offer_tool_at(&s->offer, i)); i++)
        nearest_try(&n, str_of(t->name));
    fail(e, ERR_NOT_FOUND, "unknown tool " STR_FMT "%s", STR_ARG(utf8_head(name, 80)),
         n.best.p ? nearest_hint(&n) : "; list all tools with: " TREFOIL_NAME " tools");
}

const struct tool *service_find_tool(const struct service *s, struct str name, struct err *e)
{
    const struct tool *t = offer_tool(&s->offer, name);
    const struct mcp_upstreams *f = s->upstreams.upstreams;
    const struct tool_name *n;
    struct err unknown;

    if (t)
        return t;
    if (!f || !tool_names_find(mcp_upstreams_names(f), name, &n, &unknown)) {
        fail_unknown(s, name, e);
        return NULL;
    }
    t = offer_tool(&s->offer, n->name);
    if (!t)
        fail(e, ERR_DENIED, "the tool " STR_FMT " is private ([mcp] private_tools, expose_tools)",
             STR_ARG(utf8_head(name, 80)));
    return t;
}

/* ---- all tools ------------------------------------------------------------------------------- */

void service_each_unavailable(const struct service *s, void (*fn)(void *ctx, const struct err *e),
                              void *ctx)
{
    const struct mcp_upstreams *f = s->upstreams.upstreams;

    for (const struct upstream *u = f ? mcp_upstreams_next(f, NULL) : NULL; u; u = u->next) {
        struct err e;

        if (u->state == UP_READY || u->state == UP_DISABLED)
            continue;
        upstream_explain(u, &e);
        fn(ctx, u->last_error.code != ERR_NONE ? &u->last_error : &e);
    }
}

static void tool_write(struct jw *w, const struct tool *t)
{
    jw_object(w);
    jw_kstr(w, "name", str_of(t->name));
    jw_kstr(w, "title", str_of(t->title));
    jw_kstr(w, "description", str_of(t->description));
    jw_kraw(w, "inputSchema", str_of(t->input_schema));
    jw_kraw(w, "outputSchema", str_of(t->output_schema));
    jw_kraw(w, "annotations", str_of(t->annotations));
    jw_kraw(w, "icons", str_of(t->icons));
    jw_kraw(w, "_meta", str_of(t->meta));
    jw_object_end(w);
}

/*
 * Is this the tool of an agent? The list omits such tools, because `trefoil agents` lists the
 * agents.
 */
static bool is_agent(const struct service *s, const struct tool *t)
{
    for (size_t i = 0; i < s->agents.source.tools; i++)
        if (s->agents.source.tool[i] == t)
            return true;
    return false;
}

static void write_unavailable(void *ctx, const struct err *e)
{
    jw_str(ctx, str_of(e->text));
}

void service_tools_write(struct jw *w, const struct service *s)
{
    const struct tool *t;

    jw_object(w);
    jw_plain_key(w, STR("tools"));
    jw_array(w);
    for (size_t i = 0; (t = offer_tool_at(&s->offer, i)); i++)
        if (!t->withheld && !is_agent(s, t))
            tool_write(w, agent_tools_builtin(&s->agents, t));
    jw_array_end(w);
    jw_plain_key(w, STR("unavailable"));
    jw_array(w);
    service_each_unavailable(s, write_unavailable, w);
    jw_array_end(w);
    jw_object_end(w);
}

/* ---- the result of a call -------------------------------------------------------------------- */

struct str service_call_result(struct call *c, size_t most)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (c->raw_result.p)
        return c->raw_result;
    buf_init_in(&out, c->mem, most);
    jw_object(&w);
    jw_plain_key(&w, STR("content"));
    jw_array(&w);
    if (c->content.n)
        jw_raw(&w, buf_str(&c->content));
    jw_array_end(&w);
    if (c->structured.n)
        jw_kraw(&w, "structuredContent", buf_str(&c->structured));
    if (c->is_error)
        jw_kbool(&w, "isError", true);
    jw_object_end(&w);
    return buf_str(&out);
}
