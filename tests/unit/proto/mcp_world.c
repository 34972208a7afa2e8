#include "mcp_world.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>

/* ---- tools ------------------------------------------------------------------------------- */

static struct world *the_world; /* a tool's `who` is const data */

static void start_quick(struct call *call)
{
    call_text(call, STR("done"));
    call_done(call);
}

/* Nobody cancels a call but through its op: how the test hears of it. */
struct watcher {
    struct op op;
    struct call *call;
};

static void on_watcher_done(struct op *op, const struct err *e, void *ctx)
{
    struct watcher *watcher = (struct watcher *)op;
    struct world *w = ctx;

    if (!e)
        return;
    w->cancelled++;
    for (int i = 0; i < w->holding; i++)
        if (w->held[i] == watcher->call)
            w->held[i] = w->held[--w->holding];
    if (!watcher->call->op.settled)
        call_broke(watcher->call, e);
}

static const struct op_kind watcher_kind = { .name = "watcher" };

static void start_hold(struct call *call)
{
    struct watcher *watcher = ARENA_NEW(call->mem, struct watcher);

    if (the_world->holding == WORLD_HELD) {
        call_done(call);
        return;
    }
    watcher->call = call;
    call->data = watcher;
    the_world->held[the_world->holding++] = call;
    op_begin(&watcher->op, &watcher_kind, the_world->loop, &call->op, on_watcher_done, the_world);
}

static const struct tool quick = { .name = "quick",
                                   .description = "quick",
                                   .input_schema = "{\"type\":\"object\"}",
                                   .start = start_quick };
static const struct tool holding = { .name = "hold",
                                     .description = "hold",
                                     .input_schema = "{\"type\":\"object\"}",
                                     .timeout_ms = CALL_NO_DEADLINE,
                                     .start = start_hold };
static const struct tool where = {
    .name = "where",
    .description = "where",
    .input_schema = "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\","
                    "\"x-mcp-header\":\"Region\"}}}",
    .start = start_quick
};
static const struct tool *const tools[] = { &quick, &holding, &where };

struct call *world_take(struct world *w)
{
    struct call *call = w->held[0];

    assert(w->holding);
    memmove(w->held, w->held + 1, sizeof(w->held) - sizeof(w->held[0]));
    w->holding--;
    return call;
}

void world_progress(struct world *w, struct call *call, const char *done)
{
    call_progress(call, &(struct progress){ .done = str_of(done) });
    fake_settle(w->loop);
}

void world_finish(struct world *w, struct call *call, const char *text)
{
    op_ok(&((struct watcher *)call->data)->op);
    call_text(call, str_of(text));
    call_done(call);
    fake_settle(w->loop);
}

/* ---- routes ------------------------------------------------------------------------------ */

static void on_post(struct http_req *req)
{
    mcp_http_post(&((struct world *)req->ctx)->mcp, req);
}

static void on_get(struct http_req *req)
{
    mcp_http_get(&((struct world *)req->ctx)->mcp, req);
}

static void on_delete(struct http_req *req)
{
    mcp_http_delete(&((struct world *)req->ctx)->mcp, req);
}

static void on_sse(struct http_req *req)
{
    mcp_sse_get(&((struct world *)req->ctx)->mcp, req);
}

static void on_messages(struct http_req *req)
{
    mcp_sse_post(&((struct world *)req->ctx)->mcp, req);
}

static const struct http_route routes[] = {
    { "POST", "/mcp", on_post },          { "GET", "/mcp", on_get },
    { "DELETE", "/mcp", on_delete },      { "GET", "/sse", on_sse },
    { "POST", "/messages", on_messages },
};

/* ---- life -------------------------------------------------------------------------------- */

struct world *world_new(void)
{
    struct world *w = MEM_NEW(struct world);
    struct host host = { .limits = &w->limits, .root_fd = -1, .root = "/" };

    the_world = w;
    limits_preset(&w->limits);
    w->loop = host.loop = loop_new(LOOP_FAKE_CLOCK);
    offer_init(&w->offer, &host, 1u << OFFER_TOOLS);
    w->source = (struct offer_source){ .tool = tools, .tools = ARRAY_LEN(tools) };
    offer_join(&w->offer, &w->source);
    rpc_init(&w->rpc, w->loop, &w->limits);
    w->server =
        (struct mcp_server){ .rpc = &w->rpc, .offer = &w->offer, .name = "test", .version = "1" };
    mcp_sessions_init(&w->sessions, w->loop, &w->limits);
    mcp_http_init(&w->mcp, &w->server, &w->sessions);
    w->http = http_server_new(&(struct http_server_opts){ .loop = w->loop,
                                                          .limits = &w->limits,
                                                          .route = routes,
                                                          .routes = ARRAY_LEN(routes),
                                                          .ctx = w });
    fake_settle(w->loop);
    return w;
}

static void on_mcp_closed(void *ctx)
{
    ((struct world *)ctx)->closed = true;
}

static void on_http_closed(void *ctx)
{
    struct world *w = ctx;

    mcp_http_close(&w->mcp, on_mcp_closed, w);
}

void world_free(struct world *w)
{
    http_server_close(w->http, on_http_closed, w);
    fake_settle(w->loop);
    assert(w->closed && !w->mcp.living && !w->sessions.count);
    mcp_server_end(&w->server);
    fake_settle(w->loop);
    for (int i = 0; i < WORLD_CLIENTS; i++)
        if (w->open[i])
            fake_stream_fini(&w->client[i]);
    offer_fini(&w->offer);
    rpc_fini(&w->rpc);
    loop_free(w->loop);
    mem_free(w);
}

/* ---- clients ----------------------------------------------------------------------------- */

static void connect_if_needed(struct world *w, int i)
{
    static const struct http_peer here = { .remote = STR("127.0.0.1:1"), .loopback = true };
    struct fake_stream *f = &w->client[i];

    if (w->open[i] && !f->closed && !f->shut && !f->gone)
        return;
    if (w->open[i])
        fake_stream_fini(f);
    w->open[i] = true;
    fake_stream_open(f, w->loop, NULL, NULL, (size_t)w->limits.output_backlog_bytes);
    http_server_accept(w->http, &f->s, &here, NULL);
    fake_settle(w->loop);
}

const char *world_says(struct world *w, int i)
{
    if (!str_to_c(fake_stream_got(&w->client[i]), w->seen, sizeof(w->seen)))
        assert(!"too many bytes");
    fake_stream_clear(&w->client[i]);
    return w->seen;
}

static struct str with_session(struct world *w, struct arena *mem, const char *more)
{
    const char *at = strstr(more, "$S");

    if (!at)
        return str_of(more);
    return arena_printf(mem, "%.*s%s%s", (int)(at - more), more, w->session, at + 2);
}

void world_send(struct world *w, int i, const char *method, const char *target, const char *more,
                const char *body)
{
    struct arena mem = { 0 };
    struct str lines = with_session(w, &mem, more), where_to = with_session(w, &mem, target);
    struct str text;

    connect_if_needed(w, i);
    text = arena_printf(&mem,
                        "%s " STR_FMT " HTTP/1.1\r\nHost: localhost\r\n" STR_FMT
                        "%sContent-Length: %zu\r\n\r\n%s",
                        method, STR_ARG(where_to), STR_ARG(lines),
                        *body ? "Content-Type: application/json\r\n" : "", strlen(body), body);
    fake_stream_send(&w->client[i], text);
    arena_fini(&mem);
}

const char *world_ask(struct world *w, int i, const char *method, const char *target,
                      const char *more, const char *body)
{
    world_send(w, i, method, target, more, body);
    fake_settle(w->loop);
    return world_says(w, i);
}

void world_hang_up(struct world *w, int i)
{
    fake_stream_hang_up(&w->client[i]);
    fake_settle(w->loop);
}

void world_hang_up_if(struct world *w, int i)
{
    if (w->open[i] && !w->client[i].closed)
        world_hang_up(w, i);
}

void world_wait(struct world *w, int64_t ms)
{
    loop_advance(w->loop, ms);
    fake_settle(w->loop);
}

void world_greet(struct world *w, int i, const char *version)
{
    static const char name[] = "Mcp-Session-Id: ";
    char body[400];
    const char *says, *at;

    snprintf(body, sizeof(body),
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"%s\",\"capabilities\":{\"elicitation\":{}},"
             "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
             version);
    says = world_ask(w, i, "POST", "/mcp", BOTH, body);
    at = strstr(says, name);
    assert(at);
    memcpy(w->session, at + sizeof(name) - 1, MCP_SESSION_ID - 1);
    says = world_ask(w, i, "POST", "/mcp", SESSION BOTH,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    assert(strstr(says, "202 Accepted"));
}

const char *world_last_id(const char *says)
{
    static char id[64];
    const char *at = NULL;

    for (const char *next = says; (next = strstr(next, "\nid: ")); next++)
        at = next;
    if (!at)
        for (const char *next = says; (next = strstr(next, "id: ")); next++)
            at = next - 1;
    assert(at);
    snprintf(id, sizeof(id), "%.*s", (int)strcspn(at + 5, "\r\n"), at + 5);
    return id;
}

bool world_found(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}
