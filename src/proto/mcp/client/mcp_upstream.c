#include "proto/mcp/client/mcp_upstream_reader.h"

#include "base/container.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "loop/tail.h"

#include <assert.h>

static void on_time(struct timer *t);

static struct loop *upstream_loop(const struct upstream *u)
{
    return u->world->rpc->loop;
}

static const struct limits *limits_of(const struct upstream *u)
{
    return u->world->rpc->limits;
}

/* The only writer of u->state but upstream_new. */
static void step(struct upstream *u, enum upstream_event ev)
{
    enum upstream_state to = upstream_next(u->state, ev);

    if (to == u->state)
        return;
    LOG(LOG_DEBUG, "mcp", "server state", LOG_Z("server", u->spec.name),
        LOG_Z("was", upstream_state_name(u->state)), LOG_Z("is", upstream_state_name(to)));
    u->state = to;
}

static void tell_tried(struct upstream *u)
{
    if (u->tried)
        return;
    u->tried = true;
    u->events->on_tried(u);
}

/* ---- failures ---------------------------------------------------------------------------- */

int64_t upstream_retry_ms(const struct upstream *u)
{
    int64_t ms = u->timer.due - loop_now(upstream_loop(u));

    if ((u->state != UP_WAITING && u->state != UP_BROKEN) || !timer_is_set(&u->timer))
        return 0;
    return ms > 0 ? ms : 1;
}

void upstream_explain(const struct upstream *u, struct err *e)
{
    const char *why =
        u->last_error.code != ERR_NONE ? u->last_error.text : "trefoil could not connect";

    switch (u->state) {
    case UP_DISABLED: fail(e, ERR_DENIED, "MCP server %s is disabled", u->spec.name); break;
    case UP_UNTRUSTED:
        fail(e, ERR_DENIED, "MCP server %s is not trusted: see `trefoil trust`", u->spec.name);
        break;
    case UP_BROKEN:
    case UP_WAITING:
        fail(e, ERR_CLOSED,
             "MCP server %s failed %lld times in a row; next retry in %lld s; last error: %s",
             u->spec.name, (long long)u->failures, (long long)(upstream_retry_ms(u) + 999) / 1000,
             why);
        break;
    case UP_CLOSING:
    case UP_CLOSED: fail(e, ERR_CLOSED, "MCP server %s is being closed", u->spec.name); break;
    case UP_STOPPED:
    case UP_CONNECTING:
    case UP_READY:
    case UP_STOPPING:
    case UP_STATES:
        fail(e, ERR_CLOSED, "MCP server %s is not connected (it is %s)", u->spec.name,
             upstream_state_name(u->state));
        break;
    }
}

/* A random time between half of the delay and all of it. */
static int64_t jittered(int64_t ms)
{
    uint32_t random;

    id_random(&random, sizeof(random));
    return ms - (int64_t)((uint64_t)(ms / 2) * random >> 32);
}

static int64_t back_off(const struct upstream *u, bool too_often)
{
    const struct limits *l = limits_of(u);
    int64_t ms = l->mcp_retry_min_ms;

    for (int64_t i = 1; i < u->failures && ms < l->mcp_retry_max_ms; i++)
        ms *= 2;
    if (ms > l->mcp_retry_max_ms)
        ms = l->mcp_retry_max_ms;
    ms = jittered(ms);
    return too_often && ms < l->mcp_broken_ms ? l->mcp_broken_ms : ms;
}

/* Keep the last lines of stderr, because the client is freed. */
static void on_last_words(struct mcp_client *c, const struct tail *from)
{
    struct upstream *u = mcp_client_owner(c);

    arena_reset(&u->tail_mem);
    u->tails = from->count;
    u->tail = ARENA_ARRAY(&u->tail_mem, struct str, u->tails);
    for (size_t i = 0; i < u->tails; i++)
        u->tail[i] = arena_str(&u->tail_mem, tail_line(from, i));
}

/* A long connection resets the count: the failures before it are unrelated. */
static void count_failure(struct upstream *u, const struct err *e)
{
    const struct limits *l = limits_of(u);

    if (u->state == UP_READY && loop_now(upstream_loop(u)) - u->ready_since >= l->mcp_retry_max_ms)
        u->failures = 0;
    u->failures++;
    u->last_error = *e;
    if (u->state == UP_CONNECTING)
        u->era = SERVER_ERA_AUTO;
}

static void fall_back(struct upstream *u, const struct err *e)
{
    bool too_often;
    int64_t ms;
    struct err why;

    count_failure(u, e);
    too_often = u->hung || u->failures >= limits_of(u)->mcp_failures;
    u->hung = false;
    u->silences = 0;
    ms = back_off(u, too_often);
    LOG(LOG_WARN, "mcp",
        u->state == UP_CONNECTING ? "server did not connect" : "server disconnected",
        LOG_Z("server", u->spec.name), LOG_Z("error", e->text), LOG_N("failures", u->failures),
        LOG_N("retry_ms", ms));
    step(u, too_often ? UP_ON_TOO_OFTEN : UP_ON_FAILED);
    timer_set(upstream_loop(u), &u->timer, ms, on_time);
    if (u->state == UP_BROKEN && u->first) {
        upstream_explain(u, &why);
        upstream_fail_waiting(u, &why);
    }
}

/* ---- the client -------------------------------------------------------------------------- */

static void on_ready(struct mcp_client *c)
{
    struct upstream *u = mcp_client_owner(c);
    struct mcp_client_facts facts = mcp_client_facts(c);

    step(u, UP_ON_READY);
    if (u->state != UP_READY)
        return;
    u->ready_since = loop_now(upstream_loop(u));
    if (u->era != facts.era)
        u->era_since = u->ready_since;
    u->era = facts.era;
    LOG(LOG_INFO, "mcp", "server connected", LOG_Z("server", u->spec.name),
        LOG_S("version", facts.version), LOG_N("tools", (int64_t)facts.tools));
    upstream_take_tools(u, &facts);
    tell_tried(u);
    loop_post(upstream_loop(u), &u->pump);
    upstream_mind_idling(u);
}

static void on_tools(struct mcp_client *c)
{
    struct upstream *u = mcp_client_owner(c);
    struct mcp_client_facts facts = mcp_client_facts(c);

    if (u->state == UP_READY)
        upstream_take_tools(u, &facts);
}

static void on_upstream_client_closed(struct mcp_client *c, const struct err *e)
{
    struct upstream *u = mcp_client_owner(c);
    struct err why = u->hung ? u->last_error : *e;

    u->client = NULL;
    mcp_client_free(c); /* also frees *e */
    if (u->state == UP_CONNECTING || u->state == UP_READY || u->hung) {
        timer_clear(upstream_loop(u), &u->timer);
        fall_back(u, &why);
        tell_tried(u);
    } else {
        step(u, UP_ON_GONE);
        if (u->first)
            upstream_start(u);
    }
    loop_post(upstream_loop(u), &u->pump);
}

static const struct mcp_client_events client_events = {
    .on_ready = on_ready,
    .on_tools = on_tools,
    .on_last_words = on_last_words,
    .on_closed = on_upstream_client_closed,
};

/* A legacy server may have been updated: after a while its era is probed again. */
static enum server_era known_era(const struct upstream *u)
{
    if (u->era == SERVER_ERA_LEGACY &&
        loop_now(upstream_loop(u)) - u->era_since >= limits_of(u)->mcp_reprobe_ms)
        return SERVER_ERA_AUTO;
    return u->era;
}

static void open_client(struct upstream *u)
{
    u->starts++;
    u->era = known_era(u); /* so that the next result gets a new time */
    u->client = mcp_client_open(u->world, &u->spec, u->era, &client_events, u);
}

/* ---- time -------------------------------------------------------------------------------- */

static void on_time(struct timer *t)
{
    struct upstream *u = CONTAINER_OF(t, struct upstream, timer);

    step(u, UP_ON_TIME);
    if (u->state == UP_CONNECTING)
        open_client(u);
}

static void on_idle(struct timer *t)
{
    struct upstream *u = CONTAINER_OF(t, struct upstream, timer);

    LOG(LOG_INFO, "mcp", "server is stopped: it was idle", LOG_Z("server", u->spec.name));
    step(u, UP_ON_UNUSED);
    mcp_client_close(u->client);
}

void upstream_mind_idling(struct upstream *u)
{
    if (u->state != UP_READY || u->spec.idle_stop_ms <= 0)
        return;
    if (u->tickets)
        timer_clear(upstream_loop(u), &u->timer);
    else
        timer_set(upstream_loop(u), &u->timer, u->spec.idle_stop_ms, on_idle);
}

/* A server that did not answer several calls in a row hangs; a new connection may work. */
void upstream_heard(struct upstream *u, bool in_time)
{
    u->silences = in_time ? 0 : u->silences + 1;
    if (u->silences < limits_of(u)->mcp_failures || u->state != UP_READY)
        return;
    fail(&u->last_error, ERR_TIMEOUT, "%lld calls in a row had no answer in time",
         (long long)u->silences);
    u->hung = true; /* the client may be on the call stack, so the pump closes it */
    loop_post(upstream_loop(u), &u->pump);
}

void upstream_end_hung(struct upstream *u)
{
    if (!u->hung || u->state != UP_READY)
        return;
    step(u, UP_ON_UNUSED);
    mcp_client_close(u->client);
}

/* ---- life -------------------------------------------------------------------------------- */

static enum upstream_state first_state(const struct server_spec *s)
{
    if (!s->enabled)
        return UP_DISABLED;
    return s->trusted ? UP_STOPPED : UP_UNTRUSTED;
}

struct upstream *upstream_new(const struct mcp_client_world *world, const struct server_spec *spec,
                              const struct upstream_events *events, void *owner)
{
    struct upstream *u = MEM_NEW(struct upstream);

    u->world = world;
    u->events = events;
    u->owner = owner;
    u->spec = server_spec_copy(&u->mem, spec);
    id_random(&u->serial, sizeof(u->serial));
    u->state = first_state(spec);
    u->end = &u->first;
    u->pump.fn = upstream_pump;
    return u;
}

void upstream_start(struct upstream *u)
{
    if (u->state != UP_STOPPED)
        return;
    step(u, UP_ON_WANTED);
    open_client(u);
}

void upstream_close(struct upstream *u)
{
    struct err e;

    timer_clear(upstream_loop(u), &u->timer);
    u->hung = false;
    upstream_close_reader(u);
    step(u, UP_ON_CLOSE);
    upstream_explain(u, &e);
    upstream_fail_waiting(u, &e);
    if (u->client)
        mcp_client_close(u->client);
    loop_post(upstream_loop(u), &u->pump);
}

void upstream_drop_tools(struct upstream *u)
{
    struct arena old = u->tools_mem;
    bool had = u->tools > 0;

    arena_init(&u->tools_mem);
    u->tool = NULL;
    u->tools = u->changed = 0;
    if (had)
        u->events->on_tools(u);
    arena_fini(&old);
}

void upstream_free(struct upstream *u)
{
    assert(u->state == UP_CLOSED && !u->tickets && !u->client);
    loop_unpost(upstream_loop(u), &u->pump);
    arena_fini(&u->tools_mem);
    arena_fini(&u->tail_mem);
    arena_fini(&u->mem);
    mem_free(u);
}
