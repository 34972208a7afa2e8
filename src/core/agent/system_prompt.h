/*
 * system_prompt.h - composes the system prompt of an agent from several texts. Pure.
 *
 * The order is fixed: persona, rules in the given order, instructions in the given order, skills,
 * place (the working folder). The same files always result in the same bytes, so that providers can
 * cache the prompt.
 */
#ifndef CORE_AGENT_SYSTEM_PROMPT_H
#define CORE_AGENT_SYSTEM_PROMPT_H

#include "base/arena.h"

/* A text, and the name of its file, which becomes a heading in the prompt. */
struct prompt_part {
    const char *origin; /* name of the file, relative to the root */
    struct str text;
};

struct prompt_parts {
    struct str persona;             /* may be empty */
    const struct prompt_part *rule; /* may be NULL */
    size_t rules;
    const struct prompt_part *instruction; /* may be NULL */
    size_t instructions;
    struct str skills; /* the lines of skills_lines (skill.h); may be empty */
    struct str place;  /* the working folder and the rights there; may be empty */
};

/*
 * Compose the prompt in mem. If it is longer than `max` bytes, it is truncated at a character
 * boundary and *out_cut is set. If all parts are empty, the prompt is empty.
 */
struct str prompt_compose(struct arena *mem, const struct prompt_parts *parts, size_t max,
                          bool *out_cut);

#endif
