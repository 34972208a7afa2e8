/*
 * skill_files.h - reads the skills of a project (core/agent/skill.h), which are SKILL.md files:
 *
 *   .trefoil/skills/x/SKILL.md
 *   .claude/skills/x/SKILL.md
 *
 * The front matter has a name (default: the name of the folder) and a description; the body
 * contains the instructions. If two skills have the same name, the one in .trefoil is used. An
 * invalid skill is skipped with a note.
 */
#ifndef CONFIG_SKILL_FILES_H
#define CONFIG_SKILL_FILES_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/agent/skill.h"
#include "loop/file_watch.h"

/* Read all skills. The function blocks. `notes` may be NULL. */
void skills_load(struct arena *mem, const char *root, const struct limits *limits,
                 struct notes *notes, struct skill_list *out);

/* Return the paths to watch for changes of skills, in mem. */
struct file_watch_path *skills_places(struct arena *mem, const char *root, size_t *out_n);

#endif
