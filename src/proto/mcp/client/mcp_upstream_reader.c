#include "proto/mcp/client/mcp_upstream_reader.h"

/* The tools of the reader are published nowhere: those of its upstream are. */
static void on_reader_tools(struct upstream *reader)
{
    (void)reader;
}

static void on_reader_closed(struct upstream *reader)
{
    struct upstream *u = reader->owner;

    u->reader = NULL;
    loop_post(u->world->rpc->loop, &u->pump);
    upstream_free(reader);
}

static const struct upstream_events reader_events = {
    .on_tools = on_reader_tools,
    .on_tried = on_reader_tools,
    .on_closed = on_reader_closed,
};

static bool needs_reader(const struct upstream *u, const struct call *call, bool only_reads)
{
    const struct server_spec *s = &u->spec;

    return call->vault_only && only_reads && u->world->sandbox && s->transport == SERVER_STDIO &&
           !s->share && !s->reads_only && s->sandbox != SANDBOX_OFF &&
           s->sandbox != SANDBOX_READ_ONLY;
}

struct upstream *upstream_for_call(struct upstream *u, const struct call *call, bool only_reads)
{
    struct server_spec spec;

    if (!needs_reader(u, call, only_reads) || u->state == UP_CLOSING || u->state == UP_CLOSED)
        return u;
    if (!u->reader) {
        spec = u->spec;
        spec.reads_only = true;
        u->reader = upstream_new(u->world, &spec, &reader_events, u);
    }
    return u->reader;
}

void upstream_close_reader(struct upstream *u)
{
    if (u->reader && u->reader->state != UP_CLOSING && u->reader->state != UP_CLOSED)
        upstream_close(u->reader);
}
