/* mcp_http_get.c - GET and DELETE of a session: open its stream, resume a stream, end it. */
#include "proto/mcp/server/mcp_post.h"

static const struct json no_id = { 0 };

/* ---- streams ----------------------------------------------------------------------------- */

static void on_idle_stream_gone(struct http_req *req)
{
    http_stream_end(req);
}

/* Without a session there is nothing to send, but a client may still open a stream. */
static void serve_empty_stream(struct http_req *req)
{
    req->on_gone = on_idle_stream_gone;
    http_sse_begin(req, NULL, 0);
    http_forget_request(req);
}

static void begin_stream(struct http_req *req)
{
    http_sse_begin(req, NULL, 0);
    http_forget_request(req);
}

/* Open the stream for messages that belong to no request. */
static void listen_own(struct mcp_session *s, struct http_req *req, const struct event_stream *from)
{
    begin_stream(req);
    mcp_session_open_stream(s, req, from);
    if (!from && mcp_features[s->conv.peer.version].polling)
        sse_send_priming(req, &s->events, &s->own.events, HTTP_POST_RETRY_MS);
}

/* ---- resuming ---------------------------------------------------------------------------- */

static struct mcp_post *post_with(const struct mcp_session *s, uint32_t stream)
{
    struct mcp_post *post = s->posts;

    while (post && post->post.events.stream != stream)
        post = post->next;
    return post;
}

/* Resume after the event `from`. Of a stream that has ended, the last events are still kept. */
static const char *resume_stream(struct mcp_session *s, struct http_req *req,
                                 struct event_stream from)
{
    struct mcp_post *post = from.stream ? post_with(s, from.stream) : NULL;
    bool lives = post || !from.stream, lost;
    uint64_t sent = post ? post->post.events.sent : s->own.events.sent;
    bool any = event_log_after(&s->events, from, &lost) != NULL;

    if (lost || (lives && !any && sent > from.newest))
        return "the events after Last-Event-ID are no longer stored";
    if (!lives && !any)
        return "the stream of the event in Last-Event-ID has ended";
    event_log_forget(&s->events, from);
    if (!from.stream) {
        listen_own(s, req, &from);
        return NULL;
    }
    begin_stream(req);
    if (post) {
        http_post_resume(&post->post, req, from);
    } else {
        sse_replay(req, &s->events, from);
        http_stream_end(req);
    }
    return NULL;
}

static const char *open_session_stream(struct mcp_session *s, struct http_req *req)
{
    struct str last = http_req_header(req, "last-event-id");
    struct event_stream from;

    if (last.p)
        return event_log_find(&s->events, last, &from)
                   ? resume_stream(s, req, from)
                   : "Last-Event-ID is not an event of this session";
    if (s->own.stream) {
        http_reply_error(req, 409, "this session already has an open stream");
        return NULL;
    }
    listen_own(s, req, NULL);
    return NULL;
}

/* ---- routes ------------------------------------------------------------------------------ */

void mcp_http_get(struct mcp_http *h, struct http_req *req)
{
    struct mcp_session *s;
    const char *why;

    if (!http_accepts(http_req_header(req, "accept"), "text/event-stream")) {
        http_reply_error(req, 406, "Accept must allow text/event-stream");
        return;
    }
    if (!mcp_http_find_session(h, req, no_id, &s))
        return;
    if (!s) {
        serve_empty_stream(req);
        return;
    }
    why = open_session_stream(s, req);
    if (why)
        http_reply_error(req, 400, "%s", why);
    mcp_session_release(s);
}

void mcp_http_delete(struct mcp_http *h, struct http_req *req)
{
    struct mcp_session *s;

    if (!mcp_http_find_session(h, req, no_id, &s))
        return;
    if (!s) {
        http_reply_error(req, 400, "missing header Mcp-Session-Id: it names the session to end");
        return;
    }
    mcp_session_end(s);
    mcp_session_release(s);
    http_reply(req, 204, NULL, NULL, 0, NULL, 0);
}
