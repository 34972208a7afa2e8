/*
 * guard_secrets.h - the check of secrets in the arguments of calls that send them away: to an MCP
 * server, to a web server, or to another agent.
 *
 * A call that contains the value of one of trefoil's own secrets is denied. A call that contains a
 * text that looks like another secret needs approval, unless [guard] secrets is auto. Messages
 * contain the name of trefoil's own secret, or the kind of another one, but never the value.
 */
#ifndef CORE_GUARD_GUARD_SECRETS_H
#define CORE_GUARD_GUARD_SECRETS_H

#include "core/guard/own_secrets.h"
#include "core/tool/tool.h"

struct guard_check_finding;
struct guard_facts;

/* The secret that was found in the arguments of a call. Zeroed: there is none. */
struct guard_secret {
    const char *kind; /* as in struct secret_match; NULL: no secret was found */
    struct str own;   /* the name of trefoil's own secret; STR_NONE: it is another secret */
};

/* Search the arguments for secrets, if the tool sends its arguments away. `own` may be NULL. */
struct guard_secret guard_secret_in(const struct own_secrets *own, const struct tool *tool,
                                    struct json args);

void guard_check_secrets(const struct guard_facts *f, struct guard_check_finding *to);

#endif
