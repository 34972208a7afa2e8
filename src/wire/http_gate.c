#include "wire/http_gate.h"

#include "base/mem.h"
#include "wire/http_key.h"

#include <stdarg.h>
#include <stdio.h>

void http_gate_init(struct http_gate *g, const struct http_server_opts *opts)
{
    *g = (struct http_gate){ .routes = opts->routes,
                             .host = opts->host,
                             .hosts = opts->hosts,
                             .key = opts->key,
                             .keys = opts->keys,
                             .open = opts->open,
                             .opens = opts->opens,
                             .pace = opts->pace,
                             .ctx = opts->ctx,
                             .rpc = opts->rpc,
                             .rpcs = opts->rpcs };
    g->route = mem_alloc(g->routes * sizeof(*g->route));
    for (size_t i = 0; i < g->routes; i++) {
        struct str path = str_of(opts->route[i].path);
        bool more = str_ends(path, STR("*")) && path.n > 1;

        g->route[i] = (struct http_gate_route){ .method = str_of(opts->route[i].method),
                                                .path = str_head(path, path.n - more),
                                                .more = more,
                                                .handler = opts->route[i].handler };
    }
}

void http_gate_fini(struct http_gate *g)
{
    mem_free(g->route);
}

__attribute__((format(printf, 3, 4))) static bool refuse(struct http_refusal *no, int status,
                                                         const char *fmt, ...)
{
    va_list ap;

    no->status = status;
    no->allow[0] = 0;
    no->retry_ms = 0;
    no->rpc = false;
    va_start(ap, fmt);
    vsnprintf(no->text, sizeof(no->text), fmt, ap);
    va_end(ap);
    return false;
}

/* ---- Host and Origin --------------------------------------------------------------------- */

#define ACCEPTED "localhost, the address listened on and the configured hosts"

enum { SHOWN = 80 }; /* bytes of what the client sent that we repeat */

static bool is_ours(const struct http_gate *g, struct str host, struct str local)
{
    if (str_eq_nocase(host, STR("localhost")) || str_eq(host, STR("127.0.0.1")) ||
        str_eq(host, STR("[::1]")) || (local.n && str_eq_nocase(host, local)))
        return true;
    for (size_t i = 0; i < g->hosts; i++)
        if (str_eq_nocase(host, g->host[i]))
            return true;
    return false;
}

static bool check_host(const struct http_gate *g, const struct http1_head *head, struct str local,
                       struct http_refusal *no)
{
    if (!head->host.p) /* HTTP/1.0, so no browser */
        return true;
    if (is_ours(g, head->host, local))
        return true;
    return refuse(no, 403, "the Host " STR_FMT " is not allowed; allowed are " ACCEPTED,
                  STR_ARG(str_head(head->host, SHOWN)));
}

/* http://host:port, or https. "null" and other schemes have no host that could be ours. */
static bool origin_host(struct str origin, struct str *out_host)
{
    struct str port;

    if (str_starts(origin, STR("http://")))
        origin = str_skip(origin, 7);
    else if (str_starts(origin, STR("https://")))
        origin = str_skip(origin, 8);
    else
        return false;
    return http1_authority(origin, out_host, &port);
}

static bool check_origin(const struct http_gate *g, const struct http1_head *head, struct str local,
                         struct http_refusal *no)
{
    struct str host;

    if (!head->origin.p || (origin_host(head->origin, &host) && is_ours(g, host, local)))
        return true;
    return refuse(no, 403, "the Origin " STR_FMT " is not allowed; allowed are " ACCEPTED,
                  STR_ARG(str_head(head->origin, SHOWN)));
}

/* ---- routes ------------------------------------------------------------------------------ */

static bool fits_path(const struct http_gate_route *r, struct str path)
{
    if (r->more)
        return path.n > r->path.n && str_starts(path, r->path);
    return str_eq(path, r->path);
}

static bool fits_method(const struct http_gate_route *r, struct str method)
{
    return str_eq(method, r->method) ||
           (str_eq(method, STR("HEAD")) && str_eq(r->method, STR("GET")));
}

/* Add to "GET, HEAD, POST". No method is part of another's name, so a search tells. */
static void add_allowed(struct http_refusal *no, struct str method)
{
    size_t n = strlen(no->allow);

    if (str_find((struct str){ no->allow, n }, method) >= 0)
        return;
    snprintf(no->allow + n, sizeof(no->allow) - n, "%s" STR_FMT, n ? ", " : "", STR_ARG(method));
}

static bool refuse_route(const struct http_gate *g, const struct http1_head *head,
                         struct http_refusal *no)
{
    refuse(no, 404, "there is nothing at " STR_FMT, STR_ARG(str_head(head->path, SHOWN)));
    for (size_t i = 0; i < g->routes; i++) {
        if (!fits_path(&g->route[i], head->path))
            continue;
        no->status = 405;
        add_allowed(no, g->route[i].method);
        if (str_eq(g->route[i].method, STR("GET")))
            add_allowed(no, STR("HEAD"));
    }
    if (no->status == 405)
        snprintf(no->text, sizeof(no->text),
                 STR_FMT " is not supported at " STR_FMT "; supported are %s",
                 STR_ARG(head->method), STR_ARG(str_head(head->path, SHOWN)), no->allow);
    return false;
}

static const struct http_gate_route *find_route(const struct http_gate *g,
                                                const struct http1_head *head)
{
    for (size_t i = 0; i < g->routes; i++)
        if (fits_path(&g->route[i], head->path) && fits_method(&g->route[i], head->method))
            return &g->route[i];
    return NULL;
}

/* ---- the key ----------------------------------------------------------------------------- */

/* A '*' stands for one segment of a path. */
static bool path_matches(struct str pattern, struct str path)
{
    ptrdiff_t star = str_find_byte(pattern, '*');
    struct str before, after;

    if (star < 0)
        return str_eq(path, pattern);
    before = str_head(pattern, (size_t)star);
    after = str_skip(pattern, (size_t)star + 1);
    return path.n > before.n + after.n && str_starts(path, before) && str_ends(path, after) &&
           str_find_byte((struct str){ path.p + before.n, path.n - before.n - after.n }, '/') < 0;
}

/* Must a request to this path bring a key? */
static bool asks_key(const struct http_gate *g, struct str path)
{
    for (size_t i = 0; i < g->opens; i++)
        if (path_matches(g->open[i], path))
            return false;
    return g->keys > 0;
}

static bool refuse_key(enum http_key_verdict key, struct http_refusal *no)
{
    switch (key) {
    case HTTP_KEY_RIGHT: return true;
    case HTTP_KEY_WRONG: return refuse(no, 401, "the API key is wrong");
    case HTTP_KEY_MISSING: break;
    }
    return refuse(no, 401,
                  "an API key is required, as Authorization: Bearer KEY or X-API-Key: KEY");
}

/* ---- the pace ---------------------------------------------------------------------------- */

static bool is_rpc(const struct http_gate *g, struct str path)
{
    for (size_t i = 0; i < g->rpcs; i++)
        if (str_starts(path, g->rpc[i]))
            return true;
    return false;
}

static bool check_pace(const struct http_gate *g, const struct http_peer *peer, struct str key,
                       struct str path, struct http_refusal *no)
{
    int64_t wait = g->pace ? g->pace(g->ctx, peer, key) : 0;

    if (!wait)
        return true;
    refuse(no, 429, "too many requests; try again in %lld s", (long long)((wait + 999) / 1000));
    no->retry_ms = wait;
    no->rpc = is_rpc(g, path);
    return false;
}

/* ---- all together ------------------------------------------------------------------------ */

bool http_gate_pass(const struct http_gate *g, const struct http1_head *head,
                    const struct http_peer *peer, struct http_entry *out, struct http_refusal *no)
{
    static const struct http_key none = { STR(""), STR("") };
    const struct http_gate_route *route;
    const struct http_key *key = &none;
    enum http_key_verdict verdict = HTTP_KEY_RIGHT;

    if (asks_key(g, head->path))
        verdict = http_key_check(g->key, g->keys, head->header, head->headers, &key);

    if (!peer->any_host &&
        !(check_host(g, head, peer->local, no) && check_origin(g, head, peer->local, no)))
        return false;
    if (!check_pace(g, peer, key->name, head->path, no) || !refuse_key(verdict, no))
        return false;
    route = find_route(g, head);
    if (!route)
        return refuse_route(g, head, no);
    *out = (struct http_entry){ route, key->name };
    return true;
}
