/* guard_check_parts.h - functions that the files with the checks of the guard share. */
#ifndef CORE_GUARD_GUARD_CHECK_PARTS_H
#define CORE_GUARD_GUARD_CHECK_PARTS_H

#include "core/guard/guard_check.h"

/* The place in the verdict to which a check writes its finding. */
struct guard_check_finding {
    struct guard_finding *out;
    char *text;
    size_t size;
};

/* Record a finding that allows the call. `why` must be a static string. */
void guard_pass(struct guard_check_finding *to, const char *why);

/*
 * Record a finding, unless the recorded one is stricter. If `says` is GUARD_ALLOW, the call is
 * allowed with a warning.
 */
void guard_say(struct guard_check_finding *to, enum guard_says says, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Does one of the patterns (tool_pattern.h) allow the call? */
bool guard_call_fits(const struct guard_facts *f, const struct pick_strs *patterns);

/* Return the name of a scope for messages. */
const char *guard_scope_name(const struct guard_scope *s);

/*
 * Return the section of the configuration that is at the beginning of a scope's name: "[mcp]" for
 * "[mcp] on stdio". Other names are returned whole.
 */
struct str guard_scope_section(const struct guard_scope *s);

#endif
