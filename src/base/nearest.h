/*
 * nearest.h - guess which known word a mistyped word was meant to be.
 *
 *   struct nearest n = nearest_to(given);
 *
 *   for (each known word)
 *       nearest_try(&n, word);
 *   fail(e, ERR_INVALID, "unknown key \"%s\"%s", given, nearest_hint(&n));
 *
 * The given word is close to a known word if few letters are inserted, omitted, replaced or swapped
 * with their neighbour; or if the known word begins with it ("conf", "config"), or ends with it
 * ("read_file", "mcp_files_read_file"). Case is ignored.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/str.h"

enum { NEAREST_WORD_MOST = 64 }; /* bytes; longer words are not compared */

struct nearest {
    struct str given;
    struct str best; /* borrowed from the caller of nearest_try(); p == NULL: no word is close */
    size_t distance; /* only a word with a smaller distance becomes `best` */
    char hint[NEAREST_WORD_MOST + 24];
};

struct nearest nearest_to(struct str given);

/* Compare with a known word. If two known words are equally close, the first one is kept. */
void nearest_try(struct nearest *n, struct str known);

/* "; did you mean \"WORD\"?", or "" when no word is close. Valid as long as *n. */
const char *nearest_hint(struct nearest *n);

#endif
