#include "world.h"

#include "runtime/service.h"
#include "runtime/service_http.h"

#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void world_init(struct world *w, enum fault fault)
{
    memset(w, 0, sizeof(*w));
    w->fault = fault;
    limits_preset(&w->limits);
    snprintf(w->root, sizeof(w->root), "/tmp/trefoil-talk-XXXXXX");
    if (!mkdtemp(w->root))
        abort();
    w->loop = loop_new(LOOP_FAKE_CLOCK);
}

static void open_service(struct world *w)
{
    struct err e;

    /* Clients of talks look; what they may change is shown by the tests of the binary. */
    static const struct config only_looks = { .mode = ENDPOINT_READ_ONLY };

    if (w->open)
        return;
    w->open = true;
    if (!service_open(&w->service, w->loop, &w->limits, w->root, &e))
        abort();
    w->service.scope = SCOPE_TOOLS;
    service_expose(&w->service, &only_looks);
    offer_leave(&w->service.offer, &w->service.servers.source); /* talks have no servers */
    w->service.offer.parts = 1u << OFFER_TOOLS;
    if (w->with_fixtures) {
        fixtures_fill(&w->fixtures);
        offer_join(&w->service.offer, &w->fixtures);
        w->service.offer.parts = (1u << OFFER_PARTS) - 1;
    }
    w->api_key = (struct http_key){ STR("default"), str_of(w->key) };
    w->config = (struct config){ .keys = { .v = &w->api_key, .n = w->key[0] != '\0' } };
    service_add_http(&w->service, &w->config);
}

static void misbehave(struct fake_stream *f, enum fault fault)
{
    switch (fault) {
    case FAULT_ONE_BYTE_READS: f->read_most = 1; break;
    case FAULT_SHORT_WRITES: f->write_most = 1; break;
    case FAULT_EAGAIN: f->hiccup = 2; break;
    case FAULT_NONE:
    case FAULT_COUNT: break;
    }
}

static void on_stdio_done(struct mcp_stdio *s, const struct err *e)
{
    (void)e;
    ((struct wire *)s->ctx)->stdio_done = true;
}

struct wire *world_add_wire(struct world *w, struct str name, bool http, enum framing framing)
{
    static const struct http_peer here = { .remote = STR("127.0.0.1:1"), .loopback = true };
    struct wire *wire = &w->wire[w->wires];

    if (w->wires == WIRES || !str_to_c(name, wire->name, sizeof(wire->name)))
        return NULL;
    open_service(w);
    w->wires++;
    wire->http = http;
    fake_stream_open(&wire->fake, w->loop, &stream_link_events, &wire->stdio.io.link,
                     (size_t)w->limits.output_backlog_bytes);
    misbehave(&wire->fake, w->fault);
    if (http)
        http_server_accept(w->service.web.http, &wire->fake.s, &here, NULL);
    else
        mcp_stdio_start(&wire->stdio, &w->service.mcp, &wire->fake.s, framing, on_stdio_done, wire);
    return wire;
}

struct wire *world_find_wire(struct world *w, struct str name)
{
    for (size_t i = 0; i < w->wires; i++)
        if (str_eq(name, str_of(w->wire[i].name)))
            return &w->wire[i];
    return NULL;
}

struct str wire_unseen(const struct wire *wire)
{
    struct str got = fake_stream_got(&wire->fake);

    return got.p ? str_skip(got, wire->seen) : STR("");
}

void world_settle(struct world *w)
{
    fake_settle(w->loop);
}

bool world_wait(struct world *w, bool (*done)(void *ctx), void *ctx)
{
    for (int i = 0; i < 20000; i++) {
        world_settle(w);
        if (done(ctx))
            return true;
        poll(NULL, 0, i < 100 ? 0 : 1); /* a pool thread works in real time */
    }
    return false;
}

/* ---- the end ----------------------------------------------------------------------------- */

static bool all_closed(void *ctx)
{
    struct world *w = ctx;

    for (size_t i = 0; i < w->wires; i++)
        if (!w->wire[i].fake.closed || (!w->wire[i].http && !w->wire[i].stdio_done))
            return false;
    return true;
}

static void on_http_closed(void *ctx)
{
    ((struct world *)ctx)->http_closed = true;
}

static bool http_closed(void *ctx)
{
    return ((struct world *)ctx)->http_closed;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static bool close_service(struct world *w, char *why, size_t size)
{
    bool ok = true;

    for (size_t i = 0; i < w->wires; i++)
        if (!w->wire[i].fake.closed)
            fake_stream_hang_up(&w->wire[i].fake);
    world_settle(w);
    loop_advance(w->loop, 24 * 3600 * 1000);
    if (!world_wait(w, all_closed, w)) {
        snprintf(why, size, "a wire is still open after its client left and a day has passed");
        ok = false;
    }
    if (ok && http_server_connections(w->service.web.http)) {
        snprintf(why, size, "%zu connections are left",
                 http_server_connections(w->service.web.http));
        ok = false;
    }
    service_close_http(&w->service, on_http_closed, w);
    if (!world_wait(w, http_closed, w))
        abort();
    service_close(&w->service);
    return ok;
}

bool world_fini(struct world *w, char *why, size_t size)
{
    bool ok = !w->open || close_service(w, why, size);

    for (size_t i = 0; i < w->wires; i++)
        fake_stream_fini(&w->wire[i].fake);
    loop_free(w->loop);
    nftw(w->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return ok;
}
