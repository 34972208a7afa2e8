/*
 * Clients of both eras over HTTP whose calls ask: they answer, answer wrongly or too late, come back
 * with tickets that are good, used or for something else, listen, read nothing, leave in the middle;
 * the server ends, drains, closes. Steps follow each other before the last one is over. Nothing may
 * be used after its end, and in the end nothing may be left.
 */
#include "fixtures.h"
#include "mcp_world.h"

#include "tap.h"

enum { LIVES = 150, STEPS = 150, KNOWN = 4, TICKETS = 4 };

static uint32_t dice;

/* 0 .. n - 1 */
static unsigned roll(unsigned n)
{
    dice = dice * 1664525 + 1013904223;
    return (dice >> 8) % n;
}

static const char *const askers[] = { "ask_name", "ask_three", "two_steps" };
static const char *const others[] = { "steps", "endless", "hold", "quick", "forward", "change" };

struct ticket {
    unsigned tool; /* of askers[] */
    char state[256];
};

static char known[KNOWN][MCP_SESSION_ID];
static struct ticket tickets[TICKETS];
static unsigned asked[WORLD_CLIENTS]; /* which of askers[] a client called last */
static unsigned questions[8];         /* ids of ours that somebody was asked under */
static struct {
    unsigned rounds, resumed, answered;
} seen;

#define ABLE                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"progressToken\":1,"   \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},\"sampling\":{},"          \
    "\"roots\":{}}}"

#define ANSWERS                                                                                    \
    ",\"inputResponses\":{\"user_name\":{\"action\":\"accept\",\"content\":{\"name\":\"a\"}},"     \
    "\"step1\":{\"action\":\"decline\"},\"step2\":{\"action\":\"cancel\"},\"roots\":{\"roots\":[]" \
    "},\"greeting\":{\"role\":\"assistant\",\"content\":[],\"model\":\"m\"}}"

/* ---- what is heard ------------------------------------------------------------------------ */

static struct str after(struct str text, struct str what)
{
    ptrdiff_t at = text.n ? str_find(text, what) : -1;

    return at < 0 ? STR_NONE : str_skip(text, (size_t)at + what.n);
}

static void note_ticket(int i, struct str text)
{
    struct str state = after(text, STR("\"requestState\":\""));
    struct ticket *t = &tickets[roll(TICKETS)];

    if (!state.p)
        return;
    seen.rounds++;
    t->tool = asked[i];
    str_to_c(str_cut(&state, '"'), t->state, sizeof(t->state));
}

/* The id stands before the method. */
static void note_question(struct str text)
{
    struct str rest = after(text, STR("\"id\":"));
    uint64_t id;

    for (; rest.p; rest = after(rest, STR("\"id\":"))) {
        struct str word = rest, number = str_cut(&word, ',');

        if (str_starts(word, STR("\"method\"")) && str_uint(number, 1, UINT32_MAX, &id))
            questions[roll(ARRAY_LEN(questions))] = (unsigned)id;
    }
}

static void hear(struct world *w)
{
    for (int i = 0; i < WORLD_CLIENTS; i++) {
        struct str got = w->open[i] ? fake_stream_got(&w->client[i]) : STR_NONE;

        if (!got.n)
            continue;
        note_ticket(i, got);
        note_question(got);
        seen.resumed += after(got, STR("Hello, a!")).p != NULL;
        fake_stream_clear(&w->client[i]);
    }
}

/* ---- what is said ------------------------------------------------------------------------- */

static void choose_session(struct world *w)
{
    memcpy(w->session, known[roll(KNOWN)], MCP_SESSION_ID);
}

static void begin(struct world *w)
{
    fake_settle(w->loop);
    hear(w);
    if (w->sessions.count >= (size_t)w->limits.mcp_sessions && !w->sessions.idle)
        return; /* it would be refused */
    world_hang_up_if(w, 0);
    world_greet(w, 0, roll(2) ? "2025-11-25" : "2025-06-18");
    memcpy(known[roll(KNOWN)], w->session, MCP_SESSION_ID);
}

static void call_legacy(struct world *w, int i)
{
    char body[400];

    choose_session(w);
    snprintf(body, sizeof(body),
             "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
             "\"_meta\":{\"progressToken\":2}}}",
             1 + roll(9),
             roll(3) ? askers[roll(ARRAY_LEN(askers))] : others[roll(ARRAY_LEN(others))]);
    world_send(w, i, "POST", "/mcp",
               roll(8) ? SESSION BOTH : SESSION "Accept: application/json\r\n", body);
}

static void call_modern(struct world *w, int i, const char *tool, const char *more)
{
    char head[300], body[1500];

    snprintf(head, sizeof(head), MODERN("tools/call") "Mcp-Name: %s\r\n", tool);
    snprintf(body, sizeof(body),
             "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/"
             "call\",\"params\":{\"name\":\"%s\"%s," ABLE "}}",
             1 + roll(9), tool, more);
    world_send(w, i, "POST", "/mcp", head, body);
}

static void ask_for_input(struct world *w, int i)
{
    asked[i] = roll(ARRAY_LEN(askers));
    call_modern(w, i, askers[asked[i]], roll(6) ? "" : ANSWERS);
}

static void resume(struct world *w, int i)
{
    const struct ticket *t = &tickets[roll(TICKETS)];
    char more[1000];

    asked[i] = roll(8) ? t->tool : roll(ARRAY_LEN(askers));
    snprintf(more, sizeof(more), ",\"requestState\":\"%s\"%s", t->state, roll(3) ? ANSWERS : "");
    call_modern(w, i, askers[asked[i]], more);
}

static void answer(struct world *w, int i)
{
    static const char *const results[] = {
        "\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"a\"}}",
        "\"result\":{\"roots\":[]}",
        "\"result\":{\"role\":\"user\",\"content\":{},\"model\":\"m\"}",
        "\"error\":{\"code\":1,\"message\":\"no\"}",
    };
    char body[200];

    choose_session(w);
    snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":%u,%s}",
             questions[roll(ARRAY_LEN(questions))], results[roll(ARRAY_LEN(results))]);
    world_send(w, i, "POST", "/mcp", SESSION BOTH, body);
    seen.answered++;
}

static void cancel(struct world *w, int i)
{
    char body[200];

    choose_session(w);
    snprintf(
        body, sizeof(body),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
        "%u}}",
        1 + roll(9));
    world_send(w, i, "POST", "/mcp", SESSION BOTH, body);
}

static void listen(struct world *w, int i)
{
    choose_session(w);
    switch (roll(3)) {
    case 0: world_send(w, i, "GET", "/mcp", SESSION "Accept: text/event-stream\r\n", ""); break;
    case 1: world_send(w, i, "GET", "/sse", "", ""); break;
    default:
        world_send(w, i, "POST", "/mcp", MODERN("subscriptions/listen"),
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{"
                   "\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":["
                   "\"fix://plain\"]}," ABLE "}}");
    }
}

/* ---- what happens to them ----------------------------------------------------------------- */

static void work(struct world *w)
{
    if (!w->holding)
        return;
    if (roll(2))
        world_finish(w, world_take(w), "finished");
    else
        call_progress(w->held[0], &(struct progress){ .done = STR("1") });
}

static void disturb(struct world *w, int i)
{
    switch (roll(8)) {
    case 0: world_hang_up_if(w, i); break;
    case 1:
        if (w->open[i]) /* reads no more, or again */
            w->client[i].room = roll(2) ? w->client[i].written.n : SIZE_MAX;
        break;
    case 2: loop_advance(w->loop, roll(2) ? roll(700000) : roll(100)); break;
    case 3:
        choose_session(w);
        world_send(w, i, "DELETE", "/mcp", SESSION, "");
        break;
    case 4:
        if (!roll(10))
            mcp_server_end(&w->server);
        break;
    case 5:
        if (!roll(20))
            mcp_http_drain(&w->mcp);
        break;
    default: offer_source_changed(&w->source, OFFER_TOOLS);
    }
}

static void step(struct world *w)
{
    int i = 1 + (int)roll(WORLD_CLIENTS - 1);

    switch (roll(14)) {
    case 0: begin(w); break;
    case 1:
    case 2: call_legacy(w, i); break;
    case 3:
    case 4: ask_for_input(w, i); break;
    case 5: call_modern(w, i, others[roll(ARRAY_LEN(others))], ""); break;
    case 6:
    case 7: resume(w, i); break;
    case 8:
    case 9: answer(w, i); break;
    case 10: cancel(w, i); break;
    case 11: listen(w, i); break;
    case 12: work(w); break;
    case 13: disturb(w, i); break;
    }
    if (roll(3))
        fake_settle(w->loop);
    else
        loop_run_once(w->loop);
    hear(w);
}

/* ---- lives -------------------------------------------------------------------------------- */

static void note_drained(void *ctx)
{
    (void)ctx;
}

/* All leave and a day passes, or we end while they are all there. */
static void end(struct world *w, unsigned how)
{
    if (how == 0) {
        for (int i = 0; i < WORLD_CLIENTS; i++)
            world_hang_up_if(w, i);
        while (w->holding)
            world_finish(w, world_take(w), "at last");
        for (int i = 0; i < 3; i++) /* an idle session is counted from when its last call ended */
            world_wait(w, 24 * 3600 * 1000);
        EQ(w->mcp.living, 0);
        EQ(w->server.parked_count, 0);
        OK(!w->server.listens && !w->offer.watches);
    } else if (how == 1) {
        mcp_server_end(&w->server);
        mcp_http_drain(&w->mcp);
        http_server_drain(w->http, note_drained, NULL);
        for (unsigned i = roll(6); i; i--)
            loop_run_once(w->loop);
    }
}

static void live(uint32_t life)
{
    struct world *w = world_new();
    struct offer_source more = { 0 };

    dice = life * 2654435761u + 1;
    w->limits.mcp_sessions = 3;
    w->limits.mcp_session_events = 4;
    w->limits.mcp_session_idle_ms = 20000;
    w->limits.mcp_parked_calls = 3;
    w->limits.output_backlog_bytes = 1 << 16;
    fixtures_fill(&more);
    offer_join(&w->offer, &more);
    w->offer.parts = (1u << OFFER_PARTS) - 1;
    fake_settle(w->loop);
    world_greet(w, 0, "2025-11-25");
    for (int i = 0; i < KNOWN; i++)
        memcpy(known[i], w->session, MCP_SESSION_ID);
    for (int i = 0; i < STEPS; i++)
        step(w);
    end(w, life % 3);
    world_free(w);
}

TEST(nothing_is_left_of_any_life)
{
    for (uint32_t life = 0; life < LIVES && !tap_failed; life++) {
        live(life);
        if (tap_failed)
            TAP_NOT("in life %u", life);
    }
    OK(seen.rounds > LIVES);
    OK(seen.resumed > LIVES / 2);
    OK(seen.answered > LIVES);
}

TEST_MAIN()
