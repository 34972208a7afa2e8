/*
 * agent_trust.h - which agents of a project may loosen the user's configuration.
 *
 * A definition can be committed to a repository by anyone. Until the user has accepted it
 * (`trefoil trust`, trust.h) it only restricts; these entries of it have no effect:
 *
 *   approval_mode: yolo     skips the questions that are asked by default
 *   Bash(git status), ...   in allowed_tools: a pattern skips them for the calls that match; other
 *                           calls of that tool are still not allowed
 *   mcp.expose_tools        offers a tool that the user's [mcp] expose_tools does not list
 *   name                    replaces an agent of the user's config.toml
 *
 * Other keys cannot loosen anything: every check also consults [guard] and [mcp].
 */
#ifndef CONFIG_AGENT_TRUST_H
#define CONFIG_AGENT_TRUST_H

#include "config/agent_files.h"

/*
 * Set def.trusted and `loosens` of all entries, list the claims, and note which agents wait for
 * trust. An entry that is not trusted moves below the user's agent of its name.
 */
void agents_mark_trusted(struct arena *mem, const struct config *config, struct agent_list *list,
                         struct notes *notes);

#endif
