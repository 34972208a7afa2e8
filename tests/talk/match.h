/*
 * match.h - does a text look like a pattern?
 *
 * A pattern is the text itself, byte for byte, but $name stands for one JSON value: the first
 * time it takes what is there, afterwards it must be the same. $_ takes anything every time.
 */
#ifndef TALK_MATCH_H
#define TALK_MATCH_H

#include "base/str.h"

enum { MATCH_NAMES = 16 };

struct match_names {
    struct {
        struct str name;
        char value[256];
    } slot[MATCH_NAMES];
    size_t count;
};

/* Compare; names bound on the way stay bound. *used is how much of the text was looked at. */
bool match(struct str pattern, struct str text, struct match_names *names, size_t *used);

/* Replace each $name of a text by its value, into out (cut at size). Unbound ones stay. */
void match_fill(struct str text, const struct match_names *names, char *out, size_t size);

#endif
