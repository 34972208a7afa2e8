/*
 * skill.h - skills: instructions for certain kinds of work, which an agent loads when it needs
 * them.
 *
 * Models always see the names and descriptions, and load the body of a skill with a tool
 * (tool/skill.c). Pure data; config/skill_files.h reads the files.
 */
#ifndef CORE_AGENT_SKILL_H
#define CORE_AGENT_SKILL_H

#include "base/arena.h"

struct skill {
    const char *name;
    struct str description;
    struct str body;    /* includes resolved */
    const char *origin; /* the file, relative to the root */
};

/* Sorted by name. */
struct skill_list {
    struct skill *v;
    size_t n;
};

/* Find a skill by name. NULL: there is none, or list is NULL. */
static inline const struct skill *skills_find(const struct skill_list *list, struct str name)
{
    for (size_t i = 0; list && i < list->n; i++)
        if (str_eq(name, str_of(list->v[i].name)))
            return &list->v[i];
    return NULL;
}

/*
 * One line per skill, "- name: description", in at most `max` bytes; if not all fit, the last line
 * gives the number of the others. Empty if there are no skills.
 */
struct str skills_lines(struct arena *mem, const struct skill_list *list, size_t max);

#endif
