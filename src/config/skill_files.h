/*
 * skill_files.h - what an agent can look up how to do: SKILL.md files.
 *
 *   .trefoil/skills/x/SKILL.md, then .claude/skills/x/SKILL.md
 *
 * Front matter with name (else the folder's) and description; the body is what the model reads
 * when it wants the skill. Of one name ours counts. One that is wrong is left out with a note.
 */
#ifndef CONFIG_SKILL_FILES_H
#define CONFIG_SKILL_FILES_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/agent/skill.h"
#include "loop/file_watch.h"

/* Read all. Blocks. `notes` may be NULL. */
void skills_load(struct arena *mem, const char *root, const struct limits *limits,
                 struct notes *notes, struct skill_list *out);

/* Where they are looked for, to be watched; in mem. */
struct file_watch_path *skills_places(struct arena *mem, const char *root, size_t *out_n);

#endif
