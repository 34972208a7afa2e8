/*
 * server_diff.h - compares two lists of MCP servers, by name.
 *
 * Used when the configuration is reloaded: unchanged servers keep running, the others are stopped,
 * started or restarted.
 */
#ifndef CORE_TOOL_SERVER_DIFF_H
#define CORE_TOOL_SERVER_DIFF_H

#include "core/tool/server_spec.h"

enum server_change { SERVER_SAME, SERVER_ADDED, SERVER_REMOVED, SERVER_CHANGED };

struct server_diff {
    enum server_change change;
    const struct server_spec *was; /* NULL when added */
    const struct server_spec *now; /* NULL when removed */
};

/*
 * Return all settings that determine how a server is reached and used, as one line of JSON. The
 * line contains secrets: compare it, but never show it. The line includes whether the server may be
 * started, but not the name of the configuration file.
 */
struct str server_spec_canonical(struct arena *mem, const struct server_spec *s);

/*
 * Compare the lists. *out gets one row per name: first the servers of `now` in their order, then
 * the removed servers. Names must be unique within each list. Returns the number of rows.
 */
size_t server_specs_diff(struct arena *mem, const struct server_spec *was, size_t were,
                         const struct server_spec *now, size_t nows, struct server_diff **out);

#endif
