/*
 * prompt_files.h - reads the rules and instructions of a project, for the system prompt.
 *
 *                      rules                   system instructions
 *   every provider     .trefoil/rules/x.md     AGENTS.md
 *   Claude             .claude/rules/x.md      .claude/CLAUDE.md, CLAUDE.md
 *   Gemini             .gemini/rules/x.md      .gemini/SYSTEM.md, GEMINI.md
 *
 * If the model is from another provider, or no model is chosen yet, the prompt contains all of
 * these files. The prompt contains the files in the order of the table; the files of a folder are
 * sorted by name. A file that is reached through several links is used only once. Includes are
 * expanded. A file that cannot be used is skipped with a note.
 */
#ifndef CONFIG_PROMPT_FILES_H
#define CONFIG_PROMPT_FILES_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/agent/agent_def.h"
#include "core/agent/skill.h"
#include "core/agent/system_prompt.h"

/* Read the files for a model of `provider`; STR_NONE: no model is chosen yet. Blocks. */
void prompt_files_load(struct arena *mem, const char *root, const struct limits *limits,
                       struct str provider, struct notes *notes, struct prompt_parts *out);

struct prompt_opts {
    const char *root;
    const struct limits *limits;
    struct str provider;             /* as for prompt_files_load */
    const struct skill_list *skills; /* NULL: none */
};

/*
 * Return the whole system prompt of an agent: the persona, these files, the list of skills, and the
 * working folder. The prompt contains no date or other changing data, so that providers can cache
 * the prompt.
 */
struct str prompt_of_agent(struct arena *mem, const struct prompt_opts *o,
                           const struct agent_def *def, struct notes *notes);

#endif
