/*
 * trust.h - records what the user trusts: which servers of a project may be started, and which of
 * its agents may loosen the user's configuration.
 *
 * Opening a cloned repository must not run its code. So a server that is defined in a project file
 * is not started until the user accepts its entry. trefoil stores a SHA-256 hash of the name and
 * text of the accepted entry for this root, so the user must accept the entry again after any
 * change. The user's own configuration needs no trust. Agents work in the same way (agent_trust.h);
 * the hash of an agent covers the definition and the persona.
 *
 * Stored in trust.json in the user's state folder, readable by the user only:
 *
 *   { "version": 1, "roots": { "/path/of/the/root": ["<hash of a server>", ...] },
 *     "agents": { "/path/of/the/root": ["<hash of an agent>", ...] },
 *     "rules": { "/path/of/the/root": ["<hash of a rule>", ...] } }
 */
#ifndef CONFIG_TRUST_H
#define CONFIG_TRUST_H

#include "config/server_read.h"
#include "core/agent/agent_def.h"

/*
 * Set server_spec.trusted for servers of the user and for accepted servers. If `all` is true, set
 * it for every server, for this run only. If trust.json cannot be read, no server counts as
 * accepted, and a note is added.
 */
void trust_mark(struct arena *mem, const char *root, bool all, struct server_list *l,
                struct notes *notes);

/*
 * Store which servers the user accepts for the root. These are the project's servers that are
 * marked as trusted.
 */
bool trust_keep(struct arena *mem, const char *root, const struct server_list *l, struct err *e);

/* Return the hashes of the agents that the user has accepted for the root; missing: none. */
struct json trust_agents(struct arena *mem, const char *root, struct notes *notes);

/*
 * Return the hashes of the project's rules ([guard] allow) that the user has accepted; missing:
 * none.
 */
struct json trust_rules(struct arena *mem, const char *root, struct notes *notes);

/* Is the hash of this rule in the list `hashes`? */
bool trust_lists_rule(struct arena *mem, struct json hashes, struct str rule);

/* Store exactly these rules as accepted for the root. */
bool trust_keep_rules(struct arena *mem, const char *root, const struct pick_strs *rules,
                      struct err *e);

/* Is `hash` in this list? */
bool trust_lists(struct json hashes, struct str hash);

/* Compute the hash of an agent. def->written must be set. */
bool trust_hash_agent(struct arena *mem, const struct agent_def *def, struct str *out,
                      struct err *e);

/* Store the hashes of the accepted agents of the root, replacing the earlier list. */
bool trust_keep_agents(struct arena *mem, const char *root, const struct pick_strs *hashes,
                       struct err *e);

#endif
