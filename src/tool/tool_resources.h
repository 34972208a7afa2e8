/*
 * tool_resources.h - the child processes and the HTTP client of the built-in tools.
 *
 * The struct lives as long as the program; host->world points to it. The program has only one list
 * of child processes (loop/proc.h), and the creator of the struct provides this list. The first
 * fetch creates the HTTP client.
 */
#ifndef TOOL_TOOL_RESOURCES_H
#define TOOL_TOOL_RESOURCES_H

#include "loop/proc.h"
#include "wire/http_client.h"

struct child;
struct host;

struct tool_resources {
    struct loop *loop;
    const struct limits *limits;
    struct procs *procs;
    /* environment of trefoil, of which child processes inherit a part */
    const char *const *environ;
    const char *user_agent;
    /* addresses that URLs from models and pages may reach; may change at any time */
    struct address_policy outside;

    struct http_client *http; /* NULL: nothing was fetched yet */
    struct child *children;   /* all child processes of tools, the newest first */
    struct timer late;
    struct post closed;
    bool closing, http_closing;
    void (*done)(void *ctx, bool in_time);
    void *done_ctx;
};

struct http_client *tool_resources_http(struct tool_resources *w);

/*
 * Kill all child processes and cancel all fetches. `done` is called from the loop when they have
 * ended, or after limits.shutdown_ms with in_time false. Then the caller should exit at once; the
 * keepers (sandbox/keep.h) kill the remaining processes.
 */
void tool_resources_close(struct tool_resources *w, void (*done)(void *ctx, bool in_time),
                          void *ctx);

/*
 * Kill all background processes that calls with this host have started. The function can be used as
 * host->on_closed.
 */
void tool_resources_end_host(const struct host *host);

/* For child.c: call this after a child was freed. */
void tool_resources_check(struct tool_resources *w);

#endif
