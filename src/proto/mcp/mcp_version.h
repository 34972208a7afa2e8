/*
 * mcp_version.h - the versions of MCP we speak, and what each has.
 *
 * A difference between versions is a column here or a row in mcp_methods.c, never a branch in a
 * handler.
 */
#ifndef PROTO_MCP_VERSION_H
#define PROTO_MCP_VERSION_H

#include "base/str.h"

/* In order of age; the columns of the method table. */
enum mcp_version {
    MCP_2024_11_05,
    MCP_2025_03_26,
    MCP_2025_06_18,
    MCP_2025_11_25,
    MCP_FIRST = MCP_2024_11_05,
    MCP_LAST = MCP_2025_11_25,
    /* Assumed of an HTTP client that sends no MCP-Protocol-Version (2025-06-18, transports). */
    MCP_ASSUMED = MCP_2025_03_26,
};

struct mcp_features {
    const char *name;
    bool batches;     /* arrays of messages are accepted */
    bool annotations; /* hints about what a tool does */
    bool titles;      /* names for people beside names for programs */
    bool structured;  /* outputSchema and structuredContent */
};

/* Indexed by enum mcp_version. */
extern const struct mcp_features mcp_features[];

bool mcp_version_named(struct str name, enum mcp_version *out);

#endif
