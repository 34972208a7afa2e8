/* a2a_rpc.c - the JSON-RPC binding. The name of the method tells the version. */
#include "base/auto.h"
#include "proto/a2a/server/a2a_bindings.h"
#include "proto/a2a/server/a2a_call.h"
#include "rpc/message.h"

/* One type and nothing else, so that a page in a browser cannot send it without asking first. */
static bool is_json(struct http_req *req)
{
    struct str type = http_req_header(req, "content-type");

    type = str_trim(str_cut(&type, ';'));
    return str_eq_nocase(type, STR("application/json")) || str_eq_nocase(type, STR(A2A_MEDIA_TYPE));
}

static void rpc_refuse_type(struct a2a_call *c)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    struct str all;

    buf_init(&out, 4096);
    a2a_write_error(&w, c, A2A_CONTENT_TYPE_NOT_SUPPORTED,
                    STR("the Content-Type of the request must be application/json"));
    all = buf_str(&out);
    http_reply(c->req, 415, "application/json", NULL, 0, &all, 1);
}

/* The header or the query parameter; "" if there is none. */
static bool version_is_known(struct a2a_call *c)
{
    struct str version = http_req_header(c->req, A2A_VERSION_HEADER);
    enum a2a_dialect dialect;

    if (a2a_version_named(version, &dialect)) {
        c->dialect = version.n ? dialect : c->dialect;
        return true;
    }
    c->dialect = A2A_1_0;
    a2a_refuse(c, A2A_VERSION_NOT_SUPPORTED,
               "A2A version " STR_FMT " is not supported; supported are 1.0, 0.3 and 0.1",
               STR_ARG(str_head(version, 40)));
    return false;
}

static void rpc_method(struct a2a_call *c, const struct rpc_message *m)
{
    enum a2a_dialect dialect;

    if (json_here(m->id))
        c->id = json_raw(m->id);
    if (m->kind == RPC_MALFORMED) {
        a2a_refuse(c, m->code == RPC_INVALID_PARAMS ? A2A_INVALID_PARAMS : A2A_INVALID_REQUEST,
                   "%s", m->why.text);
    } else if (m->kind == RPC_RESPONSE) {
        a2a_refuse(c, A2A_INVALID_REQUEST, "the request has no method");
    } else if (!a2a_method_named(m->method, &c->op, &dialect)) {
        a2a_refuse(c, A2A_METHOD_NOT_FOUND, "there is no method " STR_FMT,
                   STR_ARG(str_head(m->method, 80)));
    } else {
        c->dialect = dialect;
        c->args = m->params;
        a2a_call_run(c);
    }
}

void a2a_rpc_serve(struct a2a_server *s, struct http_req *req, struct str agent)
{
    struct a2a_call *c = a2a_call_new(s, req, A2A_JSONRPC, A2A_1_0);
    struct json_opts opts = limits_json(s->limits);
    struct rpc_message m;
    struct json root;
    struct err e;

    c->agent = agent;
    if (!is_json(req)) {
        rpc_refuse_type(c);
    } else if (!json_read(&req->mem, req->body, &opts, &root, &e)) {
        a2a_refuse(c, e.code == ERR_LIMIT ? A2A_INVALID_REQUEST : A2A_PARSE_ERROR,
                   "the body is not JSON: %s", e.text);
    } else if (json_type(root) != JSON_OBJECT) {
        a2a_refuse(c, A2A_INVALID_REQUEST,
                   "expected one JSON-RPC request (object); batches are not supported");
    } else if (version_is_known(c)) {
        rpc_message_read(&req->mem, root, &m);
        rpc_method(c, &m);
    }
}
