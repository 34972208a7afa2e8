/*
 * Servers that come, fail, hang, change and go at any time, while others call them and change their
 * minds. Whatever happens: a call ends once, no more run than may, no two clients of one server
 * live at once, what is listed can be read, and nothing is left.
 */
#include "base/log.h"
#include "tap.h"
#include "upstreams_world.h"

enum { ROUNDS = 2000, STEPS = 150, SERVERS = 4 };

static const char *const names[SERVERS] = { "a", "b", "c", "d" };

static const char *const lists[] = {
    "[]",
    "[{\"name\":\"add\"}]",
    "[{\"name\":\"add\",\"description\":\"adds\"},{\"name\":\"sub\",\"_meta\":{\"k\":1}}]",
    "[{\"name\":\"a_add\"},{\"name\":\"add\",\"title\":\"Add\"}]",
};

static uint32_t seed;
static int answered, failed;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* ---- servers ------------------------------------------------------------------------------- */

static struct server_spec some_spec(const char *name)
{
    struct server_spec s = world_spec(name);

    s.concurrency = 1 + chance(3);
    s.timeout_ms = chance(4) ? 1000 : 50;
    s.idle_stop_ms = chance(3) ? 0 : 300;
    s.enabled = chance(8) > 0;
    s.trusted = chance(8) > 0;
    return s;
}

static void set_some(struct world *w)
{
    struct server_spec s[SERVERS];
    size_t n = 0, from = chance(SERVERS);

    for (size_t i = 0; i < SERVERS; i++)
        if (chance(4))
            s[n++] = some_spec(names[(from + i) % SERVERS]);
    mcp_upstreams_set(w->upstreams, s, n);
}

static void add_or_remove(struct world *w, const char *name)
{
    struct server_spec s = some_spec(name);

    if (chance(2))
        mcp_upstreams_add(w->upstreams, &s);
    else
        mcp_upstreams_remove(w->upstreams, str_of(name));
}

/* The real client is not ready from the moment it is lost, and says so later. */
static void lose(struct world *w, struct mcp_client *c)
{
    fail(&c->why, ERR_CLOSED, "exited with code 3");
    c->ready = false;
    c->closing = true;
    loop_post(w->loop, &c->closed);
}

static void act(struct world *w, const char *name)
{
    struct mcp_client *c = fake_client(name);

    if (!c)
        return;
    if (c->closing) {
        loop_post(w->loop, &c->closed);
    } else if (!c->ready) {
        if (chance(5))
            fake_ready(name, lists[chance(ARRAY_LEN(lists))]);
        else
            lose(w, c);
    } else if (chance(6) == 0) {
        lose(w, c);
    } else {
        fake_tools(name, lists[chance(ARRAY_LEN(lists))]);
    }
}

static void answer(const char *name)
{
    if (!fake_open_calls(name))
        return;
    if (chance(2))
        fake_answer(name, "{}");
    else
        fake_fail(name, chance(3) ? ERR_TIMEOUT : ERR_INVALID, "so it goes");
}

/* ---- callers ------------------------------------------------------------------------------- */

static void call(struct world *w)
{
    size_t n = 0;

    while (offer_tool_at(&w->offer, n))
        n++;
    if (n && w->calls < WORLD_CALLS)
        world_call(w, offer_tool_at(&w->offer, chance((uint32_t)n))->name);
}

static void cancel(struct world *w)
{
    struct world_call *c = w->calls ? &w->call[chance((uint32_t)w->calls)] : NULL;

    if (c && !c->done)
        op_cancel(&c->call.op);
}

/* ---- what must hold ------------------------------------------------------------------------ */

static void check(struct world *w)
{
    const struct upstream *u = NULL;
    const struct tool *t;

    for (size_t i = 0; (t = offer_tool_at(&w->offer, i)); i++)
        OK(strlen(t->name) > 0 && strlen(t->input_schema) > 0 &&
           offer_tool(&w->offer, str_of(t->name)) == t);
    while ((u = mcp_upstreams_next(w->upstreams, u))) {
        OK(u->running + u->waiting <= u->tickets || !u->tickets);
        OK(u->running <= (size_t)u->spec.concurrency);
        OK((u->client != NULL) ==
           (u->state == UP_CONNECTING || u->state == UP_READY || u->state == UP_STOPPING));
        OK((u->state != UP_WAITING && u->state != UP_BROKEN) || timer_is_set(&u->timer));
        OK(u->state != UP_BROKEN || !u->waiting);
    }
    for (size_t i = 0; i < SERVERS; i++) {
        struct mcp_client *c = fake_client(names[i]);

        for (c = c ? c->next : NULL; c; c = c->next)
            OK(!str_eq(str_of(c->spec->name), str_of(names[i])));
    }
}

static void step(struct world *w)
{
    const char *name = names[chance(SERVERS)];

    switch (chance(30)) {
    case 0: set_some(w); break;
    case 1: add_or_remove(w, name); break;
    case 2: fake_slow_close = chance(2); break;
    case 3: cancel(w); break;
    case 4:
    case 5: loop_advance(w->loop, 1 + chance(chance(5) ? 20 : 1200)); break;
    case 6:
    case 7: loop_run_once(w->loop); break;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
    case 14: act(w, name); break;
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
    case 20:
    case 21: call(w); break;
    default: answer(name); break;
    }
    if (chance(3))
        world_turn(w);
}

static void let_go(struct world *w)
{
    fake_slow_close = false;
    for (size_t i = 0; i < SERVERS; i++) {
        struct mcp_client *c = fake_client(names[i]);

        if (c && c->closing)
            loop_post(w->loop, &c->closed);
    }
}

static void close_all(struct world *w)
{
    let_go(w);
    mcp_upstreams_set(w->upstreams, NULL, 0);
    world_turn(w);
    for (size_t i = 0; i < w->calls; i++) {
        OK(w->call[i].done);
        w->call[i].err.code == ERR_NONE ? answered++ : failed++;
    }
    for (size_t i = 0; i < SERVERS; i++)
        OK(!fake_client(names[i]));
    world_free(w);
}

TEST(upstreams_in_a_storm_keep_their_contract)
{
    log_setup(LOG_ERROR, false);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct world *w = world_new();

        seed = round;
        w->limits.mcp_retry_min_ms = w->limits.mcp_retry_max_ms = 1; /* too short to vary */
        w->limits.mcp_broken_ms = 200;
        w->limits.mcp_calls_waiting = 1 + chance(10);
        set_some(w);
        for (int i = 0; i < STEPS; i++) {
            step(w);
            check(w);
        }
        close_all(w);
    }
    OK(answered > 1000); /* it was not all in vain, */
    OK(failed > 1000);   /* and not all fair weather */
}

TEST_MAIN()
