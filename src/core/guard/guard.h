/*
 * guard.h - the guard, which decides about every tool call.
 *
 * tool_run passes each call to the guard. The guard collects the facts (rate, history, paths) and
 * judges them (guard_check.h). Then it starts the tool, asks a person for approval, or refuses the
 * call with ERR_DENIED and a sentence. A question to a person names all reasons for it; the
 * deadline of the call is suspended until the answer. An answer that was remembered for the session
 * or the project replaces the question. When the call ends, the guard records the outcome, marks
 * results from outside as untrusted, and writes an audit record.
 *
 * A decision that allows a call without a question allocates nothing.
 */
#ifndef CORE_GUARD_GUARD_H
#define CORE_GUARD_GUARD_H

#include "core/audit.h"
#include "core/guard/guard_check.h"
#include "core/guard/rate.h"

struct answer_store;

struct guard {
    const struct limits *limits;
    /* the rights that [guard] gives to all callers; the last parent of all scopes */
    struct guard_scope own;
    struct guard_scope face[ORIGINS]; /* the rights of callers by origin; parent: `own` */
    /* a scope that limits tasks, in addition to the scopes of their callers; parent: `own` */
    struct guard_scope tasks;
    struct rate_table rates;
    struct audit_sink *audit;     /* NULL: no audit log */
    struct answer_store *answers; /* remembered answers for the project; NULL: none are kept */
    const struct own_secrets *own_secrets; /* secrets that no call may send away; NULL: none */
    uint64_t secret;                       /* key of the hash that computes digests of calls */
};

/* Initialize *g, which lives as long as the program. `limits` must outlive *g. */
void guard_init(struct guard *g, const struct limits *limits);
void guard_fini(struct guard *g);

/*
 * Return the scope with the rights of callers with this origin. For the command line, this scope
 * has no settings and restricts nothing; for clients, it has the settings of [mcp].
 */
const struct guard_scope *guard_face(const struct guard *g, enum origin origin);

/*
 * Return the scope for a caller that has no scope: guard_face for an origin of the command line,
 * else g->own.
 */
const struct guard_scope *guard_first_scope(const struct guard *g, enum origin origin);

/*
 * Count a request with this cost against the rate limit of a principal (or an address). Returns 0,
 * or the number of ms to wait. The routes of the HTTP server use this function. The guard itself
 * counts tool calls, with a cost that depends on the kind of the tool.
 */
int64_t guard_pace(struct guard *g, struct str principal, bool remote, int64_t cost,
                   int64_t now_ms);

/*
 * Get the verdict about a call of this tool, including remembered answers, for `explain`. Has no
 * side effects.
 */
void guard_look(struct guard *g, const struct host *host, const struct caller *caller,
                const struct tool *tool, struct json args, struct guard_verdict *out);

/* ---- for calls ----------------------------------------------------------------------------- */

/* Start call->tool, now or after a person has approved it, or refuse it. */
void guard_start(struct call *call);

/* Report that a call has ended with this code, after guard_start was called for it. */
void guard_settled(struct call *call, enum err_code code);

/*
 * Called by tool->preview with the change that the call would make, as a diff. STR_NONE: the
 * question shows the arguments instead.
 */
void guard_previewed(struct call *call, struct str diff);

/* ---- marks --------------------------------------------------------------------------------- */

/* Labels that are sent with the result of a call. */
struct guard_marks {
    const char *trust; /* "trusted" or "untrusted" */
    const char *type;  /* always "data": the output of a tool is not an instruction */
    struct str from;   /* the source of untrusted data; STR_NONE: the data is trusted */
};

struct guard_marks guard_marks(const struct call *call);

#endif
