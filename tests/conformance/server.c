/*
 * server.c - the server that the official MCP conformance suite is pointed at.
 *
 * usage: conformance-server PORT        (0: the kernel chooses)
 *
 * The service of `trefoil serve`, with the suite's fixtures instead of the built-in tools. Its
 * first line on stdout is the URL; SIGTERM and SIGINT end it.
 */
#include "fixture.h"
#include "runtime/service.h"
#include "runtime/service_http.h"

#include <signal.h>
#include <stdio.h>

struct server {
    struct loop *loop;
    struct limits limits;
    struct service service;
    struct fixture_tasks tasks;
    bool stopping;
};

static void on_closed(void *ctx)
{
    loop_stop(((struct server *)ctx)->loop);
}

static void on_http_closed(void *ctx)
{
    struct server *s = ctx;

    fixture_tasks_close(&s->tasks, on_closed, s);
}

static void stop(struct server *s)
{
    if (s->stopping)
        return;
    s->stopping = true;
    service_close_http(&s->service, on_http_closed, s);
}

static void on_signal(int signum, void *ctx)
{
    (void)signum;
    stop(ctx);
}

static void offer_fixtures(struct service *s)
{
    offer_leave(&s->offer, &s->builtin);
    offer_leave(&s->offer, &s->servers.source);
    s->offer.parts = 1u << OFFER_TOOLS | 1u << OFFER_RESOURCES | 1u << OFFER_PROMPTS;
    fixture_tools_join(&s->offer);
    fixture_asks_join(&s->offer);
    fixture_resources_join(&s->offer);
    fixture_prompts_join(&s->offer);
}

static bool start(struct server *s, unsigned port, char bound[HTTP_ADDRESS], struct err *e)
{
    char address[HTTP_ADDRESS];

    snprintf(address, sizeof(address), "127.0.0.1:%u", port);
    service_add_http(&s->service, &(struct config){ 0 });
    return loop_on_signal(s->loop, SIGTERM, on_signal, s, e) &&
           loop_on_signal(s->loop, SIGINT, on_signal, s, e) &&
           http_server_listen(s->service.web.http, str_of(address), bound, e);
}

/* True once it has served until it was told to stop. */
static bool serve(struct server *s, unsigned port, struct err *e)
{
    char bound[HTTP_ADDRESS];
    bool started;

    if (!service_open(&s->service, s->loop, &s->limits, ".", e))
        return false;
    offer_fixtures(&s->service);
    if (!fixture_tasks_open(&s->tasks, &s->service.offer, &s->service.web.agents, e)) {
        service_close(&s->service);
        return false;
    }
    started = start(s, port, bound, e);
    if (started) {
        printf("http://%s/mcp\n", bound);
        fflush(stdout);
    } else {
        stop(s);
    }
    loop_run(s->loop);
    service_close(&s->service);
    return started;
}

int main(int argc, char **argv)
{
    struct server s = { 0 };
    uint64_t port;
    struct err e;
    bool ok;

    if (argc != 2 || !str_uint(str_of(argv[1]), 0, UINT16_MAX, &port)) {
        fprintf(stderr, "usage: conformance-server PORT        (0: any)\n");
        return 2;
    }
    s.loop = loop_new(LOOP_REAL_CLOCK);
    limits_preset(&s.limits);
    ok = serve(&s, (unsigned)port, &e);
    if (!ok)
        fprintf(stderr, "conformance-server: %s\n", e.text);
    loop_free(s.loop);
    return ok ? 0 : 1;
}
