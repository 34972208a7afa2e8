/*
 * linked_results.h - keeps results that were too long to be sent whole.
 *
 * The client gets a link instead of the result (result_cap.h), and can read the unchanged result
 * with this link for limits.result_keep_ms. Only the principal that made the call can read the
 * result: the id in the link is random, and the owner is checked. Results are kept in memory, at
 * most limits.result_keep_bytes in total. To make room, the oldest result of the same owner is
 * dropped first, then the oldest of all.
 */
#ifndef CORE_TOOL_LINKED_RESULTS_H
#define CORE_TOOL_LINKED_RESULTS_H

#include "base/limits.h"
#include "loop/loop.h"

struct kept_results;

struct kept_results *kept_results_new(struct loop *loop, const struct limits *limits);
void kept_results_free(struct kept_results *k); /* NULL is ignored */

/* Keep a copy of `json` for this principal. Returns the URI, in mem; STR_NONE: there is no room. */
struct str kept_results_add(struct kept_results *k, struct arena *mem, struct str owner,
                            struct str json);

/*
 * Find the result with this URI for this principal. It is valid until the loop runs again.
 * STR_NONE: there is none.
 */
struct str kept_results_find(const struct kept_results *k, struct str uri, struct str principal);

#endif
