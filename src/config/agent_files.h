/*
 * agent_files.h - all agents that the files define.
 *
 * The sources, in order of priority:
 *
 *   .trefoil/agents/x.md    our own
 *   [[agents]]              in trefoil.toml, then in the user's config.toml
 *   agents/x/agent.json     JSON with comments
 *   .claude/agents/x.md     of Claude Code
 *   .vaultspec/agents/x.md  of Vaultspec
 *
 * If two agents share a name, the source with the higher priority wins; a debug note lists the
 * others. Two agents with the same name in one source are an error that names both. An invalid
 * definition is skipped with a warning and still claims its name: no source of lower priority
 * replaces it, because that agent might have more rights. An agent of the project that is not
 * trusted does not replace the user's agent of that name (agent_trust.h).
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
    const char *bad;      /* why it is skipped; NULL: it is valid */
    unsigned level;       /* 0 is the strongest */
    bool from_project;    /* from a file of the project */
    const char *loosens;  /* which of its entries need trust (agent_trust.h); NULL: none */
};

/* In the order of their names. */
struct agent_list {
    struct agent_entry *v;
    size_t n, room;
    struct agent_entry *claim; /* agents of the project that loosen something, trusted or not */
    size_t claims;
};

/* Read all. Errors are in the list and among the notes (may be NULL). Blocks. */
void agents_load(struct arena *mem, const char *root, const struct config *config,
                 struct notes *notes, struct agent_list *out);

/* The agent "default", which is there also where no file defines one of that name. */
extern const struct agent_def agent_default;

/* Add it, unless a file defines it. */
void agents_add_default(struct arena *mem, struct agent_list *list);

/*
 * The definition in the list, or agent_default. ERR_NOT_FOUND when there is none of that name,
 * ERR_INVALID with the reason when it is skipped.
 */
bool agents_find(const struct agent_list *list, struct str name, const struct agent_def **out,
                 struct err *e);

/*
 * ERR_NOT_FOUND that suggests the most similar agent name, or continues with `otherwise` when no
 * name is similar. Returns false.
 */
bool agents_fail_unknown(const struct agent_list *list, struct str name, const char *otherwise,
                         struct err *e);

/* Their folders and files, except the configuration, to be watched; in mem. */
struct file_watch_path *agents_places(struct arena *mem, const char *root, size_t *out_n);

#endif
