/*
 * Many lives of a server on stdio, each a chain of chances: clients of both eras that call, ask to
 * be told, cancel, come back with tickets and answers that are good, old or somebody else's, stop
 * sending, leave; time that jumps; a server that ends. Nothing is claimed about a single answer; the
 * claims are that nothing is used after its end and that everything ends.
 */
#include "fake_stream.h"
#include "fixtures.h"
#include "proto/mcp/server/mcp_stdio.h"
#include "tap.h"

enum { LIVES = 300, STEPS = 120, CLIENTS = 3 };

static uint32_t dice;

/* 0 .. n - 1 */
static unsigned roll(unsigned n)
{
    dice = dice * 1664525 + 1013904223;
    return (dice >> 8) % n;
}

struct client {
    struct fake_stream fake;
    struct mcp_stdio stdio;
    bool open, done;
};

struct world {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct offer offer;
    struct offer_source source;
    struct mcp_server server;
    struct client client[CLIENTS];
    char state[256]; /* a ticket somebody got */
};

static void on_done(struct mcp_stdio *s, const struct err *e)
{
    struct client *c = s->ctx;

    (void)e;
    c->done = true;
}

static void open_client(struct world *w, struct client *c)
{
    *c = (struct client){ .open = true };
    fake_stream_open(&c->fake, w->loop, &stream_link_events, &c->stdio.io.link, 1 << 20);
    mcp_stdio_start(&c->stdio, &w->server, &c->fake.s, FRAMING_LINE, on_done, c);
}

static void world_open(struct world *w)
{
    memset(w, 0, sizeof(*w));
    limits_preset(&w->limits);
    w->limits.mcp_parked_calls = 4;
    w->limits.mcp_page_items = 3;
    w->loop = loop_new(LOOP_FAKE_CLOCK);
    rpc_init(&w->rpc, w->loop, &w->limits);
    offer_init(&w->offer, &(struct host){ .loop = w->loop, .limits = &w->limits },
               (1u << OFFER_PARTS) - 1);
    fixtures_fill(&w->source);
    offer_join(&w->offer, &w->source);
    w->server =
        (struct mcp_server){ .rpc = &w->rpc, .offer = &w->offer, .name = "storm", .version = "1" };
    for (size_t i = 0; i < CLIENTS; i++)
        open_client(w, &w->client[i]);
}

static void close_client(struct client *c)
{
    if (!c->fake.closed && !c->fake.gone)
        fake_stream_hang_up(&c->fake);
}

static void world_close(struct world *w)
{
    for (size_t i = 0; i < CLIENTS; i++)
        close_client(&w->client[i]);
    fake_settle(w->loop);
    loop_advance(w->loop, 24 * 3600 * 1000);
    fake_settle(w->loop);
    EQ(w->server.parked_count, 0);
    OK(!w->server.parked && !w->server.listens && !w->offer.watches);
    for (size_t i = 0; i < CLIENTS; i++) {
        OK(w->client[i].done);
        fake_stream_fini(&w->client[i].fake);
    }
    offer_fini(&w->offer);
    rpc_fini(&w->rpc);
    loop_free(w->loop);
}

/* ---- what a client says ------------------------------------------------------------------- */

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"progressToken\":1,"   \
    "\"io.modelcontextprotocol/logLevel\":\"debug\","                                              \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},\"sampling\":{},"          \
    "\"roots\":{}}}"

#define ANSWERS                                                                                    \
    "\"inputResponses\":{\"user_name\":{\"action\":\"accept\",\"content\":{\"name\":\"a\"}},"      \
    "\"step1\":{\"action\":\"decline\"},\"step2\":{\"action\":\"cancel\"},\"roots\":{\"roots\":[]" \
    "},"                                                                                           \
    "\"greeting\":{\"role\":\"assistant\",\"content\":[],\"model\":\"m\"},\"key\":7}"

static const char *const lines[] = {
    "\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{"
    "\"elicitation\":{},\"sampling\":{},\"roots\":{}},\"clientInfo\":{\"name\":\"s\",\"version\":"
    "\"1\"}}",
    "\"method\":\"tools/list\",\"params\":{" META "}",
    "\"method\":\"resources/list\"",
    "\"method\":\"resources/read\",\"params\":{\"uri\":\"fix://locked\"," META "}",
    "\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"fix://plain\"}",
    "\"method\":\"prompts/get\",\"params\":{\"name\":\"asking\"," META "}",
    "\"method\":\"completion/complete\",\"params\":{\"ref\":{\"type\":\"ref/prompt\",\"name\":"
    "\"greet\"},\"argument\":{\"name\":\"who\",\"value\":\"\"}}",
    "\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{\"toolsListChanged\":true,"
    "\"resourceSubscriptions\":[\"fix://plain\"]}," META "}",
    "\"method\":\"tools/call\",\"params\":{\"name\":\"change\",\"arguments\":{\"what\":\"tools\"}}",
    "\"method\":\"tools/call\",\"params\":{\"name\":\"change\",\"arguments\":{\"what\":\"fix://"
    "plain\"}}",
};

static const char *const tools[] = { "ask_name", "ask_three", "two_steps", "endless",
                                     "steps",    "forward",   "ask_page",  "needs_model" };

static void say(struct client *c, const char *text)
{
    if (!c->fake.ended && !c->fake.gone)
        fake_stream_send(&c->fake, str_of(text));
}

static void call_tool(struct world *w, struct client *c)
{
    const char *tool = tools[roll(ARRAY_LEN(tools))];
    char text[2048];

    switch (roll(5)) {
    case 0:
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"%s\"}}\n",
                 roll(20), tool);
        break;
    case 1:
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"%s\"," META "}}\n",
                 roll(20), tool);
        break;
    case 2:
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"%s\"," ANSWERS "," META "}}\n",
                 roll(20), tool);
        break;
    default: /* a ticket fits one of the tools that ask */
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"%s\",\"requestState\":\"%s\"%s," META "}}\n",
                 roll(20), tools[roll(3)], w->state, roll(3) ? "," ANSWERS : "");
    }
    say(c, text);
}

static void answer_question(struct client *c)
{
    static const char *const results[] = {
        "\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"b\"}}",
        "\"result\":{\"roots\":[]}",
        "\"result\":{\"role\":\"user\",\"content\":{},\"model\":\"m\"}",
        "\"error\":{\"code\":1,\"message\":\"no\"}",
        "\"result\":null",
    };
    char text[256];

    /* Ids of ours are a generation and a slot. */
    snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%u,%s}\n",
             (1 + roll(12)) * 65536 + roll(3), results[roll(ARRAY_LEN(results))]);
    say(c, text);
}

static void say_something(struct world *w, struct client *c)
{
    char text[2048];

    switch (roll(8)) {
    case 0: answer_question(c); break;
    case 1:
        snprintf(text, sizeof(text),
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                 "\"requestId\":%u}}\n",
                 roll(20));
        say(c, text);
        break;
    case 2: say(c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"); break;
    case 3:
    case 4:
        snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%u,%s}\n", roll(20),
                 lines[roll(ARRAY_LEN(lines))]);
        say(c, text);
        break;
    default: call_tool(w, c);
    }
}

/* The last ticket this client was given. */
static void look_for_ticket(struct world *w, const struct client *c)
{
    static const struct str before = STR("\"requestState\":\"");
    struct str got = fake_stream_got(&c->fake), state;
    ptrdiff_t at;

    while ((at = got.p ? str_find(got, before) : -1) >= 0) {
        got = str_skip(got, (size_t)at + before.n);
        state = got;
        str_to_c(str_cut(&state, '"'), w->state, sizeof(w->state));
    }
}

static void step(struct world *w)
{
    struct client *c = &w->client[roll(CLIENTS)];
    unsigned chance = roll(100);

    if (chance < 80)
        say_something(w, c);
    else if (chance < 90)
        loop_advance(w->loop, roll(2) ? roll(700000) : roll(100));
    else if (chance == 98)
        close_client(c);
    else if (chance == 99 && !c->fake.ended && !c->fake.gone)
        fake_stream_end(&c->fake);
    else if (chance == 96 && !c->done)
        mcp_stdio_drain(&c->stdio);
    else if (chance == 97)
        mcp_server_end(&w->server);
    if (roll(3)) {
        fake_settle(w->loop);
        look_for_ticket(w, c);
    } else {
        loop_run_once(w->loop);
    }
}

TEST(every_life_ends_well)
{
    for (uint32_t life = 0; life < LIVES; life++) {
        static struct world w;

        dice = life * 2654435761u + 1;
        world_open(&w);
        for (int i = 0; i < STEPS; i++)
            step(&w);
        world_close(&w);
        if (tap_failed) {
            TAP_NOT("in life %u", life);
            return;
        }
    }
}

TEST_MAIN()
