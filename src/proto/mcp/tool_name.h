/*
 * tool_name.h - make the names under which the tools of MCP servers are published.
 *
 * The plain name of a tool is mcp_{server}_{tool} in lower case, with _ for every character outside
 * a-z, 0-9 and _. A configured name replaces it. A name has at most TOOL_NAME_MOST characters.
 * Several pairs of server and tool can have the same plain name ("a" + "b_c" and "a_b" + "c"), so a
 * name is never parsed: a table maps it to its pair.
 *
 * A suffix _xxxxxxxx, a hash of the exact pair, is added if the plain name cannot be used:
 *   - it is too long: it is truncated before the suffix;
 *   - two or more pairs share it: each of them gets the suffix, so the order of tools does not
 *     matter;
 *   - it is reserved (a built-in tool);
 *   - its end looks like a suffix: otherwise it could be the suffixed name of another tool.
 *
 * The table is rebuilt from all tools whenever one is added or removed. The names depend on the set
 * of tools, not on their order. If a new tool has the plain name of an existing tool, the existing
 * tool is published under its suffixed name from then on, and clients are notified that the list
 * changed. A call under the old name fails with an error that names both tools, because it could
 * mean either.
 */
#ifndef PROTO_MCP_TOOL_NAME_H
#define PROTO_MCP_TOOL_NAME_H

#include "base/arena.h"
#include "base/err.h"
#include "core/tool/tool.h"

/* A tool to publish. The strings must outlive the table. */
struct tool_pair {
    struct str server, tool;
    struct str rename; /* instead of mcp_{server}_{tool}; STR_NONE: none */
};

struct tool_name {
    struct str name; /* the published name; NUL-terminated */
    struct tool_pair of;
    size_t index;     /* index of the pair in the list that the table was made from */
    struct str plain; /* the name without a suffix for collisions */
};

struct tool_names {
    const struct tool_name *by_name;  /* sorted by name */
    const struct tool_name **by_pair; /* sorted by server and tool */
    size_t count;
    size_t dropped; /* duplicate pairs, and pairs whose suffixes collide (1 in 2^32) */
};

/* mcp_{server}_{tool}, normalised, and truncated with a suffix if it is too long. */
struct str tool_name_plain(struct arena *mem, struct str server, struct str tool);

/* Make the names of all pairs. `reserved` are names that no pair may get. */
struct tool_names tool_names_build(struct arena *mem, const struct tool_pair *pair, size_t pairs,
                                   const struct str *reserved, size_t reserveds);

/*
 * Find a tool by its published name, or by `server:tool` as the server spells it.
 * ERR_NOT_FOUND suggests a similar name.
 */
bool tool_names_find(const struct tool_names *t, struct str name, const struct tool_name **out,
                     struct err *e);

/* The name of a pair; NULL: it is not in the table. */
const struct tool_name *tool_names_of(const struct tool_names *t, struct str server,
                                      struct str tool);

#endif
