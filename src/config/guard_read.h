/*
 * guard_read.h - read mode and permission from [guard] and [mcp].
 *
 * A project's file is not trusted: it can make the guard stricter than the user's files do, never
 * more permissive.
 */
#ifndef CONFIG_GUARD_READ_H
#define CONFIG_GUARD_READ_H

#include "core/guard/guard_check.h"

struct guard_table {
    struct str mode;        /* read-write, read-only */
    struct json permission; /* {kind: auto|ask|deny} */
    struct str taint;       /* auto, ask, deny */
    struct str user_trust;  /* trusted, untrusted; of [guard] only */
    bool audit;
};

/* `at` is the table in the file, for errors. */
bool guard_table_apply(struct arena *mem, struct json at, const struct guard_table *t,
                       bool from_project, struct guard_scope *to, struct err *e);

/* The same for user_trust. */
bool guard_user_trust_apply(struct json at, const struct guard_table *t, bool from_project,
                            bool *untrusted, struct err *e);

#endif
