#include "core/store.h"

/* The request is in a batch, or will be; it settles when the batch is committed. */
static void on_cancel(struct op *op)
{
    (void)op;
}

static const struct op_kind store_ask_kind = { .name = "store", .cancel = on_cancel };

void store_start(struct store_port *port, struct store_ask *ask, struct op *parent,
                 op_done_fn *done, void *ctx)
{
    op_begin(&ask->op, &store_ask_kind, port->loop, parent, done, ctx);
    ask->port = port;
    ask->now = loop_wall(port->loop);
    ask->writes = ask->failed = false;
    for (size_t i = 0; i < ask->steps; i++)
        ask->writes |= ask->step[i].what < STORE_SESSION_LOAD;
    port->kind->start(port, ask);
}

struct store_session store_session_copy(struct arena *mem, const struct store_session *s)
{
    struct store_session to = *s;

    to.id = arena_str(mem, s->id);
    to.agent = arena_str(mem, s->agent);
    to.cwd = arena_str(mem, s->cwd);
    to.model = arena_str(mem, s->model);
    to.mode = arena_str(mem, s->mode);
    to.title = arena_str(mem, s->title);
    to.settings = arena_str(mem, s->settings);
    to.owner = arena_str(mem, s->owner);
    return to;
}
