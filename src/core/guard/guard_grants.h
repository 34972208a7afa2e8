/*
 * guard_grants.h - tools that a person has allowed "from now on", for as long as a session is open.
 *
 * A grant answers what the guard would ask about a tool; what it denies stays denied, and what is
 * asked because of untrusted data is asked each time.
 */
#ifndef CORE_GUARD_GUARD_GRANTS_H
#define CORE_GUARD_GUARD_GRANTS_H

#include "base/str.h"

enum { GUARD_GRANTS = 32, GUARD_GRANT_NAME = 65 };

/* {0} is empty. */
struct guard_grants {
    char tool[GUARD_GRANTS][GUARD_GRANT_NAME];
    size_t n;
};

bool guard_granted(const struct guard_grants *g, struct str tool);

/* What does not fit is not granted: it is asked again. */
void guard_grant(struct guard_grants *g, struct str tool);

#endif
