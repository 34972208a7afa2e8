/*
 * server_read.h - from one entry of a configuration to one struct server_spec.
 *
 * Every format is read here: `[[mcp.servers]]` and `[[mcp_servers]]` of our own files, the
 * `mcpServers` or `servers` map of another program, the array of an editor. They differ in
 * strictness and in the references that a value may use (config_values.h), not in the keys:
 *
 *   name        of the server, [A-Za-z0-9_.-]{1,64}
 *   command     a program, or a list: program and arguments
 *   args        more arguments
 *   env         { NAME = "value" }, [ "NAME", "NAME=value" ] or [ { name, value } ]; NAME alone
 *               passes our value on
 *   env_base    "strict": pass only PATH and the named variables
 *   cwd         where it runs; relative to the root
 *   url         http or https
 *   headers     { Name = "value" } or [ { name, value } ]
 *   type        stdio, http (also streamable-http, streamableHttp) or sse
 *   transport   the type, or a table of type, command, args, url, headers
 *   timeout_secs, timeout_max_secs, idle_stop_secs, concurrency, era, enabled, disabled
 *   roots       false: the server gets no roots
 *   max_result_chars   longest text of a result; a project may only make it shorter
 *   allowed_tools, tools
 *
 * Another program's `timeout` is in milliseconds, or in seconds when it is below 1000.
 */
#ifndef CONFIG_SERVER_READ_H
#define CONFIG_SERVER_READ_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/tool/server_spec.h"

enum server_shape {
    SHAPE_NATIVE,  /* ours: strict; env: and file: refer to secrets */
    SHAPE_FOREIGN, /* another program's: an unknown key is noted; ${...} is replaced */
    SHAPE_ACP,     /* from an editor: unknown keys are ignored; values are literal */
};

struct server_reader {
    struct arena *mem; /* for the specs */
    const char *root;
    const struct limits *limits;
    struct notes *notes;
    enum server_shape shape;
    bool from_project; /* not to be started without trust */
};

/* A list of specs that grows in an arena. {0} is empty. */
struct server_list {
    struct server_spec *v;
    size_t n, room;
};

/* `name` is the key of the entry in its map; missing when the entry has a member "name". */
bool server_read(const struct server_reader *r, struct json entry, struct json name,
                 struct server_spec *out, struct err *e);

/*
 * The array `mcpServers` of an ACP request: http and sse entries with headers, all others stdio.
 * They belong to the user: trusted. An invalid entry fails the whole array, and so does a duplicate
 * name. `notes` may be NULL.
 */
bool server_specs_from_acp(struct arena *mem, struct json array, const char *root,
                           const struct limits *limits, struct notes *notes,
                           struct server_list *out, struct err *e);

/* Is this a valid server name for our files? The error explains the rule. */
bool server_name_check(struct str name, struct err *e);

struct server_spec *server_list_find(const struct server_list *l, const char *name);

/* Add one; a name that is there already is an error naming both places. */
bool server_list_add(struct arena *mem, struct server_list *l, const struct server_spec *s,
                     struct err *e);

/* A transport by name, other spellings included; false when there is none. */
bool server_transport_named(struct str name, enum server_transport *out);

/* "trefoil.toml:12": inside the root without it, and without the column. */
const char *server_origin(const struct server_reader *r, struct json at);

/* A JSON value as one line, without the spaces of its source. */
struct str server_json_line(struct arena *mem, struct json v);

#endif
