/*
 * args_summary.h - the arguments of a call, shortened for the person who approves it.
 *
 * Both functions return one JSON object in mem. Values whose names look like secrets are "***".
 * Omitted parts are marked, and *cut is set. Arguments that are not an object become {}.
 */
#ifndef CORE_TOOL_ARGS_SUMMARY_H
#define CORE_TOOL_ARGS_SUMMARY_H

#include "base/json.h"
#include "base/limits.h"

/* For lists: long texts, long lists and deep nesting are truncated. */
struct str args_brief(struct arena *mem, struct json args, bool *cut);

/*
 * For approval: everything, up to 64 KB per text and a quarter of limits.store_value_bytes in
 * total.
 */
struct str args_whole(struct arena *mem, struct json args, const struct limits *limits, bool *cut);

#endif
