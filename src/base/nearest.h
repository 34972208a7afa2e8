/*
 * nearest.h - guess which known word a mistyped word was meant to be.
 *
 *   struct nearest n = nearest_to(given);
 *
 *   for (each known word)
 *       nearest_try(&n, word);
 *   fail(e, ERR_INVALID, "unknown key \"%s\"%s", given, nearest_hint(&n));
 *
 * Two words are close when few letters are inserted, left out, replaced or swapped with their
 * neighbour, when the given word begins the known one ("conf", "config"), or when it is its last
 * part ("read_file", "mcp_files_read_file"). Upper and lower case are the same.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/str.h"

enum { NEAREST_WORD_MOST = 64 }; /* bytes; longer words are not compared */

struct nearest {
    struct str given;
    struct str best; /* borrowed from the caller of nearest_try(); p == NULL: no word is close */
    size_t distance; /* of best; without one, the first distance that is too far */
    char hint[NEAREST_WORD_MOST + 24];
};

struct nearest nearest_to(struct str given);

/* Compare one known word. Of two that are equally close the first is kept. */
void nearest_try(struct nearest *n, struct str known);

/* "; did you mean \"WORD\"?", or "" when no word is close. Lives as long as *n. */
const char *nearest_hint(struct nearest *n);

#endif
