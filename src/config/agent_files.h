/*
 * agent_files.h - reads the definitions of all agents.
 *
 * The sources, in order of priority:
 *
 *   .trefoil/agents/x.md    trefoil's own format
 *   [[agents]]              tables in trefoil.toml, then in the user's config.toml
 *   [[a2a.external_agents]] remote agents, in the same files
 *   agents/x/agent.json     JSON with comments
 *   .claude/agents/x.md     the format of Claude Code
 *   .vaultspec/agents/x.md  the format of Vaultspec
 *
 * If two agents have the same name, the source with the higher priority wins; a debug note lists
 * the others. Two agents with the same name in one source are an error that names both. An invalid
 * definition is skipped with a warning. It is not replaced by an agent of the same name from a
 * source with lower priority, because that agent might have more rights. An untrusted agent of the
 * project does not replace the user's agent of the same name (agent_trust.h).
 */
#ifndef CONFIG_AGENT_FILES_H
#define CONFIG_AGENT_FILES_H

#include "config/agent_read.h"
#include "config/config.h"
#include "loop/file_watch.h"

/* The name of the agent that exists even if no file defines it. */
#define AGENT_DEFAULT "default"

struct agent_entry {
    /*
     * if the definition is invalid: the name, the origin, and all other members that could be read
     */
    struct agent_def def;
    const char *bad;   /* why the definition is skipped; NULL: the definition is valid */
    unsigned level;    /* the priority of the source; 0 is the highest */
    bool from_project; /* defined in a file of the project */
    /*
     * entries of the definition that have no effect until the user trusts them (agent_trust.h);
     * NULL: none
     */
    const char *loosens;
};

/* The definitions of all agents, sorted by name. */
struct agent_list {
    struct agent_entry *v;
    size_t n, room;
    struct agent_entry *claim; /* agents of the project with entries that need trust */
    size_t claims;
};

/*
 * Read all definitions. Errors are stored in agent_entry.bad and in `notes` (may be NULL). The
 * function blocks.
 */
void agents_load(struct arena *mem, const char *root, const struct config *config,
                 struct notes *notes, struct agent_list *out);

/* The built-in definition of the agent "default", used if no file defines an agent of that name. */
extern const struct agent_def agent_default;

/* Add agent_default to the list, unless a file defines an agent of that name. */
void agents_add_default(struct arena *mem, struct agent_list *list);

/*
 * Find a definition in the list; for the name "default", the result may be agent_default.
 * ERR_NOT_FOUND: there is no agent of that name. ERR_INVALID: the definition was skipped; *e has
 * the reason.
 */
bool agents_find(const struct agent_list *list, struct str name, const struct agent_def **out,
                 struct err *e);

/*
 * Set *e to ERR_NOT_FOUND. The message suggests the most similar name; if no name is similar, it
 * ends with `otherwise`. Returns false.
 */
bool agents_fail_unknown(const struct agent_list *list, struct str name, const char *otherwise,
                         struct err *e);

/*
 * Return the paths to watch for changes of agents, in mem. They do not include the configuration
 * files.
 */
struct file_watch_path *agents_places(struct arena *mem, const char *root, size_t *out_n);

#endif
