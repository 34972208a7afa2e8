/*
 * server_spec.h - one MCP server as the configuration defines it, in any of its formats.
 *
 * TOML tables, `mcpServers` maps of other programs and the arrays of editors all become this
 * record; only the readers in config know the formats. All data is in the arena of the
 * configuration that it was read from. Pure data: proto/mcp starts the servers.
 */
#ifndef CORE_TOOL_SERVER_SPEC_H
#define CORE_TOOL_SERVER_SPEC_H

#include "base/pick.h"

enum server_transport {
    SERVER_STDIO,
    SERVER_HTTP, /* Streamable HTTP; HTTP+SSE if the server supports nothing newer */
    SERVER_SSE,  /* HTTP+SSE; Streamable HTTP if the server does not support HTTP+SSE */
};

enum server_era { SERVER_ERA_AUTO, SERVER_ERA_LEGACY, SERVER_ERA_MODERN };

/* A header of a URL, or a variable of a child. A literal secret is masked wherever it is shown. */
struct server_pair {
    struct str name, value;
};

/* The settings of one tool of a server, under the name that the server gives it. */
struct tool_override {
    struct str tool;
    struct str rename;      /* published under this name; STR_NONE: the default name */
    struct str description; /* instead of the server's; STR_NONE: the server's */
    int64_t timeout_secs;   /* of one request; 0: the server's */
    bool hide;
};

struct server_spec {
    const char *name;
    enum server_transport transport;

    /* stdio */
    const char *const *argv; /* ended by NULL */
    const char *cwd;         /* NULL: the root folder */
    bool env_strict;         /* env_base = "strict": inherits only PATH */
    const struct str *pass;  /* names of further variables that the child inherits */
    size_t passes;
    const struct server_pair *env; /* variables set for it */
    size_t envs;

    /* http, sse */
    const char *url;
    const struct server_pair *header;
    size_t headers;

    int64_t timeout_ms;     /* of one request; progress restarts it */
    int64_t timeout_max_ms; /* of one request, regardless of progress */
    int64_t idle_stop_ms;   /* stop it after this time without a call; 0: never */
    int64_t concurrency;    /* maximum of parallel calls; others wait */
    int64_t result_chars;   /* longest text of a result; 0: limits.tool_result_chars */
    enum server_era era;
    bool enabled;
    bool no_roots; /* the server is not told our roots */

    struct pick_strs allowed; /* allowed_tools: absent = all, [] = none, list = only these */
    const struct tool_override *override;
    size_t overrides;
    bool manual; /* toolInclude: its tools are offered only to agents that name them */
    struct pick_strs otherwise; /* tools for which the opposite of `manual` holds */

    const char *origin; /* "trefoil.toml:12", for errors and the listing */
    struct str shown;   /* the command or the URL for people: as written, secrets masked */
    /* the entry in its file, as one line of JSON; `trefoil trust` accepts this text */
    struct str written;
    bool from_project; /* from a file of the project: not started until trusted */
    bool trusted;      /* may be started */
};

/* A deep copy in another arena: for code that keeps a server longer than its configuration. */
struct server_spec server_spec_copy(struct arena *mem, const struct server_spec *s);

/* "stdio", "http" or "sse". */
const char *server_transport_name(enum server_transport t);

#endif
