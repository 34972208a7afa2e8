/*
 * world.h - the child processes and the HTTP client of the built-in tools.
 *
 * Program lifetime; struct host points to it. A program has one list of child processes
 * (loop/proc.h), so the owner passes it in. The first fetch creates the HTTP client.
 */
#ifndef TOOL_WORLD_H
#define TOOL_WORLD_H

#include "loop/proc.h"
#include "wire/http_client.h"

struct child;

struct tool_world {
    struct loop *loop;
    const struct limits *limits;
    struct procs *procs;
    const char *const *environ; /* child processes inherit a part of it */
    const char *user_agent;
    http_address_fn *allowed; /* as in struct http_client_opts */

    struct http_client *http; /* NULL: nothing was fetched yet */
    struct child *children;   /* the newest first */
    struct timer late;
    struct post closed;
    bool closing, http_closing;
    void (*done)(void *ctx, bool in_time);
    void *done_ctx;
};

struct http_client *tool_world_http(struct tool_world *w);

/*
 * Kill all child processes and cancel all fetches. The loop calls done when they have ended, or
 * after limits.shutdown_ms with in_time false: exit then, and the keepers kill what is left.
 */
void tool_world_close(struct tool_world *w, void (*done)(void *ctx, bool in_time), void *ctx);

/* For child.c: a child was freed. */
void tool_world_check(struct tool_world *w);

#endif
