/*
 * mcp_post.h - one POST on its way to its answer: the link its message came by.
 *
 *   WAITING -> ANSWERED                  one JSON body
 *      |
 *      +-----> STREAMING -> ANSWERED     events, the answer being the last
 *
 * WAITING    nothing was sent.
 * STREAMING  something was to be said before the answer, or it takes long. In a session each event
 *            has an id, and the client may leave and come back by another request.
 * ANSWERED   nothing more will be sent.
 *
 * It lives in the memory of its HTTP request, which is kept until the last call that came by it is
 * over, however early the client has its answer or leaves.
 */
#ifndef PROTO_MCP_SERVER_MCP_POST_H
#define PROTO_MCP_SERVER_MCP_POST_H

#include "proto/mcp/server/mcp_session.h"

enum mcp_post_state { MCP_POST_WAITING, MCP_POST_STREAMING, MCP_POST_ANSWERED };

struct mcp_post {
    struct link link;
    struct mcp_http *http;
    struct http_req *home;          /* the POST */
    struct http_req *out;           /* where events go: home, one that came back, or NULL */
    struct mcp_session *session;    /* NULL: it stands alone, */
    struct mcp_conv *conv;          /* with a conversation of its own */
    struct mcp_event_stream events; /* its stream of the session; 0: none */
    struct mcp_post *next;          /* of the session */
    size_t calls;                   /* that came by it and are not over */
    enum mcp_post_state state;
    bool streamed; /* it was STREAMING once */
    bool modern;
    bool batch;
    bool takes_events; /* the client accepts an event stream */
    bool begins;       /* initialize: the session begins with the answer, */
    bool greeted;      /* which was given */
};

/* Serve what a POST brought: the tree, and its envelope unless it is an array. */
void mcp_post_alone(struct mcp_http *h, struct http_req *req, enum mcp_version version,
                    struct json root, const struct rpc_message *m);

/* The same in a session, whose hold it takes over. `begins`: the message is its initialize. */
void mcp_post_in_session(struct mcp_session *s, struct http_req *req, bool begins, struct json root,
                         const struct rpc_message *m);

/* Go on with the events of this POST by another request, from `from` on. */
void mcp_post_come_back(struct mcp_post *post, struct http_req *req, struct mcp_event_stream from);

/*
 * The session a request names by its header, held; *out NULL and true when it names none. Refuses
 * one that is not there (404), and one that speaks another version than the header says (400).
 */
bool mcp_http_find_session(struct mcp_http *h, struct http_req *req, struct json id,
                           struct mcp_session **out);

/* Answer what never became a call: a JSON-RPC error with a status of its own. */
void mcp_http_refuse(struct http_req *req, int status, struct json id, int code, struct str message,
                     struct str data);

/* Where the message of this request comes from, by its headers; to be cleared when it was received. */
void mcp_http_trace(struct http_req *req, struct mcp_conv *conv);

/* Is `type` (or a range that covers it) in a list of media types? An absent list takes all. */
bool mcp_media_type_in(struct str list, const char *type);

#endif
