/*
 * trust.h - which entries of a project may be started, and which of its agents may loosen the
 * user's configuration.
 *
 * A cloned repository must not run code by being opened. A server that a project file names stays
 * inert until the user accepts it. The user accepts this entry, as it is written, in this root: its
 * name and text are hashed (SHA-256), and any change must be accepted again. The user's own
 * configuration needs no trust. The same holds for agents (agent_trust.h), whose definition is
 * hashed together with the persona.
 *
 * Stored in trust.json in the user's state folder, readable by the user only:
 *
 *   { "version": 1, "roots": { "/path/of/the/root": ["<hash of a server>", ...] },
 *     "agents": { "/path/of/the/root": ["<hash of an agent>", ...] } }
 */
#ifndef CONFIG_TRUST_H
#define CONFIG_TRUST_H

#include "config/server_read.h"
#include "core/agent/agent_def.h"

/*
 * Mark the servers that may be started: entries of the user, accepted entries, and with `all` every
 * entry (for this run only). A trust.json that cannot be read accepts nothing, with a note.
 */
void trust_mark(struct arena *mem, const char *root, bool all, struct server_list *l,
                struct notes *notes);

/* Keep exactly the project's entries of the list that are marked trusted as accepted for the root. */
bool trust_keep(struct arena *mem, const char *root, const struct server_list *l, struct err *e);

/* The hashes of the agents that were accepted for the root; missing: none. */
struct json trust_agents(struct arena *mem, const char *root, struct notes *notes);

/* Is the hash among these? */
bool trust_lists(struct json hashes, struct str hash);

/* The hash of an agent; `written` is its definition as its file has it. */
bool trust_hash_agent(struct arena *mem, const struct agent_def *def, struct str *out,
                      struct err *e);

/* Keep exactly these hashes of agents as accepted for the root. */
bool trust_keep_agents(struct arena *mem, const char *root, const struct pick_strs *hashes,
                       struct err *e);

#endif
