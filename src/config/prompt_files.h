/*
 * prompt_files.h - the rules and instructions of a project, for the system prompt.
 *
 *                      rules                   system instructions
 *   every provider     .trefoil/rules/x.md     AGENTS.md
 *   Claude             .claude/rules/x.md      .claude/CLAUDE.md, CLAUDE.md
 *   Gemini             .gemini/rules/x.md      .gemini/SYSTEM.md, GEMINI.md
 *
 * A model of another provider (and one not yet chosen) gets all of them. The order is that of
 * the table, files of a folder by name; a file that is found twice (a link) is used once.
 * Includes are expanded. A file that cannot be used is skipped with a note.
 */
#ifndef CONFIG_PROMPT_FILES_H
#define CONFIG_PROMPT_FILES_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/agent/agent_def.h"
#include "core/agent/skill.h"
#include "core/agent/system_prompt.h"

/* Read the instructions for a model of `provider`; STR_NONE: not chosen yet. Blocks. */
void prompt_files_load(struct arena *mem, const char *root, const struct limits *limits,
                       struct str provider, struct notes *notes, struct prompt_parts *out);

struct prompt_opts {
    const char *root;
    const struct limits *limits;
    struct str provider;             /* as above */
    const struct skill_list *skills; /* NULL: none */
};

/*
 * The whole system prompt of an agent: its persona with these files, the skills there are, and
 * where it works. No date and nothing else that is another one tomorrow.
 */
struct str prompt_of_agent(struct arena *mem, const struct prompt_opts *o,
                           const struct agent_def *def, struct notes *notes);

#endif
