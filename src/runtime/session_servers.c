#include "runtime/session_servers.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/server_read.h"
#include "runtime/service.h"
#include "wire/http_client.h"

#include <stdio.h>

enum { SERVERS_MOST = 100 }; /* the maximum number of MCP servers that one session can have */

struct session_servers {
    struct acp_servers port; /* first */
    struct runtime *runtime;
    struct arena mem;
    const char *cwd;
    void (*report)(void *ctx, struct str sentence);
    void *ctx;
    struct offer offer;
    struct http_client *http;             /* NULL: the session has had no server yet */
    struct mcp_upstreams *upstreams;      /* the same */
    struct mcp_upstreams_view view;       /* the tools of the session's servers */
    struct mcp_upstreams_view configured; /* the tools of configured servers of other names */
    bool has_configured;                  /* `configured` is open */
    uint64_t reported; /* serial of the newest server whose failure was reported */
    struct post post;  /* completes a close */
    void (*done)(void *ctx);
    void *done_ctx;
};

static struct session_servers *servers_of(struct acp_servers *s)
{
    return CONTAINER_OF(s, struct session_servers, port);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void report(struct session_servers *s, const char *server, const char *what)
{
    char text[640];

    LOG(LOG_WARN, "acp", what, LOG_Z("server", server));
    snprintf(text, sizeof(text), "MCP server %.80s: %s", server, what);
    s->report(s->ctx, str_of(text));
}

/* Every server that is not connected after its first attempt; once per server. */
static void report_failures(struct session_servers *s)
{
    const struct upstream *u = NULL;
    uint64_t newest = s->reported;
    char text[512];

    while ((u = mcp_upstreams_next(s->upstreams, u))) {
        if (u->serial <= s->reported || u->state == UP_READY)
            continue;
        snprintf(text, sizeof(text), "could not be connected, so its tools are not available: %s",
                 u->last_error.code ? u->last_error.text : upstream_state_name(u->state));
        report(s, u->spec.name, text);
        newest = u->serial > newest ? u->serial : newest;
    }
    s->reported = newest;
}

static void on_tried(struct mcp_upstreams *f, void *ctx)
{
    struct session_servers *s = ctx;

    (void)f;
    report_failures(s);
    readiness_end(&s->port.readiness);
}

/* ---- opening --------------------------------------------------------------------------------- */

static const char *unless_shadowed(void *ctx, const struct upstream_tool *t)
{
    const struct session_servers *s = ctx;

    return mcp_upstreams_find(s->upstreams, str_of(t->up->spec.name)) ? NULL : t->tool.name;
}

static struct mcp_upstreams *configured_of(const struct session_servers *s)
{
    return s->runtime->service->upstreams.upstreams;
}

static void warn_if_shadows(struct session_servers *s, const char *name)
{
    struct mcp_upstreams *configured = configured_of(s);

    if (configured && mcp_upstreams_find(configured, str_of(name)))
        report(s, name, "the server of this session replaces the configured server of this name");
}

static void open_upstreams(struct session_servers *s)
{
    struct upstreams *up = &s->runtime->service->upstreams;
    struct mcp_client_world world;
    AUTO_ARENA mem = { 0 };
    size_t n;
    const struct str *reserved = upstreams_reserved(&mem, &n);

    s->http = upstreams_http(up);
    world = upstreams_world(up, s->http);
    s->upstreams = mcp_upstreams_new(&(struct mcp_upstreams_opts){ .world = &world,
                                                                   .reserved = reserved,
                                                                   .reserveds = n,
                                                                   .always = true,
                                                                   .on_tried = on_tried,
                                                                   .ctx = s });
    mcp_upstreams_view_open(&s->view, s->upstreams, NULL, NULL);
}

static void open_offer(struct session_servers *s)
{
    struct runtime *w = s->runtime;

    offer_init(&s->offer, &w->offer.host, 1u << OFFER_TOOLS);
    s->offer.readiness = w->offer.readiness;
    offer_join(&s->offer, &w->builtin);
    if (w->viewing)
        offer_join(&s->offer, &w->view.source);
}

/*
 * With the first server, the session gets its own view of the configured servers. The servers of
 * the session come first, because the first source that has a name wins.
 */
static void show_servers(struct session_servers *s)
{
    struct runtime *w = s->runtime;

    offer_leave(&s->offer, &w->builtin);
    if (w->viewing)
        offer_leave(&s->offer, &w->view.source);
    offer_join(&s->offer, &s->view.source);
    offer_join(&s->offer, &w->builtin);
    if (!configured_of(s))
        return;
    mcp_upstreams_view_open(&s->configured, configured_of(s), unless_shadowed, s);
    offer_join(&s->offer, &s->configured.source);
    s->has_configured = true;
}

/* A server that a client names runs in the folder of the session. */
static void start_server(struct session_servers *s, struct server_spec *spec)
{
    if (!s->upstreams) {
        open_upstreams(s);
        show_servers(s);
    }
    if (!spec->cwd)
        spec->cwd = s->cwd;
    warn_if_shadows(s, spec->name);
    s->port.readiness.open = true;
    mcp_upstreams_add(s->upstreams, spec);
    if (s->has_configured)
        mcp_upstreams_view_refresh(&s->configured);
}

static bool check_count(size_t n, struct err *e)
{
    return n <= SERVERS_MOST ||
           fail(e, ERR_LIMIT, "a session has at most %d MCP servers", SERVERS_MOST);
}

static size_t count_servers(const struct session_servers *s)
{
    const struct upstream *u = NULL;
    size_t n = 0;

    while (s->upstreams && (u = mcp_upstreams_next(s->upstreams, u)))
        n++;
    return n;
}

static bool read_servers(const struct session_servers *s, struct arena *mem, struct json array,
                         struct server_list *out, struct err *e)
{
    const struct service *service = s->runtime->service;

    if (!json_here(array) || json_type(array) == JSON_NULL)
        return true;
    return server_specs_from_acp(mem, array, service->offer.host.root, service->limits, NULL, out,
                                 e);
}

struct acp_servers *session_servers_open(struct runtime *runtime,
                                         const struct acp_servers_opts *opts, struct err *e)
{
    struct session_servers *s = MEM_NEW(struct session_servers);
    struct server_list list = { 0 };
    AUTO_ARENA mem = { 0 };

    s->runtime = runtime;
    s->report = opts->report;
    s->ctx = opts->ctx;
    s->cwd = arena_cstr(&s->mem, str_of(opts->cwd));
    if (!read_servers(s, &mem, opts->array, &list, e) || !check_count(list.n, e)) {
        arena_fini(&s->mem);
        mem_free(s);
        return NULL;
    }
    open_offer(s);
    for (size_t i = 0; i < list.n; i++)
        start_server(s, &list.v[i]);
    s->port.offer = &s->offer;
    return &s->port;
}

/* ---- changes --------------------------------------------------------------------------------- */

bool session_servers_add(struct acp_servers *port, struct json entry, struct err *e)
{
    struct session_servers *s = servers_of(port);
    const struct service *service = s->runtime->service;
    AUTO_ARENA mem = { 0 };
    const struct server_reader r = {
        &mem, service->offer.host.root, service->limits, NULL, SHAPE_ACP, false
    };
    struct server_spec spec;

    if (!server_read(&r, entry, (struct json){ 0 }, &spec, e) ||
        !check_count(count_servers(s) + 1, e))
        return false;
    start_server(s, &spec);
    return true;
}

bool session_servers_remove(struct acp_servers *port, struct str name, struct err *e)
{
    struct session_servers *s = servers_of(port);

    if (!s->upstreams || !mcp_upstreams_remove(s->upstreams, name))
        return fail(e, ERR_NOT_FOUND, "this session has no MCP server \"" STR_FMT "\"",
                    STR_ARG(str_head(name, 80)));
    if (s->has_configured) /* the configured server of this name is offered again */
        mcp_upstreams_view_refresh(&s->configured);
    return true;
}

/* ---- closing --------------------------------------------------------------------------------- */

static void free_servers(struct session_servers *s)
{
    void (*done)(void *ctx) = s->done;
    void *done_ctx = s->done_ctx;

    arena_fini(&s->mem);
    mem_free(s);
    done(done_ctx);
}

static void on_http_closed(void *ctx)
{
    free_servers(ctx);
}

static void on_nothing_left(struct post *post)
{
    free_servers(CONTAINER_OF(post, struct session_servers, post));
}

static void on_upstreams_closed(void *ctx)
{
    struct session_servers *s = ctx;

    http_client_close(s->http, on_http_closed, s);
}

void session_servers_close(struct acp_servers *port, void (*done)(void *ctx), void *ctx)
{
    struct session_servers *s = servers_of(port);

    s->done = done;
    s->done_ctx = ctx;
    readiness_end(&s->port.readiness);
    offer_fini(&s->offer);
    if (!s->upstreams) {
        s->post.fn = on_nothing_left;
        loop_post(s->runtime->service->loop, &s->post);
        return;
    }
    mcp_upstreams_view_close(&s->view);
    if (s->has_configured)
        mcp_upstreams_view_close(&s->configured);
    mcp_upstreams_close(s->upstreams, on_upstreams_closed, s);
}
