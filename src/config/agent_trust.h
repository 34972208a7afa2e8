/*
 * agent_trust.h - decides which agents of a project may loosen the user's configuration.
 *
 * Anyone can commit an agent definition to a repository. Until the user has accepted the definition
 * (`trefoil trust`, trust.h), it can only restrict what the agent may do. The following entries
 * would loosen the configuration, so they have no effect until then:
 *
 *   approval_mode: yolo     would skip the questions that are asked by default
 *   Bash(git status), ...   a pattern in allowed_tools would skip them for matching calls.
 *                           It still has an effect: other calls of that tool are denied
 *   mcp.expose_tools        would offer a tool that the user's [mcp] expose_tools does not list
 *   name                    would replace an agent of the user's config.toml
 *
 * Other keys cannot loosen anything, because every check also applies [guard] and [mcp].
 */
#ifndef CONFIG_AGENT_TRUST_H
#define CONFIG_AGENT_TRUST_H

#include "config/agent_files.h"

/*
 * Set def.trusted and `loosens` of all entries, and list->claim. Add a note about agents that need
 * trust. Give an untrusted entry a lower priority than the user's agent of the same name.
 */
void agents_mark_trusted(struct arena *mem, const struct config *config, struct agent_list *list,
                         struct notes *notes);

#endif
