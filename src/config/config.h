/*
 * config.h - reads the configuration.
 *
 * trefoil.toml in the root overrides the user's config.toml; --config FILE replaces both. The files
 * are read strictly: an unknown key, a wrong type, a duplicate or a value out of range is an error
 * with file, line and column, and no setting is applied.
 *
 * A project's trefoil.toml can make limits stricter but not looser (limits.def defines what is
 * stricter). The project can also only make [guard], [sandbox], [mcp], [tasks], [store], [web] and
 * `listen` stricter. A looser value is ignored with a note.
 *
 * If MCP servers have the same name, the source with the highest priority wins: trefoil.toml, the
 * user's config.toml, files of other programs in the project, files of other programs of the user
 * (foreign_servers.h). Servers of the project's files are not started unless the user trusts them
 * (trust.h).
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "base/limits.h"
#include "base/log.h"
#include "base/pick.h"
#include "config/a2a_read.h"
#include "config/api_keys_read.h"
#include "config/models_read.h"
#include "config/sandbox_read.h"
#include "config/server_read.h"
#include "config/web_read.h"
#include "core/guard/guard_check.h"
#include "core/lock/lock.h"
#include "core/store.h"
#include "core/tool/exposure.h"
#include "state/root.h"

struct config {
    struct str listen; /* [serve] listen */
    /*
     * position of the project's setting that lets other machines connect, which the user must
     * confirm (serve.c); NULL: there is none
     */
    const char *opened_by;
    struct pick_strs hosts; /* [serve] hosts */
    enum log_level log_level;
    bool log_json;
    struct limits limits;
    struct key_list keys;                         /* [serve] api_key and keys */
    struct pick_strs expose_tools, private_tools; /* [mcp] expose_tools and private_tools */
    enum endpoint_mode mode;                      /* [mcp] mode */
    /* [mcp] pinning in the user's files, and in the project's files */
    enum tool_pinning pinning, project_pinning;
    struct guard_scope guard, mcp; /* mode, permission and taint of [guard] and [mcp] */
    /*
     * [guard] allow of the project's file; guard.rules contains only those that the user accepted
     */
    struct pick_strs project_rules;
    struct sandbox_setup sandbox;     /* the settings of [sandbox] */
    bool no_audit;                    /* [guard] audit = false */
    bool untrusted_users;             /* [guard] user_trust = "untrusted" */
    enum store_durability durability; /* [store] durability */
    enum lock_conflict lock_conflict; /* [tasks] lock_conflict */
    bool isolate;                     /* [tasks] isolate */
    struct str acp_name, acp_version; /* [acp] name and version; STR_NONE: those of trefoil */
    struct ip_range_list reachable;   /* [web] allow_private */
    struct a2a_config a2a;            /* [a2a] */
    const char *chosen;               /* the file of --config; NULL: none */
    bool trust;                       /* --trust was given */
    struct server_list servers;       /* servers of all files, without overridden entries */
    struct json agents, user_agents;  /* [[agents]] as JSON; agent_files.h reads them */
    struct json trusted_agents;       /* hashes of the project's entries that the user accepted */
    struct model_setup models;        /* [providers], [models] */
    struct notes notes;
    const char *files[2]; /* the files that were read, the file with lower priority first */
    size_t file_count;
};

/* Set all members to their defaults. */
void config_preset(struct config *c);

/*
 * Read the files into *c; the data is in `mem`. `chosen` is the value of --config, or NULL. The
 * default files may be missing. If `trust` is true, the project's servers may be started in this
 * run. After a failure *c is unchanged.
 */
bool config_load(struct arena *mem, const struct root *root, const char *chosen, bool trust,
                 struct config *c, struct err *e);

/*
 * Return what happens when the definition of a server's tool changes (enum tool_pinning): the
 * user's setting or, if the user has set nothing, `preset`. A stricter setting of the project
 * overrides both.
 */
enum tool_pinning config_pinning(const struct config *c, enum tool_pinning preset);

/*
 * Add the servers of a parsed configuration file of trefoil to *out. A duplicate name is an error.
 * The code that edits the file uses this function.
 */
bool config_servers(const struct server_reader *r, struct json file, struct server_list *out,
                    struct err *e);

#endif
