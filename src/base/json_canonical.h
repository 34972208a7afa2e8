/*
 * json_canonical.h - write equal JSON values as the same text, to compare and hash values.
 *
 * The text has no white space, the members of objects are in byte order of their keys, and strings
 * have the fewest escapes. Numbers are not converted: 1 and 1.0 have different texts. A string with
 * half a surrogate pair is not converted either, because two such strings could become equal.
 */
#ifndef BASE_JSON_CANONICAL_H
#define BASE_JSON_CANONICAL_H

#include "base/json.h"

/* Write the text of v. `mem` is used for temporary data. */
void json_canonical_write(struct jw *w, struct arena *mem, struct json v);

/* Return the text of v, in mem. The text of a missing value is empty. */
struct str json_canonical(struct arena *mem, struct json v);

#endif
