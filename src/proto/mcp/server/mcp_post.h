/*
 * mcp_post.h - one POST of an MCP client: the MCP part of rpc/http_post.h.
 *
 * A post belongs to a session, or has a conversation of its own. In a session its events have ids,
 * so the client may disconnect and resume with another request. Only the post that begins a session
 * cannot be resumed, because the client does not know the session yet.
 */
#ifndef PROTO_MCP_SERVER_MCP_POST_H
#define PROTO_MCP_SERVER_MCP_POST_H

#include "proto/mcp/server/mcp_session.h"
#include "rpc/http_post.h"

struct mcp_post {
    struct http_post post; /* first */
    struct mcp_http *http;
    struct mcp_session *session; /* NULL: the message is not part of a session */
    struct mcp_conv *conv;       /* the conversation of the session, or the post's own */
    struct mcp_post *next;       /* the next post of the session */
    bool modern;
    bool batch;
    bool begins;  /* the message is initialize: its answer begins the session */
    bool greeted; /* that answer was sent */
};

/* Serve the message of a POST without a session. m is the envelope; NULL: root is an array. */
void mcp_post_alone(struct mcp_http *h, struct http_req *req, enum mcp_version version,
                    struct json root, const struct rpc_message *m);

/* The same in a session, which the caller holds: the post releases it. `begins`: the message is the
 * initialize of the session. */
void mcp_post_in_session(struct mcp_session *s, struct http_req *req, bool begins, struct json root,
                         const struct rpc_message *m);

/*
 * Find the session that the header of a request names, and hold it; *out is NULL if there is no
 * such header. False: the request was rejected, because the session does not exist (404) or has
 * another version than the version header (400).
 */
bool mcp_http_find_session(struct mcp_http *h, struct http_req *req, struct json id,
                           struct mcp_session **out);

/*
 * Set conv->trace from the headers. The caller clears conv->trace after it has passed the message
 * to the conversation.
 */
void mcp_http_trace(struct http_req *req, struct mcp_conv *conv);

#endif
