/*
 * system_prompt.h - what a model is told before the conversation. Pure: texts in, one text out.
 *
 * The order is fixed, so that the same files always give the same bytes (providers cache by
 * them): the persona, the rules in the order given, the system instructions in the order given,
 * the skills, where it works.
 */
#ifndef CORE_AGENT_SYSTEM_PROMPT_H
#define CORE_AGENT_SYSTEM_PROMPT_H

#include "base/arena.h"

/* A text and where it is from; the model is told so. */
struct prompt_part {
    const char *origin; /* relative to the root */
    struct str text;
};

struct prompt_parts {
    struct str persona;             /* may be empty */
    const struct prompt_part *rule; /* may be NULL */
    size_t rules;
    const struct prompt_part *instruction; /* may be NULL */
    size_t instructions;
    struct str skills; /* a line for each (skill.h); may be empty */
    struct str place;  /* where it works and what it may do there; may be empty */
};

/*
 * Compose, at most `max` bytes: what is longer is cut at its end, on a character, and *out_cut
 * says so. Nothing to say gives an empty text.
 */
struct str prompt_compose(struct arena *mem, const struct prompt_parts *parts, size_t max,
                          bool *out_cut);

#endif
