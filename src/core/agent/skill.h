/*
 * skill.h - what an agent can look up how to do: a name, when it is of use, and the instructions.
 *
 * Models see names and descriptions all the time and load the body of one when they need it
 * (tool/skill.c). Pure data; who reads the files is config/skill_files.h.
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

/* In the order of their names. */
struct skill_list {
    struct skill *v;
    size_t n;
};

/* NULL when there is none of that name, or no list. */
static inline const struct skill *skills_find(const struct skill_list *list, struct str name)
{
    for (size_t i = 0; list && i < list->n; i++)
        if (str_eq(name, str_of(list->v[i].name)))
            return &list->v[i];
    return NULL;
}

/*
 * A line for each: "- name: description", in at most `max` bytes; a last line says how many more
 * there are. Empty when there is none.
 */
struct str skills_lines(struct arena *mem, const struct skill_list *list, size_t max);

#endif
