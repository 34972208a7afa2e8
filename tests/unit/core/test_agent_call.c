/* test_agent_call.c - an agent at work for a caller: the real session and turn, a scripted model. */
#include "base/container.h"
#include "core/agent/agent_call.h"
#include "core/agent/agent_progress.h"
#include "core/agent/local.h"
#include "core/guard/guard.h"
#include "core/session/turn.h"
#include "tap.h"

/* ---- a model that does what it is told ------------------------------------------------------ */

struct script {
    struct provider provider;
    struct post post;
    struct model_turn *turn; /* that it is to answer */
};

static void settle(struct model_turn *t, const struct block *b, enum model_stop stop)
{
    struct block *copy = ARENA_NEW(t->mem, struct block);

    *copy = *b;
    t->answer = (struct message){ ROLE_ASSISTANT, copy, 1 };
    t->stop = stop;
    t->usage.input = 7;
    t->usage.output = 3;
    op_ok(&t->op);
}

static void say(struct model_turn *t, struct str text)
{
    for (size_t i = 0; i < text.n; i++) /* in small pieces */
        t->events->on_text(t, (struct str){ text.p + i, 1 });
    settle(t, &(struct block){ .kind = BLOCK_TEXT, .text = text }, STOP_END);
}

static void play(struct post *p)
{
    struct script *s = CONTAINER_OF(p, struct script, post);
    struct model_turn *t = s->turn;
    const struct message *last = &t->request->message[t->request->messages - 1];
    struct str text = last->block[0].text;
    struct err e;

    if (last->block[0].kind == BLOCK_RESULT) {
        say(t, text);
    } else if (str_starts(text, STR("say "))) {
        say(t, str_skip(text, 4));
    } else if (str_starts(text, STR("call "))) {
        settle(t,
               &(struct block){ .kind = BLOCK_CALL,
                                .id = STR("c1"),
                                .name = str_skip(text, 5),
                                .args = STR("{\"path\":\"x\"}") },
               STOP_TOOLS);
    } else if (str_starts(text, STR("fail"))) {
        t->events->on_text(t, STR("Half"));
        fail(&e, ERR_INVALID, "the model is broken");
        op_fail(&t->op, &e);
    } /* else it never comes back by itself */
}

static void on_cancel(struct op *op)
{
    op_fail(op, &(struct err){ ERR_CANCELED, "canceled" });
}

static const struct op_kind script_op = { .name = "script", .cancel = on_cancel };

static void script_start(struct provider *p, struct model_turn *t)
{
    struct script *s = CONTAINER_OF(p, struct script, provider);

    s->turn = t;
    s->post.fn = play;
    loop_post(p->loop, &s->post);
}

static const struct provider_kind script_kind = { .name = "script",
                                                  .op = &script_op,
                                                  .start = script_start };

/* ---- its tools ------------------------------------------------------------------------------ */

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    const struct ask *ask = (const struct ask *)(const void *)op;
    struct call *call = ctx;

    if (e) {
        call_failed(call, "%s", e->text);
        return;
    }
    call_text(call, json_raw(json_get(ask->answer, STR("action"))));
    call_done(call);
}

static void start_asker(struct call *call)
{
    call_ask(call, ARENA_NEW(call->mem, struct ask), ASK_FORM, STR("q"), STR("{\"message\":\"?\"}"),
             on_answer, call);
}

static void start_plain(struct call *call)
{
    call_text(call, arena_printf(call->mem, "depth %d, for %s", call->caller->trace.depth,
                                 call->caller->name));
    call_done(call);
}

static const struct tool asker = { .name = "asker", .kind = TOOL_THINK, .start = start_asker };
static const struct tool where = { .name = "where", .kind = TOOL_READ, .start = start_plain };
static const struct tool writer = { .name = "writer", .kind = TOOL_EDIT, .start = start_plain };
static const struct tool fetcher = { .name = "fetcher", .kind = TOOL_FETCH, .start = start_plain };
static const struct tool secret = { .name = "secret", .kind = TOOL_READ, .start = start_plain };
static const struct tool *const tools[] = { &asker, &where, &writer, &fetcher, &secret };

/* ---- the bench ------------------------------------------------------------------------------ */

struct bench {
    struct agent_registry_port registry;
    struct agent_def def;
    struct local_agent local;
    struct script script;
    struct caller caller;
    struct loop *loop;
    struct limits limits;
    struct guard guard;
    struct host host;
    struct offer offer;
    struct offer_source source;
    struct session_world world;
    struct agent_context context;
    struct arena mem;
    struct call call;
    struct str message;
    struct str session;
    struct ask *asked;
    bool able;
    int told, below;
    char last[1024];
    bool done;
    struct err err;
};

static struct agent *take(struct agent_registry_port *d, const struct agent_want *want,
                          struct err *e)
{
    struct bench *b = CONTAINER_OF(d, struct bench, registry);

    if (!want->name.p || str_eq(want->name, STR("coder")))
        return agent_hold(&b->local.agent);
    fail(e, ERR_NOT_FOUND, "there is no agent " STR_FMT, STR_ARG(want->name));
    return NULL;
}

static const struct agent_card *cards(struct agent_registry_port *d, size_t *n)
{
    (void)d;
    *n = 0;
    return NULL;
}

static const struct agent_registry_kind registry_kind = { .take = take, .cards = cards };

static bool can(const struct caller *c, enum ask_kind kind)
{
    return CONTAINER_OF(c, const struct bench, caller)->able && kind == ASK_FORM;
}

static void ask(struct caller *c, struct ask *a)
{
    CONTAINER_OF(c, struct bench, caller)->asked = a;
}

static void progress(struct caller *c, const struct progress *p)
{
    struct bench *b = CONTAINER_OF(c, struct bench, caller);

    b->told++;
    OK(str_to_c(p->message, b->last, sizeof(b->last)));
}

static void below(struct caller *c, struct str session, const struct event *ev)
{
    (void)ev;
    EQ(session.n, ID_TEXT - 1);
    CONTAINER_OF(c, struct bench, caller)->below++;
}

static const struct caller_kind caller_kind = {
    .can = can,
    .ask = ask,
    .progress = progress,
    .below = below,
};

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct bench *b = ctx;

    (void)op;
    b->done = true;
    b->err = e ? *e : (struct err){ 0 };
}

static void start(struct call *call)
{
    struct bench *b = CONTAINER_OF(call, struct bench, call);

    agent_call(call, &(struct agent_call_opts){ .context = &b->context,
                                                .agent = STR("coder"),
                                                .message = blocks_text(call->mem, b->message),
                                                .session = b->session });
}

static void open_bench(struct bench *b)
{
    *b = (struct bench){ .registry = { &registry_kind }, .loop = loop_new(LOOP_FAKE_CLOCK) };
    limits_preset(&b->limits);
    guard_init(&b->guard, &b->limits);
    b->caller = (struct caller){ .kind = &caller_kind,
                                 .name = "mcp",
                                 .origin = ORIGIN_STDIO,
                                 .principal = STR("user:1"),
                                 .scope = &b->guard.face[ORIGIN_STDIO] };
    b->host = (struct host){
        .loop = b->loop, .limits = &b->limits, .root_fd = -1, .root = "/", .guard = &b->guard
    };
    offer_init(&b->offer, &b->host, 1u << OFFER_TOOLS);
    b->source = (struct offer_source){ .tool = tools, .tools = ARRAY_LEN(tools) };
    offer_join(&b->offer, &b->source);
    b->world = (struct session_world){ .loop = b->loop, .limits = &b->limits };
    b->script.provider = (struct provider){ &script_kind, "script", b->loop, NULL };
    b->def = (struct agent_def){ .name = "coder", .title = "Coder" };
    b->local.agent = (struct agent){
        .kind = &local_agent_kind, .own = &b->local, .def = &b->def, .offer = &b->offer, .refs = 1
    };
    b->local.model = (struct agent_model){ .provider = &b->script.provider,
                                           .name = STR("m"),
                                           .price = { -1, -1, -1, -1 } };
    b->local.agent.scope = guard_scope_of_agent(&b->def, &b->guard.own);
    b->context = (struct agent_context){ .registry = &b->registry, .world = &b->world };
}

static void turn(struct bench *b)
{
    while (loop_run_once(b->loop))
        ;
}

static void begin(struct bench *b, const char *message)
{
    static const struct call_about about = { .what = "agent", .timeout_ms = CALL_NO_DEADLINE };

    arena_fini(&b->mem);
    b->message = str_of(message);
    b->done = false;
    b->told = b->below = 0;
    call_run(&b->call, &b->host, &b->caller, &b->mem, &about, start, NULL, on_done, b);
    turn(b);
}

static void close_bench(struct bench *b)
{
    arena_fini(&b->mem);
    EQ(b->local.agent.refs, 1);
    offer_fini(&b->offer);
    turn(b);
    guard_fini(&b->guard);
    loop_free(b->loop);
}

static struct str content(struct bench *b)
{
    return buf_str(&b->call.content);
}

/* ---- what is claimed ------------------------------------------------------------------------ */

TEST(the_answer_is_text_with_its_session_and_cost_beside_it)
{
    struct bench b;

    open_bench(&b);
    begin(&b, "say hi");
    OK(b.done && !b.err.code && !b.call.is_error);
    EQ_S(content(&b), "{\"type\":\"text\",\"text\":\"hi\"}");
    HAS_S(buf_str(&b.call.structured), "{\"answer\":\"hi\",\"session_id\":\"");
    HAS_S(buf_str(&b.call.structured),
          "\"stop\":\"end\",\"mode\":\"read-write\",\"usage\":{\"input\":7,\"output\":3");
    EQ(b.told, 1); /* the first piece; the rest came within the pace, and then the answer */
    OK(b.below >= 3);
    close_bench(&b);
}

TEST(its_tools_are_one_hop_deeper_and_called_by_the_agent)
{
    struct bench b;

    open_bench(&b);
    b.caller.trace.depth = 2;
    begin(&b, "call where");
    HAS_S(content(&b), "depth 3, for coder");
    close_bench(&b);
}

TEST(a_sixth_hop_is_refused)
{
    struct bench b;

    open_bench(&b);
    b.caller.trace.depth = TRACE_DEPTH;
    begin(&b, "say hi");
    OK(b.done && b.call.is_error);
    HAS_S(content(&b), "longer than 5");
    close_bench(&b);
}

TEST(cancelling_the_call_stops_the_agent)
{
    struct bench b;

    open_bench(&b);
    begin(&b, "think for ever");
    OK(!b.done);
    op_cancel(&b.call.op);
    turn(&b);
    OK(b.done);
    EQ(b.err.code, ERR_CANCELED);
    close_bench(&b);
}

TEST(it_has_limits_agent_call_ms)
{
    struct bench b;

    open_bench(&b);
    b.limits.agent_call_ms = 500;
    begin(&b, "think for ever");
    loop_advance(b.loop, 499);
    OK(!b.done);
    loop_advance(b.loop, 1);
    turn(&b);
    OK(b.done && !b.err.code && b.call.is_error);
    HAS_S(content(&b), "longer than 500 ms (limits.agent_call_ms)");
    HAS_S(buf_str(&b.call.structured),
          "\"stop\":\"canceled\""); /* with the session to go on with */
    close_bench(&b);
}

TEST(what_goes_wrong_is_said_behind_what_was_said_before)
{
    struct bench b;

    open_bench(&b);
    b.limits.model_retries = 0;
    begin(&b, "fail");
    OK(b.done && b.call.is_error);
    HAS_S(content(&b), "the model is broken");
    HAS_S(buf_str(&b.call.structured), "\"stop\":\"failed\"");
    close_bench(&b);
}

TEST(a_question_of_its_tools_goes_to_the_caller_and_stops_the_clock)
{
    struct bench b;
    struct json_opts opts = { .max_depth = 4, .max_values = 10 };
    struct json answer;
    struct err e;

    open_bench(&b);
    b.able = true;
    b.limits.agent_call_ms = 500;
    begin(&b, "call asker");
    OK(b.asked && !b.done);
    EQ_S(b.asked->params, "{\"message\":\"?\"}");
    OK(b.asked->call == &b.call); /* it is asked in the name of the call its caller knows */
    loop_advance(b.loop, 10000);
    OK(!b.done);
    OK(json_read(&b.mem, STR("{\"action\":\"accept\"}"), &opts, &answer, &e));
    ask_answer(b.asked, answer);
    turn(&b);
    OK(b.done && !b.call.is_error);
    HAS_S(content(&b), "accept");
    close_bench(&b);
}

TEST(a_question_is_taken_back_with_the_call)
{
    struct bench b;

    open_bench(&b);
    b.able = true;
    begin(&b, "call asker");
    OK(b.asked && !b.done);
    op_cancel(&b.call.op);
    turn(&b);
    OK(b.done);
    EQ(b.err.code, ERR_CANCELED);
    close_bench(&b);
}

TEST(where_nobody_can_be_asked_the_agent_is_told_so)
{
    struct bench b;

    open_bench(&b);
    begin(&b, "call asker");
    OK(b.done && !b.asked);
    HAS_S(content(&b), "input from a person");
    close_bench(&b);
}

TEST(a_child_does_no_more_than_its_parent_may)
{
    struct bench b;

    open_bench(&b);
    begin(&b, "call writer");
    HAS_S(content(&b), "for coder");
    b.guard.face[ORIGIN_STDIO].mode = AGENT_READ_ONLY;
    begin(&b, "call writer");
    HAS_S(content(&b), "the mode is read-only");
    b.guard.face[ORIGIN_STDIO].permission[TOOL_FETCH] =
        PERMISSION_DENY; /* as a read-only endpoint does */
    begin(&b, "call fetcher");
    HAS_S(content(&b), "unknown tool fetcher"); /* not even offered */
    begin(&b, "call where");
    HAS_S(content(&b), "for coder");
    close_bench(&b);
}

TEST(what_an_endpoint_offers_does_not_bind_its_agents_but_what_is_private_does)
{
    static struct str hidden_name = STR("secret"), exposed = STR("trefoil_agent_coder");
    struct bench b;

    open_bench(&b);
    b.guard.face[ORIGIN_STDIO].expose = (struct pick_strs){ &exposed, 1, true };
    b.guard.face[ORIGIN_STDIO].hidden = (struct pick_strs){ &hidden_name, 1, true };
    begin(&b, "call where");
    HAS_S(content(&b), "for coder");
    begin(&b, "call secret");
    HAS_S(content(&b), "secret is not offered by [mcp]");
    close_bench(&b);
}

TEST(without_a_store_there_is_no_session_to_go_on_with)
{
    struct bench b;

    open_bench(&b);
    b.session = STR("01890000-0000-7000-8000-000000000000");
    begin(&b, "say hi");
    OK(b.done && b.call.is_error);
    HAS_S(content(&b), "no sessions are stored");
    close_bench(&b);
}

TEST_MAIN()
