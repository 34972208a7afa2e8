#include "app/tool_find.h"

#include "base/auto.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "loop/file.h"
#include "proto/mcp/tool_name.h"

/* ---- arguments ----------------------------------------------------------------------------- */

bool tool_find_args(struct arena *mem, const struct limits *limits, struct str text,
                    struct json *out, struct err *e)
{
    struct json_opts opts = limits_json(limits);

    if (str_eq(text, STR("-")) && !file_read_stdin(mem, (size_t)limits->message_bytes, &text, e))
        return false;
    if (!str_trim(text).n)
        text = STR("{}");
    if (!json_read(mem, text, &opts, out, e))
        return fail_in(e, "arguments");
    if (json_type(*out) != JSON_OBJECT)
        return fail(e, ERR_INVALID, "arguments: a JSON object is expected");
    return true;
}

/* ---- the tool ------------------------------------------------------------------------------ */

void tool_find_warn(const struct once *o)
{
    const struct mcp_upstreams *f = o->service.upstreams.upstreams;

    for (const struct upstream *u = f ? mcp_upstreams_next(f, NULL) : NULL; u; u = u->next) {
        struct err e;

        if (u->state == UP_READY || u->state == UP_DISABLED)
            continue;
        upstream_explain(u, &e);
        print_error(u->last_error.code != ERR_NONE ? &u->last_error : &e);
    }
}

/*
 * Which server would publish this name, as far as the name tells? NULL: it cannot be told without
 * asking all.
 */
static const char *server_of(const struct app *app, struct str name)
{
    const char *found = NULL;
    struct str rest = name, server = str_cut(&rest, ':');
    AUTO_ARENA mem = { 0 };

    for (size_t i = 0; i < app->project.config.servers.n; i++) {
        const struct server_spec *s = &app->project.config.servers.v[i];
        struct str prefix = tool_name_plain(&mem, str_of(s->name), STR("x"));
        bool fits = rest.p ? str_eq(server, str_of(s->name))
                           : str_starts(name, str_head(prefix, prefix.n - 1));

        for (size_t k = 0; k < s->overrides && !rest.p; k++)
            fits |= s->override[k].rename.p && str_eq(name, s->override[k].rename);
        if (!fits)
            continue;
        if (found)
            return NULL; /* two might: ask all */
        found = s->name;
    }
    return found;
}

static bool fail_unknown(const struct service *s, struct str name, struct err *e)
{
    struct nearest n = nearest_to(name);
    const struct tool *t;

    for (size_t i = 0; (t = offer_tool_at(&s->offer, i)); i++)
        nearest_try(&n, str_of(t->name));
    return fail(e, ERR_NOT_FOUND, "unknown tool " STR_FMT "%s", STR_ARG(utf8_head(name, 80)),
                n.best.p ? nearest_hint(&n) : "; list all tools with: " TREFOIL_NAME " tools");
}

static const struct tool *find_published(const struct service *s, struct str name, struct err *e)
{
    const struct tool *t = offer_tool(&s->offer, name);
    const struct mcp_upstreams *f = s->upstreams.upstreams;
    const struct tool_name *n;
    struct err unknown;

    if (t)
        return t;
    if (f && tool_names_find(mcp_upstreams_names(f), name, &n, &unknown)) {
        t = offer_tool(&s->offer, n->name);
        if (!t)
            fail(e, ERR_DENIED,
                 "the tool " STR_FMT " is private ([mcp] private_tools, expose_tools)",
                 STR_ARG(utf8_head(name, 80)));
        return t;
    }
    fail_unknown(s, name, e);
    return NULL;
}

const struct tool *tool_find(struct once *o, struct str name, struct err *e)
{
    if (!offer_tool(&o->service.offer, name)) {
        once_connect(o, server_of(o->app, name), name);
        if (!offer_tool(&o->service.offer, name))
            tool_find_warn(o);
    }
    if (o->interrupted) {
        fail(e, ERR_CANCELED, "interrupted");
        return NULL;
    }
    return find_published(&o->service, name, e);
}
