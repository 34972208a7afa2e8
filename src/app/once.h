/*
 * once.h - for verbs that use MCP servers for a short time: a separate service.
 */
#ifndef APP_ONCE_H
#define APP_ONCE_H

#include "app/app.h"
#include "runtime/service.h"

struct once {
    struct app *app;
    struct loop *loop;
    struct service service;
    struct store *store; /* with once_use_locks, if there is a database */
    struct lock_table *locks;
    struct timer deadline;
    bool tried;                           /* all servers were connected, or failed */
    bool waiting;                         /* for that */
    struct str wanted;                    /* or for this tool; STR_NONE: none */
    bool closed;                          /* they are closed */
    bool interrupted;                     /* by Ctrl-C */
    void (*on_interrupt)(struct once *o); /* NULL: stop waiting */
    void *ctx;
};

/* False, with the reason on stderr, when that does not work. */
bool once_open(struct once *o, struct app *app);

/*
 * Let calls that write take turns with those of other processes (lock.h). Creates nothing: without
 * a database there are no locks. False, with the reason on stderr, when it cannot be opened.
 */
bool once_use_locks(struct once *o);

/*
 * Connect all servers and wait until each has been tried, but no longer than that. A server that
 * takes longer has the tools known from the last run.
 */
void once_use(struct once *o, int64_t wait_ms);

/*
 * Connect all servers, or with `only` that one, and wait until each has been tried, but not longer
 * than limits.mcp_connect_ms, and with `tool` only until that tool is available. False when there
 * is no server of that name.
 */
bool once_connect(struct once *o, const char *only, struct str tool);

/* Run the loop until loop_stop. */
void once_run(struct once *o);

/* Ask the servers to exit and wait for that. */
void once_close(struct once *o);

#endif
