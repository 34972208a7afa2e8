/* servers_resource.h - the resource trefoil://servers: the upstream MCP servers, as JSON. */
#ifndef RUNTIME_SERVERS_RESOURCE_H
#define RUNTIME_SERVERS_RESOURCE_H

#include "core/tool/offer.h"
#include "runtime/upstreams.h"

#define SERVERS_URI "trefoil://servers"

struct servers_resource {
    struct resource resource;
    const struct resource *list[1];
    struct offer_source source;
};

/* Initialize *r. `up` must outlive *r. */
void servers_resource_init(struct servers_resource *r, struct upstreams *up);

#endif
