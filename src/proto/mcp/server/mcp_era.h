/*
 * mcp_era.h - decide in which MCP version a message is served, or why it is rejected.
 *
 * There are two eras of MCP. A message with `_meta["io.modelcontextprotocol/protocolVersion"]` is
 * modern: it contains everything that is needed to serve it. A message without it is legacy: it
 * belongs to a conversation that began with initialize. Over HTTP the headers must agree with the
 * message, but do not determine the era. Pure.
 */
#ifndef PROTO_MCP_SERVER_MCP_ERA_H
#define PROTO_MCP_SERVER_MCP_ERA_H

#include "core/tool/offer.h"
#include "proto/mcp/mcp_version.h"
#include "rpc/message.h"

enum mcp_code {
    MCP_NOT_FOUND = -32002,       /* a resource, up to 2025-11-25; then RPC_INVALID_PARAMS */
    MCP_HEADER_MISMATCH = -32020, /* HTTP 400 */
    MCP_LACKS_ABILITY = -32021,   /* HTTP 400 */
    MCP_NO_SUCH_VERSION = -32022, /* HTTP 400 */
};

#define MCP_META "io.modelcontextprotocol/"

/* The MCP headers of an HTTP request. Values without surrounding blanks; STR_NONE: absent. */
struct mcp_http_headers {
    struct str version; /* MCP-Protocol-Version */
    struct str method;  /* Mcp-Method */
    struct str name;    /* Mcp-Name */

    /* Mcp-Param-<name>, for any spelling of the name; STR_NONE: absent. */
    struct str (*param)(const void *ctx, struct str name);
    const void *ctx;
};

struct mcp_verdict {
    enum mcp_version version;
    int code;                 /* 0: serve the message in `version`; else a JSON-RPC error code */
    int status;               /* the HTTP status, if code is not 0 */
    struct str message, data; /* parts of the error; data: raw JSON or STR_NONE */
    char scratch[512];
};

/*
 * Check a request or notification. `headers` NULL: it did not arrive over HTTP. `assumed`: the
 * version to use if neither the message nor a header names one.
 */
void mcp_judge(struct arena *mem, const struct rpc_message *m,
               const struct mcp_http_headers *headers, enum mcp_version assumed,
               struct mcp_verdict *out);

/*
 * The last check of a message that mcp_judge has accepted: does a tools/call have the headers that
 * its tool requires? If not, *out is the error.
 */
bool mcp_judge_params(struct arena *mem, const struct offer *offer, const struct rpc_message *m,
                      const struct mcp_http_headers *headers, struct mcp_verdict *out);

/*
 * Do the headers Mcp-Param-* agree with the arguments of a tools/call? The x-mcp-header annotations
 * in the input schema of the tool name these headers. If not, *out is the error.
 */
bool mcp_params_agree(struct arena *mem, struct json schema, struct json args,
                      const struct mcp_http_headers *headers, struct mcp_verdict *out);

#endif
