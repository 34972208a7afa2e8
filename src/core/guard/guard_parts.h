/* guard_parts.h - what guard.c and guard_ask.c share. */
#ifndef CORE_GUARD_GUARD_PARTS_H
#define CORE_GUARD_GUARD_PARTS_H

#include "core/guard/guard.h"

/* What is done about the rate of the caller. */
enum guard_paying { GUARD_ONLY_LOOKS, GUARD_PAYS, GUARD_HAS_PAID };

/* Gather the facts of a call and judge it by them. Also notes what the tool must keep to. */
void guard_judge_call(struct call *call, const struct tool *tool, enum guard_paying paying,
                      struct guard_verdict *out);

/* The call begins. */
void guard_let_in(struct call *call, const struct tool *tool, const struct guard_verdict *v);

/* It does not: fmt has a %s for what was called, and one for the reason. */
void guard_refuse(struct call *call, const char *fmt, const char *why)
    __attribute__((format(printf, 2, 0)));

/* It does not, by a verdict that denies. */
void guard_deny(struct call *call, const struct guard_verdict *v);

/*
 * Ask a person about a call, whose verdict is to ask. Ends in guard_let_in, guard_refuse or
 * guard_deny.
 */
void guard_ask(struct call *call, const struct tool *tool, const struct guard_verdict *v);

#endif
