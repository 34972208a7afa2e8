#include "runtime/servers_resource.h"

#include "base/json.h"
#include "web/server_json.h"

static void read_servers(struct call *call)
{
    struct upstreams *up = call->ctx;
    struct buf text;
    struct jw w = jw_to(&text);

    buf_init_in(&text, call->mem, (size_t)call->host->limits->message_bytes);
    servers_write(&w, up->upstreams);
    call_json_content(call, &text);
}

void servers_resource_init(struct servers_resource *r, struct upstreams *up)
{
    r->resource = (struct resource){
        .uri = SERVERS_URI,
        .name = "servers",
        .title = "MCP servers",
        .description =
            "Show the MCP servers that trefoil connects to: configuration, connection, tools, "
            "errors.",
        .mime_type = "application/json",
        .ctx = up,
        .read = read_servers,
    };
    r->list[0] = &r->resource;
    r->source = (struct offer_source){ .resource = r->list, .resources = 1 };
}
