/*
 * mcp_upstream.h - an upstream: a configured MCP server and its connections. An upstream connects,
 * reconnects, stops an idle server, and waits before it retries a failing one.
 * mcp_upstream_state.h has the states of an upstream.
 *
 * A connection is an mcp_client. The upstream keeps everything that outlives a connection: the last
 * known tools, the waiting calls, the last error, and when to retry.
 *
 *   back-off    limits.mcp_retry_min_ms, doubled with every failure up to mcp_retry_max_ms; the
 *               wait is a random time in the upper half, so that servers do not reconnect together
 *   circuit     after limits.mcp_failures failures in a row, or as many calls that timed out, all
 *               calls fail at once for at least limits.mcp_broken_ms
 *   calls       spec.concurrency calls run at the same time; at most limits.mcp_calls_waiting more
 *               wait in order
 *
 *   reader      calls of callers in read-only mode run in a second process of the server, which
 *               cannot write to the root folder (mcp_upstream_reader.h). The first such call starts
 *               it
 *
 * mcp_upstreams.h owns the upstreams.
 */
#ifndef PROTO_MCP_CLIENT_MCP_UPSTREAM_H
#define PROTO_MCP_CLIENT_MCP_UPSTREAM_H

#include "core/tool/tool.h"
#include "proto/mcp/client/mcp_client.h"
#include "proto/mcp/client/mcp_upstream_state.h"

struct upstream;
struct ticket;

/*
 * The interface (port) to the cache of tool definitions. With the cache, the tools of a server can
 * be listed before the server is connected. An entry belongs to one configuration of a server.
 */
struct upstream_cache {
    /* Load the cached data of this server into mem: server_name, tool and tools. False: nothing. */
    bool (*load)(struct upstream_cache *c, const struct server_spec *spec, struct arena *mem,
                 struct mcp_client_facts *out);
    void (*save)(struct upstream_cache *c, const struct server_spec *spec,
                 const struct mcp_client_facts *facts);
};

/*
 * The interface (port) to the approved definitions of tools. `check` is called whenever the
 * definitions of a server, or the approved definitions, have changed.
 */
struct upstream_pins {
    /* Set `changed` and tool.withheld of all tools of the upstream, and u->changed. */
    void (*check)(struct upstream_pins *p, struct upstream *u);
};

/* Called from the loop, or from inside upstream_close and upstream_take_kept. */
struct upstream_events {
    /* u->tool has changed. The previous tools are valid until this returns. */
    void (*on_tools)(struct upstream *u);
    /* The first attempt to connect has succeeded or failed. Called once. */
    void (*on_tried)(struct upstream *u);
    /* The upstream is closed and may be freed now. */
    void (*on_closed)(struct upstream *u);
};

/* A tool that may be published. The owner sets tool.name. */
struct upstream_tool {
    struct tool tool;
    struct upstream *up;
    struct str original; /* as the server spells it */
    struct str rename;   /* STR_NONE: none */
    /* The definition by the server (name, title, description, schemas, annotations) as canonical
     * JSON. STR_NONE: it is not compared with the approved one. */
    struct str definition;
    bool changed; /* the definition is not the approved one */
};

struct upstream {
    const struct mcp_client_world *world;
    const struct upstream_events *events;
    void *owner;
    struct upstream *next, *heir; /* used by the owner */
    struct upstream *reader;      /* the process for callers in read-only mode; NULL: none yet */
    struct upstream_cache *cache; /* NULL: no cache */
    bool kept;                    /* the cache has the current tools */
    struct upstream_pins *pins;   /* NULL: definitions are not compared */

    struct arena mem;
    struct server_spec spec; /* a copy, in mem */
    uint64_t serial;         /* unique and never reused; also tool->server */
    enum upstream_state state;
    struct mcp_client *client;
    struct timer timer; /* starts the next attempt, or stops an idle server */
    bool always;        /* sets tool.always of all its tools */

    struct arena tools_mem;
    struct upstream_tool *tool;
    size_t tools, changed; /* number of tools; number of those with changed definitions */

    struct ticket *first, **end; /* the calls that wait */
    size_t waiting, running, tickets;
    struct post pump;

    int64_t failures; /* failures in a row */
    int64_t silences; /* calls in a row that timed out */
    int64_t starts, ready_since;
    enum server_era era; /* the era that the last connection found */
    int64_t era_since;
    struct err last_error; /* ERR_NONE: none yet */
    struct arena tail_mem; /* the last lines of stderr of the last child */
    struct str *tail;
    size_t tails;
    bool tried, hung;
};

struct upstream *upstream_new(const struct mcp_client_world *world, const struct server_spec *spec,
                              const struct upstream_events *events, void *owner);

/*
 * Use the cached tools until the server is connected. If there are any, on_tools is called before
 * this function returns. Call it before upstream_start.
 */
void upstream_take_kept(struct upstream *u);

/* Begin to connect, unless the upstream is disabled or untrusted. A second call does nothing. */
void upstream_start(struct upstream *u);

/* Fail the waiting calls and close the client; on_closed follows, possibly before this returns. */
void upstream_close(struct upstream *u);

/* Free the upstream. Call it after on_closed. */
void upstream_free(struct upstream *u);

/* Drop the tools. If there were any, on_tools is called before this returns. */
void upstream_drop_tools(struct upstream *u);

/* The approved definitions have changed: compare again. If that changes a tool, on_tools is called
 * before this returns. */
void upstream_check_pins(struct upstream *u);

/* Milliseconds until the next attempt to connect; 0: none is scheduled. */
int64_t upstream_retry_ms(const struct upstream *u);

/* ---- internal functions -------------------------------------------------------------------- */

/* mcp_upstream_calls.c: run a call of this tool, now or when a connection and a slot are free. */
void upstream_call(struct upstream *u, struct call *call, const struct upstream_tool *tool);

/* Start the waiting calls that can run. */
void upstream_pump(struct post *post);

/* Fail all calls that wait. */
void upstream_fail_waiting(struct upstream *u, const struct err *e);

/* Explain why a call cannot run now: the state, the last error, and the next attempt. */
void upstream_explain(const struct upstream *u, struct err *e);

/* Start the idle timer if there are no calls; else stop it. */
void upstream_mind_idling(struct upstream *u);

/* A call has ended; in_time: it did not time out. */
void upstream_heard(struct upstream *u, bool in_time);

/* Close the client of a server that hangs. */
void upstream_end_hung(struct upstream *u);

/* mcp_upstream_tools.c: make u->tool from the tools that the client lists and the spec allows. */
void upstream_take_tools(struct upstream *u, const struct mcp_client_facts *facts);

#endif
