/*
 * guard_saved_rights.h - what somebody may do, as text: for work that outlives whoever asked for it.
 *
 * Scopes belong to sessions and endpoints, which go; a task goes on, perhaps in another process,
 * and must never be above the one it was begun for.
 */
#ifndef CORE_GUARD_GUARD_SAVED_RIGHTS_H
#define CORE_GUARD_GUARD_SAVED_RIGHTS_H

#include "core/guard/guard_check.h"

struct guard;

/*
 * A scope and those it belongs to, the nearest first, as a JSON array. `last`, the guard's own, is
 * left out: it is in force wherever the work goes on.
 */
void guard_scope_write(struct jw *w, const struct guard_scope *s, const struct guard_scope *last);

/* That as text, in mem. guard NULL: there is none, and nothing is left out. */
struct str guard_scope_text(struct arena *mem, const struct limits *limits,
                            const struct guard_scope *s, const struct guard *guard);

/*
 * The same from its text, in mem, with `last` above all. NULL (ERR_INVALID) when it is no such
 * text: then nothing may be done in its name.
 */
const struct guard_scope *guard_scope_read(struct arena *mem, struct str text,
                                           const struct guard_scope *last, struct err *e);

#endif
