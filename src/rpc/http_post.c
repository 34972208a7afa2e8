#include "rpc/http_post.h"

#include "base/auto.h"
#include "base/container.h"

static const struct link_kind http_post_link;

static struct http_post *http_post_of(struct link *link)
{
    return CONTAINER_OF(link, struct http_post, link);
}

/* ---- streaming --------------------------------------------------------------------------- */

static bool is_resumable(const struct http_post *post)
{
    return post->state == HTTP_POST_STREAMING && post->events.newest;
}

static size_t post_headers(const struct http_post *post, int code, struct http_header *out)
{
    return post->hooks->headers ? post->hooks->headers(post, code, out) : 0;
}

static void begin_stream(struct http_post *post, int64_t retry_ms)
{
    struct http_header header[HTTP_POST_HEADERS];
    size_t n = post_headers(post, 0, header);

    post->state = HTTP_POST_STREAMING;
    post->streamed = true;
    post->out = post->home;
    post->home->ends = true;
    http_sse_begin(post->home, header, n);
    if (!post->log)
        return;
    post->events = event_log_open(post->log);
    if (post->primes)
        sse_send_priming(post->home, post->log, &post->events, (uint32_t)retry_ms);
}

static void send_event(struct http_post *post, const struct str *piece, size_t n)
{
    struct str text = STR_NONE;
    char id[EVENT_ID];

    if (post->log)
        text = event_log_keep(post->log, &post->events, piece, n, id);
    if (post->out)
        sse_send_message(post->out, text, piece, n);
}

/* End the event stream, but not the calls it was opened for. */
static void end_stream(struct http_post *post)
{
    struct http_req *out = post->out;

    post->out = NULL;
    if (out == post->home)
        http_part(out);
    else if (out)
        http_stream_end(out);
}

/* ---- the link ---------------------------------------------------------------------------- */

static void http_post_send(struct link *link, const struct str *piece, size_t n)
{
    struct http_post *post = http_post_of(link);

    if (post->state == HTTP_POST_WAITING && post->takes_events && post->home->conn)
        begin_stream(post, HTTP_POST_RETRY_MS);
    if (post->state == HTTP_POST_STREAMING)
        send_event(post, piece, n);
    else if (post->aside)
        link_send(post->aside, piece, n);
}

static void answer_json(struct http_post *post, int code, const struct str *piece, size_t n)
{
    struct http_header header[HTTP_POST_HEADERS];
    size_t headers = post_headers(post, code, header);
    int status = post->hooks->status ? post->hooks->status(post, code) : 200;

    http_answer(post->home, status, "application/json", header, headers, piece, n);
}

static void http_post_answer(struct link *link, int code, const struct str *piece, size_t n)
{
    struct http_post *post = http_post_of(link);

    if (post->hooks->answered)
        post->hooks->answered(post, code);
    if (post->state == HTTP_POST_STREAMING) {
        send_event(post, piece, n);
        end_stream(post);
    } else {
        answer_json(post, code, piece, n);
    }
    post->state = HTTP_POST_ANSWERED;
}

static void http_post_ignore_close(struct link *link)
{
    (void)link; /* it ends with its request */
}

/* A call that was cancelled has no answer, but HTTP requires one. */
static void answer_nothing(struct http_post *post)
{
    if (post->hooks->unanswered)
        post->hooks->unanswered(post);
    else
        http_answer(post->home, 202, NULL, NULL, 0, NULL, 0);
}

static void http_post_end(struct http_post *post)
{
    struct http_req *home = post->home;
    bool streamed = post->streamed;

    if (post->state == HTTP_POST_WAITING)
        answer_nothing(post);
    else
        end_stream(post);
    post->hooks->end(post);
    if (streamed)
        http_stream_end(home);
    else
        http_finish(home);
}

static void http_post_count_calls(struct link *link, int more)
{
    struct http_post *post = http_post_of(link);

    post->calls += (size_t)more;
    if (more < 0 && !post->calls)
        http_post_end(post);
}

static const struct link_kind http_post_link = {
    .name = "http",
    .send = http_post_send,
    .close = http_post_ignore_close,
    .answer = http_post_answer,
    .calls = http_post_count_calls,
};

/* ---- the client -------------------------------------------------------------------------- */

/* The client disconnected. If it can resume, the calls continue. */
static void on_post_gone(struct http_req *req)
{
    struct http_post *post = req->data;

    if (post->out == req)
        post->out = NULL;
    if (post->state != HTTP_POST_ANSWERED && !is_resumable(post))
        peer_lose_link(post->peer, &post->link);
}

static void on_post_quiet(struct http_req *req)
{
    struct http_post *post = req->data;

    if (post->state == HTTP_POST_WAITING && post->takes_events)
        begin_stream(post, HTTP_POST_RETRY_MS);
}

static void on_resumed_gone(struct http_req *req)
{
    struct http_post *post = req->data;

    post->out = NULL;
    http_stream_end(req);
}

void http_post_resume(struct http_post *post, struct http_req *req, struct event_stream from)
{
    end_stream(post);
    post->out = req;
    req->data = post;
    req->ends = true;
    req->on_gone = on_resumed_gone;
    sse_replay(req, post->log, from);
}

void http_post_detach(struct http_post *post, int64_t retry_ms)
{
    if (!post->log || !post->primes || !post->takes_events)
        return;
    if (post->state == HTTP_POST_WAITING)
        begin_stream(post, retry_ms);
    else if (post->out)
        sse_send_priming(post->out, post->log, &post->events, (uint32_t)retry_ms);
    end_stream(post);
}

struct http_post *http_post_of_call(const struct rpc_in *in)
{
    return in->via && in->via->kind == &http_post_link ? http_post_of(in->via) : NULL;
}

/* ---- serving ----------------------------------------------------------------------------- */

void http_post_init(struct http_post *post, struct http_req *req, struct peer *peer,
                    const struct http_post_hooks *hooks)
{
    post->link = (struct link){ &http_post_link, NULL, post, &req->mem };
    post->hooks = hooks;
    post->peer = peer;
    post->home = req;
    post->takes_events = http_accepts(http_req_header(req, "accept"), "text/event-stream");
    req->data = post;
    req->on_gone = on_post_gone;
    if (post->takes_events)
        req->on_quiet = on_post_quiet;
}

void http_post_receive(struct http_post *post, struct json root, const struct rpc_message *m)
{
    peer_receive_tree(post->peer, &post->link, root, m);
    if (!post->calls)
        http_post_end(post);
}

/*
 * One type and nothing else: a browser may send a list or a range without asking the server first
 * (a CORS "simple" request).
 */
static bool is_json_type(struct str type)
{
    return str_eq_nocase(str_trim(str_cut(&type, ';')), STR("application/json"));
}

bool http_post_read(struct http_req *req, const struct limits *limits, struct json *out,
                    int *status, int *code, struct err *e)
{
    struct json_opts opts = limits_json(limits);

    if (!is_json_type(http_req_header(req, "content-type"))) {
        *status = 415;
        *code = RPC_INVALID_REQUEST;
        return fail(e, ERR_INVALID, "Content-Type must be application/json");
    }
    if (json_read(&req->mem, req->body, &opts, out, e))
        return true;
    *status = 400;
    *code = e->code == ERR_LIMIT ? RPC_INVALID_REQUEST : RPC_PARSE_ERROR;
    return false;
}

void http_post_refuse(struct http_req *req, int status, struct json id, int code,
                      struct str message, struct str data)
{
    AUTO_BUF body;
    struct jw w = jw_to(&body);
    struct str all;

    buf_init(&body, 8192 + json_raw(id).n); /* an id may have any length */
    rpc_write_error(&w, json_raw(id), code, message, data);
    all = buf_str(&body);
    http_reply(req, status, "application/json", NULL, 0, &all, 1);
}
