/*
 * a2a_rest.c - the HTTP+JSON bindings: 1.0 at the base URL, 0.3 under /v1, and the plain REST
 * routes, whose bodies and tasks are those of 0.1.
 */
#include "base/auto.h"
#include "base/percent.h"
#include "proto/a2a/server/a2a_bindings.h"
#include "proto/a2a/server/a2a_call.h"
#include "rpc/message.h"

#define CONFIGS "pushNotificationConfigs"

/* ---- routes ---------------------------------------------------------------------------------- */

struct rest_route {
    enum a2a_op op;
    struct str task, config; /* from the path; STR_NONE: none */
};

static bool is_get(const struct http_req *req)
{
    return str_eq(req->method, STR("GET")) || str_eq(req->method, STR("HEAD"));
}

static bool is_post(const struct http_req *req)
{
    return str_eq(req->method, STR("POST"));
}

/* "/tasks/ID/pushNotificationConfigs" and below; `rest` is behind the id. */
static bool find_push(const struct http_req *req, struct str rest, struct rest_route *out)
{
    struct str word = str_cut(&rest, '/');

    if (!str_eq(word, STR(CONFIGS)))
        return false;
    out->config = rest.n ? rest : STR_NONE;
    if (out->config.p && str_find_byte(out->config, '/') >= 0)
        return false;
    if (out->config.p && str_eq(req->method, STR("DELETE")))
        out->op = A2A_PUSH_DELETE;
    else if (is_get(req))
        out->op = out->config.p ? A2A_PUSH_GET : A2A_PUSH_LIST;
    else if (is_post(req) && !out->config.p)
        out->op = A2A_PUSH_SET;
    else
        return false;
    return true;
}

/* "ID", "ID:cancel", "ID:subscribe", "ID/pushNotificationConfigs..." */
static bool find_task(const struct http_req *req, struct str rest, struct rest_route *out)
{
    ptrdiff_t slash = str_find_byte(rest, '/'), colon = str_find_byte(rest, ':');
    struct str verb;

    if (slash >= 0) {
        out->task = str_head(rest, (size_t)slash);
        return find_push(req, str_skip(rest, (size_t)slash + 1), out);
    }
    if (colon < 0) {
        out->task = rest;
        out->op = A2A_GET;
        return rest.n && is_get(req);
    }
    out->task = str_head(rest, (size_t)colon);
    verb = str_skip(rest, (size_t)colon + 1);
    if (str_eq(verb, STR("cancel"))) {
        out->op = A2A_CANCEL;
        return is_post(req);
    }
    out->op = A2A_SUBSCRIBE;
    return str_eq(verb, STR("subscribe"));
}

static bool find_route(const struct http_req *req, struct str path, bool old,
                       struct rest_route *out)
{
    if (str_eq(path, STR("/message:send")) && is_post(req))
        out->op = A2A_SEND;
    else if (str_eq(path, STR("/message:stream")) && is_post(req))
        out->op = A2A_STREAM;
    else if (str_eq(path, old ? STR("/card") : STR("/extendedAgentCard")) && is_get(req))
        out->op = A2A_EXTENDED_CARD;
    else if ((str_eq(path, STR("/tasks")) || str_eq(path, STR("/tasks/"))) && is_get(req))
        out->op = A2A_LIST;
    else if (str_starts(path, STR("/tasks/")))
        return find_task(req, str_skip(path, 7), out);
    else
        return false;
    return true;
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool is_json_body(struct http_req *req)
{
    struct str type = http_req_header(req, "content-type");

    type = str_trim(str_cut(&type, ';'));
    return str_eq_nocase(type, STR("application/json")) || str_eq_nocase(type, STR(A2A_MEDIA_TYPE));
}

/* A wrong type of the whole request is 415, whatever 1.0.1 says about parts. */
static void rest_refuse_type(struct a2a_call *c)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    struct str all;

    buf_init(&out, 4096);
    a2a_write_error(
        &w, c, A2A_CONTENT_TYPE_NOT_SUPPORTED,
        STR("the Content-Type of the request must be application/json or " A2A_MEDIA_TYPE));
    all = buf_str(&out);
    http_reply(c->req, 415, a2a_media_type(c->req, c->dialect), NULL, 0, &all, 1);
}

/* POST with an empty body: cancel and subscribe need none. */
static bool read_body(struct a2a_call *c)
{
    struct json_opts opts = limits_json(c->server->limits);
    struct err e;

    if (!is_post(c->req)) {
        c->query = c->req->query;
        return true;
    }
    if (!c->req->body.n && (c->op == A2A_CANCEL || c->op == A2A_SUBSCRIBE))
        return true;
    if (!is_json_body(c->req)) {
        rest_refuse_type(c);
        return false;
    }
    if (json_read(&c->req->mem, c->req->body, &opts, &c->args, &e))
        return true;
    a2a_refuse(c, A2A_PARSE_ERROR, "the body is not JSON: %s", e.text);
    return false;
}

static bool rest_version_is_known(struct a2a_call *c)
{
    struct str version = http_req_header(c->req, A2A_VERSION_HEADER);
    enum a2a_dialect dialect;

    if (a2a_version_named(version, &dialect))
        return true;
    a2a_refuse(c, A2A_VERSION_NOT_SUPPORTED,
               "A2A version " STR_FMT " is not supported; supported are 1.0, 0.3 and 0.1",
               STR_ARG(str_head(version, 40)));
    return false;
}

static bool decode(struct a2a_call *c, struct str text, struct str *out)
{
    if (!text.p)
        return true;
    if (percent_decode(&c->req->mem, text, PERCENT_STRICT, out))
        return true;
    a2a_refuse(c, A2A_INVALID_PARAMS, "the path is badly encoded");
    return false;
}

static void rest_run(struct a2a_call *c, const struct rest_route *r)
{
    c->op = r->op;
    if (rest_version_is_known(c) && decode(c, r->task, &c->params.id) &&
        decode(c, r->config, &c->params.push_id) && read_body(c))
        a2a_call_run(c);
}

bool a2a_rest_serve(struct a2a_server *s, struct http_req *req, struct str agent, struct str path)
{
    bool old = str_starts(path, STR("/v1/"));
    struct rest_route r = { 0 };
    struct a2a_call *c;

    if (!find_route(req, old ? str_skip(path, 3) : path, old, &r))
        return false;
    c = a2a_call_new(s, req, A2A_REST, old ? A2A_0_3_REST : A2A_1_0);
    c->agent = agent;
    rest_run(c, &r);
    return true;
}

/* ---- plain REST ------------------------------------------------------------------------------ */

/* The body is a JSON-RPC request with any method of sending, or only its params. */
static void simple_send(struct a2a_call *c)
{
    struct json params;

    if (!read_body(c))
        return;
    params = json_get(c->args, STR("params"));
    if (json_here(params))
        c->args = params;
    a2a_call_run(c);
}

bool a2a_simple_serve(struct a2a_server *s, struct http_req *req, struct str path)
{
    struct str rest = path, first, verb;
    struct a2a_call *c;

    if (str_eq(path, STR("/agents")) && is_get(req)) {
        a2a_cards_serve(s, req);
        return true;
    }
    if (!str_starts(path, STR("/tasks/")))
        return false;
    rest = str_skip(path, 7);
    first = str_cut(&rest, '/');
    verb = rest;
    if (!first.n || str_find_byte(first, ':') >= 0)
        return false;
    c = a2a_call_new(s, req, A2A_SIMPLE, A2A_PLAIN);
    c->op = A2A_GET;
    if (is_post(req) && str_eq(first, STR("send")) && !verb.p) {
        c->op = A2A_SEND;
        simple_send(c);
    } else if (is_get(req) && !verb.p) {
        if (decode(c, first, &c->params.id))
            a2a_call_run(c);
    } else if (is_post(req) && str_eq(verb, STR("cancel"))) {
        c->op = A2A_CANCEL;
        if (decode(c, first, &c->params.id))
            a2a_call_run(c);
    } else {
        return false;
    }
    return true;
}
