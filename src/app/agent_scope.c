#include "app/agent_scope.h"

#include "app/app.h"
#include "base/auto.h"
#include "base/file.h"
#include "base/mem.h"
#include "tool/tools.h"

enum { NAME_MOST = 64, FILE_DEPTH = 32, FILE_VALUES = 10000 };

/* ---- its file ---------------------------------------------------------------------------- */

struct agent_mcp {
    struct pick_strs expose, hidden;
};

struct agent_file {
    struct str name;
    struct agent_mcp mcp;
};

static const struct pick mcp_fields[] = {
    PICK_FIELD("expose_tools", PICK_STRS, struct agent_mcp, expose, 0),
    PICK_FIELD("private_tools", PICK_STRS, struct agent_mcp, hidden, 0),
};

static const struct pick file_fields[] = {
    PICK_FIELD("name", PICK_STR, struct agent_file, name, 0),
    PICK_NESTED("mcp", struct agent_file, mcp, 0, mcp_fields),
};

/* It becomes part of a path. */
static bool name_valid(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-' || (c == '.' && i > 0)))
            return false;
    }
    return name.n >= 1 && name.n <= NAME_MOST;
}

static bool read_file(struct agent_scope *a, const struct host *host, struct err *e)
{
    const char *path = arena_printf(&a->mem, "%s/agents/%s/agent.json", host->root, a->name).p;
    const struct json_opts opts = {
        .file = path, .max_depth = FILE_DEPTH, .max_values = FILE_VALUES, .comments = true
    };
    struct agent_file file = { .name = str_of(a->name) };
    struct json root;
    struct str text;

    if (!file_read(&a->mem, path, (size_t)host->limits->config_bytes, &text, e)) {
        if (e->code == ERR_NOT_FOUND)
            fail(e, ERR_NOT_FOUND, "there is no agent %s: agents/%s/agent.json is not there",
                 a->name, a->name);
        return false;
    }
    if (!json_read(&a->mem, text, &opts, &root, e) ||
        !pick(&a->mem, root, PICK_TABLE(file_fields), PICK_LENIENT, &file, e))
        return false;
    a->server.name = arena_cstr(&a->mem, file.name);
    a->expose = file.mcp.expose;
    for (size_t i = 0; i < a->expose.n; i++) /* tools are published as listed, as C strings */
        a->expose.v[i] = arena_str(&a->mem, a->expose.v[i]);
    a->hidden = file.mcp.hidden;
    return true;
}

/* ---- what it exports --------------------------------------------------------------------- */

static bool exports(const struct agent_scope *a, struct tool_called called)
{
    const struct pick_strs all = { 0 };

    return tool_exposed_by_agent(&a->expose, &a->hidden, called) &&
           tool_exposed_by_kernel(&all, &a->config->private_tools, called);
}

static void export_builtin(struct agent_scope *a)
{
    size_t n = 0;

    for (size_t i = 0; i < builtin_tool_count; i++)
        if (tool_kind_in_mode(builtin_tools[i]->kind, a->config->mode) &&
            exports(a, (struct tool_called){ .name = str_of(builtin_tools[i]->name) }))
            a->list[n++] = builtin_tools[i];
    a->builtin.tool = a->list;
    if (n != a->builtin.tools)
        offer_source_changed(&a->builtin, OFFER_TOOLS);
    a->builtin.tools = n;
}

/* As its file lists it. */
static const char *exported_as(void *who, const struct upstream_tool *t)
{
    const struct agent_scope *a = who;
    AUTO_ARENA mem = { 0 };
    struct tool_called called = upstream_tool_called(&mem, t);

    if (!exports(a, called))
        return NULL;
    for (size_t i = 0; i < a->expose.n; i++)
        if (str_eq(a->expose.v[i], called.alias))
            return a->expose.v[i].p;
    return t->tool.name;
}

void agent_scope_use(struct agent_scope *a, const struct config *config, struct mcp_fleet *fleet)
{
    a->config = config;
    export_builtin(a);
    if (a->viewing) {
        mcp_fleet_view_refresh(&a->view);
    } else if (fleet) {
        mcp_fleet_view_open(&a->view, fleet, exported_as, a);
        offer_join(&a->offer, &a->view.source);
        a->viewing = true;
    }
}

void agent_scope_leave_fleet(struct agent_scope *a)
{
    if (!a->viewing)
        return;
    offer_leave(&a->offer, &a->view.source);
    mcp_fleet_view_close(&a->view);
    a->viewing = false;
}

/* ---- life -------------------------------------------------------------------------------- */

struct agent_scope *agent_scope_new(struct str name, const struct host *host, struct rpc *rpc,
                                    const struct config *config, struct err *e)
{
    struct agent_scope *a;

    if (!name_valid(name)) {
        fail(e, ERR_NOT_FOUND, "the name of an agent is 1 to %d of A-Z a-z 0-9 _ - and .",
             NAME_MOST);
        return NULL;
    }
    a = MEM_NEW(struct agent_scope);
    a->name = arena_cstr(&a->mem, name);
    if (!read_file(a, host, e)) {
        arena_fini(&a->mem);
        mem_free(a);
        return NULL;
    }
    a->config = config;
    a->list = mem_alloc(builtin_tool_count * sizeof(*a->list));
    offer_init(&a->offer, host, 1u << OFFER_TOOLS);
    offer_join(&a->offer, &a->builtin);
    export_builtin(a);
    a->server.rpc = rpc;
    a->server.offer = &a->offer;
    a->server.version = trefoil_version;
    mcp_http_init(&a->http, &a->server);
    return a;
}

void agent_scope_free(struct agent_scope *a)
{
    struct arena mem = a->mem;

    offer_fini(&a->offer);
    mem_free(a->list);
    mem_free(a);
    arena_fini(&mem);
}
