/*
 * wildcard.h - patterns for paths, as shells and .gitignore write them. Pure.
 *
 *   *      any characters except "/"              [a-z] [!a]  one of these, or none of these
 *   ?      one character except "/"               \x          x itself
 *   **     as a whole part: any number of folders {a,b}       either (wild_expand only)
 */
#ifndef TOOL_FILE_WILDCARD_H
#define TOOL_FILE_WILDCARD_H

#include "base/arena.h"
#include "base/err.h"

/* Does the whole path match? A "**" at the end of the pattern matches at least one name. */
bool wild_match(struct str pattern, struct str path);

enum { WILD_ALTERNATIVES = 64 };

struct wild_list {
    struct str v[WILD_ALTERNATIVES];
    size_t n;
};

/* Expand the braces of a pattern into a list of patterns, in mem. ERR_LIMIT: there are too many. */
bool wild_expand(struct arena *mem, struct str pattern, struct wild_list *out, struct err *e);

bool wild_match_any(const struct wild_list *list, struct str path);

#endif
