/*
 * guard_saved_rights.h - guard scopes as text, for tasks.
 *
 * A task must never have more rights than the caller that started it. But the task may outlive the
 * scopes of the caller, which end with a session or endpoint, and may continue in another process.
 * So the scopes are stored with the task as text.
 */
#ifndef CORE_GUARD_GUARD_SAVED_RIGHTS_H
#define CORE_GUARD_GUARD_SAVED_RIGHTS_H

#include "core/guard/guard_check.h"

struct guard;

/*
 * Write a scope and its parents, the nearest first, as a JSON array. The guard's own scope, `last`,
 * is omitted, because the process that works on the task applies its own guard scope.
 */
void guard_scope_write(struct jw *w, const struct guard_scope *s, const struct guard_scope *last);

/*
 * Return the output of guard_scope_write as text in mem. If `guard` is NULL, no scope is omitted.
 */
struct str guard_scope_text(struct arena *mem, const struct limits *limits,
                            const struct guard_scope *s, const struct guard *guard);

/*
 * Parse the output of guard_scope_text. The scopes are in mem; `last` becomes their last parent. If
 * the text is invalid, returns NULL with ERR_INVALID, and the caller must not permit anything.
 */
const struct guard_scope *guard_scope_read(struct arena *mem, struct str text,
                                           const struct guard_scope *last, struct err *e);

#endif
