#include "proto/mcp/server/mcp_post.h"

#include "base/container.h"
#include "proto/http_principal.h"
#include "proto/mcp/mcp_trace.h"
#include "proto/mcp/server/mcp_era.h"

static struct mcp_post *post_of(struct link *link)
{
    return CONTAINER_OF(link, struct mcp_post, link);
}

/* ---- streaming --------------------------------------------------------------------------- */

static struct http_header session_header(const struct mcp_post *post)
{
    return (struct http_header){ STR("Mcp-Session-Id"), str_of(post->session->id) };
}

/* May the client leave and come back for the rest? */
static bool is_resumable(const struct mcp_post *post)
{
    return post->state == MCP_POST_STREAMING && post->events.newest;
}

static bool may_prime(const struct mcp_post *post)
{
    return post->session && mcp_features[post->conv->peer.version].polling;
}

static void begin_stream(struct mcp_post *post, int64_t retry_ms)
{
    struct http_header id;

    if (post->begins)
        id = session_header(post);
    post->state = MCP_POST_STREAMING;
    post->streamed = true;
    post->out = post->home;
    post->home->ends = true;
    http_sse_begin(post->home, &id, post->begins);
    if (post->session && !post->begins)
        post->events.stream = ++post->session->streams;
    if (may_prime(post) && post->events.stream)
        mcp_send_priming(post->session, post->home, &post->events, (uint32_t)retry_ms);
}

static void send_event(struct mcp_post *post, const struct str *piece, size_t n)
{
    struct str text = STR_NONE;
    char id[MCP_EVENT_ID];

    if (post->events.stream)
        text = mcp_events_keep(&post->session->events, &post->events, piece, n, id);
    if (post->out)
        mcp_send_event(post->out, text, piece, n);
}

/* End the stream, but not what is done for it. */
static void part(struct mcp_post *post)
{
    struct http_req *out = post->out;

    post->out = NULL;
    if (out == post->home)
        http_part(out);
    else if (out)
        http_stream_end(out);
}

/* ---- the link ---------------------------------------------------------------------------- */

/* What a client cannot take here goes where it listens, if it does. */
static void on_send(struct link *link, const struct str *piece, size_t n)
{
    struct mcp_post *post = post_of(link);

    if (post->state == MCP_POST_WAITING && post->takes_events && post->home->conn)
        begin_stream(post, MCP_RETRY_MS);
    if (post->state == MCP_POST_STREAMING)
        send_event(post, piece, n);
    else if (post->session)
        link_send(&post->session->own, piece, n);
}

/* What a modern client is told by the status; others look into the body. */
static int status_of(const struct mcp_post *post, int code)
{
    if (post->batch && code == RPC_INVALID_REQUEST)
        return 400;
    if (!post->modern)
        return 200;
    if (code == RPC_METHOD_NOT_FOUND)
        return 404;
    return code == MCP_HEADER_MISMATCH || code == MCP_LACKS_ABILITY || code == MCP_NO_SUCH_VERSION
               ? 400
               : 200;
}

static void answer_whole(struct mcp_post *post, int code, const struct str *piece, size_t n)
{
    struct http_header id;
    bool named = post->begins && !code;

    if (named)
        id = session_header(post);
    post->greeted = named;
    http_answer(post->home, status_of(post, code), "application/json", &id, named, piece, n);
}

static void on_answer(struct link *link, int code, const struct str *piece, size_t n)
{
    struct mcp_post *post = post_of(link);

    if (post->state == MCP_POST_STREAMING) {
        post->greeted = !code;
        send_event(post, piece, n);
        part(post);
    } else {
        answer_whole(post, code, piece, n);
    }
    post->state = MCP_POST_ANSWERED;
}

static void on_close(struct link *link)
{
    (void)link; /* ends with its request */
}

/* ---- the end ----------------------------------------------------------------------------- */

/* A call that was cancelled has no answer, and HTTP wants one. */
static void answer_nothing(struct mcp_post *post)
{
    static const struct str gone =
        STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001,"
            "\"message\":\"Session not found: it has ended\"}}");

    if (post->session && post->session->ended)
        http_answer(post->home, 404, "application/json", NULL, 0, &gone, 1);
    else
        http_answer(post->home, 202, NULL, NULL, 0, NULL, 0);
}

static void leave_session(struct mcp_post *post)
{
    struct mcp_session *s = post->session;
    struct mcp_post **at = &s->posts;

    while (*at != post)
        at = &(*at)->next;
    *at = post->next;
    if (post->begins && !post->greeted) /* nobody knows it */
        mcp_session_end(s);
    mcp_session_release(s);
}

/* Nothing of it is under way any more. */
static void over(struct mcp_post *post)
{
    struct mcp_http *h = post->http;
    struct http_req *home = post->home;
    bool streamed = post->streamed;

    if (post->state == MCP_POST_WAITING)
        answer_nothing(post);
    else
        part(post);
    if (post->session) {
        leave_session(post);
    } else {
        mcp_conv_fini(post->conv);
        mcp_http_one_less(h);
    }
    if (streamed)
        http_stream_end(home);
    else
        http_finish(home);
}

static void on_calls(struct link *link, int more)
{
    struct mcp_post *post = post_of(link);

    post->calls += (size_t)more;
    if (more < 0 && !post->calls)
        over(post);
}

static const struct link_kind post_kind = {
    .name = "http", .send = on_send, .close = on_close, .answer = on_answer, .calls = on_calls
};

/* ---- the client -------------------------------------------------------------------------- */

/* It left. If it can come back, the work goes on. */
static void on_gone(struct http_req *req)
{
    struct mcp_post *post = req->data;

    if (post->out == req)
        post->out = NULL;
    if (post->state != MCP_POST_ANSWERED && !is_resumable(post))
        peer_lose_link(&post->conv->peer, &post->link);
}

static void on_quiet(struct http_req *req)
{
    struct mcp_post *post = req->data;

    if (post->state == MCP_POST_WAITING && post->takes_events)
        begin_stream(post, MCP_RETRY_MS);
}

static void on_returned_gone(struct http_req *req)
{
    struct mcp_post *post = req->data;

    post->out = NULL;
    http_stream_end(req);
}

void mcp_post_come_back(struct mcp_post *post, struct http_req *req, struct mcp_event_stream from)
{
    part(post);
    post->out = req;
    req->data = post;
    req->ends = true;
    req->on_gone = on_returned_gone;
    mcp_send_kept(post->session, req, from);
}

/* The tool wants the client to come back later. */
static void rest(struct mcp_conv *conv, struct rpc_in *in, int64_t retry_ms)
{
    struct mcp_post *post;

    (void)conv;
    if (!in->via || in->via->kind != &post_kind)
        return;
    post = post_of(in->via);
    if (!may_prime(post) || !post->takes_events || post->begins)
        return;
    if (post->state == MCP_POST_WAITING)
        begin_stream(post, retry_ms);
    else if (post->out)
        mcp_send_priming(post->session, post->out, &post->events, (uint32_t)retry_ms);
    part(post);
}

/* ---- serving ----------------------------------------------------------------------------- */

/* Is `range` the kind of range that covers a type: all, or its family? */
static bool covers(struct str range, struct str type)
{
    struct str family = str_head(type, (size_t)str_find_byte(type, '/') + 1);

    return str_eq(range, STR("*/*")) || (range.n == family.n + 1 && str_ends(range, STR("/*")) &&
                                         str_eq_nocase(str_head(range, family.n), family));
}

bool mcp_media_type_in(struct str list, const char *type)
{
    struct str want = str_of(type);

    if (!list.p)
        return true;
    while (list.p) {
        struct str item = str_cut(&list, ',');
        struct str name = str_trim(str_cut(&item, ';'));

        if (str_eq_nocase(name, want) || (str_ends(name, STR("*")) && covers(name, want)))
            return true;
    }
    return false;
}

void mcp_http_refuse(struct http_req *req, int status, struct json id, int code, struct str message,
                     struct str data)
{
    AUTO_BUF body;
    struct jw w = jw_to(&body);
    struct str all;

    buf_init(&body, 8192 + json_raw(id).n); /* an id may be of any length */
    rpc_write_error(&w, json_raw(id), code, message, data);
    all = buf_str(&body);
    http_reply(req, status, "application/json", NULL, 0, &all, 1);
}

static struct mcp_post *post_new(struct mcp_http *h, struct http_req *req, bool batch)
{
    struct mcp_post *post = ARENA_NEW(&req->mem, struct mcp_post);

    post->link = (struct link){ &post_kind, NULL, post, &req->mem };
    post->http = h;
    post->home = req;
    post->batch = batch;
    post->takes_events = mcp_media_type_in(http_req_header(req, "accept"), "text/event-stream");
    req->data = post;
    req->on_gone = on_gone;
    if (post->takes_events)
        req->on_quiet = on_quiet;
    return post;
}

static struct str header_of(const void *ctx, const char *name)
{
    return http_req_header(ctx, name);
}

/* Nearly no request says where it comes from: all names begin with one of two letters. */
void mcp_http_trace(struct http_req *req, struct mcp_conv *conv)
{
    bool may = false;

    for (size_t i = 0; i < req->headers; i++) {
        char first = req->header[i].name.p[0];

        may |= first == 'X' || first == 'x' || first == 'T' || first == 't';
    }
    if (may)
        mcp_trace_from_headers(&req->mem, header_of, req, &conv->trace);
}

static void receive(struct mcp_post *post, struct json root, const struct rpc_message *m)
{
    struct mcp_conv *conv = post->conv;

    mcp_http_trace(post->home, conv);
    peer_receive_tree(&conv->peer, &post->link, root, m);
    conv->trace = (struct trace){ 0 }; /* it was this request's */
    if (!post->calls)
        over(post);
}

void mcp_post_alone(struct mcp_http *h, struct http_req *req, enum mcp_version version,
                    struct json root, const struct rpc_message *m)
{
    struct mcp_post *post = post_new(h, req, !m);

    post->modern = mcp_features[version].modern;
    post->conv = ARENA_NEW(&req->mem, struct mcp_conv);
    mcp_conv_init(post->conv, h->server, &post->link, version);
    post->conv->principal = http_principal(req);
    post->conv->judged = m != NULL;
    post->conv->remote = !req->loopback;
    h->living++;
    receive(post, root, m);
}

void mcp_post_in_session(struct mcp_session *s, struct http_req *req, bool begins, struct json root,
                         const struct rpc_message *m)
{
    struct mcp_post *post = post_new(s->http, req, !m);

    post->session = s;
    post->conv = &s->conv;
    post->begins = begins;
    post->next = s->posts;
    s->posts = post;
    s->conv.rest = rest;
    receive(post, root, m);
}
