/*
 * tool_cache.h - the tool definitions of MCP servers, kept on disk from one run to the next.
 *
 * One file per server and configuration of it, in the state directory of the root; a changed entry
 * does not find the old file. Nothing is ever read from the project. A file that is missing, too
 * large or invalid is ignored: the server lists its tools when it is connected.
 *
 *   {"server": "NAME", "server_name": "...", "tools": [definitions as the server sent them]}
 *
 * At most FILES_MOST files are kept; the least recently written ones are deleted.
 */
#ifndef RUNTIME_TOOL_CACHE_H
#define RUNTIME_TOOL_CACHE_H

#include "core/state.h"
#include "proto/mcp/client/mcp_upstream.h"

struct tool_cache {
    struct upstream_cache port; /* first */
    struct loop *loop;
    const struct limits *limits;
    struct arena mem;
    const char *folder;                     /* NULL: nothing can be stored */
    size_t saving;                          /* files being written */
    void (*on_saved)(struct tool_cache *c); /* the last of them; set while a request waits */
};

/* Without a state directory, or when it cannot be used, nothing is kept. `limits` must outlive it. */
void tool_cache_init(struct tool_cache *c, struct loop *loop, const struct limits *limits,
                     struct state_port *state);

/* Nothing may be being saved. */
void tool_cache_fini(struct tool_cache *c);

#endif
