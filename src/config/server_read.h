/*
 * server_read.h - reads the entry of an MCP server into a struct server_spec.
 *
 * There are three formats: `[[mcp.servers]]` and `[[mcp_servers]]` of trefoil's own files, the
 * `mcpServers` or `servers` map of another program, and the array of an editor. The formats differ
 * in strictness and in the references that a value may use (config_values.h), but have the same
 * keys:
 *
 *   name        name of the server, [A-Za-z0-9_.-]{1,64}
 *   command     a program, or a list of the program and its arguments
 *   args        more arguments
 *   env         { NAME = "value" }, [ "NAME", "NAME=value" ] or [ { name, value } ]; NAME alone
 *               passes on the value from trefoil's environment
 *   env_base    "strict": pass only PATH and the named variables
 *   cwd         the folder in which the server runs; relative to the root
 *   url         http or https
 *   headers     { Name = "value" } or [ { name, value } ]
 *   type        stdio, http (also streamable-http, streamableHttp) or sse
 *   transport   the type, or a table of type, command, args, url, headers
 *   timeout_secs, timeout_max_secs, idle_stop_secs, concurrency, era, enabled, disabled
 *   roots       false: the server gets no roots
 *   pinning     off, warn or block: what happens when the definition of a tool changes; a project
 *               may only make it stricter
 *   max_result_chars   maximum text of a result; a project may only make it shorter
 *   allowed_tools, tools
 *   sandbox     the sandbox profile of the command (core/tool/server_spec.h)
 *   share       true: callers in read-only mode use the same process as all others
 *
 * The key `timeout` of other programs is in milliseconds, or in seconds if it is below 1000.
 */
#ifndef CONFIG_SERVER_READ_H
#define CONFIG_SERVER_READ_H

#include "base/limits.h"
#include "config/config_notes.h"
#include "core/tool/server_spec.h"

enum server_shape {
    /* trefoil's own file: unknown keys are errors; env: and file: refer to secrets */
    SHAPE_NATIVE,
    SHAPE_FOREIGN, /* file of another program: unknown keys are noted; ${...} is replaced */
    SHAPE_ACP,     /* array of an editor: unknown keys are ignored; values are literal */
};

struct server_reader {
    struct arena *mem; /* memory of the definitions that are read */
    const char *root;
    const struct limits *limits;
    struct notes *notes;
    enum server_shape shape;
    /*
     * the file belongs to the project: its servers must not be started unless the user trusts them
     */
    bool from_project;
};

/* A list of specs that grows in an arena. {0} is empty. */
struct server_list {
    struct server_spec *v;
    size_t n, room;
};

/*
 * Read one entry. `name` is the key of the entry in its map. If `name` is missing, the entry must
 * have the key "name".
 */
bool server_read(const struct server_reader *r, struct json entry, struct json name,
                 struct server_spec *out, struct err *e);

/*
 * Read the array `mcpServers` of an ACP request: entries of type http and sse, which may have
 * headers, and stdio entries. The servers count as servers of the user, so they are trusted. An
 * invalid entry or a duplicate name fails the whole array. `notes` may be NULL.
 */
bool server_specs_from_acp(struct arena *mem, struct json array, const char *root,
                           const struct limits *limits, struct notes *notes,
                           struct server_list *out, struct err *e);

/* Is this a valid server name for trefoil's own files? The error explains the rule. */
bool server_name_check(struct str name, struct err *e);

struct server_spec *server_list_find(const struct server_list *l, const char *name);

/* Add a server. If the list has a server of that name, the error names both places. */
bool server_list_add(struct arena *mem, struct server_list *l, const struct server_spec *s,
                     struct err *e);

/*
 * Find a transport by its name or another spelling of the name. Returns false if the name is
 * unknown.
 */
bool server_transport_named(struct str name, enum server_transport *out);

/*
 * Return the position of a value as "trefoil.toml:12". The name of a file inside the root is
 * relative to the root.
 */
const char *server_origin(const struct server_reader *r, struct json at);

/* Return a JSON value as one line of text, without the spaces of its source. */
struct str server_json_line(struct arena *mem, struct json v);

#endif
