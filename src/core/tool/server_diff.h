/*
 * server_diff.h - what has changed between two lists of servers, by name.
 *
 * For a reload: what is unchanged keeps running, the rest is stopped and started.
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
 * Everything that determines how a server is reached and used, as one line of JSON, secrets
 * included: to compare, never to show. The source file is not part of it; whether it may be started
 * is.
 */
struct str server_spec_canonical(struct arena *mem, const struct server_spec *s);

/*
 * One row per name in either list: first the servers of `now` in their order, then the removed
 * ones. Names are unique within a list. Returns how many.
 */
size_t server_specs_diff(struct arena *mem, const struct server_spec *was, size_t were,
                         const struct server_spec *now, size_t nows, struct server_diff **out);

#endif
