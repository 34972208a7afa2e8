/* mcp_http_get.c - what a client asks of its session as a whole: listen, come back, leave. */
#include "proto/mcp/server/mcp_post.h"

static const struct json no_id = { 0 };

/* ---- streams ----------------------------------------------------------------------------- */

static void on_idle_stream_gone(struct http_req *req)
{
    http_stream_end(req);
}

/* Without a session there is nothing to say, but a client that listens may. */
static void serve_silence(struct http_req *req)
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

/* The session's own stream. */
static void listen_own(struct mcp_session *s, struct http_req *req,
                       const struct mcp_event_stream *from)
{
    begin_stream(req);
    mcp_session_open_stream(s, req, from);
    if (!from && mcp_features[s->conv.peer.version].polling)
        mcp_send_priming(s, req, &s->own_events, MCP_RETRY_MS);
}

/* ---- coming back ------------------------------------------------------------------------- */

static struct mcp_post *post_with(const struct mcp_session *s, uint32_t stream)
{
    struct mcp_post *post = s->posts;

    while (post && post->events.stream != stream)
        post = post->next;
    return post;
}

/* Go on behind the event `from`. A stream that has ended has no newest; its last event is kept. */
static const char *resume(struct mcp_session *s, struct http_req *req, struct mcp_event_stream from)
{
    struct mcp_post *post = from.stream ? post_with(s, from.stream) : NULL;
    bool lives = post || !from.stream, lost;
    uint64_t told = post ? post->events.told : s->own_events.told;
    bool any = mcp_events_after(&s->events, from, &lost) != NULL;

    if (lost || (lives && !any && told > from.newest))
        return "what came after the event Last-Event-ID names is no longer kept";
    if (!lives && !any)
        return "the stream of the event Last-Event-ID names has ended";
    mcp_events_forget(&s->events, from);
    if (!from.stream) {
        listen_own(s, req, &from);
        return NULL;
    }
    begin_stream(req);
    if (post) {
        mcp_post_come_back(post, req, from);
    } else {
        mcp_send_kept(s, req, from);
        http_stream_end(req);
    }
    return NULL;
}

static const char *listen(struct mcp_session *s, struct http_req *req)
{
    struct str last = http_req_header(req, "last-event-id");
    struct mcp_event_stream from;

    if (last.p)
        return mcp_events_named(&s->events, last, &from)
                   ? resume(s, req, from)
                   : "Last-Event-ID names no event of this session";
    if (s->stream) {
        http_reply_error(req, 409, "this session has an open stream already");
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

    if (!mcp_media_type_in(http_req_header(req, "accept"), "text/event-stream")) {
        http_reply_error(req, 406, "Accept must allow text/event-stream");
        return;
    }
    if (!mcp_http_find_session(h, req, no_id, &s))
        return;
    if (!s) {
        serve_silence(req);
        return;
    }
    why = listen(s, req);
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
        http_reply_error(req, 400,
                         "the header Mcp-Session-Id is missing: which session is to end?");
        return;
    }
    mcp_session_end(s);
    mcp_session_release(s);
    http_reply(req, 204, NULL, NULL, 0, NULL, 0);
}
