#include "runtime/service_http.h"

#include "runtime/service.h"
#include "runtime/service_a2a.h"
#include "web/api_approvals.h"
#include "web/api_events.h"
#include "web/api_request.h"
#include "web/api_status.h"
#include "web/api_tasks.h"

/* ---- routes ----------------------------------------------------------------------------- */

/*
 * Find the MCP endpoint of a request: the endpoint of the agent in the path /mcp/NAME, or of the
 * service. NULL: an error response was sent.
 */
static struct mcp_http *mcp_of(struct http_req *req)
{
    struct service *s = req->ctx; /* web is its first member */
    struct agent_scope *agent;
    struct err e;

    if (!req->rest.p)
        return &s->mcp_http;
    agent = service_agent(s, req->rest, &e);
    if (!agent)
        api_refuse(req, &e);
    return agent ? &agent->http : NULL;
}

static void on_mcp_post(struct http_req *req)
{
    struct mcp_http *h = mcp_of(req);

    if (h)
        mcp_http_post(h, req);
}

static void on_mcp_get(struct http_req *req)
{
    struct mcp_http *h = mcp_of(req);

    if (h)
        mcp_http_get(h, req);
}

static void on_mcp_delete(struct http_req *req)
{
    struct mcp_http *h = mcp_of(req);

    if (h)
        mcp_http_delete(h, req);
}

static void on_sse_get(struct http_req *req)
{
    mcp_sse_get(mcp_of(req), req);
}

static void on_sse_post(struct http_req *req)
{
    mcp_sse_post(mcp_of(req), req);
}

static const struct http_route routes[] = {
    { "GET", "/health", status_api_health },
    { "POST", "/mcp", on_mcp_post },
    { "GET", "/mcp", on_mcp_get },
    { "DELETE", "/mcp", on_mcp_delete },
    { "POST", "/mcp/*", on_mcp_post },
    { "GET", "/mcp/*", on_mcp_get },
    { "DELETE", "/mcp/*", on_mcp_delete },
    { "GET", "/sse", on_sse_get },
    { "POST", MCP_SSE_MESSAGES, on_sse_post },
    { "GET", "/api/mcp/servers", status_api_servers },
    { "GET", "/api/tasks", tasks_api_list },
    { "POST", "/api/tasks", tasks_api_create },
    { "GET", "/api/tasks/*", tasks_api_get },
    { "POST", "/api/tasks/*", tasks_api_post },
    { "GET", "/api/locks", tasks_api_locks },
    { "GET", "/api/events", events_api_all },
    { "GET", "/api/approvals", approvals_api_list },
};

const struct http_route *service_routes(struct service *s, size_t *out_n)
{
    size_t own = ARRAY_LEN(routes), a2a = service_a2a_route_count;
    struct http_route *all =
        ARENA_ARRAY(&s->routes, struct http_route, own + a2a + SERVICE_A2A_PATH_ROUTES);

    memcpy(all, routes, sizeof(routes));
    memcpy(all + own, service_a2a_routes, a2a * sizeof(*all));
    service_a2a_path_routes(&s->routes, s->a2a_setup.listen_path, all + own + a2a);
    *out_n = own + a2a + SERVICE_A2A_PATH_ROUTES;
    return all;
}

/* The paths at which errors are sent as JSON-RPC. */
static const struct str rpc_paths[] = { STR("/mcp"), STR("/sse"), STR(MCP_SSE_MESSAGES),
                                        STR("/a2a") };

enum { OPEN_PATHS = 5 };

/* The paths that need no API key: /health, and the cards of agents. */
static const struct str *open_paths(struct service *s)
{
    struct str *open = ARENA_ARRAY(&s->routes, struct str, OPEN_PATHS);
    struct str below = s->a2a_setup.listen_path;

    open[0] = STR("/health");
    open[1] = STR("/.well-known/agent-card.json");
    open[2] = STR("/.well-known/agent.json");
    open[3] = arena_printf(&s->routes, STR_FMT "/*/.well-known/agent-card.json", STR_ARG(below));
    open[4] = arena_printf(&s->routes, STR_FMT "/*/.well-known/agent.json", STR_ARG(below));
    return open;
}

/*
 * Check the rate limit of a client, which is identified by its key or else by its address. The port
 * is ignored, because it differs for each connection.
 */
static int64_t on_pace(void *ctx, const struct http_peer *peer, struct str key)
{
    struct service *s = ctx;
    struct principal by = principal_of_key(key);
    struct str address = peer->remote;

    while (address.n && address.p[address.n - 1] != ':')
        address.n--;
    return guard_pace(&s->guard, key.n ? str_of(by.name) : address, !peer->loopback, 1,
                      loop_now(s->loop));
}

/* ---- opening and closing ---------------------------------------------------------------- */

void service_add_http(struct service *s, const struct config *c)
{
    size_t n;
    const struct http_route *route;

    service_a2a_set_path(s, c);
    route = service_routes(s, &n);
    mcp_http_init(&s->mcp_http, &s->mcp, &s->sessions);
    s->web.http = http_server_new(&(struct http_server_opts){
        .loop = s->loop,
        .limits = s->limits,
        .route = route,
        .routes = n,
        .ctx = &s->web,
        .host = c->hosts.v,
        .hosts = c->hosts.n,
        .key = c->keys.v,
        .keys = c->keys.n,
        .open = open_paths(s),
        .opens = OPEN_PATHS,
        .pace = on_pace,
        .rpc = rpc_paths,
        .rpcs = ARRAY_LEN(rpc_paths),
    });
}

void service_end_mcp(struct service *s)
{
    a2a_server_drain(&s->a2a);
    mcp_server_end(&s->mcp);
    service_views_end(s);
    mcp_http_drain(&s->mcp_http);
    for (struct agent_scope *a = s->scopes; a; a = a->next) {
        mcp_server_end(&a->server);
        mcp_http_drain(&a->http);
    }
}

static void on_mcp_closed(void *ctx)
{
    struct service *s = ctx;

    if (!--s->closing)
        s->http_closed(s->http_closed_ctx);
}

static void on_http_closed(void *ctx)
{
    struct service *s = ctx;

    s->web.http = NULL;
    service_end_mcp(s);
    s->closing = 1;
    for (struct agent_scope *a = s->scopes; a; a = a->next)
        s->closing++;
    mcp_http_close(&s->mcp_http, on_mcp_closed, s);
    for (struct agent_scope *a = s->scopes; a; a = a->next)
        mcp_http_close(&a->http, on_mcp_closed, s);
}

void service_close_http(struct service *s, void (*done)(void *ctx), void *ctx)
{
    s->http_closed = done;
    s->http_closed_ctx = ctx;
    http_server_close(s->web.http, on_http_closed, s);
}
