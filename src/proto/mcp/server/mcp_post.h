/*
 * mcp_post.h - one POST of an MCP client: what MCP adds to rpc/http_post.h.
 *
 * A post belongs to a session, or has a separate conversation. In a session its events have ids,
 * and the client may disconnect and resume by another request. Only the initialize of a session
 * cannot be resumed: the client does not know the session yet.
 */
#ifndef PROTO_MCP_SERVER_MCP_POST_H
#define PROTO_MCP_SERVER_MCP_POST_H

#include "proto/mcp/server/mcp_session.h"
#include "rpc/http_post.h"

struct mcp_post {
    struct http_post post; /* first */
    struct mcp_http *http;
    struct mcp_session *session; /* NULL: the message is not part of a session */
    struct mcp_conv *conv;       /* of the session, or separate */
    struct mcp_post *next;       /* of the session */
    bool modern;
    bool batch;
    bool begins;  /* initialize: the session begins with the answer, */
    bool greeted; /* which was sent */
};

/* Serve the message of a POST: the tree, and its envelope unless it is an array. */
void mcp_post_alone(struct mcp_http *h, struct http_req *req, enum mcp_version version,
                    struct json root, const struct rpc_message *m);

/* The same in a session, whose hold it takes over. `begins`: the message is its initialize. */
void mcp_post_in_session(struct mcp_session *s, struct http_req *req, bool begins, struct json root,
                         const struct rpc_message *m);

/*
 * Find the session that the header of a request names, and hold it; *out is NULL if there is no
 * such header. Refuses a session that does not exist (404), and one of another version than the
 * header's (400).
 */
bool mcp_http_find_session(struct mcp_http *h, struct http_req *req, struct json id,
                           struct mcp_session **out);

/* Set the trace of the conversation from the headers; to be cleared when the message was received. */
void mcp_http_trace(struct http_req *req, struct mcp_conv *conv);

#endif
