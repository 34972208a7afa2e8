/*
 * exposure.h - decides which tools are offered to which callers. Pure.
 *
 * A list of tools (pick_strs) can be absent, empty, or contain names. Each entry is the published
 * name or the other name of a tool or, for a tool of an MCP server, `server:tool`. A list that
 * belongs to a server contains the server's own names for its tools.
 */
#ifndef CORE_TOOL_EXPOSURE_H
#define CORE_TOOL_EXPOSURE_H

#include "core/tool/server_spec.h"
#include "core/tool/tool.h"

/* The names by which a list of tools can contain one tool. */
struct tool_called {
    struct str name;  /* the name under which the tool is published */
    struct str alias; /* tool.alias, such as server:tool; STR_NONE: a built-in tool */
    struct str other; /* tool.other_name; STR_NONE: none */
};

/* Return all names of a tool. */
struct tool_called tool_called_of(const struct tool *t);

/*
 * Does allowed_tools of the server allow this tool? An absent list allows all tools, an empty list
 * allows none.
 */
bool server_allows(const struct server_spec *s, struct str tool);

/* Is this tool of the server offered only to agents whose list of tools names it? */
bool server_tool_manual(const struct server_spec *s, struct str tool);

/* Return the settings that the configuration has for a tool of the server. NULL: there are none. */
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

/* What the clients of an MCP endpoint may do: the setting `mode` of [mcp]. */
enum endpoint_mode {
    /* read-write if the origin proves that the client is a user, else read-only */
    ENDPOINT_BY_ORIGIN,
    /* only tools that look, search or think; no tools that change, run or fetch something */
    ENDPOINT_READ_ONLY,
    ENDPOINT_READ_WRITE,
};

/*
 * Does this origin prove that the client is a user of this machine (stdio, Unix socket, command
 * line)?
 */
bool origin_is_user(enum origin origin);

bool endpoint_is_read_only(enum endpoint_mode mode, enum origin origin);

/* Does a read-only endpoint offer built-in tools of this kind (look, search or think)? */
bool tool_kind_only_looks(enum tool_kind kind);

#endif
