/*
 * guard_grants.h - answers about tools that hold for one session ("in this session").
 *
 * An answer that allows replaces the question about a tool. It does not replace a denial or a
 * question about untrusted data or about files that control trefoil. An answer that rejects denies
 * every call of the tool that would need approval.
 */
#ifndef CORE_GUARD_GUARD_GRANTS_H
#define CORE_GUARD_GUARD_GRANTS_H

#include "core/guard/guard_check.h"

enum { GUARD_GRANTS = 32 };

struct guard_grant {
    char tool[TOOL_NAME_MOST + 1];
    bool allows;
};

/* {0} is empty. */
struct guard_grants {
    struct guard_grant *v;
    size_t n;
};

void guard_grants_fini(struct guard_grants *g);

/* GUARD_ALLOW or GUARD_DENY; GUARD_ASK: there is no answer about this tool. */
enum guard_says guard_granted(const struct guard_grants *g, struct str tool);

/*
 * Remember an answer. If there are GUARD_GRANTS already, it is not kept, and the guard asks again.
 */
void guard_grant(struct guard_grants *g, struct str tool, bool allows);

#endif
