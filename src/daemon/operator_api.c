#include "daemon/operator_api.h"

#include "base/version.h"
#include "runtime/service.h"
#include "runtime/service_http.h"
#include "web/api_status.h"
#include "web/api_tasks.h"

/* ---- does the client's setup agree with ours? ------------------------------------------------ */

static bool has_key(const struct pick_strs *list, struct str key)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i], key))
            return true;
    return false;
}

/* Does the daemon have the same keys as the client? The daemon may have more keys. */
static bool check_keys(struct daemon *d, struct http_req *req, struct err *e)
{
    struct str theirs = http_req_header(req, DAEMON_KEYS_FIELD), key;
    struct pick_strs ours;

    if (!daemon_key_digests(&req->mem, d->service->config, &ours, e))
        return fail_in(e, "the daemon");
    while (theirs.n) {
        key = str_cut(&theirs, ',');
        if (!has_key(&ours, key))
            return fail(e, ERR_DENIED, "the daemon has a different value of " STR_FMT,
                        STR_ARG(str_cut(&key, '=')));
    }
    return true;
}

/* Check that work has the same result in the daemon as in the client's own process. */
static bool check_client(struct daemon *d, struct http_req *req, struct err *e)
{
    if (!str_eq(http_req_header(req, DAEMON_VERSION_FIELD), str_of(trefoil_version)))
        return fail(e, ERR_DENIED,
                    "the daemon is trefoil %s; it serves only commands of that version",
                    trefoil_version);
    if (!str_eq(http_req_header(req, DAEMON_ROOT_FIELD), d->digest))
        return fail(e, ERR_DENIED, DAEMON_OTHER_ROOT);
    if (!d->runtime)
        return fail(e, ERR_DENIED, "the daemon has no agents");
    if (!str_eq(http_req_header(req, DAEMON_CONFIG_FIELD), str_of(d->config)))
        return fail(e, ERR_DENIED, "the daemon uses a different configuration");
    return check_keys(d, req, e);
}

/* Return the daemon if the request is accepted. NULL: it was refused with 409. */
static struct daemon *check_request(struct http_req *req)
{
    struct service *s = req->ctx;
    struct daemon *d = s->web.daemon;
    struct err e;

    if (check_client(d, req, &e))
        return d;
    http_reply_error(req, 409, "%s", e.text);
    return NULL;
}

/* ---- routes ---------------------------------------------------------------------------------- */

static void on_run(struct http_req *req)
{
    struct daemon *d = check_request(req);

    if (d)
        operator_run_post(d, req);
}

static void on_tools(struct http_req *req)
{
    struct daemon *d = check_request(req);

    if (d)
        operator_when_ready(d, req, operator_tools_reply);
}

static void on_tools_call(struct http_req *req)
{
    struct daemon *d = check_request(req);

    if (d)
        operator_tools_call(d, req);
}

static void on_servers(struct http_req *req)
{
    struct daemon *d = check_request(req);

    if (d)
        operator_when_ready(d, req, status_api_servers);
}

static void on_dispatch(struct http_req *req)
{
    if (check_request(req))
        tasks_api_dispatch(req);
}

static void on_work(struct http_req *req)
{
    struct service *s = req->ctx;

    work_streams_post(&s->web.daemon->works, req);
}

static const struct http_route operator_routes[] = {
    { "POST", "/api/run", on_run },
    { "GET", "/api/tools", on_tools },
    { "POST", "/api/tools/call", on_tools_call },
    { "GET", "/api/servers", on_servers },
    { "POST", "/api/dispatch", on_dispatch },
    { "POST", "/api/streams/*", on_work },
};

struct http_server *operator_http_new(struct daemon *d)
{
    size_t shared, own = ARRAY_LEN(operator_routes);
    const struct http_route *routes = service_routes(d->service, &shared);
    struct http_route *all = ARENA_ARRAY(&d->project->mem, struct http_route, shared + own);

    memcpy(all, operator_routes, sizeof(operator_routes));
    memcpy(all + own, routes, shared * sizeof(*routes));
    return http_server_new(&(struct http_server_opts){
        .loop = d->service->loop,
        .limits = d->service->limits,
        .route = all,
        .routes = shared + own,
        .ctx = &d->service->web,
    });
}
