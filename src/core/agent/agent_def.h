/*
 * agent_def.h - the definition of an agent, independent of the file format.
 *
 * Markdown with front matter, agent.json and [[agents]] in trefoil.toml all become this struct.
 * Pure data, in the arena of the reader. A list keeps the difference between absent and empty
 * (pick_strs).
 */
#ifndef CORE_AGENT_AGENT_DEF_H
#define CORE_AGENT_AGENT_DEF_H

#include "base/pick.h"

enum agent_mode { AGENT_READ_WRITE, AGENT_READ_ONLY };
enum agent_tier { TIER_NONE, TIER_LOW, TIER_MEDIUM, TIER_HIGH };

enum { AGENT_NAME_MOST = 64, AGENT_TURNS_MOST = 10000, AGENT_BUDGET_MOST = 1000000 };

struct agent_def {
    const char *name;  /* what callers use; valid by agent_name_valid */
    const char *title; /* display name; equals name unless agent.json sets it */
    struct str description;
    struct str persona; /* the body of the file, with includes resolved: its system prompt */
    enum agent_tier tier;
    struct str model;    /* a name, or sonnet|opus|haiku|inherit; STR_NONE: by tier */
    struct str provider; /* STR_NONE: by model, or the default */
    struct str fallback_model;
    enum agent_mode mode;
    struct pick_strs allowed, disallowed; /* tools and patterns as written: tool_pattern.h */
    int64_t max_turns;                    /* limits.turn_requests */
    double budget_usd;                    /* 0: none */
    struct str effort, output_format, approval_mode; /* words listed by agent_words */
    struct pick_strs include_dirs;                   /* below the root, relative to it */
    struct pick_strs expose, hidden;                 /* mcp.expose_tools, mcp.private_tools */
    bool isolate;       /* each of its tasks runs in a separate process */
    const char *script; /* with provider "script": its file, below the root; NULL: none */
    const char *folder; /* working folder unless its session sets one; NULL: the root */
    const char *origin; /* "file:line", for errors and the listing */
    struct str written; /* the text of the definition; STR_NONE in copies */
    /* from the user's files, or trusted: it may skip questions that are asked by default */
    bool trusted;
};

/*
 * Is this a valid name: 1 to 64 of A-Z a-z 0-9 _ - and ., no leading dot, not a name of our routes?
 */
bool agent_name_valid(struct str name);

/* The rule as a sentence, for errors. */
extern const char agent_name_rule[];

/* Parse a word of a file, ignoring case. False leaves *out unchanged. */
bool agent_mode_named(struct str word, enum agent_mode *out);
bool agent_tier_named(struct str word, enum agent_tier *out);
const char *agent_mode_name(enum agent_mode mode);

/* The mode in force: approval_mode "plan" makes an agent read-only. */
enum agent_mode agent_def_mode(const struct agent_def *def);
const char *agent_tier_name(enum agent_tier tier); /* NULL for TIER_NONE */

/*
 * The words that a key accepts, as "a, b, c"; NULL: any. Keys: effort, output_format,
 * approval_mode.
 */
const char *agent_words(struct str key);
bool agent_word_known(struct str key, struct str word);

/*
 * The tier of a model alias: haiku, sonnet or opus. TIER_NONE for names of models, and for inherit,
 * which means the model of the caller.
 */
enum agent_tier agent_alias_tier(struct str model);

/* The tier of an agent: that of its model alias if it has one, else `tier`. */
enum agent_tier agent_def_tier(const struct agent_def *def);

/* A deep copy in mem, without `written`. */
struct agent_def agent_def_copy(struct arena *mem, const struct agent_def *def);

enum { AGENT_IGNORED_MOST = 8 };

/*
 * List the keys of the definition that its provider ignores, for a warning; returns their number.
 * The external Gemini CLI ignores max_turns, budget, disallowed_tools, effort and fallback_model;
 * Claude ignores approval_mode.
 */
size_t agent_def_ignored(const struct agent_def *def, const char *out[AGENT_IGNORED_MOST]);

#endif
