/*
 * guard_sandbox.h - the sandbox profile in which a call runs its programs, and the check of calls
 * that leave the sandbox.
 *
 * A call is inside the sandbox if the kernel confines it to the root folder and gives it no
 * network, or as much network as the user's [sandbox] default. Then it needs no approval. It leaves
 * the sandbox, and needs approval, if
 *
 *   - it asks for a profile with more rights (the argument `sandbox` of shell_exec)
 *   - the user has switched the sandbox off, or the kernel cannot enforce the profile
 *   - it runs its programs elsewhere, as a terminal of an editor does
 *   - it deletes files outside the root folder, or reaches the network (web_fetch)
 *
 * The user can waive the approval: [guard] allow, [guard.permission], or a trusted agent.
 */
#ifndef CORE_GUARD_GUARD_SANDBOX_H
#define CORE_GUARD_GUARD_SANDBOX_H

#include "core/tool/tool.h"

struct guard_check_finding;
struct guard_facts;
struct guard_scope;

/* What the guard knows about the sandbox of a call. */
struct guard_sandbox {
    bool runs;                  /* the call runs programs */
    enum sandbox_kind kind;     /* the profile in which the programs run */
    enum sandbox_kind standard; /* the profile of a call that does not request another one */
    bool enforced;              /* the kernel enforces the profile */
    /* the call may run even if the kernel does not enforce the profile */
    bool best_effort;
    bool elsewhere;       /* the programs run where we cannot confine them */
    bool deletes_outside; /* the call would delete files outside the root folder */
    char missing[240];    /* if not enforced: the feature that is missing */
};

/*
 * Find out in which sandbox a call of the tool would run. Allocates nothing; the first call of this
 * function may block for some milliseconds.
 */
struct guard_sandbox guard_sandbox_of(const struct host *host, const struct guard_scope *scope,
                                      const struct tool *tool, struct json args);

/* Return the sandbox that the tool must use (call->sandbox). */
struct call_sandbox guard_sandbox_for_call(const struct guard_sandbox *s);

/* May some calls of the tool leave the sandbox, so that they need approval by default? */
bool guard_may_leave_sandbox(const struct tool *t);

/* Does the call leave the sandbox? The function ignores permissions. */
bool guard_leaves_sandbox(const struct guard_facts *f);

/* Run the check, for guard_check.c. `waived`: the user allows such calls without approval. */
void guard_check_sandbox_of(const struct guard_facts *f, bool waived,
                            struct guard_check_finding *to);

#endif
