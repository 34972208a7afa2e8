/*
 * agent_def.h - an agent as its file defines it, whatever shape the file has.
 *
 * Markdown with front matter, agent.json, [[agents]] in trefoil.toml: all become this record.
 * Pure data, in the arena of the reading it came from; three-state lists stay three-state.
 */
#ifndef CORE_AGENT_DEF_H
#define CORE_AGENT_DEF_H

#include "base/pick.h"

enum agent_mode { AGENT_READ_WRITE, AGENT_READ_ONLY };
enum agent_tier { TIER_NONE, TIER_LOW, TIER_MEDIUM, TIER_HIGH };

struct agent_def {
    const char *name; /* [A-Za-z0-9_.-]{1,64} */
    struct str description;
    struct str persona; /* the body: what it is told to be, includes resolved */
    enum agent_tier tier;
    struct str model;    /* a name, or sonnet|opus|haiku|inherit; STR_NONE: by tier */
    struct str provider; /* STR_NONE: by model, or the default */
    struct str fallback_model;
    enum agent_mode mode;
    struct pick_strs allowed, disallowed; /* tools, and patterns such as Bash(git diff:*) */
    int64_t max_turns;                    /* 0: the limit's */
    double budget_usd;                    /* 0: none */
    struct str effort, output_format, approval_mode;
    struct pick_strs include_dirs;
    struct pick_strs expose, hidden; /* mcp.expose_tools, mcp.private_tools */
    const char *folder; /* where it works unless its session says otherwise; NULL: the root */
    const char *origin; /* "file:line", for errors and the listing */
};

#endif
