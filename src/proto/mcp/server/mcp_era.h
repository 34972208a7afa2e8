/*
 * mcp_era.h - decides in which MCP version a message is served, or why it is rejected.
 *
 * Pure. The message itself decides, by `_meta["io.modelcontextprotocol/protocolVersion"]`. With
 * that member it is modern and self-contained; without it, the message belongs to a conversation
 * that began with initialize. Over HTTP the headers must agree with the message, but never decide.
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
    int code;                 /* 0: to be served in `version`. Else the error to answer with: */
    int status;               /* of HTTP, when code is not 0 */
    struct str message, data; /* data: raw JSON or STR_NONE. Static, or of scratch[] */
    char scratch[512];
};

/*
 * Judge a request or notification. `headers` NULL: it did not arrive over HTTP. `assumed`: the
 * version of a message that names none (and has no header that names one).
 */
void mcp_judge(struct arena *mem, const struct rpc_message *m,
               const struct mcp_http_headers *headers, enum mcp_version assumed,
               struct mcp_verdict *out);

/*
 * The last check of a message that may be served: does a tools/call have the headers that its tool
 * requires? Fills *out with a refusal otherwise.
 */
bool mcp_judge_params(struct arena *mem, const struct offer *offer, const struct rpc_message *m,
                      const struct mcp_http_headers *headers, struct mcp_verdict *out);

/*
 * Do the headers Mcp-Param-* agree with the arguments of a tools/call? The x-mcp-header annotations
 * of the tool's input schema name them. Fills *out with a refusal otherwise.
 */
bool mcp_params_agree(struct arena *mem, struct json schema, struct json args,
                      const struct mcp_http_headers *headers, struct mcp_verdict *out);

#endif
