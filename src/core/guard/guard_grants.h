/*
 * guard_grants.h - answers about calls that hold for one session ("in this session").
 *
 * An answer is about the same call as an answer for the project: it is found by the id of an
 * answer_key (answer_store.h), which covers the tool, its definition, and its arguments or path.
 *
 * An answer that allows replaces the question about the call. It does not replace a denial or a
 * question about untrusted data or about files that control trefoil. An answer that rejects denies
 * the call if it would need approval.
 */
#ifndef CORE_GUARD_GUARD_GRANTS_H
#define CORE_GUARD_GUARD_GRANTS_H

#include "core/guard/answer_store.h"

enum { GUARD_GRANTS = 256 };

struct guard_grant {
    char id[ANSWER_ID];
    bool allows;
};

/* {0} is empty. */
struct guard_grants {
    struct guard_grant *v;
    size_t n;
};

void guard_grants_fini(struct guard_grants *g);

/* GUARD_ALLOW or GUARD_DENY; GUARD_ASK: there is no answer with this id. */
enum guard_says guard_granted(const struct guard_grants *g, const char *id);

/* Remember an answer. If there are GUARD_GRANTS already, it is not kept, and the guard asks again. */
void guard_grant(struct guard_grants *g, const char *id, bool allows);

#endif
