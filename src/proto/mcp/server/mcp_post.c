#include "proto/mcp/server/mcp_post.h"

#include "base/container.h"
#include "base/list.h"
#include "proto/http_principal.h"
#include "proto/mcp/mcp_trace.h"
#include "proto/mcp/server/mcp_era.h"

static struct mcp_post *mcp_post_of(const struct http_post *post)
{
    return CONTAINER_OF(post, struct mcp_post, post);
}

/* ---- the answer -------------------------------------------------------------------------- */

/* Modern clients learn of an error by the HTTP status; others read the body. */
static int mcp_post_status(const struct http_post *http, int code)
{
    const struct mcp_post *post = mcp_post_of(http);

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

static size_t mcp_post_headers(const struct http_post *http, int code,
                               struct http_header out[HTTP_POST_HEADERS])
{
    const struct mcp_post *post = mcp_post_of(http);

    if (!post->begins || code)
        return 0;
    out[0] = (struct http_header){ STR("Mcp-Session-Id"), str_of(post->session->id) };
    return 1;
}

static void mcp_post_answered(struct http_post *http, int code)
{
    mcp_post_of(http)->greeted = !code;
}

static void mcp_post_unanswered(struct http_post *http)
{
    static const struct str gone =
        STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001,"
            "\"message\":\"Session not found: it has ended\"}}");
    const struct mcp_session *s = mcp_post_of(http)->session;

    if (s && s->ended)
        http_answer(http->home, 404, "application/json", NULL, 0, &gone, 1);
    else
        http_answer(http->home, 202, NULL, NULL, 0, NULL, 0);
}

/* ---- the end ----------------------------------------------------------------------------- */

static void leave_session(struct mcp_post *post)
{
    struct mcp_session *s = post->session;

    LIST_UNLINK(s->posts, post, next);
    if (post->begins && !post->greeted) /* the client does not know the session id yet */
        mcp_session_end(s);
    mcp_session_release(s);
}

static void mcp_post_end(struct http_post *http)
{
    struct mcp_post *post = mcp_post_of(http);

    if (post->session) {
        leave_session(post);
    } else {
        mcp_conv_fini(post->conv);
        mcp_http_one_less(post->http);
    }
}

static const struct http_post_hooks mcp_post_hooks = {
    .status = mcp_post_status,
    .headers = mcp_post_headers,
    .answered = mcp_post_answered,
    .unanswered = mcp_post_unanswered,
    .end = mcp_post_end,
};

/* ---- serving ----------------------------------------------------------------------------- */

static struct str header_of(const void *ctx, const char *name)
{
    return http_req_header(ctx, name);
}

/* Few requests have trace headers, and all their names begin with X or T. */
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

void mcp_post_alone(struct mcp_http *h, struct http_req *req, enum mcp_version version,
                    struct json root, const struct rpc_message *m)
{
    struct mcp_post *post = ARENA_NEW(&req->mem, struct mcp_post);

    post->http = h;
    post->batch = !m;
    post->modern = mcp_features[version].modern;
    post->conv = ARENA_NEW(&req->mem, struct mcp_conv);
    mcp_conv_init(post->conv, h->server, &post->post.link, version);
    post->conv->principal = http_principal(req);
    post->conv->judged = m != NULL;
    post->conv->remote = !req->loopback;
    h->living++;
    mcp_http_trace(req, post->conv);
    http_post_init(&post->post, req, &post->conv->peer, &mcp_post_hooks);
    http_post_receive(&post->post, root, m);
}

/* The tool wants the client to disconnect and resume later (SSE polling). */
static void detach_call(struct mcp_conv *conv, struct rpc_in *in, int64_t retry_ms)
{
    struct http_post *post = http_post_of_call(in);

    (void)conv;
    if (post)
        http_post_detach(post, retry_ms);
}

void mcp_post_in_session(struct mcp_session *s, struct http_req *req, bool begins, struct json root,
                         const struct rpc_message *m)
{
    struct mcp_post *post = ARENA_NEW(&req->mem, struct mcp_post);

    post->http = s->http;
    post->batch = !m;
    post->session = s;
    post->conv = &s->conv;
    post->begins = begins;
    post->next = s->posts;
    s->posts = post;
    s->conv.rest = detach_call;
    http_post_init(&post->post, req, &s->conv.peer, &mcp_post_hooks);
    post->post.aside = &s->own.link;
    post->post.log = begins ? NULL : &s->events;
    post->post.primes = mcp_features[s->conv.peer.version].polling;
    mcp_http_trace(req, &s->conv);
    http_post_receive(&post->post, root, m);
    s->conv.trace = (struct trace){ 0 }; /* the session is freed from the loop only */
}
