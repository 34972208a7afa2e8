/*
 * skills.h - what an agent can look up how to do: SKILL.md files.
 *
 *   .trefoil/skills/x/SKILL.md, then .claude/skills/x/SKILL.md
 *
 * Front matter with name (else the folder's) and description; the body is what the model reads
 * when it wants the skill. Of one name ours counts. One that is wrong is left out with a note.
 */
#ifndef APP_SKILLS_H
#define APP_SKILLS_H

#include "app/notes.h"
#include "base/err.h"
#include "base/limits.h"

struct skill {
    const char *name;
    struct str description;
    struct str body;    /* includes resolved */
    const char *origin; /* the file, relative to the root */
};

/* In the order of their names. */
struct skill_list {
    struct skill *v;
    size_t n;
};

/* Read all. Blocks. `notes` may be NULL. */
void skills_load(struct arena *mem, const char *root, const struct limits *limits,
                 struct notes *notes, struct skill_list *out);

/* NULL when there is none of that name. */
const struct skill *skills_find(const struct skill_list *list, struct str name);

#endif
