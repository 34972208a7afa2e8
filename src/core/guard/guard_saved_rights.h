/*
 * guard_saved_rights.h - rights as text, for work that outlives the session that started it.
 *
 * Scopes belong to sessions and endpoints, which end. A task continues, perhaps in another process,
 * and must never have more rights than the caller that started it.
 */
#ifndef CORE_GUARD_GUARD_SAVED_RIGHTS_H
#define CORE_GUARD_GUARD_SAVED_RIGHTS_H

#include "core/guard/guard_check.h"

struct guard;

/*
 * Write a scope and its parents, the nearest first, as a JSON array. `last`, the guard's own scope,
 * is omitted: it applies in the process that continues the work.
 */
void guard_scope_write(struct jw *w, const struct guard_scope *s, const struct guard_scope *last);

/* The same as text, in mem. guard NULL: there is no guard, and nothing is omitted. */
struct str guard_scope_text(struct arena *mem, const struct limits *limits,
                            const struct guard_scope *s, const struct guard *guard);

/*
 * Parse the text of a scope, in mem, with `last` as its last parent. NULL (ERR_INVALID): the text
 * is not valid, so nothing may be permitted on its behalf.
 */
const struct guard_scope *guard_scope_read(struct arena *mem, struct str text,
                                           const struct guard_scope *last, struct err *e);

#endif
