/*
 * server_read.h - from one entry of a configuration to one struct server_spec.
 *
 * Every shape passes through here: `[[mcp.servers]]` and `[[mcp_servers]]` of our own files, the
 * `mcpServers` or `servers` map of another program, the array an editor sends. They differ in
 * how strict we are and in what a value may stand for (config_values.h), not in the keys:
 *
 *   name        of the server, [A-Za-z0-9_.-]{1,64}
 *   command     a program, or a list: program and arguments
 *   args        more arguments
 *   env         { NAME = "value" }, [ "NAME", "NAME=value" ] or [ { name, value } ]; NAME alone
 *               passes ours on
 *   env_base    "strict": of our variables PATH alone, besides those named
 *   cwd         where it runs; relative to the root
 *   url         http or https
 *   headers     { Name = "value" } or [ { name, value } ]
 *   type        stdio, http (also streamable-http, streamableHttp) or sse
 *   transport   the type, or a table of type, command, args, url, headers
 *   timeout_secs, timeout_max_secs, idle_stop_secs, concurrency, era, enabled, disabled
 *   roots       false: the server is not told of any folder
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
    SHAPE_NATIVE,  /* ours: strict; env: and file: stand for secrets */
    SHAPE_FOREIGN, /* another program's: an unknown key is noted; ${...} is put in */
    SHAPE_ACP,     /* an editor's: unknown keys are its own business; values are what they are */
};

struct server_reader {
    struct arena *mem; /* the specs live here */
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
 * They are the user's own: trusted. An entry that cannot be read fails the whole array, and so
 * does a name that stands there twice. `notes` may be NULL.
 */
bool server_specs_from_acp(struct arena *mem, struct json array, const char *root,
                           const struct limits *limits, struct notes *notes,
                           struct server_list *out, struct err *e);

/* May a server of our own files be called so? The error says how it may. */
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
