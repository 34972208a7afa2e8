/* percent.h - percent-encoding, such as %41 (RFC 3986, 2.1). */
#ifndef BASE_PERCENT_H
#define BASE_PERCENT_H

#include "base/arena.h"

enum percent_rule {
    PERCENT_LENIENT, /* a '%' without two digits is a literal */
    PERCENT_STRICT,  /* it is an error */
};

/* Decode into mem. False for what breaks the rule or is no UTF-8 text. */
bool percent_decode(struct arena *mem, struct str in, enum percent_rule rule, struct str *out);

#endif
