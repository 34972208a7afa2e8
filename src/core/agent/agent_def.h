/*
 * agent_def.h - the definition of an agent, independent of the file format.
 *
 * Markdown files with front matter, agent.json files and [[agents]] in trefoil.toml are all read
 * into this struct. Pure data, in the arena of the reader. An absent list and an empty list
 * (pick_strs) have different meanings.
 */
#ifndef CORE_AGENT_AGENT_DEF_H
#define CORE_AGENT_AGENT_DEF_H

#include "base/pick.h"
#include "core/agent/remote_spec.h"

enum agent_mode { AGENT_READ_WRITE, AGENT_READ_ONLY };
enum agent_tier { TIER_NONE, TIER_LOW, TIER_MEDIUM, TIER_HIGH };

enum { AGENT_NAME_MOST = 64, AGENT_TURNS_MOST = 10000, AGENT_BUDGET_MOST = 1000000 };

/* An environment variable. */
struct agent_var {
    const char *name;
    struct str value;
};

struct agent_def {
    const char *name;  /* the name for callers; always valid (agent_name_valid) */
    const char *title; /* display name; equals `name` unless agent.json sets it */
    struct str description;
    /* the beginning of the system prompt: the body of the file, with includes */
    struct str persona;
    enum agent_tier tier;
    struct str model;    /* a name, or sonnet|opus|haiku|inherit; STR_NONE: the model of the tier */
    struct str provider; /* STR_NONE: the provider of the model, or the default provider */
    struct str fallback_model;
    enum agent_mode mode;
    /* patterns of tools that the agent may call, or must not call (tool_pattern.h) */
    struct pick_strs allowed, disallowed;
    int64_t max_turns; /* model requests per turn; 0: limits.turn_requests */
    double budget_usd; /* most US dollars per turn; 0: no limit */
    struct str effort, output_format, approval_mode; /* words that agent_words lists */
    struct pick_strs include_dirs;                   /* folders below the root, relative to it */
    /* the keys mcp.expose_tools and mcp.private_tools */
    struct pick_strs expose, hidden;
    bool isolate; /* run each task of the agent in a separate process */
    /* if the provider is "script": the path of the script below the root; else NULL */
    const char *script;
    /*
     * if the provider is "acp": the command of the program, or the name of a preset
     * (proto/acp/client/acp_client_preset.h); the environment that the program gets: variables, and
     * names of variables of ours
     */
    struct pick_strs command;
    struct str preset;
    const struct agent_var *env;
    size_t envs;
    struct pick_strs pass_env;
    /* if the provider is "a2a": the remote agent; else NULL */
    const struct remote_spec *remote;
    const char *folder; /* working folder, unless the session sets one; NULL: the root */
    const char *origin; /* position of the definition: "file:line" */
    struct str written; /* the text of the definition; STR_NONE in copies */
    /*
     * the definition is in the user's files or was accepted by the user (config/trust.h), so it can
     * allow calls that need approval by default
     */
    bool trusted;
};

/*
 * Is this a valid agent name? It has 1 to 64 characters of A-Z a-z 0-9 _ - and ., does not begin
 * with a dot, and is not a name that HTTP routes use.
 */
bool agent_name_valid(struct str name);

/* The rule for agent names as a sentence, for error messages. */
extern const char agent_name_rule[];

/* Parse a word, ignoring case. If the word is unknown, returns false and leaves *out unchanged. */
bool agent_mode_named(struct str word, enum agent_mode *out);
bool agent_tier_named(struct str word, enum agent_tier *out);
const char *agent_mode_name(enum agent_mode mode);

/* Return the mode that applies to the agent: approval_mode "plan" makes an agent read-only. */
enum agent_mode agent_def_mode(const struct agent_def *def);
const char *agent_tier_name(enum agent_tier tier); /* NULL for TIER_NONE */

/*
 * Return the words that a key of a definition accepts, as "a, b, c". NULL: the key accepts any
 * word. Keys with a list of words: effort, output_format, approval_mode.
 */
const char *agent_words(struct str key);
bool agent_word_known(struct str key, struct str word);

/*
 * Return the tier of a model alias (haiku, sonnet or opus). Returns TIER_NONE for a model name, and
 * for "inherit", which means the model of the caller.
 */
enum agent_tier agent_alias_tier(struct str model);

/* Return the tier of an agent: the tier of its model if the model is an alias, else def->tier. */
enum agent_tier agent_def_tier(const struct agent_def *def);

/* Return a deep copy of a definition in mem, without `written`. */
struct agent_def agent_def_copy(struct arena *mem, const struct agent_def *def);

enum { AGENT_IGNORED_MOST = 8 };

/*
 * List the keys of the definition that its provider ignores, for a warning; returns their number.
 * The external Gemini CLI ignores max_turns, budget, disallowed_tools, effort and fallback_model;
 * Claude ignores approval_mode.
 */
size_t agent_def_ignored(const struct agent_def *def, const char *out[AGENT_IGNORED_MOST]);

#endif
