/*
 * args_summary.h - the arguments of a call, shortened for the person who approves it.
 *
 * Both functions return the arguments as one JSON object in mem. Values whose names look like
 * secrets are replaced by "***". If parts are omitted, marks are inserted there and *cut is set.
 * Arguments that are not an object become {}.
 */
#ifndef CORE_TOOL_ARGS_SUMMARY_H
#define CORE_TOOL_ARGS_SUMMARY_H

#include "base/json.h"
#include "base/limits.h"

/*
 * Shorten the arguments for a list of calls: long texts, long lists and deep nesting are truncated.
 */
struct str args_brief(struct arena *mem, struct json args, bool *cut);

/*
 * Return all arguments for an approval, with at most 64 KB per text and a quarter of
 * limits.store_value_bytes in total.
 */
struct str args_whole(struct arena *mem, struct json args, const struct limits *limits, bool *cut);

#endif
