/* secret.h - recognise values that must not be shown by their names. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include "base/str.h"

/* Would the value that goes with this name (a header, a variable, an option) be a secret? */
bool names_secret(struct str name);

#endif
