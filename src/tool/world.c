#include "tool/world.h"

#include "base/container.h"
#include "tool/child.h"

struct http_client *tool_world_http(struct tool_world *w)
{
    if (!w->http)
        w->http = http_client_new(&(struct http_client_opts){
            .loop = w->loop,
            .limits = w->limits,
            .user_agent = w->user_agent,
            .allowed = w->allowed,
        });
    return w->http;
}

static void finish(struct tool_world *w, bool in_time)
{
    void (*done)(void *ctx, bool in_time) = w->done;

    timer_clear(w->loop, &w->late);
    w->done = NULL;
    if (done)
        done(w->done_ctx, in_time);
}

static void on_http_closed(void *ctx)
{
    struct tool_world *w = ctx;

    w->http = NULL;
    w->http_closing = false;
    tool_world_check(w);
}

static void on_checked(struct post *post)
{
    struct tool_world *w = CONTAINER_OF(post, struct tool_world, closed);

    if (!w->children && !w->http)
        finish(w, true);
}

void tool_world_check(struct tool_world *w)
{
    if (w->closing)
        loop_post(w->loop, &w->closed);
}

static void on_late(struct timer *t)
{
    finish(CONTAINER_OF(t, struct tool_world, late), false);
}

void tool_world_close(struct tool_world *w, void (*done)(void *ctx, bool in_time), void *ctx)
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
    tool_world_check(w);
}
