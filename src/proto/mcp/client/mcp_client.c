/*
 * mcp_client.c - the states of a client.
 *
 *   OPENING -> PROBING -> GREETING -> LISTING -> READY -> CLOSING
 *      ^          |           |
 *      +----------+-----------+      another transport, or the child again
 *
 * Invariants: c->wire is the wire in use or NULL, c->wires has all wires that are not closed. Every
 * request is counted in c->reqs until its done was called; every call is in c->works until it is
 * settled. In CLOSING nothing new begins. When there are no wires, requests, works and calls of the
 * peer any more, on_closed is called once, from the loop.
 */
#include "base/container.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "proto/mcp/client/mcp_client_parts.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- errors ------------------------------------------------------------------------------ */

bool mcp_client_fail(const struct mcp_client *c, struct err *e, enum err_code code, const char *fmt,
                     ...)
{
    char text[sizeof(e->text)];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return fail(e, code, "server %s %s", c->spec->name, text);
}

/* ---- states ------------------------------------------------------------------------------ */

static const char *const step_names[] = {
    [STEP_OPENING] = "opening", [STEP_PROBING] = "probing", [STEP_GREETING] = "greeting",
    [STEP_LISTING] = "listing", [STEP_READY] = "ready",     [STEP_CLOSING] = "closing",
};

void mcp_client_go(struct mcp_client *c, enum mcp_step to)
{
    LOG(LOG_DEBUG, "mcp", "client", LOG_Z("server", c->spec->name),
        LOG_Z("from", step_names[c->step]), LOG_Z("to", step_names[to]));
    c->step = to;
}

static void on_check(struct post *post)
{
    struct mcp_client *c = CONTAINER_OF(post, struct mcp_client, check);

    if (c->step != STEP_CLOSING || c->wires || c->reqs || c->works || !peer_idle(&c->peer))
        return;
    c->events->on_closed(c, &c->why);
}

void mcp_client_check(struct mcp_client *c)
{
    if (c->step == STEP_CLOSING)
        loop_post(c->world.rpc->loop, &c->check);
}

static void on_peer_idle(struct peer *p)
{
    mcp_client_check(p->ctx);
}

/* ---- wires ------------------------------------------------------------------------------- */

static void close_wire(struct mcp_wire *w)
{
    if (w->closing)
        return;
    w->closing = true;
    if (w->link)
        peer_lose_link(&w->c->peer, w->link);
    w->kind->close(w);
}

void mcp_client_use(struct mcp_client *c, enum server_transport transport)
{
    if (c->wire)
        close_wire(c->wire);
    mcp_client_go(c, STEP_OPENING);
    c->tried |= 1u << transport;
    c->wire = c->open_wire(c, transport);
    c->wire->next = c->wires;
    c->wires = c->wire;
}

void mcp_wire_opened(struct mcp_wire *w)
{
    struct mcp_client *c = w->c;

    if (w != c->wire || c->step != STEP_OPENING)
        return;
    c->peer.link = w->link;
    mcp_greet_begin(c);
}

void mcp_wire_failed(struct mcp_wire *w, int status, const struct err *e)
{
    struct mcp_client *c = w->c;

    if (w != c->wire || c->step == STEP_CLOSING)
        return;
    if (!mcp_greet_without(c, w, status, e))
        mcp_client_end(c, e);
}

void mcp_wire_session_lost(struct mcp_wire *w)
{
    struct err e;

    if (w == w->c->wire && w->c->step >= STEP_LISTING && w->c->step < STEP_CLOSING) {
        mcp_greet_again(w->c);
        return;
    }
    mcp_client_fail(w->c, &e, ERR_CLOSED, "rejects the session that it has just created");
    w->kind->renewed(w, &e);
}

void mcp_wire_closed(struct mcp_wire *w)
{
    struct mcp_client *c = w->c;

    LIST_UNLINK(c->wires, w, next);
    if (c->wire == w)
        c->wire = NULL;
    mcp_client_check(c);
}

/* Open the wire of a transport. */
static struct mcp_wire *mcp_wire_open(struct mcp_client *c, enum server_transport transport)
{
    switch (transport) {
    case SERVER_STDIO: return mcp_stdio_wire_open(c);
    case SERVER_HTTP: return mcp_http_wire_open(c);
    case SERVER_SSE: return mcp_sse_wire_open(c);
    }
    return NULL;
}

/* ---- life -------------------------------------------------------------------------------- */

/* One trace for all requests that no caller has caused. */
static void set_own_trace(struct mcp_client *c)
{
    id_new(loop_wall(c->world.rpc->loop), c->own_id);
    c->own_trace = (struct trace){ .id = str_of(c->own_id), .depth = 1 };
    trace_parent_new(&c->own_trace, c->own_parent);
    c->own_trace.parent = str_of(c->own_parent);
}

struct mcp_client *mcp_client_open_by(
    const struct mcp_client_world *world, const struct server_spec *spec, enum server_era era,
    const struct mcp_client_events *events, void *owner,
    struct mcp_wire *(*open_wire)(struct mcp_client *c, enum server_transport transport))
{
    struct mcp_client *c = MEM_NEW(struct mcp_client);

    c->world = *world;
    c->spec = spec;
    c->events = events;
    c->owner = owner;
    c->open_wire = open_wire;
    c->hint = spec->era != SERVER_ERA_AUTO ? spec->era : era;
    c->check.fn = on_check;
    set_own_trace(c);
    peer_init(&c->peer, world->rpc, &mcp_client_peer, NULL, c);
    c->peer.version = MCP_FIRST;
    c->peer.batches = true;
    c->peer.on_idle = on_peer_idle;
    mcp_client_use(c, spec->transport);
    return c;
}

struct mcp_client *mcp_client_open(const struct mcp_client_world *world,
                                   const struct server_spec *spec, enum server_era era,
                                   const struct mcp_client_events *events, void *owner)
{
    return mcp_client_open_by(world, spec, era, events, owner, mcp_wire_open);
}

void mcp_client_end(struct mcp_client *c, const struct err *why)
{
    if (c->step == STEP_CLOSING)
        return;
    c->why = *why;
    mcp_client_go(c, STEP_CLOSING);
    mcp_greet_stop(c);
    mcp_roots_stop(c);
    mcp_lists_stop(c);
    mcp_works_stop(c);
    peer_fail_calls(&c->peer, why);
    peer_hang_up(&c->peer);
    if (c->wire)
        close_wire(c->wire);
    mcp_client_check(c);
}

void mcp_client_close(struct mcp_client *c)
{
    struct err e;

    mcp_client_fail(c, &e, ERR_CANCELED, "is disconnected");
    mcp_client_end(c, &e);
}

void mcp_client_free(struct mcp_client *c)
{
    if (!c)
        return;
    assert(c->step == STEP_CLOSING && !c->wires && !c->reqs && !c->works);
    loop_unpost(c->world.rpc->loop, &c->check);
    peer_fini(&c->peer);
    rpc_out_fini(&c->probe.out);
    mcp_tools_fini(&c->tools);
    mcp_tools_fini(&c->next);
    arena_fini(&c->known);
    mem_free(c);
}

void *mcp_client_owner(const struct mcp_client *c)
{
    return c->owner;
}

bool mcp_client_ready(const struct mcp_client *c)
{
    return c->step == STEP_READY;
}

struct mcp_client_facts mcp_client_facts(const struct mcp_client *c)
{
    bool greeted = c->step == STEP_LISTING || c->step == STEP_READY;
    const struct mcp_wire *w = c->wire;

    return (struct mcp_client_facts){
        .ready = mcp_client_ready(c),
        .transport = w ? w->kind->transport : c->spec->transport,
        .era = !greeted    ? SERVER_ERA_AUTO
               : c->modern ? SERVER_ERA_MODERN
                           : SERVER_ERA_LEGACY,
        .version = c->version,
        .server_name = c->server_name,
        .server_version = c->server_version,
        .instructions = c->instructions,
        .tool = c->tools.tool,
        .tools = c->tools.count,
        .left_out = c->tools.left_out,
        .out_why = c->tools.left_out ? c->tools.why.text : NULL,
        .proc = w && w->kind->proc ? w->kind->proc(w) : NULL,
    };
}
