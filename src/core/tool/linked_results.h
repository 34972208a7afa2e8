/*
 * linked_results.h - results that were too long to be sent whole, kept for a while.
 *
 * The client gets a link instead (result_cap.h) and may read the unchanged result by it for
 * limits.result_keep_ms. Only the principal of the call may: the id is random, and the owner is
 * checked. In memory only, at most limits.result_keep_bytes in all; the oldest result of the
 * same owner is dropped first, then the oldest of all.
 */
#ifndef CORE_TOOL_LINKED_RESULTS_H
#define CORE_TOOL_LINKED_RESULTS_H

#include "base/limits.h"
#include "loop/loop.h"

struct kept_results;

struct kept_results *kept_results_new(struct loop *loop, const struct limits *limits);
void kept_results_free(struct kept_results *k); /* NULL is ignored */

/* Keep a copy of `json` for this principal. The URI is made in mem; STR_NONE: there is no room. */
struct str kept_results_add(struct kept_results *k, struct arena *mem, struct str owner,
                            struct str json);

/* The result that is kept there for this principal, valid until the loop runs again; STR_NONE:
 * none. */
struct str kept_results_find(const struct kept_results *k, struct str uri, struct str principal);

#endif
