/*
 * guard_parts.h - the internals of the guard, shared by guard.c, guard_ask.c and guard_answers.c.
 */
#ifndef CORE_GUARD_GUARD_PARTS_H
#define CORE_GUARD_GUARD_PARTS_H

#include "core/guard/guard.h"
#include "core/guard/permission_option.h"

/* Whether judging a call counts against the rate of its caller. */
enum guard_paying { GUARD_ONLY_LOOKS, GUARD_PAYS, GUARD_HAS_PAID };

/* The only writer of call->pass.state. A transition that the diagram in guard.c lacks is a bug. */
void guard_set_state(struct call *call, enum guard_state to);

/* Gather the facts of a call and judge it. Also stores in the call what the tool must obey. */
void guard_judge_call(struct call *call, const struct tool *tool, enum guard_paying paying,
                      struct guard_verdict *out);

/* Start the call. */
void guard_let_in(struct call *call, const struct tool *tool, const struct guard_verdict *v);

/* Refuse the call: fmt has a %s for the name of what was called, and a %s for the reason. */
void guard_refuse(struct call *call, const char *fmt, const char *why)
    __attribute__((format(printf, 2, 0)));

/* Refuse the call because of a verdict that denies. */
void guard_deny(struct call *call, const struct guard_verdict *v);

/*
 * Ask a person about a call whose verdict is GUARD_ASK. Ends in guard_let_in, guard_refuse or
 * guard_deny.
 */
void guard_ask(struct call *call, const struct tool *tool, const struct guard_verdict *v);

/* ---- remembered answers (guard_answers.c) ---------------------------------------------------- */

/* The options of a question about this call, beside those that apply once. */
struct permission_offer guard_offer_of(const struct call *call);

/*
 * Is there a remembered answer for a call whose verdict is GUARD_ASK? GUARD_ASK: no, a person must
 * be asked. Otherwise out->answer is that answer.
 */
enum guard_says guard_remembered(struct guard *g, const struct host *host,
                                 const struct caller *caller, const struct tool *tool,
                                 struct json args, struct guard_verdict *v);

/* A person chose this option for the call. An answer that cannot be kept holds once. */
void guard_remember(struct call *call, enum permission_option option);

#endif
