#include "base/container.h"
#include "base/mem.h"
#include "proto/mcp/mcp_client_in.h"

/* Only children can be reached as yet. */
struct none {
    struct mcp_wire wire;
    struct post post;
};

static void end(struct post *post)
{
    struct none *n = CONTAINER_OF(post, struct none, post);
    struct err e;

    mcp_client_fail(n->wire.c, &e, ERR_INVALID, "is reached by HTTP, which is not built yet");
    mcp_wire_failed(&n->wire, 0, &e);
    mcp_wire_closed(&n->wire);
    mem_free(n);
}

static void close_wire(struct mcp_wire *w)
{
    (void)w;
}

static const struct mcp_wire_kind kind = { .transport = SERVER_HTTP, .close = close_wire };

struct mcp_wire *mcp_http_wire_open(struct mcp_client *c)
{
    struct none *n = MEM_NEW(struct none);

    n->wire = (struct mcp_wire){ .kind = &kind, .c = c };
    n->post.fn = end;
    loop_post(c->world.rpc->loop, &n->post);
    return &n->wire;
}

struct mcp_wire *mcp_sse_wire_open(struct mcp_client *c)
{
    return mcp_http_wire_open(c);
}
