/* mcp_client_sandbox.h - the sandbox of an MCP server that we start. */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_SANDBOX_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_SANDBOX_H

#include "loop/sandbox_profile.h"
#include "proto/mcp/client/mcp_client.h"

/*
 * Set *out to the sandbox profile of the client's server, in mem; NULL: the server runs without a
 * sandbox. The function creates the private folder for the caches of the server. ERR_DENIED: the
 * kernel cannot confine the server, and the configuration does not allow trefoil to start it
 * without a full sandbox.
 */
bool mcp_server_sandbox(struct arena *mem, const struct mcp_client *c,
                        const struct sandbox_profile **out, struct err *e);

#endif
