/*
 * guard_parts.h - the internals of the guard, shared by guard.c, guard_ask.c, guard_answers.c and
 * guard_request.c.
 */
#ifndef CORE_GUARD_GUARD_PARTS_H
#define CORE_GUARD_GUARD_PARTS_H

#include "core/guard/guard.h"
#include "core/guard/permission_option.h"

/* Does judging a call count against the rate limit of its caller? */
enum guard_paying { GUARD_ONLY_LOOKS, GUARD_PAYS, GUARD_HAS_PAID };

/*
 * Set call->pass.state. No other code sets it. A transition that is not in the diagram of guard.c
 * is a bug.
 */
void guard_set_state(struct call *call, enum guard_state to);

/* Return a keyed hash of a tool and the arguments of a call, for the history and the audit log. */
uint64_t guard_call_digest(const struct guard *g, const struct tool *tool, struct json args);

/* Collect the facts about a call and judge it. Also stores in *call the limits for the tool. */
void guard_judge_call(struct call *call, const struct tool *tool, enum guard_paying paying,
                      struct guard_verdict *out);

/* Start the call, because it was allowed. */
void guard_let_in(struct call *call, const struct tool *tool, const struct guard_verdict *v);

/* Refuse the call. `fmt` has one %s for the name of the called tool and one %s for the reason. */
void guard_refuse(struct call *call, const char *fmt, const char *why)
    __attribute__((format(printf, 2, 0)));

/* Refuse the call because of a verdict that denies. */
void guard_deny(struct call *call, const struct guard_verdict *v);

/*
 * Ask a person about a call whose verdict is GUARD_ASK. Then guard_let_in, guard_refuse or
 * guard_deny is called.
 */
void guard_ask(struct call *call, const struct tool *tool, const struct guard_verdict *v);

/* ---- remembered answers (guard_answers.c) ---------------------------------------------------- */

/* Return the options for a question about this call that apply to more than this call. */
struct permission_offer guard_offer_of(const struct call *call);

/*
 * Find a remembered answer for a call whose verdict is GUARD_ASK. Returns the answer and sets
 * v->answer to its id. GUARD_ASK: there is no such answer, so a person must be asked.
 */
enum guard_says guard_remembered(struct guard *g, const struct host *host,
                                 const struct caller *caller, const struct tool *tool,
                                 struct json args, struct guard_verdict *v);

/* Remember that a person chose this option. If that fails, the answer applies to this call only. */
void guard_remember(struct call *call, enum permission_option option);

#endif
