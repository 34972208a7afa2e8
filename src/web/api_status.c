#include "web/api_status.h"

#include "base/auto.h"
#include "base/version.h"
#include "web/server_json.h"
#include "web/web.h"

void status_api_health(struct http_req *req)
{
    struct web *s = req->ctx;
    AUTO_BUF body;
    struct jw w = jw_to(&body);
    struct str all;

    buf_init(&body, 1024);
    jw_object(&w);
    jw_kstr(&w, "status", STR("ok"));
    jw_kstr(&w, "version", str_of(trefoil_version));
    jw_kint(&w, "uptimeMs", loop_now(s->loop) - s->started);
    jw_kint(&w, "connections", (int64_t)http_server_connections(s->http));
    jw_kint(&w, "sessions", (int64_t)s->clients->count);
    if (s->store_schema)
        jw_kint(&w, "storeSchema", s->store_schema);
    jw_object_end(&w);
    all = buf_str(&body);
    http_reply(req, 200, "application/json", NULL, 0, &all, 1);
}

void status_api_servers(struct http_req *req)
{
    struct web *s = req->ctx;
    AUTO_BUF body;
    struct jw w = jw_to(&body);
    struct str all;

    buf_init(&body, (size_t)s->limits->output_backlog_bytes);
    servers_write(&w, *s->upstreams);
    all = buf_str(&body);
    http_reply(req, body.full ? 507 : 200, "application/json", NULL, 0, &all, body.full ? 0 : 1);
}
