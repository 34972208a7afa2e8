/*
 * short_service.h - a service (runtime/service.h) for verbs that use MCP servers for a short time.
 */
#ifndef APP_SHORT_SERVICE_H
#define APP_SHORT_SERVICE_H

#include "app/app.h"
#include "runtime/service.h"

struct once {
    struct app *app;
    struct loop *loop;
    struct service service;
    struct store *store; /* set by once_use_locks, if there is a database */
    struct lock_table *locks;
    struct timer deadline;
    bool tried; /* all servers have connected or failed */
    /* this process waits for the servers, or for the tool `wanted` */
    bool waiting;
    struct str wanted;                    /* name of a tool; STR_NONE: wait for all servers */
    bool closed;                          /* the servers are closed */
    bool interrupted;                     /* the user has pressed Ctrl-C */
    void (*on_interrupt)(struct once *o); /* called on Ctrl-C; NULL: Ctrl-C ends the waiting */
    void *ctx;
};

/* Open the service. On failure, prints the reason to stderr and returns false. */
bool once_open(struct once *o, struct app *app);

/*
 * Let calls that write files take turns with the calls of other processes that write the same files
 * (core/lock/lock.h). Does nothing if the root has no database. If the database cannot be opened,
 * prints the reason to stderr and returns false.
 */
bool once_use_locks(struct once *o);

/*
 * Connect all servers, and wait until each has connected or failed, but at most wait_ms. If a
 * server takes longer, its tools from the last run are used (runtime/tool_cache.h).
 */
void once_use(struct once *o, int64_t wait_ms);

/*
 * Connect all servers, or only the server `only` (if not NULL). Wait until each has connected or
 * failed, or until the tool `tool` (unless STR_NONE) is available, but at most
 * limits.mcp_connect_ms. Returns false if there is no server with the name `only`.
 */
bool once_connect(struct once *o, const char *only, struct str tool);

/* Run the loop until loop_stop. */
void once_run(struct once *o);

/* Print the servers whose tools have changed since the user approved them to stderr. */
void once_note_changes(const struct once *o);

/* Ask the servers to exit and wait for that. */
void once_close(struct once *o);

#endif
