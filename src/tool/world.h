/*
 * world.h - what the built-in tools run on besides files: children and an HTTP client.
 *
 * Program lifetime; struct host points to it. The list of children of a program must be one
 * (loop/proc.h), so it is lent. The HTTP client is made by the first fetch.
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
    const char *const *environ; /* of which children get a part */
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
 * Kill all children and end all fetches; done is called from the loop: when they are gone, or
 * after limits.shutdown_ms, when the best is to exit at once (the keepers see to the rest).
 */
void tool_world_close(struct tool_world *w, void (*done)(void *ctx, bool in_time), void *ctx);

/* For kid.c: one has gone. */
void tool_world_check(struct tool_world *w);

#endif
