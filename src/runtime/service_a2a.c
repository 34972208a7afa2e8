#include "runtime/service_a2a.h"

#include "base/version.h"
#include "runtime/service.h"

static void on_a2a(struct http_req *req)
{
    struct service *s = req->ctx; /* web is its first member */

    a2a_http_serve(&s->a2a, req);
}

const struct http_route service_a2a_routes[] = {
    { "GET", "/.well-known/agent-card.json", on_a2a },
    { "GET", "/.well-known/agent.json", on_a2a },
    { "POST", "/", on_a2a },
    { "POST", "/message:send", on_a2a },
    { "POST", "/message:stream", on_a2a },
    { "GET", "/extendedAgentCard", on_a2a },
    { "GET", "/tasks", on_a2a },
    { "GET", "/tasks/*", on_a2a },
    { "POST", "/tasks/*", on_a2a },
    { "DELETE", "/tasks/*", on_a2a },
    { "GET", "/v1/*", on_a2a },
    { "POST", "/v1/*", on_a2a },
    { "DELETE", "/v1/*", on_a2a },
};

const size_t service_a2a_route_count = ARRAY_LEN(service_a2a_routes);

void service_a2a_path_routes(struct arena *mem, struct str path,
                             struct http_route out[SERVICE_A2A_PATH_ROUTES])
{
    const char *exact = arena_cstr(mem, path),
               *below = arena_printf(mem, STR_FMT "/*", STR_ARG(path)).p,
               *slash = arena_printf(mem, STR_FMT "/", STR_ARG(path)).p;

    out[0] = (struct http_route){ "POST", exact, on_a2a };
    out[1] = (struct http_route){ "POST", slash, on_a2a };
    out[2] = (struct http_route){ "GET", below, on_a2a };
    out[3] = (struct http_route){ "POST", below, on_a2a };
    out[4] = (struct http_route){ "DELETE", below, on_a2a };
}

static enum a2a_card_shape shape_of(enum a2a_card_word word)
{
    switch (word) {
    case A2A_WORD_HYBRID: return A2A_CARD_HYBRID;
    case A2A_WORD_V1: return A2A_CARD_1_0;
    case A2A_WORD_V03: return A2A_CARD_0_3;
    }
    return A2A_CARD_HYBRID;
}

void service_a2a_set_path(struct service *s, const struct config *c)
{
    struct str path = c->a2a.listen_path;

    s->a2a_setup.listen_path = path.n ? arena_str(&s->routes, path) : STR("/a2a");
}

void service_a2a_use(struct service *s, const struct config *c)
{
    const struct a2a_config *a = &c->a2a;

    s->a2a_setup = (struct a2a_setup){
        .enabled = a->on,
        .why = a->why ? a->why : "no configuration was read",
        .listen_path = s->a2a_setup.listen_path,
        .public_url = a->public_url,
        .agent = a->agent,
        .proxies = a->proxies,
        .input_modes = a->input_modes,
        .card = shape_of(a->card),
        .push = !a->no_push,
        .read_write = a->read_write,
    };
    s->a2a.keyed = c->keys.n > 0;
}

static struct http_client *service_http_client(void *ctx)
{
    struct service *s = ctx;

    return tool_resources_http(&s->world);
}

void service_a2a_init(struct service *s)
{
    s->a2a_setup.listen_path = STR("/a2a");
    s->a2a = (struct a2a_server){
        .loop = s->loop,
        .limits = s->limits,
        .guard = &s->guard,
        .agents = &s->web.agents,
        .opening = &s->web.opening,
        .traces = &s->traces,
        .setup = &s->a2a_setup,
        .version = trefoil_version,
        .changed = loop_wall(s->loop),
        .http = service_http_client,
        .http_ctx = s,
        .outside = &s->world.outside,
    };
}
