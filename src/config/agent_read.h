/*
 * agent_read.h - reads one definition of an agent. There are three formats:
 *
 *   Markdown    front matter (front_matter.h), with the persona as the body. Without a name, the
 *               agent is named after the file
 *   agent.json  the file agents/NAME/agent.json, JSON with comments. The agent has the name of the
 *               folder
 *   [[agents]]  an entry of trefoil.toml; an entry of [[a2a.external_agents]] is a short form of
 *               an agent with the provider a2a
 *
 * Keys: name, description, tier, model, provider, fallback_model, mode, tools or allowed_tools,
 * disallowed_tools, max_turns, budget, effort, output_format, approval_mode, include_dirs, folder,
 * persona (if there is no body), and mcp with expose_tools and private_tools. A list of tools or
 * folders may be a string with commas. In trefoil's own files an unknown key is an error; in files
 * of other programs and in agent.json an unknown key is ignored with a note.
 */
#ifndef CONFIG_AGENT_READ_H
#define CONFIG_AGENT_READ_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/agent/agent_def.h"
#include "loop/file.h"

struct agent_reader {
    struct arena *mem; /* memory of the definitions */
    const char *root;  /* absolute path of the root folder */
    const struct limits *limits;
    struct notes *notes; /* may be NULL */
};

/*
 * Read a Markdown file; `path` is relative to the root. If `foreign` is true, the file belongs to
 * another program. After a failure, *out contains what could be read, at least name and origin.
 * Errors name the file and the line. ERR_NOT_FOUND: the file defines no agent (a foreign file
 * without front matter).
 */
bool agent_read_markdown(const struct agent_reader *r, const char *path, bool foreign,
                         struct agent_def *out, struct err *e);

/* Like agent_read_markdown, for the file agents/NAME/agent.json. */
bool agent_read_json(const struct agent_reader *r, const char *name, struct agent_def *out,
                     struct err *e);

/* Like agent_read_markdown, for an entry of [[agents]]. After a failure out->name may be NULL. */
bool agent_read_toml(const struct agent_reader *r, struct json entry, struct agent_def *out,
                     struct err *e);

/*
 * Like agent_read_toml, for an entry of [[a2a.external_agents]]: a name, an optional description and
 * the keys of remote_read.h.
 */
bool agent_read_external(const struct agent_reader *r, struct json entry, struct agent_def *out,
                         struct err *e);

#endif
