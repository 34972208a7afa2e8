/*
 * skill.h - skills: instructions for certain kinds of work, which an agent loads when it needs
 * them.
 *
 * The names and descriptions of all skills are in the system prompt. A model loads the body of a
 * skill with a tool (tool/skill.c). Pure data; config/skill_files.h reads the files.
 */
#ifndef CORE_AGENT_SKILL_H
#define CORE_AGENT_SKILL_H

#include "base/arena.h"

struct skill {
    const char *name;
    struct str description;
    struct str body;    /* the instructions, with includes resolved */
    const char *origin; /* the file, relative to the root */
};

/* A list of skills, sorted by name. */
struct skill_list {
    struct skill *v;
    size_t n;
};

/* Find a skill by name. Returns NULL if there is no such skill, or if `list` is NULL. */
static inline const struct skill *skills_find(const struct skill_list *list, struct str name)
{
    for (size_t i = 0; list && i < list->n; i++)
        if (str_eq(name, str_of(list->v[i].name)))
            return &list->v[i];
    return NULL;
}

/*
 * List the skills in at most `max` bytes, one line "- name: description" per skill. If some skills
 * do not fit, the last line has their number. If there are no skills, the list is empty.
 */
struct str skills_lines(struct arena *mem, const struct skill_list *list, size_t max);

#endif
