/*
 * agent_def.h - an agent as its file defines it, whatever shape the file has.
 *
 * Markdown with front matter, agent.json, [[agents]] in trefoil.toml: all become this record.
 * Pure data, in the arena of the reading it came from; three-state lists stay three-state.
 */
#ifndef CORE_AGENT_AGENT_DEF_H
#define CORE_AGENT_AGENT_DEF_H

#include "base/pick.h"

enum agent_mode { AGENT_READ_WRITE, AGENT_READ_ONLY };
enum agent_tier { TIER_NONE, TIER_LOW, TIER_MEDIUM, TIER_HIGH };

enum { AGENT_NAME_MOST = 64, AGENT_TURNS_MOST = 10000, AGENT_BUDGET_MOST = 1000000 };

struct agent_def {
    const char *name;  /* it is called by this; agent_name_valid */
    const char *title; /* what it calls itself; the name unless its agent.json says otherwise */
    struct str description;
    struct str persona; /* the body: what it is told to be, includes resolved */
    enum agent_tier tier;
    struct str model;    /* a name, or sonnet|opus|haiku|inherit; STR_NONE: by tier */
    struct str provider; /* STR_NONE: by model, or the default */
    struct str fallback_model;
    enum agent_mode mode;
    struct pick_strs allowed, disallowed; /* tools and patterns as written: tool_pattern.h */
    int64_t max_turns;                    /* 0: the limit's */
    double budget_usd;                    /* 0: none */
    struct str effort, output_format, approval_mode; /* one of the words of agent_words */
    struct pick_strs include_dirs;                   /* below the root, relative to it */
    struct pick_strs expose, hidden;                 /* mcp.expose_tools, mcp.private_tools */
    bool isolate;       /* its tasks are worked on in processes of their own */
    const char *script; /* with provider "script": its file, below the root; NULL: none */
    const char *folder; /* where it works unless its session says otherwise; NULL: the root */
    const char *origin; /* "file:line", for errors and the listing */
    struct str written; /* the definition as its file has it; not in copies */
    bool trusted;       /* the user's own, or trusted: it may waive what is asked for by default */
};

/* 1 to 64 of A-Z a-z 0-9 _ - and ., no dot first, and none of the names our routes have. */
bool agent_name_valid(struct str name);

/* The sentence that says so. */
extern const char agent_name_rule[];

/* Words of a file, in any case of letters. False leaves *out alone. */
bool agent_mode_named(struct str word, enum agent_mode *out);
bool agent_tier_named(struct str word, enum agent_tier *out);
const char *agent_mode_name(enum agent_mode mode);

/* By its mode and its approval_mode: one that plans only reads. */
enum agent_mode agent_def_mode(const struct agent_def *def);
const char *agent_tier_name(enum agent_tier tier); /* NULL for TIER_NONE */

/*
 * Which words a key takes, as "a, b, c"; NULL when it takes any. Keys: effort, output_format,
 * approval_mode.
 */
const char *agent_words(struct str key);
bool agent_word_known(struct str key, struct str word);

/*
 * The level that a model alias stands for: haiku, sonnet, opus. TIER_NONE for names of models and
 * for inherit, which means the model of whoever asks.
 */
enum agent_tier agent_alias_tier(struct str model);

/* The level an agent asks for: that of its model when it is an alias, else its tier. */
enum agent_tier agent_def_tier(const struct agent_def *def);

/* All of it, in mem. */
struct agent_def agent_def_copy(struct arena *mem, const struct agent_def *def);

enum { AGENT_IGNORED_MOST = 8 };

/*
 * Keys of the definition that its provider cannot honour, for a warning; returns how many. The
 * driven Gemini CLI has no turns, budget, refused tools, effort and fallback; Claude no approval
 * mode. trefoil's own turns honour them with every other provider.
 */
size_t agent_def_ignored(const struct agent_def *def, const char *out[AGENT_IGNORED_MOST]);

#endif
