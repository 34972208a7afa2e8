/* secret.h - decide from the name of a value whether the value is a secret. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include "base/str.h"

/* Is the value of a header, variable or option with this name a secret? */
bool names_secret(struct str name);

#endif
