/*
 * server_spec.h - the definition of an MCP server.
 *
 * TOML tables, `mcpServers` maps of other programs and the arrays of editors are all read into this
 * struct; only the readers in src/config know the formats. All data is in the arena of the
 * configuration. Pure data: proto/mcp starts the servers.
 */
#ifndef CORE_TOOL_SERVER_SPEC_H
#define CORE_TOOL_SERVER_SPEC_H

#include "base/pick.h"
#include "loop/sandbox_profile.h"

enum server_transport {
    SERVER_STDIO,
    SERVER_HTTP, /* Streamable HTTP; HTTP+SSE if the server supports nothing newer */
    SERVER_SSE,  /* HTTP+SSE; Streamable HTTP if the server does not support HTTP+SSE */
};

enum server_era { SERVER_ERA_AUTO, SERVER_ERA_LEGACY, SERVER_ERA_MODERN };

/*
 * What happens when the definition of a tool is not the approved one any more. The strictest value
 * is last.
 */
enum tool_pinning {
    PINNING_UNSET,
    PINNING_OFF,   /* definitions are not compared */
    PINNING_WARN,  /* the user is warned; the tool is offered */
    PINNING_BLOCK, /* the tool is quarantined: not offered, and calls of it are denied */
};

/*
 * An HTTP header, or an environment variable of a child. A value that looks like a secret is masked
 * wherever it is shown.
 */
struct server_pair {
    struct str name, value;
};

/*
 * The user's settings for one tool of a server. `tool` is the name that the server gives the tool.
 */
struct tool_override {
    struct str tool;
    struct str rename;      /* published under this name; STR_NONE: the default name */
    struct str description; /* replaces the server's description; STR_NONE: nothing is replaced */
    int64_t timeout_secs;   /* time limit of one request; 0: the server's timeout_ms */
    bool hide;
};

struct server_spec {
    const char *name;
    enum server_transport transport;

    /* stdio */
    const char *const *argv; /* the command, which ends with NULL */
    const char *cwd;         /* working folder of the process; NULL: the root folder */
    bool env_strict;         /* env_base = "strict": inherits only PATH */
    const struct str *pass;  /* names of further variables that the child inherits */
    size_t passes;
    const struct server_pair *env; /* variables to set for the child */
    size_t envs;
    enum sandbox_kind sandbox; /* the sandbox profile of the server's process */
    bool share;                /* callers in read-only mode use the same process as all others */
    /* set by trefoil, not by the user: this is the process for callers in read-only mode */
    bool reads_only;

    /* http, sse */
    const char *url;
    const struct server_pair *header;
    size_t headers;

    int64_t timeout_ms;     /* time limit of one request; progress restarts the time */
    int64_t timeout_max_ms; /* time limit of one request, regardless of progress */
    int64_t idle_stop_ms;   /* stop the server after this time without a call; 0: never */
    int64_t concurrency;    /* maximum number of parallel calls; others wait */
    /* longest text of a result (result_cap.h); 0: limits.tool_result_chars */
    int64_t result_chars;
    enum server_era era;
    /* pinning of the server's tools; UNSET: the setting for all servers */
    enum tool_pinning pinning;
    bool enabled;
    bool no_roots; /* do not send our roots to the server */

    struct pick_strs allowed; /* allowed_tools: absent = all, [] = none, list = only these */
    const struct tool_override *override;
    size_t overrides;
    bool manual; /* toolInclude: the tools are offered only to agents whose lists name them */
    struct pick_strs otherwise; /* the tools for which the opposite of `manual` applies */

    /* position of the definition, such as "trefoil.toml:12", for errors and lists */
    const char *origin;
    struct str shown; /* the command or URL for people, with masked secrets */
    /* the entry in its file, as one line of JSON; `trefoil trust` accepts this text */
    struct str written;
    bool from_project; /* defined in a file of the project: not started until the user trusts it */
    bool trusted;      /* the server may be started */
};

/*
 * Return a deep copy in mem, for code that uses the definition after its configuration was freed.
 */
struct server_spec server_spec_copy(struct arena *mem, const struct server_spec *s);

/* Return "stdio", "http" or "sse". */
const char *server_transport_name(enum server_transport t);

/* Parse a word. If the word is unknown, returns false and leaves *out unchanged. */
bool tool_pinning_named(struct str word, enum tool_pinning *out);

/*
 * Return the pinning of a server's tools. `general` is the setting for all servers; a server of the
 * project's files can only make it stricter.
 */
enum tool_pinning server_pinning(const struct server_spec *s, enum tool_pinning general);

#endif
