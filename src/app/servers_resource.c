/* servers_resource.c - trefoil://servers: the MCP servers behind us, for a client to read. */
#include "app/servers_json.h"
#include "app/service.h"

static struct str as_block(struct call *call, struct str uri, struct str text)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, call->mem, (size_t)call->host->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "uri", uri);
    jw_kstr(&w, "mimeType", STR("application/json"));
    jw_kstr(&w, "text", text);
    jw_object_end(&w);
    return out.full ? STR_NONE : buf_str(&out);
}

static void read_servers(struct call *call)
{
    struct service *s = call->who;
    struct buf text;
    struct jw w = jw_to(&text);
    struct str block;

    buf_init_in(&text, call->mem, (size_t)call->host->limits->message_bytes);
    servers_write(&w, &s->upstreams);
    block = as_block(call, call->uri, buf_str(&text));
    if (text.full || !block.p) {
        call_broke(call, &(struct err){ ERR_LIMIT, "the list of servers is too large" });
        return;
    }
    call_block(call, block);
    call_done(call);
}

void servers_resource_init(struct servers_resource *r, struct service *s)
{
    r->resource = (struct resource){
        .uri = SERVERS_URI,
        .name = "servers",
        .title = "MCP servers",
        .description = "The MCP servers behind this one: what is configured, what is connected, "
                       "their tools and what went wrong.",
        .mime_type = "application/json",
        .who = s,
        .read = read_servers,
    };
    r->list[0] = &r->resource;
    r->source = (struct offer_source){ .resource = r->list, .resources = 1 };
}
