#include "proto/mcp/mcp_http.h"

#include "base/container.h"
#include "proto/mcp/mcp_conv.h"

#include <stdarg.h>
#include <stdio.h>

/* One POST: a link that brings one message and a peer that lives as long. In the request's arena. */
struct mcp_post {
    struct link link;
    struct mcp_conv conv;
    struct http_req *req;
    bool answered;
};

/* A JSON-RPC error with an HTTP status of its own, for what never became a call. */
static void refuse(struct http_req *req, int status, struct json id, int code, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

static void refuse(struct http_req *req, int status, struct json id, int code, const char *fmt, ...)
{
    char text[320];
    AUTO_BUF body;
    struct jw w = jw_to(&body);
    struct str all;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    buf_init(&body, 4096);
    rpc_write_error(&w, json_raw(id), code, str_of(text), STR_NONE);
    all = buf_str(&body);
    http_reply(req, status, "application/json", NULL, 0, &all, 1);
}

/* ---- headers ---------------------------------------------------------------------------- */

/* Is `type` (or a range that covers it) in a list of media types? An absent list takes all. */
static bool list_takes(struct str list, const char *type)
{
    struct str want = str_of(type);
    struct str family = str_head(want, (size_t)str_find_byte(want, '/') + 1);

    if (!list.p)
        return true;
    while (list.p) {
        struct str item = str_cut(&list, ',');
        struct str name = str_trim(str_cut(&item, ';'));

        if (str_eq_nocase(name, want) || str_eq(name, STR("*/*")) ||
            (name.n == family.n + 1 && str_ends(name, STR("/*")) &&
             str_eq_nocase(str_head(name, family.n), family)))
            return true;
    }
    return false;
}

static bool check_headers(struct http_req *req, enum mcp_version *version)
{
    struct str type = http_req_header(req, "content-type");
    struct str named = http_req_header(req, "mcp-protocol-version");
    struct json no_id = { 0 };

    if (!type.p || !list_takes(type, "application/json")) {
        refuse(req, 415, no_id, RPC_INVALID_REQUEST, "Content-Type must be application/json");
        return false;
    }
    if (!list_takes(http_req_header(req, "accept"), "application/json")) {
        refuse(req, 406, no_id, RPC_INVALID_REQUEST,
               "Accept must allow application/json (and text/event-stream)");
        return false;
    }
    *version = MCP_ASSUMED;
    if (named.p && !mcp_version_named(named, version)) {
        refuse(req, 400, no_id, RPC_INVALID_REQUEST,
               "MCP-Protocol-Version: not a version of this server; the newest is %s",
               mcp_features[MCP_LAST].name);
        return false;
    }
    return true;
}

/* ---- one exchange ----------------------------------------------------------------------- */

/* What is told before the answer has no stream to go by yet. */
static void drop_pieces(struct link *link, const struct str *piece, size_t n)
{
    (void)link;
    (void)piece;
    (void)n;
}

static void answer_pieces(struct link *link, int code, const struct str *piece, size_t n)
{
    struct mcp_post *post = CONTAINER_OF(link, struct mcp_post, link);

    (void)code;
    post->answered = true;
    http_answer(post->req, 200, "application/json", NULL, 0, piece, n);
}

static void close_link(struct link *link)
{
    (void)link; /* ends with its request */
}

static const struct link_kind post_kind = {
    .name = "http", .send = drop_pieces, .close = close_link, .answer = answer_pieces
};

/* All calls of this POST are over. A message that asks for no answer is only accepted. */
static void on_idle(struct peer *peer)
{
    struct mcp_post *post = CONTAINER_OF(peer, struct mcp_post, conv.peer);

    if (!post->answered)
        http_answer(post->req, 202, NULL, NULL, 0, NULL, 0);
    mcp_conv_fini(&post->conv);
    http_finish(post->req);
}

static void on_gone(struct http_req *req)
{
    struct mcp_post *post = req->data;

    peer_lose_link(&post->conv.peer, &post->link);
}

static void serve(struct mcp_server *server, struct http_req *req, enum mcp_version version,
                  struct json root, const struct rpc_message *m)
{
    struct mcp_post *post = ARENA_NEW(&req->mem, struct mcp_post);

    post->req = req;
    post->link = (struct link){ &post_kind, NULL, post, &req->mem };
    mcp_conv_init(&post->conv, server, &post->link, version);
    post->conv.peer.on_idle = on_idle;
    req->data = post;
    req->on_gone = on_gone;
    peer_receive_tree(&post->conv.peer, &post->link, root, m);
}

void mcp_http_post(struct mcp_server *server, struct http_req *req)
{
    struct json_opts opts = limits_json(server->rpc->limits);
    enum mcp_version version;
    struct rpc_message m;
    struct json root = { 0 };
    struct err e;

    if (!check_headers(req, &version))
        return;
    if (!json_read(&req->mem, req->body, &opts, &root, &e)) {
        refuse(req, 400, root, e.code == ERR_LIMIT ? RPC_INVALID_REQUEST : RPC_PARSE_ERROR, "%s",
               e.text);
        return;
    }
    if (json_type(root) == JSON_ARRAY) {
        serve(server, req, version, root, NULL);
        return;
    }
    rpc_message_read(&req->mem, root, &m);
    if (m.kind == RPC_MALFORMED)
        refuse(req, 400, m.id, m.code, "%s", m.why.text);
    else
        serve(server, req, version, root, &m);
}

/* ---- the server's own stream ------------------------------------------------------------- */

static void on_stream_gone(struct http_req *req)
{
    http_stream_end(req);
}

void mcp_http_get(struct mcp_server *server, struct http_req *req)
{
    (void)server;
    if (!list_takes(http_req_header(req, "accept"), "text/event-stream")) {
        http_reply_error(req, 406, "Accept must allow text/event-stream");
        return;
    }
    req->on_gone = on_stream_gone;
    http_sse_begin(req, NULL, 0);
    http_forget_request(req);
}
