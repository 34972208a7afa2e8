/* The client against a server that is this test: a wire that remembers, and a clock that obeys. */
#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "proto/mcp/client/mcp_client_headers.h"
#include "proto/mcp/client/mcp_client_work.h"
#include "tap.h"

#include <stdlib.h>

/* ---- the wire ------------------------------------------------------------------------------ */

struct bench;

struct test_wire {
    struct mcp_wire wire;
    struct link link;
    struct bench *bench;
    struct post post;
};

struct bench {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct host host;
    struct mcp_client_world world;
    struct server_spec spec;
    struct mcp_client *client;
    struct test_wire *wire;
    struct buf out; /* what was sent, one message per line */
    int wires, readies, news, ends;
    struct err why;

    struct caller caller;
    bool can[ASK_KINDS];
    struct ask *ask; /* the last one */
    int asks, progresses, logs;
    char said[200];
};

static void tell_open(struct post *post)
{
    mcp_wire_opened(&CONTAINER_OF(post, struct test_wire, post)->wire);
}

static void tell_closed(struct post *post)
{
    struct test_wire *w = CONTAINER_OF(post, struct test_wire, post);

    if (w->bench->wire == w)
        w->bench->wire = NULL;
    mcp_wire_closed(&w->wire);
    mem_free(w);
}

static void close_wire(struct mcp_wire *wire)
{
    struct test_wire *w = CONTAINER_OF(wire, struct test_wire, wire);

    loop_unpost(w->bench->loop, &w->post);
    w->post.fn = tell_closed;
    loop_post(w->bench->loop, &w->post);
}

static void remember(struct link *link, const struct str *piece, size_t n)
{
    struct test_wire *w = CONTAINER_OF(link, struct test_wire, link);

    for (size_t i = 0; i < n; i++)
        buf_put(&w->bench->out, piece[i]);
    buf_putc(&w->bench->out, '\n');
}

static void ignore(struct link *link)
{
    (void)link;
}

static const struct mcp_wire_kind wire_kind = { .transport = SERVER_STDIO, .close = close_wire };
static const struct link_kind link_kind = { .name = "test", .send = remember, .close = ignore };

static struct mcp_wire *open_wire(struct mcp_client *c, enum server_transport transport)
{
    struct bench *b = mcp_client_owner(c);
    struct test_wire *w = MEM_NEW(struct test_wire);

    (void)transport;
    w->wire = (struct mcp_wire){ .kind = &wire_kind, .c = c, .link = &w->link };
    w->link.kind = &link_kind;
    w->bench = b;
    w->post.fn = tell_open;
    loop_post(b->loop, &w->post);
    b->wire = w;
    b->wires++;
    return &w->wire;
}

/* ---- the owner and the caller --------------------------------------------------------------- */

static void on_ready(struct mcp_client *c)
{
    ((struct bench *)mcp_client_owner(c))->readies++;
}

static void on_tools(struct mcp_client *c)
{
    ((struct bench *)mcp_client_owner(c))->news++;
}

static void on_closed(struct mcp_client *c, const struct err *e)
{
    struct bench *b = mcp_client_owner(c);

    b->ends++;
    b->why = *e;
    b->client = NULL;
    mcp_client_free(c);
}

static const struct mcp_client_events events = {
    .on_ready = on_ready,
    .on_tools = on_tools,
    .on_closed = on_closed,
};

static struct bench *of_caller(struct caller *c)
{
    return CONTAINER_OF(c, struct bench, caller);
}

static bool can(const struct caller *c, enum ask_kind kind)
{
    return CONTAINER_OF(c, struct bench, caller)->can[kind];
}

static void ask(struct caller *c, struct ask *a)
{
    of_caller(c)->ask = a;
    of_caller(c)->asks++;
}

static void progress(struct caller *c, const struct progress *p)
{
    of_caller(c)->progresses++;
    snprintf(of_caller(c)->said, sizeof(of_caller(c)->said), STR_FMT "/" STR_FMT, STR_ARG(p->done),
             STR_ARG(p->total));
}

static void say(struct caller *c, enum call_level level, struct str logger, struct str data)
{
    (void)level;
    (void)logger;
    of_caller(c)->logs++;
    snprintf(of_caller(c)->said, sizeof(of_caller(c)->said), STR_FMT, STR_ARG(data));
}

static const struct caller_kind caller_kind = {
    .can = can, .ask = ask, .progress = progress, .log = say
};

/* ---- the bench ------------------------------------------------------------------------------ */

static void turn(struct bench *b)
{
    while (loop_run_once(b->loop))
        ;
}

static void set_up(struct bench *b, enum server_era era)
{
    *b = (struct bench){ .loop = loop_new(LOOP_FAKE_CLOCK) };
    limits_preset(&b->limits);
    b->limits.mcp_list_pages = 3;
    b->limits.mcp_list_items = 4;
    b->limits.mcp_rounds = 2;
    rpc_init(&b->rpc, b->loop, &b->limits);
    buf_init(&b->out, 1 << 20);
    b->host = (struct host){ .loop = b->loop, .limits = &b->limits, .root_fd = -1, .root = "/" };
    b->caller = (struct caller){ .kind = &caller_kind, .name = "test", .trace.id = STR("t") };
    b->world = (struct mcp_client_world){
        .rpc = &b->rpc, .root = "/srv/a b", .name = "trefoil", .version = "1"
    };
    b->spec = (struct server_spec){
        .name = "calc", .timeout_ms = 1000, .timeout_max_ms = 2500, .era = SERVER_ERA_AUTO
    };
    b->client = mcp_client_open_by(&b->world, &b->spec, era, &events, b, open_wire);
    turn(b);
}

static void tear_down(struct bench *b)
{
    if (b->client)
        mcp_client_close(b->client);
    turn(b);
    EQ(b->ends, 1);
    rpc_fini(&b->rpc);
    buf_fini(&b->out);
    loop_free(b->loop);
}

static bool sent(struct bench *b, const char *part)
{
    return str_find(buf_str(&b->out), str_of(part)) >= 0;
}

/* The id of the last request we sent, or of one before it. */
static int64_t sent_id(struct bench *b, int back)
{
    struct str all = buf_str(&b->out), mark = STR("\"id\":");
    int64_t ids[64];
    int n = 0;
    ptrdiff_t at;

    while ((at = str_find(all, mark)) >= 0 && n < 64) {
        all = str_skip(all, (size_t)at + mark.n);
        ids[n] = 0;
        for (size_t i = 0; i < all.n && all.p[i] >= '0' && all.p[i] <= '9'; i++)
            ids[n] = ids[n] * 10 + (all.p[i] - '0');
        n++;
    }
    return n > back ? ids[n - 1 - back] : -1;
}

static void say_raw(struct bench *b, const char *text)
{
    struct frame f = { FRAME_MESSAGE, str_of(text), NULL };

    peer_receive(&b->client->peer, &b->wire->link, &f);
    turn(b);
}

static void answer_to(struct bench *b, int64_t id, const char *rest)
{
    char text[2000];

    snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%lld,%s}", (long long)id, rest);
    say_raw(b, text);
}

static void answer(struct bench *b, const char *rest)
{
    int64_t id = sent_id(b, 0);

    buf_clear(&b->out);
    answer_to(b, id, rest);
}

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define HELLO                                                                                      \
    "\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":"                  \
    "{\"listChanged\":true}},\"serverInfo\":{\"name\":\"c\",\"version\":\"2\"},"                   \
    "\"instructions\":\"do\"}"
#define DISCOVERED                                                                                 \
    "\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"              \
    "\"capabilities\":{\"tools\":{\"listChanged\":true}},\"_meta\":"                               \
    "{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"m\",\"version\":\"3\"}}}"

static void set_up_legacy(struct bench *b)
{
    set_up(b, SERVER_ERA_LEGACY);
    answer(b, HELLO);
    answer(b, "\"result\":{\"tools\":[" TOOL("add") "]}");
    EQ(b->readies, 1);
    buf_clear(&b->out);
}

static void set_up_modern(struct bench *b)
{
    set_up(b, SERVER_ERA_MODERN);
    answer(b, DISCOVERED);
    answer(b, "\"result\":{\"tools\":[" TOOL("add") "]}");
    EQ(b->readies, 1);
    buf_clear(&b->out);
}

/* ---- a call ----------------------------------------------------------------------------------- */

struct test_call {
    struct call call;
    struct arena mem;
    struct bench *bench;
    int dones;
    struct err err;
    char result[300], error[300];
};

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct test_call *k = ctx;

    (void)op;
    k->dones++;
    k->err = e ? *e : (struct err){ 0 };
    snprintf(k->result, sizeof(k->result), STR_FMT, STR_ARG(k->call.raw_result));
    snprintf(k->error, sizeof(k->error), STR_FMT, STR_ARG(k->call.raw_error));
}

static void start(struct call *call)
{
    struct test_call *k = CONTAINER_OF(call, struct test_call, call);

    mcp_client_call(k->bench->client, call, STR("add"));
}

static void begin(struct bench *b, struct test_call *k)
{
    struct call_about about = { .what = "add", .timeout_ms = CALL_NO_DEADLINE };
    struct json_opts opts = limits_json(&b->limits);
    struct err e;

    *k = (struct test_call){ .bench = b };
    OK(json_read(&k->mem, STR("{\"a\": 1.0, \"b\":[ ]}"), &opts, &about.args, &e));
    call_run(&k->call, &b->host, &b->caller, &k->mem, &about, start, NULL, on_done, k);
    turn(b);
}

static void finish(struct test_call *k)
{
    EQ(k->dones, 1);
    arena_fini(&k->mem);
}

static void give_answer(struct bench *b, struct test_call *k, const char *json)
{
    struct json_opts opts = limits_json(&b->limits);
    struct json v;
    struct err e;

    OK(json_read(&k->mem, str_of(json), &opts, &v, &e));
    ask_answer(b->ask, v);
    turn(b);
}

/* ---- greeting ----------------------------------------------------------------------------------- */

TEST(a_modern_server_is_discovered_and_asked_for_its_tools)
{
    struct bench b;
    struct mcp_client_facts f;

    set_up(&b, SERVER_ERA_AUTO);
    OK(sent(&b, "\"method\":\"server/discover\""));
    OK(sent(&b, "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""));
    OK(sent(&b, "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"trefoil\",\"version\":\"1\"}"));
    answer(&b, DISCOVERED);
    OK(sent(&b, "\"method\":\"tools/list\""));
    OK(!sent(&b, "initialize"));
    answer(&b, "\"result\":{\"tools\":[" TOOL("add") "]}");
    EQ(b.readies, 1);
    OK(sent(&b, "\"method\":\"subscriptions/listen\""));
    f = mcp_client_facts(b.client);
    EQ(f.era, SERVER_ERA_MODERN);
    EQ_S(f.version, "2026-07-28");
    EQ_S(f.server_name, "m");
    EQ(f.tools, 1);
    EQ_S(f.tool[0].name, "add");
    tear_down(&b);
}

TEST(an_error_to_the_probe_means_a_handshake)
{
    struct bench b;
    struct mcp_client_facts f;

    set_up(&b, SERVER_ERA_AUTO);
    answer(&b, "\"error\":{\"code\":-32601,\"message\":\"no\"}");
    OK(sent(&b, "\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\""));
    answer(&b, HELLO);
    OK(sent(&b, "notifications/initialized"));
    OK(sent(&b, "\"method\":\"tools/list\",\"params\":{\"_meta\":{\"X-Trefoil-Trace-ID\":"));
    answer(&b, "\"result\":{\"tools\":[]}");
    f = mcp_client_facts(b.client);
    OK(f.ready);
    EQ(f.era, SERVER_ERA_LEGACY);
    EQ_S(f.version, "2025-06-18");
    EQ_S(f.instructions, "do");
    tear_down(&b);
}

TEST(silence_to_the_probe_means_a_handshake_as_well)
{
    struct bench b;
    int64_t probe;

    set_up(&b, SERVER_ERA_AUTO);
    probe = sent_id(&b, 0);
    loop_advance(b.loop, b.limits.mcp_probe_ms - 1);
    OK(!sent(&b, "initialize"));
    loop_advance(b.loop, 1);
    OK(sent(&b, "initialize"));
    answer(&b, HELLO); /* it knows both, and this one first */
    OK(sent(&b, "notifications/initialized"));
    answer_to(&b, probe, DISCOVERED);
    EQ(mcp_client_facts(b.client).era, SERVER_ERA_LEGACY);
    tear_down(&b);
}

TEST(a_slow_server_that_answers_the_probe_first_is_modern)
{
    static const char *const later[] = { "\"error\":{\"code\":-32601,\"message\":\"no\"}", HELLO };

    for (size_t i = 0; i < ARRAY_LEN(later); i++) {
        struct bench b;
        int64_t probe, hello;

        set_up(&b, SERVER_ERA_AUTO);
        probe = sent_id(&b, 0);
        loop_advance(b.loop, b.limits.mcp_probe_ms);
        hello = sent_id(&b, 0);
        answer_to(&b, probe, DISCOVERED);
        OK(sent(&b, "tools/list"));
        answer_to(&b, hello, later[i]);
        OK(!sent(&b, "notifications/initialized"));
        EQ(mcp_client_facts(b.client).era, SERVER_ERA_MODERN);
        tear_down(&b);
    }
}

TEST(a_slow_server_that_refuses_the_handshake_first_is_waited_for)
{
    static const char *const refusals[] = {
        "\"error\":{\"code\":-32601,\"message\":\"no\"}",
        "\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":[\"2026-07-28\"]}}",
    };

    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        struct bench b;
        int64_t probe;

        set_up(&b, SERVER_ERA_AUTO);
        probe = sent_id(&b, 0);
        loop_advance(b.loop, b.limits.mcp_probe_ms);
        answer(&b, refusals[i]);
        OK(!sent(&b, "tools/list"));
        answer_to(&b, probe, DISCOVERED);
        OK(sent(&b, "tools/list"));
        EQ(mcp_client_facts(b.client).era, SERVER_ERA_MODERN);
        tear_down(&b);
    }
}

TEST(a_child_that_dies_of_the_probe_is_started_again_and_greeted)
{
    struct bench b;
    struct err died = { ERR_CLOSED, "exited" };

    set_up(&b, SERVER_ERA_AUTO);
    mcp_wire_failed(&b.wire->wire, 0, &died);
    turn(&b);
    EQ(b.wires, 2);
    OK(sent(&b, "initialize"));
    mcp_wire_failed(&b.wire->wire, 0, &died); /* once */
    turn(&b);
    EQ(b.wires, 2);
    EQ(b.ends, 1);
    EQ_STR(b.why.text, "exited");
    tear_down(&b);
}

TEST(a_version_that_is_named_is_tried)
{
    struct bench b;

    set_up(&b, SERVER_ERA_AUTO);
    answer(&b, "\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":"
               "[\"2026-07-28\"],\"requested\":\"x\"}}");
    OK(sent(&b, "server/discover"));
    answer(&b, "\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":"
               "[\"2030-01-01\",\"2025-06-18\"],\"requested\":\"x\"}}");
    OK(sent(&b, "\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\""));
    tear_down(&b);
}

TEST(a_version_nobody_knows_ends_it)
{
    struct bench b;

    set_up(&b, SERVER_ERA_LEGACY);
    answer(&b, "\"result\":{\"protocolVersion\":\"1999-01-01\",\"capabilities\":{}}");
    EQ(b.ends, 1);
    EQ_STR(
        b.why.text,
        "server calc speaks MCP 1999-01-01; supported are 2024-11-05 to 2025-11-25 and 2026-07-28");
    tear_down(&b);
}

TEST(a_server_that_never_answers_is_given_up)
{
    struct bench b;

    set_up(&b, SERVER_ERA_LEGACY);
    loop_advance(b.loop, b.limits.mcp_connect_ms);
    turn(&b);
    EQ(b.ends, 1);
    EQ(b.why.code, ERR_TIMEOUT);
    OK(!sent(&b, "notifications/cancelled")); /* which initialize must not be */
    tear_down(&b);
}

/* ---- lists --------------------------------------------------------------------------------------- */

TEST(pages_are_followed_and_a_circle_is_left)
{
    struct bench b;

    set_up(&b, SERVER_ERA_LEGACY);
    answer(&b, HELLO);
    answer(&b, "\"result\":{\"tools\":[" TOOL("a") "],\"nextCursor\":\"\"}");
    OK(sent(&b, "\"params\":{\"cursor\":\"\","));
    answer(&b, "\"result\":{\"tools\":[" TOOL("b") "],\"nextCursor\":\"\"}");
    EQ(b.readies, 1);
    EQ(mcp_client_facts(b.client).tools, 2);
    tear_down(&b);
}

TEST(too_many_pages_and_too_many_tools_are_cut_off)
{
    struct bench b;

    set_up(&b, SERVER_ERA_LEGACY);
    answer(&b, HELLO);
    answer(&b, "\"result\":{\"tools\":[],\"nextCursor\":\"1\"}");
    answer(&b, "\"result\":{\"tools\":[],\"nextCursor\":\"2\"}");
    EQ(b.readies, 0);
    answer(&b, "\"result\":{\"tools\":[" TOOL("a") "],\"nextCursor\":\"3\"}"); /* mcp_list_pages */
    EQ(b.readies, 1);
    EQ(mcp_client_facts(b.client).tools, 1);
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    loop_advance(b.loop, b.limits.mcp_relist_ms);
    answer(&b, "\"result\":{\"tools\":[" TOOL("1") "," TOOL("2") "," TOOL("3") "," TOOL(
                   "4") "," TOOL("5") "]}"); /* mcp_list_items */
    EQ(b.news, 1);
    EQ(mcp_client_facts(b.client).tools, 4);
    tear_down(&b);
}

TEST(what_is_no_tool_is_left_out_and_the_rest_kept)
{
    struct bench b;

    set_up(&b, SERVER_ERA_LEGACY);
    answer(&b, HELLO);
    answer(&b, "\"result\":{\"tools\":[7,{\"name\":\"x\"},{\"name\":\"\",\"inputSchema\":{}}," TOOL(
                   "a") "," TOOL("a") "," TOOL("b") "]}");
    EQ(mcp_client_facts(b.client).tools, 2);
    tear_down(&b);
}

TEST(changes_are_gathered)
{
    struct bench b;
    const char *news = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";

    set_up_legacy(&b);
    say_raw(&b, news);
    say_raw(&b, news);
    OK(!sent(&b, "tools/list"));
    loop_advance(b.loop, b.limits.mcp_relist_ms);
    OK(sent(&b, "tools/list"));
    say_raw(&b, news); /* while it is listed: once more, later */
    answer(&b, "\"result\":{\"tools\":[" TOOL("new") "]}");
    EQ(b.news, 1);
    EQ_S(mcp_client_facts(b.client).tool[0].name, "new");
    OK(!sent(&b, "tools/list"));
    loop_advance(b.loop, b.limits.mcp_relist_ms);
    OK(sent(&b, "tools/list"));
    answer(&b, "\"error\":{\"code\":-1,\"message\":\"no\"}"); /* then the old ones stay */
    EQ(b.news, 1);
    EQ(mcp_client_facts(b.client).tools, 1);
    tear_down(&b);
}

TEST(a_listen_that_breaks_is_sent_again)
{
    struct bench b;

    set_up(&b, SERVER_ERA_MODERN);
    answer(&b, DISCOVERED);
    answer(&b, "\"result\":{\"tools\":[]}");
    OK(sent(&b, "subscriptions/listen"));
    answer(&b, "\"result\":{\"resultType\":\"complete\"}");
    OK(!sent(&b, "subscriptions/listen"));
    loop_advance(b.loop, b.limits.mcp_relisten_ms);
    OK(sent(&b, "subscriptions/listen"));
    answer(&b, "\"error\":{\"code\":-32601,\"message\":\"no\"}"); /* then it is not offered */
    loop_advance(b.loop, b.limits.mcp_relisten_ms * 2);
    OK(!sent(&b, "subscriptions/listen"));
    tear_down(&b);
}

/* ---- calls ------------------------------------------------------------------------------------------ */

TEST(arguments_go_out_and_results_come_back_byte_for_byte)
{
    struct bench b;
    struct test_call k;

    set_up_legacy(&b);
    begin(&b, &k);
    OK(sent(&b, "\"method\":\"tools/call\",\"params\":{\"name\":\"add\",\"arguments\":"
                "{\"a\": 1.0, \"b\":[ ]},\"_meta\":{\"progressToken\":"));
    OK(sent(&b, "\"X-Trefoil-Depth\":1"));
    OK(!sent(&b, "io.modelcontextprotocol"));
    answer(&b, "\"result\":{\"content\": [],\"odd\":1e400}");
    EQ_STR(k.result, "{\"content\": [],\"odd\":1e400}");
    finish(&k);
    begin(&b, &k);
    answer(&b, "\"error\":{\"code\":-32602,\"message\":\"no\", \"data\":{}}");
    EQ_STR(k.error, "{\"code\":-32602,\"message\":\"no\", \"data\":{}}");
    finish(&k);
    tear_down(&b);
}

static void ask_for_prompt(struct call *call)
{
    struct test_call *k = CONTAINER_OF(call, struct test_call, call);

    mcp_client_request(k->bench->client, call, "prompts/get", call->args);
}

TEST(what_is_ours_to_say_is_not_taken_from_others_however_it_is_spelled)
{
    struct bench b;
    struct test_call k = { .bench = &b };
    struct call_about about = { .what = "p", .timeout_ms = CALL_NO_DEADLINE };
    struct json_opts opts;
    struct err e;

    set_up_modern(&b);
    opts = limits_json(&b.limits);
    OK(json_read(&k.mem,
                 STR("{\"name\":\"p\",\"_meta\":{\"k\\u0065y\":1,"
                     "\"io\\u002emodelcontextprotocol/protocolVersion\":\"forged\","
                     "\"progress\\u0054oken\":\"forged\",\"X-Trefoil-Depth\":\"forged\"}}"),
                 &opts, &about.args, &e));
    call_run(&k.call, &b.host, &b.caller, &k.mem, &about, ask_for_prompt, NULL, on_done, &k);
    turn(&b);
    OK(sent(&b, "\"k\\u0065y\":1"));
    OK(!sent(&b, "forged"));
    op_cancel(&k.call.op);
    turn(&b);
    finish(&k);
    tear_down(&b);
}

TEST(answers_may_come_in_any_order_twice_and_to_nobody)
{
    struct bench b;
    struct test_call first, second;
    int64_t one, two;

    set_up_legacy(&b);
    begin(&b, &first);
    begin(&b, &second);
    one = sent_id(&b, 1);
    two = sent_id(&b, 0);
    answer_to(&b, two, "\"result\":{\"n\":2}");
    answer_to(&b, two, "\"result\":{\"n\":3}");
    answer_to(&b, 99, "\"result\":{\"n\":4}");
    EQ_STR(second.result, "{\"n\":2}");
    EQ(first.dones, 0);
    answer_to(&b, one, "\"result\":{\"n\":1}");
    EQ_STR(first.result, "{\"n\":1}");
    finish(&first);
    finish(&second);
    tear_down(&b);
}

TEST(a_late_answer_is_waited_for_as_long_as_the_server_makes_progress)
{
    struct bench b;
    struct test_call k;
    char news[200];

    set_up_legacy(&b);
    begin(&b, &k);
    snprintf(news, sizeof(news),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
             "{\"progressToken\":%lld,\"progress\":0.50,\"total\":2}}",
             (long long)b.client->tokens);
    loop_advance(b.loop, 900);
    say_raw(&b, news);
    EQ_STR(b.said, "0.50/2");
    loop_advance(b.loop, 900);
    say_raw(&b, news);
    loop_advance(b.loop, 699); /* timeout_max_ms counts from the beginning */
    EQ(k.dones, 0);
    loop_advance(b.loop, 1);
    turn(&b);
    EQ(k.err.code, ERR_TIMEOUT);
    EQ_STR(k.err.text, "server calc did not answer add in time (2500 ms)");
    OK(sent(&b, "notifications/cancelled"));
    finish(&k);
    tear_down(&b);
}

TEST(a_cancel_goes_over_to_the_server)
{
    struct bench b;
    struct test_call k;

    set_up_legacy(&b);
    begin(&b, &k);
    op_cancel(&k.call.op);
    turn(&b);
    EQ(k.err.code, ERR_CANCELED);
    OK(sent(&b, "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"));
    finish(&k);
    tear_down(&b);
}

TEST(a_lost_connection_fails_what_is_under_way_with_the_reason)
{
    struct bench b;
    struct test_call k;

    set_up_legacy(&b);
    begin(&b, &k);
    mcp_wire_failed(&b.wire->wire, 0, &(struct err){ ERR_CLOSED, "server calc exited" });
    turn(&b);
    EQ(k.err.code, ERR_CLOSED);
    EQ_STR(k.err.text, "server calc exited");
    EQ(b.ends, 1);
    finish(&k);
    tear_down(&b);
}

TEST(what_cannot_be_read_is_skipped_unless_it_answers_a_call)
{
    struct bench b;
    struct test_call k;
    struct frame large = { FRAME_TOO_LARGE, STR("{\"jsonrpc\":\"2.0\",\"result\":{\"a"), NULL };

    set_up_legacy(&b);
    begin(&b, &k);
    say_raw(&b, "Server listening on stdio");
    say_raw(&b, "{ starting }");
    EQ(b.client->garbage, 2);
    EQ(k.dones, 0);
    answer_to(&b, sent_id(&b, 0), "\"result\":{},\"error\":{}");
    EQ(k.err.code, ERR_INVALID);
    finish(&k);
    begin(&b, &k);
    peer_receive(&b.client->peer, &b.wire->link, &large); /* the only call there is */
    turn(&b);
    EQ(k.err.code, ERR_LIMIT);
    finish(&k);
    tear_down(&b);
}

/* ---- asks ---------------------------------------------------------------------------------------------- */

TEST(a_question_goes_to_the_caller_of_the_call_under_way)
{
    struct bench b;
    struct test_call k;
    int64_t id;

    set_up_legacy(&b);
    b.can[ASK_SAMPLE] = true;
    begin(&b, &k);
    id = sent_id(&b, 0);
    buf_clear(&b.out);
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"sampling/createMessage\","
                "\"params\":{\"maxTokens\":5}}");
    EQ(b.asks, 1);
    EQ_S(b.ask->params, "{\"maxTokens\":5}");
    loop_advance(b.loop, 100000); /* people are slow: the deadline stands still */
    EQ(k.dones, 0);
    give_answer(&b, &k, "{\"role\":\"assistant\"}");
    OK(sent(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"role\":\"assistant\"}}"));
    loop_advance(b.loop, 999);
    EQ(k.dones, 0);
    answer_to(&b, id, "\"result\":{}");
    finish(&k);
    tear_down(&b);
}

TEST(a_question_taken_back_is_not_asked_any_more)
{
    struct bench b;
    struct test_call k;

    set_up_legacy(&b);
    b.can[ASK_FORM] = true;
    begin(&b, &k);
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"elicitation/create\",\"params\":{}}");
    EQ(b.asks, 1);
    buf_clear(&b.out);
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                "{\"requestId\":3}}");
    OK(b.ask->op.canceled);
    EQ_S(buf_str(&b.out), "");
    op_cancel(&k.call.op);
    turn(&b);
    finish(&k);
    tear_down(&b);
}

TEST(what_nobody_can_answer_is_refused_and_what_we_can_is_answered)
{
    struct bench b;
    struct test_call k;

    set_up_legacy(&b);
    begin(&b, &k);
    buf_clear(&b.out);
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{}}");
    OK(sent(&b, "\"error\":{\"code\":-32601"));
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    OK(sent(&b, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}"));
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"roots/list\"}");
    OK(sent(&b, "{\"roots\":[{\"uri\":\"file:///srv/a%20b\",\"name\":\"root\"}]}"));
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                "{\"level\":\"info\",\"data\":{\"x\":1}}}");
    EQ(b.logs, 1);
    EQ_STR(b.said, "{\"x\":1}");
    op_cancel(&k.call.op);
    turn(&b);
    finish(&k);
    tear_down(&b);
}

TEST(an_answer_ends_a_question_that_is_still_open)
{
    struct bench b;
    struct test_call k;
    int64_t id;

    set_up_legacy(&b);
    b.can[ASK_FORM] = true;
    begin(&b, &k);
    id = sent_id(&b, 0);
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"elicitation/create\",\"params\":{}}");
    EQ(b.asks, 1);
    answer_to(&b, id, "\"result\":{\"content\":[]}");
    EQ(k.dones, 1);
    EQ_STR(k.result, "{\"content\":[]}");
    OK(sent(&b, "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":"));
    finish(&k);
    tear_down(&b);
}

TEST(a_question_in_the_answer_to_one_call_goes_to_no_other)
{
    struct bench b;
    struct test_call mute, able;
    struct caller nobody = { .kind = &caller_nobody, .name = "nobody" }, asked;

    set_up_legacy(&b);
    b.can[ASK_FORM] = true;
    asked = b.caller;
    b.caller = nobody;
    begin(&b, &mute);
    mute.call.caller = &nobody;
    b.caller = asked;
    begin(&b, &able);
    b.client->hearing = &b.client->works->older->req; /* as an event stream of HTTP says */
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"elicitation/create\",\"params\":{}}");
    EQ(b.asks, 0);
    OK(sent(&b, "\"id\":3,\"error\":{\"code\":-32601"));
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                "{\"level\":\"info\",\"data\":\"private\"}}");
    EQ(b.logs, 0);
    b.client->hearing = NULL;
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"elicitation/create\",\"params\":{}}");
    EQ(b.asks, 0); /* either of two clients may have caused it */
    OK(sent(&b, "\"id\":4,\"error\":{\"code\":-32603"));
    op_cancel(&able.call.op);
    op_cancel(&mute.call.op);
    turn(&b);
    finish(&able);
    finish(&mute);
    tear_down(&b);
}

TEST(closing_ends_a_call_that_waits_for_a_person)
{
    struct bench b;
    struct test_call k;

    set_up_legacy(&b);
    b.can[ASK_FORM] = true;
    begin(&b, &k);
    say_raw(&b, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"elicitation/create\",\"params\":{}}");
    mcp_client_close(b.client);
    turn(&b);
    EQ(k.err.code, ERR_CANCELED);
    finish(&k);
    tear_down(&b);
}

/* ---- rounds ---------------------------------------------------------------------------------------------- */

#define WANTS(more)                                                                                \
    "\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"who\":{\"method\":"        \
    "\"elicitation/create\",\"params\":{\"message\":\"m\"}},\"dirs\":{\"method\":"                 \
    "\"roots/list\"}}" more "}"

TEST(input_is_asked_for_and_the_call_goes_out_again)
{
    struct bench b;
    struct test_call k;
    int64_t first;

    set_up_modern(&b);
    b.can[ASK_FORM] = true;
    begin(&b, &k);
    OK(sent(&b, "clientCapabilities\":{\"roots\":{},\"elicitation\":{\"form\":{}}}"));
    first = sent_id(&b, 0);
    answer(&b, WANTS(",\"requestState\":\"s\\u0074 \\\"x\""));
    EQ(b.asks, 1);
    EQ_S(b.ask->key, "who");
    EQ_S(b.ask->params, "{\"message\":\"m\"}");
    give_answer(&b, &k, "{\"action\":\"accept\"}");
    OK(sent(&b, "\"inputResponses\":{\"who\":{\"action\":\"accept\"},\"dirs\":{\"roots\":"));
    OK(sent(&b, "\"requestState\":\"s\\u0074 \\\"x\""));
    OK(sent_id(&b, 0) != first);
    answer(&b, WANTS("")); /* no state this time: none goes back */
    give_answer(&b, &k, "{\"action\":\"decline\"}");
    OK(!sent(&b, "requestState"));
    answer(&b, "\"result\":{\"content\":[]}"); /* no resultType: complete */
    EQ_STR(k.result, "{\"content\":[]}");
    finish(&k);
    tear_down(&b);
}

TEST(a_server_that_never_has_enough_is_cut_off)
{
    struct bench b;
    struct test_call k;

    set_up_modern(&b);
    begin(&b, &k);
    for (int i = 0; i < 3; i++)
        answer(&b, "\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s\"}");
    EQ(k.err.code, ERR_INVALID);
    HAS_S(str_of(k.err.text), "the constant mcp_rounds");
    finish(&k);
    tear_down(&b);
}

TEST(input_nobody_can_give_and_results_nobody_knows_fail_the_call)
{
    struct bench b;
    struct test_call k;

    set_up_modern(&b);
    begin(&b, &k);
    answer(&b, WANTS(""));
    EQ(k.err.code, ERR_DENIED);
    OK(k.call.lacking);
    EQ(k.call.lacked, ASK_FORM);
    finish(&k);
    begin(&b, &k);
    answer(&b, "\"result\":{\"resultType\":\"task\"}");
    EQ(k.err.code, ERR_INVALID);
    finish(&k);
    tear_down(&b);
}

/* ---- tasks ------------------------------------------------------------------------------------ */

#define TASKS "io.modelcontextprotocol/tasks"
#define TASK(status, more)                                                                         \
    "\"taskId\":\"t 1\",\"status\":\"" status "\",\"createdAt\":\"c\",\"lastUpdatedAt\":\"u\","    \
    "\"ttlMs\":null" more "}"
#define MADE_TASK "\"result\":{\"resultType\":\"task\"," TASK("working", ",\"pollIntervalMs\":50")
#define IS_NOW(status, more) "\"result\":{\"resultType\":\"complete\"," TASK(status, more)

static void set_up_tasks(struct bench *b)
{
    set_up(b, SERVER_ERA_MODERN);
    b->limits.mcp_task_ms = 5000;
    b->limits.mcp_task_poll_ms = 100;
    answer(b, "\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
              "\"capabilities\":{\"tools\":{},\"extensions\":{\"" TASKS "\":{}}}}");
    answer(b, "\"result\":{\"tools\":[" TOOL("add") "]}");
    buf_clear(&b->out);
}

static void begin_task(struct bench *b, struct test_call *k)
{
    begin(b, k);
    OK(sent(b, "\"extensions\":{\"" TASKS "\":{}}"));
    answer(b, MADE_TASK);
    EQ(k->dones, 0);
}

static void pass(struct bench *b, int64_t ms)
{
    loop_advance(b->loop, ms);
    turn(b);
}

TEST(a_task_of_a_server_is_looked_at_until_it_has_the_result)
{
    struct bench b;
    struct test_call k;

    set_up_tasks(&b);
    begin_task(&b, &k);
    pass(&b, 49);
    OK(!sent(&b, "tasks/get"));
    pass(&b, 1);
    OK(sent(&b, "\"method\":\"tasks/get\",\"params\":{\"taskId\":\"t 1\","));
    OK(sent(&b, "\"extensions\":{\"" TASKS "\":{}}"));
    answer(&b, IS_NOW("working", ",\"statusMessage\":\"half\""));
    EQ(b.progresses, 1);
    pass(&b, 50);
    answer(&b, IS_NOW("working", ",\"statusMessage\":\"half\"")); /* nothing new */
    EQ(b.progresses, 1);
    pass(&b, 50);
    answer(&b, IS_NOW("completed", ",\"result\":{\"content\":[],\"isError\":true}"));
    EQ_STR(k.result, "{\"content\":[],\"isError\":true}");
    OK(!sent(&b, "tasks/cancel"));
    finish(&k);
    tear_down(&b);
}

TEST(a_task_that_failed_or_was_canceled_there_ends_the_call)
{
    struct bench b;
    struct test_call k;

    set_up_tasks(&b);
    begin_task(&b, &k);
    pass(&b, 50);
    answer(&b, IS_NOW("failed", ",\"error\":{\"code\":-5,\"message\":\"m\"}"));
    EQ_STR(k.error, "{\"code\":-5,\"message\":\"m\"}");
    finish(&k);
    begin_task(&b, &k);
    pass(&b, 50);
    answer(&b, IS_NOW("cancelled", ""));
    EQ(k.err.code, ERR_CLOSED);
    OK(!sent(&b, "tasks/cancel"));
    finish(&k);
    begin_task(&b, &k);
    pass(&b, 50);
    answer(&b, IS_NOW("completed", "")); /* without a result: it is told to let it be */
    EQ(k.err.code, ERR_INVALID);
    OK(sent(&b, "tasks/cancel"));
    finish(&k);
    tear_down(&b);
}

#define WANTS_BY_TASK                                                                              \
    ",\"inputRequests\":{\"who\":{\"method\":\"elicitation/create\",\"params\":{\"message\":"      \
    "\"m\"}}}"

TEST(a_task_that_wants_input_is_told_once)
{
    struct bench b;
    struct test_call k;

    set_up_tasks(&b);
    b.can[ASK_FORM] = true;
    begin_task(&b, &k);
    pass(&b, 50);
    answer(&b, IS_NOW("input_required", WANTS_BY_TASK));
    EQ(b.asks, 1);
    pass(&b, 9000); /* people are slow: that does not count */
    give_answer(&b, &k, "{\"action\":\"accept\"}");
    OK(sent(&b, "\"method\":\"tasks/update\",\"params\":{\"taskId\":\"t 1\",\"inputResponses\":"
                "{\"who\":{\"action\":\"accept\"}},"));
    answer(&b, "\"result\":{\"resultType\":\"complete\"}");
    pass(&b, 50);
    answer(&b, IS_NOW("input_required", WANTS_BY_TASK)); /* it has not looked yet */
    EQ(b.asks, 1);
    pass(&b, 50);
    answer(&b, IS_NOW("completed", ",\"result\":{}"));
    EQ_STR(k.result, "{}");
    finish(&k);
    tear_down(&b);
}

TEST(a_call_that_ends_early_stops_its_task)
{
    struct bench b;
    struct test_call k;

    set_up_tasks(&b);
    begin_task(&b, &k);
    op_cancel(&k.call.op); /* while it waits */
    turn(&b);
    EQ(k.err.code, ERR_CANCELED);
    OK(sent(&b, "\"method\":\"tasks/cancel\",\"params\":{\"taskId\":\"t 1\","));
    answer(&b, "\"result\":{\"resultType\":\"complete\"}");
    finish(&k);
    begin_task(&b, &k);
    pass(&b, 50);
    op_cancel(&k.call.op); /* while it looks */
    turn(&b);
    OK(sent(&b, "tasks/cancel"));
    finish(&k);
    buf_clear(&b.out);
    begin_task(&b, &k);
    for (int i = 0; i < 100 && !k.dones; i++) {
        pass(&b, 50);
        if (!k.dones)
            answer(&b, IS_NOW("working", ""));
    }
    HAS_S(str_of(k.err.text), "the constant mcp_task_ms");
    OK(sent(&b, "tasks/cancel"));
    finish(&k);
    tear_down(&b);
}

TEST(a_call_that_is_cancelled_as_it_would_look_ends_once)
{
    struct bench b;
    struct test_call k;

    set_up_tasks(&b);
    begin_task(&b, &k);
    op_cancel(&k.call.op);
    pass(&b, 50); /* the time to look comes before anyone has heard of it */
    EQ(k.err.code, ERR_CANCELED);
    OK(!sent(&b, "tasks/get"));
    finish(&k);
    tear_down(&b);
}

TEST(progress_of_a_long_task_does_not_end_it)
{
    struct bench b;
    struct test_call k;
    char text[200];

    set_up_tasks(&b);
    begin_task(&b, &k);
    for (int i = 0; i < 80; i++) { /* longer than any one request may take */
        pass(&b, 50);
        if (i < 79)
            answer(&b, IS_NOW("working", ""));
    }
    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
             "{\"progressToken\":%lld,\"progress\":1}}",
             (long long)b.client->tokens);
    say_raw(&b, text);
    pass(&b, 10);
    EQ(b.progresses, 1);
    EQ(k.dones, 0);
    answer(&b, IS_NOW("completed", ",\"result\":{}"));
    EQ_STR(k.result, "{}");
    finish(&k);
    tear_down(&b);
}

TEST(a_lost_connection_ends_calls_that_wait_for_a_task)
{
    struct bench b;
    struct test_call k;

    set_up_tasks(&b);
    begin_task(&b, &k);
    mcp_client_close(b.client);
    turn(&b);
    OK(k.err.code != ERR_NONE);
    finish(&k);
    tear_down(&b);
}

TEST(a_server_without_the_extension_must_not_answer_with_a_task)
{
    struct bench b;
    struct test_call k;

    set_up_modern(&b);
    begin(&b, &k);
    OK(!sent(&b, "extensions"));
    answer(&b, MADE_TASK);
    EQ(k.err.code, ERR_INVALID);
    finish(&k);
    tear_down(&b);
}

TEST(a_person_who_does_not_answer_is_not_the_silence_of_the_server)
{
    struct bench b;
    struct test_call k;

    set_up_modern(&b);
    b.can[ASK_FORM] = true;
    begin(&b, &k);
    answer(&b, WANTS(""));
    ask_refuse(b.ask, &(struct err){ ERR_TIMEOUT, "nobody answered" });
    turn(&b);
    EQ(k.err.code, ERR_LIMIT);
    HAS_S(str_of(k.err.text), "no one answered the question of server calc");
    finish(&k);
    tear_down(&b);
}

TEST(closing_ends_a_round)
{
    struct bench b;
    struct test_call k;

    set_up_modern(&b);
    b.can[ASK_FORM] = true;
    begin(&b, &k);
    answer(&b, WANTS(""));
    mcp_client_close(b.client);
    turn(&b);
    EQ(k.err.code, ERR_CANCELED);
    finish(&k);
    tear_down(&b);
}

TEST(refused_headers_make_us_look_at_the_tools_again_once)
{
    struct bench b;
    struct test_call k;

    set_up_modern(&b);
    begin(&b, &k);
    answer(&b, "\"error\":{\"code\":-32020,\"message\":\"no\"}");
    OK(sent(&b, "tools/list"));
    answer(&b, "\"result\":{\"tools\":[" TOOL("add") "]}");
    OK(sent(&b, "tools/call"));
    answer(&b, "\"error\":{\"code\":-32020,\"message\":\"no\"}");
    EQ_STR(k.error, "{\"code\":-32020,\"message\":\"no\"}");
    finish(&k);
    tear_down(&b);
}

/* ---- headers ----------------------------------------------------------------------------------------------- */

TEST(a_value_stands_in_a_header_as_it_is_or_in_base64)
{
    static const struct {
        const char *value, *want;
    } row[] = {
        { "us-west1", "us-west1" },
        { "", "" },
        { "a b", "a b" },
        { " a", "=?base64?IGE=?=" },
        { "a\tb", "=?base64?YQli?=" },
        { "\xc3\xa9", "=?base64?w6k=?=" },
        { "=?base64?SGVsbG8=?=", "=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?=" },
        { "=?base64?x", "=?base64?x" },
    };
    struct arena mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(row); i++)
        EQ_S(mcp_mirror_value(&mem, str_of(row[i].value)), row[i].want);
    arena_fini(&mem);
}

TEST(marks_are_right_or_the_tool_is_not_used)
{
    static const struct {
        const char *schema;
        bool right;
    } row[] = {
        { "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}", true },
        { "{\"properties\":{\"o\":{\"type\":\"object\",\"properties\":{\"a\":"
          "{\"type\":\"boolean\",\"x-mcp-header\":\"A\"}}}}}",
          true },
        { "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}", false },
        { "{\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}", false },
        { "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A:\"}}}", false },
        { "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},\"b\":"
          "{\"type\":\"string\",\"x-mcp-header\":\"a\"}}}",
          false },
        { "{\"properties\":{\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
          "\"x-mcp-header\":\"A\"}}}}",
          false },
    };
    struct limits limits;
    struct json_opts opts;

    limits_preset(&limits);
    opts = limits_json(&limits);
    for (size_t i = 0; i < ARRAY_LEN(row); i++) {
        struct arena mem = { 0 };
        struct json v;
        struct err e;

        OK(json_read(&mem, str_of(row[i].schema), &opts, &v, &e));
        EQ(mcp_mirror_check(&mem, v, &e), row[i].right);
        arena_fini(&mem);
    }
}

/* ---- anything at any time ------------------------------------------------------------------------- */

enum { STORMS = 3000, STORM_STEPS = 80, STORM_CALLS = 8, STORM_PENDING = 128 };

struct storm {
    struct bench b;
    struct test_call call[STORM_CALLS];
    size_t calls;
    int64_t id[STORM_PENDING]; /* of our requests, answered or not */
    char method[STORM_PENDING][24];
    size_t pending;
};

static uint32_t seed;
static int storm_results, storm_readies;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static int64_t number_at(struct str s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
        n = n * 10 + (s.p[i] - '0');
    return n;
}

/* Remember what was asked of the server since the last time. */
static void note_requests(struct storm *s)
{
    struct str all = buf_str(&s->b.out), mark = STR("\"method\":\""), id = STR("\"id\":");

    while (all.n) {
        struct str line = str_cut(&all, '\n');
        ptrdiff_t at = str_find(line, id), m = str_find(line, mark);

        if (at < 0 || m < 0)
            continue;
        s->id[s->pending % STORM_PENDING] = number_at(str_skip(line, (size_t)at + id.n));
        line = str_skip(line, (size_t)m + mark.n);
        str_to_c(str_cut(&line, '"'), s->method[s->pending % STORM_PENDING], sizeof(s->method[0]));
        s->pending++;
    }
    buf_clear(&s->b.out);
}

static const char *fitting_answer(const char *method)
{
    static const char *const of_call[] = { "\"result\":{\"content\":[]}",
                                           "\"result\":{\"resultType\":\"complete\"}", WANTS(""),
                                           WANTS(",\"requestState\":\"x\""),
                                           "\"error\":{\"code\":-32020,\"message\":\"headers\"}" };

    if (str_eq(str_of(method), STR("server/discover")))
        return DISCOVERED;
    if (str_eq(str_of(method), STR("initialize")))
        return HELLO;
    if (str_eq(str_of(method), STR("tools/list")))
        return chance(3) ? "\"result\":{\"tools\":[" TOOL("add") "]}"
                         : "\"result\":{\"tools\":[],\"nextCursor\":\"more\"}";
    return of_call[chance(5)];
}

static void answer_something(struct storm *s)
{
    static const char *const odd[] = {
        "\"error\":{\"code\":-32601,\"message\":\"no\"}", "\"result\":7", "\"result\":{}",
        "\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{\"supported\":[\"2025-06-18\"]}}",
        "\"neither\":1"
    };
    size_t among = s->pending < 4 ? s->pending : 4, n;

    if (!s->pending)
        return;
    n = (s->pending - 1 - chance((uint32_t)among)) % STORM_PENDING;
    answer_to(&s->b, s->id[n], chance(8) ? fitting_answer(s->method[n]) : odd[chance(5)]);
}

static void say_something(struct storm *s)
{
    static const char *const words[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"sampling/createMessage\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"roots/list\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
        "{\"level\":\"info\",\"data\":1}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
        "{\"progressToken\":1,\"progress\":1}}",
        "noise",
        "[{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}]",
    };

    say_raw(&s->b, words[chance(ARRAY_LEN(words))]);
}

/* Some caller answers, or says no to, a question that is open. */
static void answer_a_question(struct storm *s)
{
    for (size_t i = 0; i < s->calls; i++) {
        struct test_call *k = &s->call[i];
        struct ask *a = k->dones ? NULL : k->call.asks;

        if (!a || a->op.settled)
            continue;
        s->b.ask = a;
        if (chance(3))
            give_answer(&s->b, k, "{\"action\":\"accept\"}");
        else
            ask_refuse(a, &(struct err){ chance(2) ? ERR_TIMEOUT : ERR_DENIED, "no" });
        return;
    }
}

static void cancel_some(struct storm *s)
{
    struct test_call *k = s->calls ? &s->call[chance((uint32_t)s->calls)] : NULL;

    if (k && !k->dones)
        op_cancel(&k->call.op);
}

/* A wire that is being closed brings nothing more. */
static bool is_heard(const struct bench *b)
{
    return b->wire && !b->wire->wire.closing;
}

static void storm_step(struct storm *s)
{
    struct bench *b = &s->b;

    switch (chance(16)) {
    case 0:
        if (chance(8) == 0)
            mcp_client_close(b->client);
        break;
    case 1:
        if (chance(6) == 0 && is_heard(b))
            mcp_wire_failed(&b->wire->wire, 0, &(struct err){ ERR_CLOSED, "it died" });
        break;
    case 2:
    case 3:
        if (s->calls < STORM_CALLS)
            begin(b, &s->call[s->calls++]);
        break;
    case 4: cancel_some(s); break;
    case 5: loop_advance(b->loop, 1 + chance(chance(4) ? 100 : 4000)); break;
    case 6:
    case 7:
        if (is_heard(b))
            say_something(s);
        break;
    case 8: answer_a_question(s); break;
    default:
        if (is_heard(b))
            answer_something(s);
        break;
    }
    if (chance(2))
        turn(b);
}

static void storm_round(struct storm *s)
{
    struct bench *b = &s->b;

    s->calls = s->pending = 0;
    set_up(b, (enum server_era)chance(3));
    b->can[ASK_FORM] = chance(2);
    b->can[ASK_SAMPLE] = chance(2);
    for (int i = 0; i < STORM_STEPS && b->client; i++) {
        note_requests(s);
        storm_step(s);
    }
    storm_readies += b->readies;
    if (b->client)
        mcp_client_close(b->client);
    turn(b);
    for (size_t i = 0; i < s->calls; i++) {
        storm_results += s->call[i].dones == 1 && !s->call[i].err.code;
        finish(&s->call[i]);
    }
    tear_down(b);
}

TEST(whatever_happens_a_call_ends_once_and_nothing_is_left)
{
    static struct storm s;

    log_setup(LOG_ERROR, false);
    for (uint32_t round = 0; round < STORMS; round++) {
        seed = round;
        storm_round(&s);
    }
    OK(storm_readies > 1000);
    OK(storm_results > 1000);
}

TEST_MAIN()
