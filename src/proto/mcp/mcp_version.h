/*
 * mcp_version.h - the supported versions of MCP, and the features of each.
 *
 * A difference between versions is a member of struct mcp_features or a row in mcp_methods.c, never
 * a comparison of versions in a handler.
 */
#ifndef PROTO_MCP_MCP_VERSION_H
#define PROTO_MCP_MCP_VERSION_H

#include "base/str.h"

/*
 * The versions in order of age, as the method table uses them (rpc/method.h). In legacy versions,
 * client and server agree on the version in a handshake. From MCP_MODERN on, each request names its
 * version.
 */
enum mcp_version {
    MCP_2024_11_05,
    MCP_2025_03_26,
    MCP_2025_06_18,
    MCP_2025_11_25,
    MCP_2026_07_28,
    MCP_FIRST = MCP_2024_11_05,
    MCP_LEGACY = MCP_2025_11_25, /* the newest version with a handshake (initialize) */
    MCP_MODERN = MCP_2026_07_28, /* the oldest version without a handshake */
    MCP_LAST = MCP_2026_07_28,
    /* The version of an HTTP client that sends no header MCP-Protocol-Version, as the specification
     * requires (2025-06-18, transports). */
    MCP_ASSUMED = MCP_2025_03_26,
};

/* The extension by which a call may become a task, for both sides. */
#define MCP_TASKS "io.modelcontextprotocol/tasks"

struct mcp_features {
    const char *name;
    bool modern;           /* no handshake; resultType, cache fields, serverInfo in each result */
    bool batches;          /* arrays of messages are accepted */
    bool annotations;      /* hints about what a tool does */
    bool audio;            /* audio blocks */
    bool completions;      /* the capability exists; older versions complete without it */
    bool progress_message; /* progress has a text */
    bool titles;           /* display names */
    bool structured;       /* outputSchema and structuredContent */
    bool links;            /* resource_link blocks */
    bool meta;             /* _meta on tools, resources, prompts */
    bool elicitation;      /* the user can be asked to fill in a form */
    bool icons;
    bool elicit_url; /* the user can be sent to a web page */
    bool announces;  /* listChanged is declared even if no notification can follow */
    /* an event stream begins with an empty event, with whose id the stream can be resumed */
    bool polling;
    bool tasks; /* calls may become tasks: the extension (mcp_tasks.h) */
};

/* Indexed by enum mcp_version. */
extern const struct mcp_features mcp_features[];

/*
 * Find a version by its name. 2024-10-07, which was never released but is still requested, means
 * 2024-11-05.
 */
bool mcp_version_named(struct str name, enum mcp_version *out);

/* All names, the newest first, as a JSON array. */
extern const struct str mcp_versions_json;

#endif
