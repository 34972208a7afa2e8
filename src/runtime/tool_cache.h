/*
 * tool_cache.h - the tool definitions of MCP servers, kept on disk from one run to the next.
 *
 * The files are in the state directory of the root, never in the project. The name of a file
 * depends on the server and its configuration, so a changed configuration does not use the old
 * file. A file that is missing, too large or invalid is ignored. Then the tools are known only
 * after the server has connected.
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
    const char *folder; /* the folder with the files; NULL: nothing can be stored */
    size_t saving;      /* number of files that are being written */
    /* called after the last of these files was written; NULL: no one waits */
    void (*on_saved)(struct tool_cache *c);
};

/*
 * Initialize *c. If `state` is NULL or cannot be used, nothing is stored. `limits` must outlive *c.
 */
void tool_cache_init(struct tool_cache *c, struct loop *loop, const struct limits *limits,
                     struct state_port *state);

/* Free *c. c->saving must be 0, so that no file is being written. */
void tool_cache_fini(struct tool_cache *c);

#endif
