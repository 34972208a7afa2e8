/*
 * gemini_agents.h - the files by which Gemini CLI finds the agents that trefoil serves over A2A:
 *
 *   .gemini/agents/NAME.md   front matter with the URL of the agent's card
 *   .gemini/settings.json    experimental.enableAgents
 *
 * Pure: the callers read and write the files.
 */
#ifndef CONFIG_GEMINI_AGENTS_H
#define CONFIG_GEMINI_AGENTS_H

#include "config/entry_edit.h"

/*
 * Return the name that Gemini CLI accepts for an agent: lower-case letters, digits, - and _. In
 * mem.
 */
struct str gemini_agent_name(struct arena *mem, struct str name);

/* Return the content of the file of an agent. `description` may be empty. In mem. */
struct str gemini_agent_file(struct arena *mem, struct str name, struct str card_url,
                             struct str description);

/* Was this file written by gemini_agent_file? */
bool gemini_agent_is_ours(struct str text);

/*
 * Set experimental.enableAgents in the text of a settings file. All other bytes stay the same;
 * *how is ENTRY_SAME if nothing has to change.
 */
bool gemini_settings_put(struct arena *mem, const char *file, struct str text, bool enable,
                         enum entry_change *how, struct str *out, struct err *e);

#endif
