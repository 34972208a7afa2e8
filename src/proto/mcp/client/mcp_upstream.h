/*
 * mcp_upstream.h - one configured server and its connections: an upstream connects, reconnects,
 * stops an idle server and pauses a broken one. mcp_upstream_state.h has its states.
 *
 * A connection is an mcp_client. The upstream keeps everything that outlives a connection: the last
 * known tools, the waiting calls, the last error, and when to retry.
 *
 *   back-off    limits.mcp_retry_min_ms, doubled with every failure up to mcp_retry_max_ms; the
 *               wait is a random time in the upper half, so that servers do not reconnect together
 *   circuit     after limits.mcp_failures failures in a row, or calls without an answer in time,
 *               calls fail for at least mcp_broken_ms
 *   calls       spec.concurrency at once; more wait in order, at most limits.mcp_calls_waiting
 *
 * Its owner is mcp_upstreams.h. Connection lifetime.
 */
#ifndef PROTO_MCP_CLIENT_MCP_UPSTREAM_H
#define PROTO_MCP_CLIENT_MCP_UPSTREAM_H

#include "core/tool/tool.h"
#include "proto/mcp/client/mcp_client.h"
#include "proto/mcp/client/mcp_upstream_state.h"

struct upstream;
struct ticket;

/*
 * The port to the cache of tool definitions, which lists tools before their server is connected. An
 * entry belongs to one configuration of a server.
 */
struct upstream_cache {
    /* Load the cached data of this server into mem: server_name, tool and tools. False: nothing. */
    bool (*load)(struct upstream_cache *c, const struct server_spec *spec, struct arena *mem,
                 struct mcp_client_facts *out);
    void (*save)(struct upstream_cache *c, const struct server_spec *spec,
                 const struct mcp_client_facts *facts);
};

/* Called from the loop, or from inside upstream_close and upstream_take_kept. */
struct upstream_events {
    /* u->tool has changed. The previous tools are valid until this returns. */
    void (*on_tools)(struct upstream *u);
    /* Once: it was connected, or could not be. */
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
};

struct upstream {
    const struct mcp_client_world *world;
    const struct upstream_events *events;
    void *owner;
    struct upstream *next, *heir; /* for the owner */
    struct upstream_cache *cache; /* NULL: no cache */
    bool kept;                    /* the cache has the current tools */

    struct arena mem;
    struct server_spec spec; /* a copy, in mem */
    uint64_t serial;         /* unique and never reused: tool->server */
    enum upstream_state state;
    struct mcp_client *client;
    struct timer timer; /* the next try, or the stop of an idle server */
    bool always;        /* sets tool.always of all its tools */

    struct arena tools_mem;
    struct upstream_tool *tool;
    size_t tools;

    struct ticket *first, **end; /* calls that wait */
    size_t waiting, running, tickets;
    struct post pump;

    int64_t failures; /* in a row */
    int64_t silences; /* calls in a row that got no response in time */
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

/* Before the upstream is started: use the tools of the cache; on_tools follows at once if there are
 * any. */
void upstream_take_kept(struct upstream *u);

/* Begin to connect if that is allowed and has not begun. */
void upstream_start(struct upstream *u);

/* Fail the waiting calls and close the client; on_closed follows, possibly before this returns. */
void upstream_close(struct upstream *u);

/* After on_closed. */
void upstream_free(struct upstream *u);

/* Drop the tools; on_tools follows before this returns if there were any. */
void upstream_drop_tools(struct upstream *u);

/* Milliseconds until the next try; 0: none is scheduled. */
int64_t upstream_retry_ms(const struct upstream *u);

/* ---- internal functions -------------------------------------------------------------------- */

/* mcp_upstream_calls.c: run a call of this tool, now or when a connection and a slot are free. */
void upstream_call(struct upstream *u, struct call *call, const struct upstream_tool *tool);

/* Start the waiting calls that can run. */
void upstream_pump(struct post *post);

/* Fail all calls that wait. */
void upstream_fail_waiting(struct upstream *u, const struct err *e);

/* Why a call cannot run now: the state, the last error, and the next try. */
void upstream_explain(const struct upstream *u, struct err *e);

/* Start or stop the idle timer, depending on whether there are calls. */
void upstream_mind_idling(struct upstream *u);

/* A call has ended, with or without a response in time. */
void upstream_heard(struct upstream *u, bool in_time);

/* Close the client of a server that hangs. */
void upstream_end_hung(struct upstream *u);

/* mcp_upstream_tools.c: make u->tool from the tools that the client lists and the spec allows. */
void upstream_take_tools(struct upstream *u, const struct mcp_client_facts *facts);

#endif
