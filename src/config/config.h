/*
 * config.h - the configuration.
 *
 * trefoil.toml in the root overrides the user's config.toml; --config FILE replaces both. Read
 * strictly: an unknown key, a wrong type, a duplicate or a value out of range is an error with
 * file, line and column, and nothing is applied.
 *
 * A project's trefoil.toml may only make limits stricter (limits.def defines that), and the same
 * applies to [guard], [mcp], [tasks], [store] and `listen`; a looser value is ignored with a note.
 *
 * If MCP servers share a name, trefoil.toml overrides the user's config.toml, and both override the
 * files of other programs (foreign_servers.h), where the project's override the user's. Servers of
 * the project's files are not started unless trusted (trust.h).
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "base/limits.h"
#include "base/log.h"
#include "base/pick.h"
#include "config/api_keys_read.h"
#include "config/models_read.h"
#include "config/server_read.h"
#include "core/guard/guard_check.h"
#include "core/lock/lock.h"
#include "core/store.h"
#include "core/tool/exposure.h"
#include "state/root.h"

struct config {
    struct str listen;      /* [serve] listen */
    const char *opened_by;  /* where a project's file sets what may let others in; NULL: nowhere */
    struct pick_strs hosts; /* [serve] hosts */
    enum log_level log_level;
    bool log_json;
    struct limits limits;
    struct key_list keys;                         /* [serve] api_key and keys */
    struct pick_strs expose_tools, private_tools; /* [mcp] */
    enum endpoint_mode mode;                      /* [mcp] mode */
    struct guard_scope guard, mcp;    /* mode, permission and taint of [guard] and [mcp] */
    bool no_audit;                    /* [guard] audit = false */
    bool untrusted_users;             /* [guard] user_trust = "untrusted" */
    enum store_durability durability; /* [store] durability */
    enum lock_conflict lock_conflict; /* [tasks] lock_conflict */
    bool isolate;                     /* [tasks] isolate */
    const char *chosen;               /* the file of --config; NULL: none */
    bool trust;                       /* --trust */
    struct server_list servers;       /* of all files, without shadowed entries */
    struct json agents, user_agents;  /* [[agents]], undecoded: agent_files.h reads them */
    struct json trusted_agents;       /* hashes of the project's entries that the user accepted */
    struct model_setup models;        /* [providers], [models] */
    struct notes notes;
    const char *files[2]; /* the files that were read, the one with lower priority first */
    size_t file_count;
};

/* All defaults. */
void config_preset(struct config *c);

/*
 * Read the files; `chosen` is the value of --config, or NULL. Absent default files are fine.
 * `trust`: also the project's servers may be started, for this run. A complete new configuration
 * in `mem`, or failure with *c as it was.
 */
bool config_load(struct arena *mem, const struct root *root, const char *chosen, bool trust,
                 struct config *c, struct err *e);

/*
 * The servers of one of our files, from its text. Adds to *out; a duplicate name is an error. For
 * code that edits the file.
 */
bool config_servers(const struct server_reader *r, struct json file, struct server_list *out,
                    struct err *e);

#endif
