/*
 * mcp_era.h - in which version one message is to be served, or why it is not.
 *
 * Pure. The message decides by its own claim, `_meta["io.modelcontextprotocol/protocolVersion"]`:
 * with one it is modern and stands alone, without one it belongs to a conversation that began with
 * initialize. Over HTTP the headers must say the same; they never decide.
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

/* What an HTTP request says beside its body. Values without blanks around; STR_NONE: absent. */
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
 * Judge a request or notification. `headers` NULL: it did not come by HTTP. `assumed`: the version
 * of a message without a claim of its own (and without a header that names one).
 */
void mcp_judge(struct arena *mem, const struct rpc_message *m,
               const struct mcp_http_headers *headers, enum mcp_version assumed,
               struct mcp_verdict *out);

/*
 * The last rung, for a message that may be served: does a tools/call bring the headers that its
 * tool wants? Fills *out with a refusal otherwise.
 */
bool mcp_judge_params(struct arena *mem, const struct offer *offer, const struct rpc_message *m,
                      const struct mcp_http_headers *headers, struct mcp_verdict *out);

/*
 * Do the headers Mcp-Param-* say the same as the arguments of a tools/call? By the tool's input
 * schema, whose annotations x-mcp-header name them. Fills *out with a refusal otherwise.
 */
bool mcp_params_agree(struct arena *mem, struct json schema, struct json args,
                      const struct mcp_http_headers *headers, struct mcp_verdict *out);

/*
 * The text of a header value: as it is, or decoded when it is wrapped as =?base64?...?=. False when
 * the wrapping holds no valid base64 or no UTF-8.
 */
bool mcp_header_text(struct arena *mem, struct str value, struct str *out);

#endif
