/*
 * guard.h - the guard, which decides about every tool call.
 *
 * tool_run passes a call to the guard of its host. The guard collects the facts (rate, history,
 * paths) and judges them (guard_check.h). Then it starts the tool, asks a person for approval, or
 * refuses the call with ERR_DENIED and a sentence. It asks one question that names all reasons,
 * unless an answer was remembered for the session or the project; the deadline of the call is
 * suspended meanwhile. When the call settles, the guard records the outcome, marks results from
 * outside as untrusted, and writes an audit record.
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
    struct guard_scope own; /* of all callers: [guard]. The last parent of all other scopes */
    struct guard_scope face[ORIGINS]; /* by where a caller connects; below `own` */
    struct guard_scope tasks; /* of all tasks, which also have their caller's; below `own` */
    struct rate_table rates;
    struct audit_sink *audit;     /* NULL: none */
    struct answer_store *answers; /* answers that hold for the project; NULL: none are kept */
    uint64_t secret;              /* key of the digests */
};

/* Program lifetime; limits must outlive it. */
void guard_init(struct guard *g, const struct limits *limits);
void guard_fini(struct guard *g);

/*
 * The rights of callers by their origin. Those of the command line have no settings and so restrict
 * nothing; those of clients have the settings of [mcp].
 */
const struct guard_scope *guard_face(const struct guard *g, enum origin origin);

/* Where a caller without a scope begins: at the face of the command line, or else at `own`. */
const struct guard_scope *guard_first_scope(const struct guard *g, enum origin origin);

/*
 * Count a request of this cost against the rate of a principal (or an address). Returns 0, or the
 * ms to wait. For the routes of the HTTP server; a tool call costs what its kind costs.
 */
int64_t guard_pace(struct guard *g, struct str principal, bool remote, int64_t cost,
                   int64_t now_ms);

/*
 * The verdict about a call of this tool, including remembered answers, for `explain`. No side
 * effects.
 */
void guard_look(struct guard *g, const struct host *host, const struct caller *caller,
                const struct tool *tool, struct json args, struct guard_verdict *out);

/* ---- for calls ----------------------------------------------------------------------------- */

/* Start call->tool, now or after a person has approved it, or refuse it. */
void guard_start(struct call *call);

/* A call that guard_start was called for has settled with this code. */
void guard_settled(struct call *call, enum err_code code);

/* From tool->preview: the change that the call would make, as a diff; STR_NONE: show the
 * arguments. */
void guard_previewed(struct call *call, struct str diff);

/* ---- marks --------------------------------------------------------------------------------- */

/* Labels that accompany a result. */
struct guard_marks {
    const char *trust; /* "trusted" or "untrusted" */
    const char *type;  /* always "data": the output of a tool is not an instruction */
    struct str from;   /* of untrusted data: its source; else STR_NONE */
};

struct guard_marks guard_marks(const struct call *call);

#endif
