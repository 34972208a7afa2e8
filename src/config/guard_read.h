/*
 * guard_read.h - reads the settings of the guard from [guard] and [mcp].
 *
 * A project's file is not trusted: it can make the guard stricter than the user's files make it,
 * but never more permissive.
 */
#ifndef CONFIG_GUARD_READ_H
#define CONFIG_GUARD_READ_H

#include "core/guard/guard_check.h"

struct guard_table {
    struct str mode;                 /* "read-write" or "read-only" */
    struct json permission;          /* {kind: auto|ask|deny} */
    struct str taint;                /* auto, ask, deny */
    struct str secrets;              /* auto, ask, deny */
    struct str user_trust;           /* trusted, untrusted; in [guard] only */
    struct pick_strs allow;          /* patterns of calls that need no approval; in [guard] only */
    struct pick_strs readonly_shell; /* patterns of commands; in [guard] only */
    bool audit;
};

/*
 * Apply the members of *t to the scope *to. `at` is the table in the file; errors contain its
 * position.
 */
bool guard_table_apply(struct arena *mem, struct json at, const struct guard_table *t,
                       bool from_project, struct guard_scope *to, struct err *e);

/* Is the syntax of the patterns correct? `at` is the list in the file. */
bool guard_rules_check(struct json at, const struct pick_strs *rules, struct err *e);

/* Append patterns to a list, in mem. */
void guard_rules_add(struct arena *mem, struct pick_strs *to, const struct pick_strs *more);

/* Apply t->user_trust. */
bool guard_user_trust_apply(struct json at, const struct guard_table *t, bool from_project,
                            bool *untrusted, struct err *e);

#endif
