/* mcp_client_stdio.c - an MCP server that we start and reach over its pipes (rpc/child_link.h). */
#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "loop/proc_env.h"
#include "proto/mcp/client/mcp_client_parts.h"
#include "proto/mcp/client/mcp_client_sandbox.h"
#include "rpc/child_link.h"

struct stdio_wire {
    struct mcp_wire wire; /* first */
    struct child_link child;
};

static struct stdio_wire *stdio_wire_of(struct child_link *l)
{
    return CONTAINER_OF(l, struct stdio_wire, child);
}

/* ---- events ------------------------------------------------------------------------------ */

static void on_server_open(struct child_link *l)
{
    mcp_wire_opened(&stdio_wire_of(l)->wire);
}

static void on_server_frame(struct child_link *l, const struct frame *frame)
{
    peer_receive(&stdio_wire_of(l)->wire.c->peer, &l->link.link, frame);
}

static void on_server_stderr(struct child_link *l, const struct tail *tail)
{
    struct mcp_client *c = stdio_wire_of(l)->wire.c;

    if (c->events->on_last_words)
        c->events->on_last_words(c, tail);
}

static void on_server_failed(struct child_link *l, const struct err *e)
{
    struct stdio_wire *s = stdio_wire_of(l);
    struct err why = *e;

    if (l->started) /* else the error names the server already */
        mcp_client_fail(s->wire.c, &why, e->code, "%s", e->text);
    mcp_wire_failed(&s->wire, 0, &why);
}

static void on_server_closed(struct child_link *l)
{
    struct stdio_wire *s = stdio_wire_of(l);

    mcp_wire_closed(&s->wire);
    mem_free(s);
}

static const struct child_link_events server_events = {
    .on_open = on_server_open,
    .on_frame = on_server_frame,
    .on_stderr = on_server_stderr,
    .on_failed = on_server_failed,
    .on_closed = on_server_closed,
};

/* ---- the wire ---------------------------------------------------------------------------- */

static bool server_env(struct arena *mem, const struct mcp_client *c, const char *const **out,
                       struct err *e)
{
    const struct server_spec *spec = c->spec;
    struct proc_env_var *set = ARENA_ARRAY(mem, struct proc_env_var, spec->envs);
    struct proc_env_opts env = {
        .ours = c->world.environ,
        .strict = spec->env_strict,
        .pass = spec->pass,
        .passes = spec->passes,
        .set = set,
        .sets = spec->envs,
    };

    for (size_t i = 0; i < spec->envs; i++)
        set[i] = (struct proc_env_var){ spec->env[i].name, spec->env[i].value };
    return proc_env(mem, &env, out, e);
}

static void close_stdio_wire(struct mcp_wire *w)
{
    child_link_close(&CONTAINER_OF(w, struct stdio_wire, wire)->child);
}

static const struct proc *stdio_wire_proc(const struct mcp_wire *w)
{
    const struct stdio_wire *s = CONTAINER_OF(w, struct stdio_wire, wire);

    return s->child.started ? &s->child.proc : NULL;
}

static const struct mcp_wire_kind stdio_kind = {
    .transport = SERVER_STDIO,
    .close = close_stdio_wire,
    .proc = stdio_wire_proc,
};

struct mcp_wire *mcp_stdio_wire_open(struct mcp_client *c)
{
    struct stdio_wire *s = MEM_NEW(struct stdio_wire);
    struct child_command command = { .argv = c->spec->argv,
                                     .cwd = c->spec->cwd ? c->spec->cwd : c->world.root };
    AUTO_ARENA mem = { 0 };
    struct err e;

    s->wire = (struct mcp_wire){ .kind = &stdio_kind, .c = c };
    if (!mcp_server_sandbox(&mem, c, &command.sandbox, &e) ||
        !server_env(&mem, c, &command.env, &e))
        child_link_open_failed(&s->child, c->world.procs, &e, &server_events);
    else if (child_link_open(&s->child, c->world.procs, &command, FRAMING_AUTO, &server_events))
        s->wire.link = &s->child.link.link;
    if (!s->child.started)
        fail_in(&s->child.err, "server %s", c->spec->name);
    return &s->wire;
}
