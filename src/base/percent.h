/* percent.h - decode percent-encoded text, such as %41 (RFC 3986, 2.1). */
#ifndef BASE_PERCENT_H
#define BASE_PERCENT_H

#include "base/arena.h"

enum percent_rule {
    PERCENT_LENIENT, /* a '%' without two hexadecimal digits stands for itself */
    PERCENT_STRICT,  /* such a '%' is an error */
};

/* Decode into mem. False: `in` breaks the rule, or the result is not valid UTF-8. */
bool percent_decode(struct arena *mem, struct str in, enum percent_rule rule, struct str *out);

#endif
