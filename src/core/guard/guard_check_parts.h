/* guard_check_parts.h - what the files that hold checks share. */
#ifndef CORE_GUARD_GUARD_CHECK_PARTS_H
#define CORE_GUARD_GUARD_CHECK_PARTS_H

#include "core/guard/guard_check.h"

/* What a check writes to. */
struct guard_check_finding {
    struct guard_finding *out;
    char *text;
    size_t size;
};

/* Allow the call. `why` must be static. */
void guard_pass(struct guard_check_finding *to, const char *why);

/* A stricter finding replaces a milder one. GUARD_ALLOW: allow the call with a warning. */
void guard_say(struct guard_check_finding *to, enum guard_says says, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));

/* The name of a scope for sentences. */
const char *guard_scope_name(const struct guard_scope *s);

/* Of a name that begins with a section of the configuration, "[mcp] on stdio": that section. Of any
 * other name: all of it. */
struct str guard_scope_section(const struct guard_scope *s);

#endif
