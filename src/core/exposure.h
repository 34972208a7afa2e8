/*
 * exposure.h - which tools are offered to whom. Pure: lists and names in, yes or no out.
 *
 * Lists have three states (pick_strs): absent, empty, names. A tool is meant by its published
 * name or, when it is of a server, by `server:tool` or the server's own name for it where the
 * list belongs to that server.
 */
#ifndef CORE_EXPOSURE_H
#define CORE_EXPOSURE_H

#include "core/server_spec.h"
#include "core/tool.h"

/* The names by which a list may mean one tool. */
struct tool_called {
    struct str name;  /* published */
    struct str alias; /* server:tool; STR_NONE for a built-in one */
};

/* Does allowed_tools of its server let a tool in? Absent: all; empty: none; list: only these. */
bool server_allows(const struct server_spec *s, struct str tool);

/* Has an agent this tool of the server only where its own list of tools names it? */
bool server_tool_manual(const struct server_spec *s, struct str tool);

/* What the configuration says about a tool of the server; NULL when nothing. */
const struct tool_override *server_override(const struct server_spec *s, struct str tool);

/* To callers of one agent: nothing but what expose_tools lists; private_tools wins. */
bool tool_exposed_by_agent(const struct pick_strs *expose, const struct pick_strs *private_tools,
                           struct tool_called tool);

/* To callers of trefoil itself (/mcp): all but private_tools; expose_tools, when there, narrows. */
bool tool_exposed_by_kernel(const struct pick_strs *expose, const struct pick_strs *private_tools,
                            struct tool_called tool);

/* What may be done through an endpoint with the built-in tools. */
enum tool_mode {
    MODE_READ_ONLY, /* look, search, think: nothing is changed, run or reached */
    MODE_READ_WRITE,
};

bool tool_kind_in_mode(enum tool_kind kind, enum tool_mode mode);

#endif
