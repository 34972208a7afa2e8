/*
 * agent_read.h - one definition of an agent, in each of its formats.
 *
 *   Markdown    front matter (front_matter.h), the body is the persona; the name is that of the
 *               file unless the front matter has one
 *   agent.json  agents/NAME/agent.json, JSON with comments; called by its folder's name
 *   [[agents]]  an entry of trefoil.toml
 *
 * Keys: name, description, tier, model, provider, fallback_model, mode, tools or allowed_tools,
 * disallowed_tools, max_turns, budget, effort, output_format, approval_mode, include_dirs, folder,
 * persona (where there is no body) and mcp with expose_tools and private_tools. Lists of tools and
 * folders may be one string with commas. In our own files an unknown key is an error; in files
 * of other programs (and agent.json) it is ignored with a note.
 */
#ifndef CONFIG_AGENT_READ_H
#define CONFIG_AGENT_READ_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/agent/agent_def.h"
#include "loop/file.h"

struct agent_reader {
    struct arena *mem; /* for the definitions */
    const char *root;  /* absolute */
    const struct limits *limits;
    struct notes *notes; /* may be NULL */
};

/*
 * A Markdown file below the root, `path` relative to it. `foreign`: of another program. On
 * failure *out has what is known of it: at least name and origin. Errors name file and line;
 * ERR_NOT_FOUND: it is something else (a foreign file without front matter).
 */
bool agent_read_markdown(const struct agent_reader *r, const char *path, bool foreign,
                         struct agent_def *out, struct err *e);

/* agents/NAME/agent.json, the same. */
bool agent_read_json(const struct agent_reader *r, const char *name, struct agent_def *out,
                     struct err *e);

/* An entry of [[agents]], the same; without a name that can be read `name` is NULL. */
bool agent_read_toml(const struct agent_reader *r, struct json entry, struct agent_def *out,
                     struct err *e);

#endif
