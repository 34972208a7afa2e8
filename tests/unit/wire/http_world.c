#include "http_world.h"

#include "base/mem.h"

#include <assert.h>

static void on_gone(struct http_req *req)
{
    struct world *w = req->ctx;

    w->gone++;
    if (!w->end_on_gone)
        return;
    for (int i = 0; i < w->holding; i++)
        if (w->held[i] == req)
            w->held[i] = w->held[--w->holding];
    if (req->data) /* a stream was begun */
        http_stream_end(req);
    else
        http_reply(req, 500, NULL, NULL, 0, NULL, 0);
}

static void on_room(struct http_req *req)
{
    ((struct world *)req->ctx)->rooms++;
}

static void on_quiet(struct http_req *req)
{
    ((struct world *)req->ctx)->quiet++;
}

static struct world *enter(struct http_req *req)
{
    struct world *w = req->ctx;

    w->served++;
    req->on_gone = on_gone;
    req->on_room = on_room;
    return w;
}

static void hold(struct world *w, struct http_req *req)
{
    w->held[w->holding++] = req;
}

static void reply(struct http_req *req, struct str text)
{
    http_reply(req, 200, "text/plain", NULL, 0, &text, 1);
}

static void serve_hi(struct http_req *req)
{
    enter(req);
    reply(req, STR("hi"));
}

static void serve_echo(struct http_req *req)
{
    enter(req);
    reply(req, req->body);
}

static void serve_later(struct http_req *req)
{
    req->on_quiet = on_quiet;
    hold(enter(req), req);
}

static void serve_big(struct http_req *req)
{
    struct world *w = enter(req);
    char *bytes = arena_alloc(&req->mem, w->big);

    memset(bytes, 'b', w->big);
    reply(req, (struct str){ bytes, w->big });
}

static void serve_stream(struct http_req *req)
{
    hold(enter(req), req);
    req->data = req;
    http_sse_begin(req, NULL, 0);
}

static void serve_events(struct http_req *req)
{
    hold(enter(req), req);
    req->data = req;
    http_sse_begin(req, NULL, 0);
}

static void serve_under(struct http_req *req)
{
    enter(req);
    reply(req, req->rest);
}

static const struct http_route routes[] = {
    { "GET", "/hi", serve_hi },         { "POST", "/echo", serve_echo },
    { "POST", "/later", serve_later },  { "GET", "/later", serve_later },
    { "GET", "/big", serve_big },       { "GET", "/stream", serve_stream },
    { "GET", "/events", serve_events }, { "GET", "/under/*", serve_under },
};

struct world *world_new(void)
{
    static const struct str hosts[] = { STR("example.org") };
    struct world *w = MEM_NEW(struct world);
    struct http_server_opts opts = { .limits = &w->limits,
                                     .route = routes,
                                     .routes = ARRAY_LEN(routes),
                                     .ctx = w,
                                     .host = hosts,
                                     .hosts = ARRAY_LEN(hosts) };

    limits_preset(&w->limits);
    w->loop = opts.loop = loop_new(LOOP_FAKE_CLOCK);
    w->server = http_server_new(&opts);
    return w;
}

static void on_closed(void *ctx)
{
    ((struct world *)ctx)->closed++;
}

void world_free(struct world *w)
{
    w->end_on_gone = true;
    http_server_close(w->server, on_closed, w);
    fake_settle(w->loop);
    assert(w->closed == 1);
    while (w->holding) { /* gone before, and not yet finished */
        struct http_req *req = world_take(w);

        assert(!req->conn);
        if (req->data)
            http_stream_end(req);
        else
            http_reply(req, 500, NULL, NULL, 0, NULL, 0);
    }
    for (int i = 0; i < WORLD_CLIENTS; i++) {
        if (!w->open[i])
            continue;
        assert(w->client[i].closed);
        fake_stream_fini(&w->client[i]);
    }
    loop_free(w->loop);
    mem_free(w);
}

struct fake_stream *world_connect(struct world *w, int i)
{
    struct fake_stream *f = &w->client[i];
    char remote[] = "127.0.0.1:1000";
    struct http_peer peer = { .local = STR("192.0.2.7"), .loopback = true };

    remote[sizeof(remote) - 2] = (char)('0' + i);
    peer.remote = str_of(remote);
    if (w->open[i])
        fake_stream_fini(f);
    w->open[i] = true;
    fake_stream_open(f, w->loop, NULL, NULL, (size_t)w->limits.output_backlog_bytes);
    http_server_accept(w->server, &f->s, &peer, NULL);
    fake_settle(w->loop);
    return f;
}

void world_send(struct world *w, int i, const char *text)
{
    fake_stream_send(&w->client[i], str_of(text));
    fake_settle(w->loop);
}

const char *world_says(struct world *w, int i)
{
    struct str got = fake_stream_got(&w->client[i]);

    if (!str_to_c(got, w->seen, sizeof(w->seen)))
        assert(!"too many bytes, or a NUL among them");
    fake_stream_clear(&w->client[i]);
    return w->seen;
}

const char *world_ask(struct world *w, int i, const char *text)
{
    world_send(w, i, text);
    return world_says(w, i);
}

void world_wait(struct world *w, int64_t ms)
{
    loop_advance(w->loop, ms);
    fake_settle(w->loop);
}

struct http_req *world_take(struct world *w)
{
    struct http_req *req = w->held[0];

    assert(w->holding);
    memmove(w->held, w->held + 1, sizeof(w->held) - sizeof(w->held[0]));
    w->holding--;
    return req;
}

void world_answer(struct world *w, struct http_req *req, const char *text)
{
    reply(req, str_of(text));
    fake_settle(w->loop);
}
