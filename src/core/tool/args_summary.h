/*
 * args_summary.h - the arguments of a call as they may be shown to who decides about it.
 *
 * Both are one JSON object in mem: values whose names are those of secrets are "***"; what is left
 * out says so, and *cut that there is such. Arguments that are no object are {}.
 */
#ifndef CORE_TOOL_ARGS_SUMMARY_H
#define CORE_TOOL_ARGS_SUMMARY_H

#include "base/json.h"
#include "base/limits.h"

/* For lists: long texts, lists and deep ones are cut. */
struct str args_brief(struct arena *mem, struct json args, bool *cut);

/* All of it, as long as a person might read it: 64 KB of a text, 256 KB in all. */
struct str args_whole(struct arena *mem, struct json args, const struct limits *limits, bool *cut);

#endif
