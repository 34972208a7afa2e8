/*
 * a2a_http.c - routes. Below the listen path ("/a2a") the first segment is the name of an agent,
 * unless it is a word of a route: agents and tasks (the plain REST routes, with HTTP+JSON of the
 * root beside them), v1, message:send ... An agent cannot have these names.
 */
#include "proto/a2a/server/a2a_bindings.h"
#include "proto/a2a/server/a2a_call.h"

#define CARD "/.well-known/agent-card.json"
#define LEGACY_CARD "/.well-known/agent.json"

static bool is_read(const struct http_req *req)
{
    return str_eq(req->method, STR("GET")) || str_eq(req->method, STR("HEAD"));
}

bool a2a_http_is_card(struct str path)
{
    return str_ends(path, STR(CARD)) || str_ends(path, STR(LEGACY_CARD));
}

static void refuse_path(struct http_req *req)
{
    http_reply_error(req, 404, STR_FMT " " STR_FMT " is not a route of A2A", STR_ARG(req->method),
                     STR_ARG(str_head(req->path, 80)));
}

/* A request to the base URL of an agent, or of the root: `path` is "" or begins with a slash. */
static void serve_base(struct a2a_server *s, struct http_req *req, struct str agent,
                       struct str path)
{
    bool root = !path.n || str_eq(path, STR("/"));

    if (root && str_eq(req->method, STR("POST")))
        a2a_rpc_serve(s, req, agent);
    else if (is_read(req) && (str_eq(path, STR(CARD)) || str_eq(path, STR(LEGACY_CARD))))
        a2a_card_serve(s, req, agent, str_eq(path, STR(LEGACY_CARD)));
    else if (!a2a_rest_serve(s, req, agent, path))
        refuse_path(req);
}

static bool is_route_word(struct str word)
{
    return str_eq(word, STR("agents")) || str_eq(word, STR("tasks")) || str_eq(word, STR("v1")) ||
           str_starts(word, STR("message:")) || str_eq(word, STR("extendedAgentCard")) ||
           str_eq(word, STR(".well-known"));
}

/* `rest` begins with the slash behind the listen path, or is empty. */
static void serve_below(struct a2a_server *s, struct http_req *req, struct str rest)
{
    struct str path = rest.n ? str_skip(rest, 1) : rest, word;

    word = str_head(path, path.n);
    if (str_find_byte(path, '/') >= 0)
        word = str_head(path, (size_t)str_find_byte(path, '/'));
    if (!word.n) {
        serve_base(s, req, STR_NONE, rest);
    } else if (!is_route_word(word)) {
        if (s->agents->registry && !a2a_agent_exists(s, word))
            http_reply_error(req, 404, "there is no agent " STR_FMT, STR_ARG(str_head(word, 64)));
        else
            serve_base(s, req, word, str_skip(path, word.n));
    } else if (!a2a_simple_serve(s, req, rest)) {
        serve_base(s, req, STR_NONE, rest);
    }
}

void a2a_http_serve(struct a2a_server *s, struct http_req *req)
{
    struct str base = s->setup->listen_path;

    if (str_starts(req->path, base) && (req->path.n == base.n || req->path.p[base.n] == '/'))
        serve_below(s, req, str_skip(req->path, base.n));
    else
        serve_base(s, req, STR_NONE, req->path);
}
