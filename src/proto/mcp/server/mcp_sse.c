/*
 * mcp_sse.c - HTTP+SSE, the transport of 2024-11-05.
 *
 * The client opens a stream, on which it gets an address, and posts its messages to that address.
 * All our messages are sent on the stream. When the stream is closed, the session ends and its work
 * is cancelled.
 */
#include "proto/mcp/server/mcp_post.h"
#include "wire/http_query.h"

#include <stdio.h>

static void tell_endpoint(const struct mcp_session *s)
{
    char where[sizeof(MCP_SSE_MESSAGES) + 16 + MCP_SESSION_ID];
    int n = snprintf(where, sizeof(where), MCP_SSE_MESSAGES "?sessionId=%s", s->id);

    http_sse_send(s->own.stream,
                  &(struct sse_out){ .event = STR("endpoint"), .data = { where, (size_t)n } });
}

void mcp_sse_get(struct mcp_http *h, struct http_req *req)
{
    struct mcp_session *s = mcp_session_new(h, MCP_SESSION_SSE, req);

    if (!s) {
        http_reply_error(req, 503, "too many sessions, all of them in use (limits.mcp_sessions)");
        return;
    }
    mcp_conv_set_version(&s->conv, MCP_2024_11_05);
    http_sse_begin(req, NULL, 0);
    http_forget_request(req);
    mcp_session_open_stream(s, req, NULL);
    tell_endpoint(s);
    mcp_session_release(s);
}

void mcp_sse_post(struct mcp_http *h, struct http_req *req)
{
    struct mcp_session *s;
    struct str id;

    if (!http_query_get(&req->mem, req->query, STR("sessionId"), &id) || !id.n) {
        http_reply_error(req, 400,
                         "the query must have one sessionId, as sent in the endpoint event");
        return;
    }
    s = mcp_session_find(h, MCP_SESSION_SSE, id, req);
    if (!s) {
        http_reply_error(req, 404, "there is no such session; open a new stream");
        return;
    }
    mcp_http_trace(req, &s->conv);
    peer_receive(&s->conv.peer, &s->own.link,
                 &(struct frame){ .kind = FRAME_MESSAGE, .text = req->body });
    s->conv.trace = (struct trace){ 0 };
    mcp_session_release(s);
    http_reply(req, 202, "text/plain", NULL, 0, &STR("Accepted"), 1);
}
