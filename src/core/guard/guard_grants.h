/*
 * guard_grants.h - the remembered answers to questions about tool calls that apply in one session
 * ("in this session").
 *
 * Like an answer for the project, an answer for the session has the id of an answer_key
 * (answer_store.h), which covers the tool, its definition, and its arguments or path.
 *
 * An answer that allows a call replaces the question about it, except for questions about untrusted
 * data or about files that control trefoil. It does not replace a denial. An answer that rejects a
 * call denies it whenever it would need approval.
 */
#ifndef CORE_GUARD_GUARD_GRANTS_H
#define CORE_GUARD_GUARD_GRANTS_H

#include "core/guard/answer_store.h"

enum { GUARD_GRANTS = 256 };

struct guard_grant {
    char id[ANSWER_ID];
    bool allows;
};

/* The answers of a session. {0} is an empty list. */
struct guard_grants {
    struct guard_grant *v;
    size_t n;
};

void guard_grants_fini(struct guard_grants *g);

/*
 * Return the remembered answer, GUARD_ALLOW or GUARD_DENY, or GUARD_ASK if there is none with this
 * id.
 */
enum guard_says guard_granted(const struct guard_grants *g, const char *id);

/*
 * Remember an answer. If the session has GUARD_GRANTS answers already, the new answer is dropped,
 * and the guard asks again.
 */
void guard_grant(struct guard_grants *g, const char *id, bool allows);

#endif
