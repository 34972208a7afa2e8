#include "fake_client.h"

#include "base/container.h"
#include "base/mem.h"

#include <assert.h>

size_t fake_opened;
bool fake_slow_close;
static struct mcp_client *clients;

struct mcp_client *fake_client(const char *server)
{
    for (struct mcp_client *c = clients; c; c = c->next)
        if (str_eq(str_of(server), str_of(c->spec->name)))
            return c;
    return NULL;
}

/* ---- what the fleet sees ------------------------------------------------------------------- */

static void settle_calls(struct mcp_client *c, const struct err *e)
{
    for (size_t i = 0; i < c->calls; i++)
        if (c->call[i] && !c->call[i]->op.settled)
            call_broke(c->call[i], e);
    c->calls = 0;
}

static void tell_closed(struct post *post)
{
    struct mcp_client *c = CONTAINER_OF(post, struct mcp_client, closed);
    struct err why = c->why;

    settle_calls(c, &(struct err){ ERR_CLOSED, "the connection was lost" });
    c->events->on_closed(c, &why);
}

struct mcp_client *mcp_client_open(const struct mcp_client_world *world,
                                   const struct server_spec *spec, enum server_era era,
                                   const struct mcp_client_events *events, void *owner)
{
    struct mcp_client *c = MEM_NEW(struct mcp_client);

    fake_opened++;
    c->spec = spec;
    c->loop = world->rpc->loop;
    c->era_given = era;
    c->era = SERVER_ERA_LEGACY;
    c->events = events;
    c->owner = owner;
    c->closed.fn = tell_closed;
    c->next = clients;
    clients = c;
    return c;
}

void mcp_client_close(struct mcp_client *c)
{
    if (c->closing)
        return;
    c->closing = true;
    c->why = (struct err){ ERR_CANCELED, "closed" };
    if (!fake_slow_close)
        loop_post(c->loop, &c->closed);
}

void mcp_client_free(struct mcp_client *c)
{
    struct mcp_client **at = &clients;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    loop_unpost(c->loop, &c->closed);
    arena_fini(&c->mem);
    mem_free(c);
}

void *mcp_client_owner(const struct mcp_client *c)
{
    return c->owner;
}

/* Room is made by calls that are over. */
static void drop_settled(struct mcp_client *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->calls; i++) {
        if (!c->call[i] || c->call[i]->op.settled)
            continue;
        memmove(c->called[n], c->called[i], sizeof(c->called[0]));
        c->call[n++] = c->call[i];
    }
    c->calls = n;
}

void mcp_client_call(struct mcp_client *c, struct call *call, struct str tool)
{
    if (c->calls == FAKE_CALLS)
        drop_settled(c);
    assert(c->ready && c->calls < FAKE_CALLS);
    str_to_c(tool, c->called[c->calls], sizeof(c->called[0]));
    c->call[c->calls++] = call;
}

bool mcp_client_ready(const struct mcp_client *c)
{
    return c->ready;
}

struct mcp_client_facts mcp_client_facts(const struct mcp_client *c)
{
    return (struct mcp_client_facts){
        .ready = c->ready,
        .era = c->ready ? c->era : SERVER_ERA_AUTO,
        .version = STR("2025-11-25"),
        .server_name = c->server_name,
        .tool = c->tool,
        .tools = c->tools,
    };
}

/* ---- what the test does -------------------------------------------------------------------- */

static void set_tools(struct mcp_client *c, const char *tools)
{
    static const struct json_opts opts = { .max_depth = 32, .max_values = 10000 };
    struct json root;
    struct err e;

    if (!json_read(&c->mem, arena_str(&c->mem, str_of(tools)), &opts, &root, &e))
        assert(!"the tools of the test are JSON");
    c->tool = ARENA_ARRAY(&c->mem, struct mcp_remote_tool, json_count(root));
    c->tools = 0;
    JSON_EACH(t, root)
    c->tool[c->tools++] =
        (struct mcp_remote_tool){ json_str(&c->mem, json_get(t, STR("name"))), t };
}

void fake_ready(const char *server, const char *tools)
{
    struct mcp_client *c = fake_client(server);

    set_tools(c, tools);
    c->ready = true;
    c->events->on_ready(c);
}

void fake_tools(const char *server, const char *tools)
{
    struct mcp_client *c = fake_client(server);

    set_tools(c, tools);
    c->events->on_tools(c);
}

void fake_closed(const char *server)
{
    struct mcp_client *c = fake_client(server);

    loop_post(c->loop, &c->closed);
}

void fake_lose(const char *server, enum err_code code, const char *why)
{
    struct mcp_client *c = fake_client(server);

    fail(&c->why, code, "%s", why);
    loop_post(c->loop, &c->closed);
    loop_run_once(c->loop);
}

static struct call *oldest(const char *server)
{
    struct mcp_client *c = fake_client(server);

    for (size_t i = 0; c && i < c->calls; i++) {
        struct call *call = c->call[i];

        if (!call)
            continue;
        c->call[i] = NULL;
        if (!call->op.settled)
            return call;
    }
    return NULL;
}

void fake_answer(const char *server, const char *result)
{
    struct call *call = oldest(server);

    assert(call);
    call_forward(call, str_of(result), STR_NONE);
}

void fake_fail(const char *server, enum err_code code, const char *why)
{
    struct call *call = oldest(server);
    struct err e;

    assert(call);
    fail(&e, code, "%s", why);
    call_broke(call, &e);
}

size_t fake_open_calls(const char *server)
{
    struct mcp_client *c = fake_client(server);
    size_t n = 0;

    for (size_t i = 0; c && i < c->calls; i++)
        n += c->call[i] && !c->call[i]->op.settled;
    return n;
}
