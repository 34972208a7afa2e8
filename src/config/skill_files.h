/*
 * skill_files.h - instructions that an agent can look up: SKILL.md files.
 *
 *   .trefoil/skills/x/SKILL.md, then .claude/skills/x/SKILL.md
 *
 * Front matter with name (else the folder's) and description; the model reads the body when it
 * uses the skill. If two skills share a name, ours is used. An invalid skill is skipped with a
 * note.
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

/* Their folders, to be watched; in mem. */
struct file_watch_path *skills_places(struct arena *mem, const char *root, size_t *out_n);

#endif
