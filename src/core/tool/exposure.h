/*
 * exposure.h - which tools are offered to which caller. Pure functions of lists and names.
 *
 * Lists have three states (pick_strs): absent, empty, names. A list names a tool by its published
 * name, by its other name, or, for a tool of an MCP server, by `server:tool`. A list that belongs to
 * a server uses the server's own name for the tool.
 */
#ifndef CORE_TOOL_EXPOSURE_H
#define CORE_TOOL_EXPOSURE_H

#include "core/tool/server_spec.h"
#include "core/tool/tool.h"

/* The names of one tool that a list may use. */
struct tool_called {
    struct str name;  /* published */
    struct str alias; /* server:tool; STR_NONE: a built-in tool */
    struct str other; /* its other_name; STR_NONE: none */
};

/* All names of a tool. */
struct tool_called tool_called_of(const struct tool *t);

/*
 * Does allowed_tools of the server allow this tool? Absent list: all; empty: none; else the listed
 * ones.
 */
bool server_allows(const struct server_spec *s, struct str tool);

/* Is this tool of the server offered only to agents whose list of tools names it? */
bool server_tool_manual(const struct server_spec *s, struct str tool);

/* The settings of a tool of the server in the configuration; NULL: none. */
const struct tool_override *server_override(const struct server_spec *s, struct str tool);

/*
 * Is the tool offered to the callers of an agent? Only if expose_tools lists it and private_tools
 * does not.
 */
bool tool_exposed_by_agent(const struct pick_strs *expose, const struct pick_strs *private_tools,
                           struct tool_called tool);

/*
 * Is the tool offered to the clients of trefoil itself (/mcp)? Yes, unless private_tools lists it
 * or an expose_tools list omits it.
 */
bool tool_exposed_by_kernel(const struct pick_strs *expose, const struct pick_strs *private_tools,
                            struct tool_called tool);

/* The mode of the clients of an endpoint: [mcp] mode. */
enum endpoint_mode {
    ENDPOINT_BY_ORIGIN, /* read-write for clients that are proved to be the user, else read-only */
    /* only tools that look, search or think; none that change, run or fetch something */
    ENDPOINT_READ_ONLY,
    ENDPOINT_READ_WRITE,
};

/*
 * Does this origin prove that the client is a user of this machine (stdio, Unix socket, command
 * line)?
 */
bool origin_is_user(enum origin origin);

bool endpoint_is_read_only(enum endpoint_mode mode, enum origin origin);

/* Does a read-only endpoint offer built-in tools of this kind? True for those that look, search or
 * think. */
bool tool_kind_only_looks(enum tool_kind kind);

#endif
