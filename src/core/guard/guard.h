/*
 * guard.h - the one place that every tool call passes.
 *
 * tool_run hands a call to the guard of its host. The guard gathers the facts (how often, what
 * before, which paths), has them judged (guard_check.h), and starts the tool, asks whoever can be
 * asked - once, naming all reasons, with the deadline standing still - or refuses with ERR_DENIED
 * and a sentence. As the call settles the guard notes the outcome, marks what came from outside,
 * and hands a record to the audit.
 *
 *   JUDGED -> running                    allowed
 *          -> ASKED -> JUDGED again      a person approved it (guard_ask.c): the tool is looked up
 *                   |                    anew, must be defined as it was, and is judged as it is
 *                   |                    about to run
 *                   -> refused           declined, not answered in time, no one can be asked
 *          -> refused
 *
 * A decision that allows allocates nothing.
 */
#ifndef CORE_GUARD_GUARD_H
#define CORE_GUARD_GUARD_H

#include "core/audit.h"
#include "core/guard/guard_check.h"
#include "core/guard/rate.h"

struct guard {
    const struct limits *limits;
    struct guard_scope own;     /* everybody's: [guard]. Other scopes end in it by their parents */
    struct guard_scope mcp;     /* of MCP clients that are proved to be our user: [mcp] */
    struct guard_scope mcp_tcp; /* of those over TCP, with a key or without */
    struct rate_table rates;
    struct audit_sink *audit; /* NULL: none */
    uint64_t secret;          /* of digests */
};

/* Program lifetime; limits must outlive it. */
void guard_init(struct guard *g, const struct limits *limits);
void guard_fini(struct guard *g);

/* What clients of [mcp] may do that came in this way. */
const struct guard_scope *guard_endpoint(const struct guard *g, enum origin origin);

/*
 * May somebody come in now, at a cost? 0, or the ms to wait. `who` proved to be somebody, or is an
 * address. For the routes of the HTTP server; tools pay by their kind when they are called.
 */
int64_t guard_pace(struct guard *g, struct str principal, bool remote, int64_t cost,
                   int64_t now_ms);

/* What the guard would say to a call of this tool. Spends and notes nothing. For explain. */
void guard_look(struct guard *g, const struct host *host, const struct caller *caller,
                const struct tool *tool, struct json args, struct guard_verdict *out);

/* ---- for calls ----------------------------------------------------------------------------- */

/* Start call->tool, now or when somebody has agreed, or refuse. */
void guard_start(struct call *call);

/* The call, which the guard has judged, has settled with this code. */
void guard_settled(struct call *call, enum err_code code);

/* From tool->preview: what the call would change, as a diff; STR_NONE: the arguments say it all. */
void guard_previewed(struct call *call, struct str diff);

/* ---- marks --------------------------------------------------------------------------------- */

/* What goes with a result wherever it goes. */
struct guard_marks {
    const char *trust; /* "trusted" or "untrusted" */
    const char *type;  /* always "data": what a tool says is no instruction */
    struct str from;   /* of untrusted data: its source; else STR_NONE */
};

struct guard_marks guard_marks(const struct call *call);

#endif
