/*
 * Clients that do anything at any time: begin and end sessions, call, leave, come back, take over,
 * cancel, wait. Whatever happens, each answer goes to one place at most and nothing is left.
 */
#include "mcp_world.h"

#include "tap.h"

enum { ROUNDS = 200, STEPS = 120, KNOWN = 6 };

static uint32_t seed;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static char known[KNOWN][MCP_SESSION_ID]; /* sessions that were begun, maybe gone */
static char last_id[64];                  /* of some event, and most likely its session: */
static char last_session[MCP_SESSION_ID];
static int calls, returns;

static void choose_session(struct world *w)
{
    memcpy(w->session, known[chance(KNOWN)], MCP_SESSION_ID);
}

static void note_id(const char *says)
{
    if (world_found(says, "\nid: "))
        snprintf(last_id, sizeof(last_id), "%s", world_last_id(says));
}

static void begin(struct world *w)
{
    static const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18",
                                            "2025-11-25" };

    if (w->sessions.count >= (size_t)w->limits.mcp_sessions && !w->sessions.idle)
        return; /* it would be refused */
    world_hang_up_if(w, 0);
    world_greet(w, 0, versions[chance(4)]);
    memcpy(known[chance(KNOWN)], w->session, MCP_SESSION_ID);
}

static void call(struct world *w, int i)
{
    static const char *const mores[] = { SESSION BOTH, SESSION "Accept: application/json\r\n",
                                         BOTH };

    if (w->holding == WORLD_HELD)
        return;
    choose_session(w);
    world_ask(w, i, "POST", "/mcp", mores[chance(3)],
              chance(3) ? CALL(5, "hold") : CALL(6, "quick"));
    memcpy(last_session, w->session, MCP_SESSION_ID);
    calls++;
}

static void call_modern(struct world *w, int i)
{
    if (w->holding < WORLD_HELD)
        world_ask(w, i, "POST", "/mcp", MODERN("tools/call") "Mcp-Name: hold\r\n",
                  MODERN_CALL(7, "hold"));
}

static void listen(struct world *w, int i)
{
    choose_session(w);
    world_ask(w, i, "GET", "/mcp", SESSION "Accept: text/event-stream\r\n", "");
}

static void come_back(struct world *w, int i)
{
    char more[200];

    choose_session(w);
    if (chance(4))
        memcpy(w->session, last_session, MCP_SESSION_ID);
    snprintf(more, sizeof(more), SESSION "Accept: text/event-stream\r\nLast-Event-ID: %s\r\n",
             last_id);
    world_hang_up_if(w, i);
    returns += world_found(world_ask(w, i, "GET", "/mcp", more, ""), "200 OK");
}

static void work(struct world *w)
{
    struct call *one;
    char done[16];

    if (!w->holding)
        return;
    switch (chance(4)) {
    case 0: world_finish(w, world_take(w), "finished"); break;
    case 1:
        one = w->held[chance((uint32_t)w->holding)];
        one->caller->kind->rest(one->caller, 10);
        fake_settle(w->loop);
        break;
    default:
        snprintf(done, sizeof(done), "%u", chance(1000));
        world_progress(w, w->held[chance((uint32_t)w->holding)], done);
        break;
    }
}

static void cancel(struct world *w, int i)
{
    choose_session(w);
    world_ask(w, i, "POST", "/mcp", SESSION BOTH,
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":5}}");
}

static void step(struct world *w)
{
    int i = 1 + (int)chance(WORLD_CLIENTS - 1);

    switch (chance(12)) {
    case 0: begin(w); break;
    case 1:
    case 2: call(w, i); break;
    case 3: call_modern(w, i); break;
    case 4: listen(w, i); break;
    case 5:
    case 6: work(w); break;
    case 7:
        if (chance(2))
            world_hang_up_if(w, i);
        else
            come_back(w, i);
        break;
    case 8: cancel(w, i); break;
    case 9:
        choose_session(w);
        if (!chance(5))
            world_ask(w, i, "DELETE", "/mcp", SESSION, "");
        break;
    case 10: world_wait(w, chance(4) ? chance(500) : w->limits.sse_keepalive_ms); break;
    case 11:
        offer_source_changed(&w->source, OFFER_TOOLS);
        fake_settle(w->loop);
        break;
    }
    for (int j = 0; j < WORLD_CLIENTS; j++)
        if (w->open[j])
            note_id(world_says(w, j));
}

TEST(nothing_is_left_after_a_storm)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct world *w = world_new();

        seed = round * 7919 + 1;
        last_id[0] = 0;
        w->limits.mcp_sessions = 3;
        w->limits.mcp_session_events = 4;
        w->limits.mcp_session_idle_ms = 20000;
        world_greet(w, 0, "2025-11-25");
        for (int i = 0; i < KNOWN; i++)
            memcpy(known[i], w->session, MCP_SESSION_ID);
        for (int i = 0; i < STEPS; i++)
            step(w);
        if (round % 2) { /* all leave, time passes: nothing must be left without being told */
            while (w->holding)
                world_finish(w, world_take(w), "at last");
            for (int i = 0; i < WORLD_CLIENTS; i++)
                world_hang_up_if(w, i);
            world_wait(w, w->limits.mcp_session_idle_ms);
            EQ(w->mcp.living, 0);
        }
        world_free(w);
    }
    OK(calls > ROUNDS);
    OK(returns > ROUNDS / 2);
}

TEST_MAIN()
