#include "tool/tool_resources.h"

#include "base/container.h"
#include "tool/child.h"

struct http_client *tool_resources_http(struct tool_resources *w)
{
    if (!w->http)
        w->http = http_client_new(&(struct http_client_opts){
            .loop = w->loop,
            .limits = w->limits,
            .user_agent = w->user_agent,
        });
    return w->http;
}

static void finish(struct tool_resources *w, bool in_time)
{
    void (*done)(void *ctx, bool in_time) = w->done;

    timer_clear(w->loop, &w->late);
    w->done = NULL;
    if (done)
        done(w->done_ctx, in_time);
}

static void on_http_closed(void *ctx)
{
    struct tool_resources *w = ctx;

    w->http = NULL;
    w->http_closing = false;
    tool_resources_check(w);
}

static void on_checked(struct post *post)
{
    struct tool_resources *w = CONTAINER_OF(post, struct tool_resources, closed);

    if (!w->children && !w->http)
        finish(w, true);
}

void tool_resources_check(struct tool_resources *w)
{
    if (w->closing)
        loop_post(w->loop, &w->closed);
}

void tool_resources_end_host(const struct host *host)
{
    struct tool_resources *w = host->world;

    for (struct child *k = w ? w->children : NULL, *next; k; k = next) {
        next = k->next;
        if (k->host == host)
            child_drop(k);
    }
}

static void on_late(struct timer *t)
{
    finish(CONTAINER_OF(t, struct tool_resources, late), false);
}

void tool_resources_close(struct tool_resources *w, void (*done)(void *ctx, bool in_time),
                          void *ctx)
{
    w->closing = true;
    w->done = done;
    w->done_ctx = ctx;
    w->closed.fn = on_checked;
    timer_set(w->loop, &w->late, w->limits->shutdown_ms, on_late);
    for (struct child *k = w->children, *next; k; k = next) {
        next = k->next;
        child_drop(k);
    }
    if (w->http && !w->http_closing) {
        w->http_closing = true;
        http_client_close(w->http, on_http_closed, w);
    }
    tool_resources_check(w);
}
