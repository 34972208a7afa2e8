/*
 * agent_files.h - all agents that the files define.
 *
 * Where they are looked for, the strongest first:
 *
 *   .trefoil/agents/x.md    our own
 *   [[agents]]              in trefoil.toml, then in the user's config.toml
 *   agents/x/agent.json     JSON with comments
 *   .claude/agents/x.md     of Claude Code
 *   .vaultspec/agents/x.md  of Vaultspec
 *
 * Of one name the strongest counts; a debug note tells of the others. Two of one name at one
 * level are an error that names both. A definition that is wrong is left out with a warning and
 * keeps its name: nothing weaker stands in for it, for that could be allowed more. An agent of the
 * project that is not trusted does not replace the user's agent of that name (agent_trust.h).
 */
#ifndef CONFIG_AGENT_FILES_H
#define CONFIG_AGENT_FILES_H

#include "config/agent_read.h"
#include "config/config.h"
#include "loop/file_watch.h"

/* The agent that is there without a file. */
#define AGENT_DEFAULT "default"

struct agent_entry {
    struct agent_def def; /* of a bad one only name, origin and what else could be read */
    const char *bad;      /* why it is left out; NULL: it is good */
    unsigned level;       /* 0 is the strongest */
    bool from_project;    /* of a file that comes with the project */
    const char *loosens;  /* which of its entries need trust (agent_trust.h); NULL: none */
};

/* In the order of their names. */
struct agent_list {
    struct agent_entry *v;
    size_t n, room;
    struct agent_entry *claim; /* those of the project that loosen something, trusted or not */
    size_t claims;
};

/* Read all. What is wrong is in the list and among the notes (may be NULL). Blocks. */
void agents_load(struct arena *mem, const char *root, const struct config *config,
                 struct notes *notes, struct agent_list *out);

/* The agent "default", which is there also where no file defines one of that name. */
extern const struct agent_def agent_default;

/* Add it, unless a file defines it. */
void agents_add_default(struct arena *mem, struct agent_list *list);

/*
 * The definition in the list, or agent_default. ERR_NOT_FOUND when there is none of that name,
 * ERR_INVALID with why when it is left out.
 */
bool agents_find(const struct agent_list *list, struct str name, const struct agent_def **out,
                 struct err *e);

/*
 * ERR_NOT_FOUND that suggests the most similar agent name, or continues with `otherwise` when no
 * name is similar. Returns false.
 */
bool agents_fail_unknown(const struct agent_list *list, struct str name, const char *otherwise,
                         struct err *e);

/* Where they are looked for, but for the configuration, to be watched; in mem. */
struct file_watch_path *agents_places(struct arena *mem, const char *root, size_t *out_n);

#endif
