#include "app/tool_find.h"

#include "base/auto.h"
#include "loop/file.h"
#include "proto/mcp/tool_name.h"
#include "runtime/service_tools.h"

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
        return fail(e, ERR_INVALID, "arguments: expected a JSON object");
    return true;
}

/* ---- the tool ------------------------------------------------------------------------------ */

static void print_unavailable(void *ctx, const struct err *e)
{
    (void)ctx;
    print_error(e);
}

/* Print to stderr which servers are not connected. */
static void tool_find_warn(const struct once *o)
{
    service_each_unavailable(&o->service, print_unavailable, NULL);
}

/*
 * Find the server to which the tool of this name would belong. NULL: the name does not determine
 * one server, so all servers must be connected.
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
            return NULL; /* two servers are possible: connect all */
        found = s->name;
    }
    return found;
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
    return service_find_tool(&o->service, name, e);
}
