/* Tasks that are a call of a tool, over the real store: asked, answered, cancelled, lost. */
#include "base/log.h"
#include "core/task/task_call.h"
#include "core/task/task_engine.h"
#include "stage.h"

#include <sqlite3.h>

/* ---- a booth: a stage without actors, where tools are called ---------------------------------- */

struct booth {
    struct stage s;
    struct task_engine *engine, *second;
    struct caller caller;
    struct offer_source more;
    struct task_ask ask; /* the last request that was waited for */
    struct err err;
    bool done, closed;
    char id[ID_TEXT];
    char told[1 << 14];
    struct task_watch watch;
    bool watched;
};

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct booth *b = ctx;

    (void)op;
    b->err = e ? *e : (struct err){ 0 };
    b->done = true;
}

static struct task_engine *new_engine(struct booth *b)
{
    return task_engine_new(
        &(struct task_engine_opts){ .world = &b->s.sworld, .guard = &b->s.guard });
}

static void on_asked(struct op *op, const struct err *e, void *ctx)
{
    const struct ask *ask = CONTAINER_OF(op, struct ask, op);
    struct call *call = ctx;

    if (e) {
        call_broke(call, e);
        return;
    }
    call_text(call, json_raw(ask->answer));
    call_done(call);
}

static void run_ask(struct call *call)
{
    call_ask(call, ARENA_NEW(call->mem, struct ask), ASK_FORM, STR("k"),
             STR("{\"message\":\"Which?\",\"requestedSchema\":{\"type\":\"object\"}}"), on_asked,
             call);
}

static void run_work(struct call *call)
{
    call_progress(call, &(struct progress){ STR("1"), STR("2"), STR("half of it") });
    call_log(call, CALL_INFO, STR_NONE, STR("\"nobody hears this\""));
    call_log(call, CALL_WARNING, STR_NONE, STR("\"it smells\""));
    call_failed(call, "it does not fit");
}

static void run_break(struct call *call)
{
    call_broke(call, &(struct err){ ERR_SYSTEM, "the machine broke" });
}

static void run_forward(struct call *call)
{
    call_forward(call, STR_NONE, STR("{\"code\":-1,\"message\":\"no\"}"));
}

/* An error whose sentence is longer than the store takes when limits.store_value_bytes is 1024. */
static void run_rant(struct call *call)
{
    static char error[2048];

    snprintf(error, sizeof(error), "{\"code\":-1,\"message\":\"%0*d\"}", 1500, 0);
    call_forward(call, STR_NONE, str_of(error));
}

#define TOOL(n, fn, ...)                                                                           \
    static const struct tool n##_tool = {                                                          \
        .name = #n, .input_schema = "{\"type\":\"object\"}", .start = fn, __VA_ARGS__              \
    }

TOOL(ask, run_ask, .kind = TOOL_THINK);
TOOL(work, run_work, .kind = TOOL_THINK, .title = "Work");
TOOL(break, run_break, .kind = TOOL_READ, .read_only = true);
TOOL(forward, run_forward, .kind = TOOL_READ);
TOOL(rant, run_rant, .kind = TOOL_READ);
static const struct tool *const more_tools[] = { &ask_tool, &work_tool, &break_tool, &forward_tool,
                                                 &rant_tool };

static void booth_init(struct booth *b)
{
    *b = (struct booth){ .caller = { .kind = &caller_nobody,
                                     .name = "mcp",
                                     .origin = ORIGIN_STDIO,
                                     .principal = STR("user:1") },
                         .more = { .tool = more_tools, .tools = ARRAY_LEN(more_tools) } };
    stage_init(&b->s);
    b->s.world.limits.task_look_ms = 10;
    b->s.world.limits.task_gather_ms = 0;
    offer_join(&b->s.offer, &b->more);
    stage_up(&b->s);
    b->engine = new_engine(b);
}

static void on_booth_closed(void *ctx)
{
    ((struct booth *)ctx)->closed = true;
}

static void close_engine(struct booth *b, struct task_engine **g)
{
    if (!*g)
        return;
    b->closed = false;
    task_engine_close(*g, on_booth_closed, b);
    OK(until(b->s.world.loop, until_true, &b->closed));
    *g = NULL;
}

static void booth_fini(struct booth *b)
{
    task_ask_fini(&b->ask);
    close_engine(b, &b->second);
    close_engine(b, &b->engine);
    offer_leave(&b->s.offer, &b->more);
    stage_fini(&b->s);
}

#define AUTO_BOOTH __attribute__((cleanup(booth_fini))) struct booth

static bool finish(struct booth *b)
{
    OK(until(b->s.world.loop, until_true, &b->done));
    return b->err.code == ERR_NONE;
}

static void fresh(struct booth *b)
{
    task_ask_fini(&b->ask);
    b->ask = (struct task_ask){ .id = str_of(b->id) };
    b->done = false;
}

static void write_words(struct jw *w, const struct call *call, const struct err *e)
{
    jw_object(w);
    jw_kstr(w, "what", str_of(call->what));
    jw_kstr(w, "error", e ? str_of(e->text) : STR_NONE);
    jw_object_end(w);
}

static void begin(struct booth *b, const char *tool, const char *args, unsigned can)
{
    struct json_opts opts = limits_json(&b->s.world.limits);
    struct task_call_spec spec = {
        .offer = &b->s.offer,
        .tool = str_of(tool),
        .caller = &b->caller,
        .can = can,
        .write = write_words,
    };
    AUTO_ARENA mem = { 0 };
    struct err e;

    OK(!args || json_read(&mem, str_of(args), &opts, &spec.args, &e));
    fresh(b);
    task_create_call(b->engine, &b->ask, &spec, NULL, on_done, b);
}

static bool created(struct booth *b)
{
    if (!finish(b))
        return false;
    OK(str_to_c(b->ask.info.id, b->id, sizeof(b->id)));
    return true;
}

static bool create(struct booth *b, const char *tool, const char *args, unsigned can)
{
    begin(b, tool, args, can);
    return created(b);
}

typedef void request_fn(struct task_engine *g, struct task_ask *a, struct op *parent,
                        op_done_fn *done, void *ctx);

static bool request(struct booth *b, request_fn *fn)
{
    fresh(b);
    fn(b->engine, &b->ask, NULL, on_done, b);
    return finish(b);
}

static bool answer(struct booth *b, const char *key, const char *text)
{
    struct json_opts opts = limits_json(&b->s.world.limits);
    AUTO_ARENA mem = { 0 };
    struct json v;
    struct err e;

    OK(json_read(&mem, str_of(text), &opts, &v, &e));
    fresh(b);
    b->ask.by = principal_of_user(ORIGIN_TERMINAL, 1);
    task_answer(b->engine, &b->ask, str_of(key), v, NULL, on_done, b);
    return finish(b);
}

static void wait_state(struct booth *b, enum task_state state)
{
    do
        OK(request(b, task_get));
    while (b->ask.info.state != state && !task_state_final(b->ask.info.state));
    EQ(b->ask.info.state, state);
}

static bool is_stuck(void *ctx)
{
    return ((struct booth *)ctx)->s.stuck != NULL;
}

static void let_go(struct booth *b)
{
    call_text(b->s.stuck, STR("waited"));
    call_done(b->s.stuck);
    b->s.stuck = NULL;
}

static bool note(struct task_watch *w, int64_t seq, int64_t at, struct str kind, struct str body)
{
    struct booth *b = CONTAINER_OF(w, struct booth, watch);
    size_t n = strlen(b->told);

    (void)at;
    snprintf(b->told + n, sizeof(b->told) - n, "%lld " STR_FMT " " STR_FMT "\n", (long long)seq,
             STR_ARG(kind), STR_ARG(body));
    return true;
}

static void on_watched(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    OK(!e);
    ((struct booth *)ctx)->watched = true;
}

/* All its events, once it is over. */
static const char *events(struct booth *b)
{
    b->told[0] = '\0';
    b->watched = false;
    b->watch = (struct task_watch){ .id = str_of(b->id), .event = note };
    task_watch(b->engine, &b->watch, NULL, on_watched, b);
    OK(until(b->s.world.loop, until_true, &b->watched));
    return b->told;
}

/* ---- lives ------------------------------------------------------------------------------------ */

TEST(a_call_is_stored_before_anyone_is_told_and_completes)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(create(&b, "say", "{\"text\":\"hello\"}", 0));
    EQ(b.ask.info.state, TASK_SUBMITTED);
    EQ_S(b.ask.info.agent, "say");
    EQ_S(b.ask.info.owner, "user:1");
    EQ_S(b.ask.info.asked, "say {\"text\":\"hello\"}");
    EQ_S(b.ask.info.mode, "read-write");
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_COMPLETED);
    EQ(b.ask.info.session.n, 0);
    HAS_S(b.ask.info.result, "{\"summary\":\"hello\",\"response\":\"hello\",\"artifacts\":[],");
    HAS_S(b.ask.info.result, "\"stop\":\"end\"");
    HAS_S(b.ask.info.result, "\"call\":{\"what\":\"say\"}}");
    HAS_S(str_of(events(&b)),
          "1 status {\"state\":\"submitted\"}\n2 status {\"state\":\"working\"}\n"
          "3 tool {\"type\":\"tool\",\"id\":\"");
    HAS_S(str_of(b.told), "\"name\":\"say\",\"title\":\"Say\",\"kind\":\"read\","
                          "\"status\":\"pending\",\"args\":{\"text\":\"hello\"}}");
    HAS_S(str_of(b.told), "\"status\":\"running\"}");
    HAS_S(str_of(b.told), "\"status\":\"done\",\"text\":\"hello\"}");
    HAS_S(str_of(b.told), "status {\"state\":\"completed\"}\n");
}

TEST(what_a_tool_reports_is_an_event_and_its_own_failure_is_an_end)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(create(&b, "work", NULL, 0));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_COMPLETED);
    HAS_S(b.ask.info.result, "\"response\":\"it does not fit\"");
    HAS_S(str_of(events(&b)), "\"text\":\"half of it\"");
    HAS_S(str_of(b.told), "\"done\":1,\"total\":2");
    HAS_S(str_of(b.told),
          "notice {\"type\":\"notice\",\"kind\":\"warning\",\"text\":\"it smells\"}");
    OK(!strstr(b.told, "nobody hears this"));
    HAS_S(str_of(b.told), "\"status\":\"failed\",\"text\":\"it does not fit\"}");
}

TEST(a_call_that_breaks_fails_its_task)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(create(&b, "break", NULL, 0));
    EQ_S(b.ask.info.mode, "read-only");
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    EQ_S(b.ask.info.text, "the machine broke");
    HAS_S(b.ask.info.result, "\"call\":{\"what\":\"break\",\"error\":\"the machine broke\"}");
    OK(create(&b, "forward", NULL, 0));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    EQ_S(b.ask.info.text, "no");
}

TEST(an_end_that_is_too_large_for_the_store_is_stored_with_less)
{
    AUTO_BOOTH b;

    log_setup(LOG_ERROR, false);
    booth_init(&b);
    b.s.world.limits.store_value_bytes = 1024;
    OK(create(&b, "rant", NULL, 0));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    EQ(b.ask.info.text.n, 200);
    EQ_S(b.ask.info.result, "{}");
    log_setup(LOG_WARN, false);
}

TEST(there_must_be_such_a_tool_when_it_is_created_and_when_it_runs)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(!create(&b, "nothing", NULL, 0));
    EQ(b.err.code, ERR_NOT_FOUND);
    OK(!b.engine->runs);
    begin(&b, "say", "{\"text\":\"x\"}", 0);
    b.s.source.tools = 0;
    OK(created(&b));
    OK(request(&b, task_wait));
    b.s.source.tools = ARRAY_LEN(stage_tools);
    EQ(b.ask.info.state, TASK_FAILED);
    HAS_S(b.ask.info.text, "the tool say is no longer available");
}

TEST(what_it_is_to_do_is_shown_cut)
{
    AUTO_BOOTH b;
    char args[9000] = "{\"text\":\"";

    booth_init(&b);
    memset(args + strlen(args), 'a', 8000);
    memcpy(args + strlen(args), "\"}", 3);
    OK(create(&b, "say", args, 0));
    OK(b.ask.info.asked.n < 1100);
    OK(str_ends(b.ask.info.asked, STR("aaa...")));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_COMPLETED);
}

/* ---- asking ----------------------------------------------------------------------------------- */

TEST(what_a_tool_asks_is_answered_by_key)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(create(&b, "ask", NULL, 1u << ASK_FORM));
    wait_state(&b, TASK_INPUT_REQUIRED);
    EQ_S(b.ask.info.text, "Which?");
    HAS_S(b.ask.info.asks, "{\"ask_1\":{\"kind\":\"form\",\"params\":{\"message\":\"Which?\"");
    OK(!answer(&b, "ask_2", "{\"action\":\"accept\"}"));
    EQ(b.err.code, ERR_NOT_FOUND);
    OK(!answer(&b, "ask_1", "{\"action\":\"perhaps\"}"));
    EQ(b.err.code, ERR_INVALID);
    OK(answer(&b, "ask_1", "{\"action\":\"accept\",\"content\":{\"a\":1}}"));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_COMPLETED);
    HAS_S(b.ask.info.result, "\\\"content\\\":{\\\"a\\\":1}");
    HAS_S(str_of(events(&b)), "answered {\"key\":\"ask_1\"");
}

TEST(a_question_that_is_too_large_to_be_stored_is_refused)
{
    AUTO_BOOTH b;

    log_setup(LOG_ERROR, false);
    booth_init(&b);
    b.s.world.limits.task_ask_bytes = 64;
    OK(create(&b, "ask", NULL, 1u << ASK_FORM));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    HAS_S(b.ask.info.text, "limits.task_ask_bytes");
    b.s.world.limits.task_ask_bytes = 1024;
    b.s.world.limits.task_asks_bytes = 64;
    OK(create(&b, "ask", NULL, 1u << ASK_FORM));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    HAS_S(b.ask.info.text, "the constant task_asks_bytes");
    HAS_S(str_of(events(&b)), "notice {\"type\":\"notice\",\"kind\":\"warning\"");
    log_setup(LOG_WARN, false);
}

TEST(an_answer_of_a_model_needs_no_action)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(create(&b, "mcp_far_sample", NULL, 1u << ASK_SAMPLE));
    wait_state(&b, TASK_INPUT_REQUIRED);
    HAS_S(b.ask.info.asks, "\"kind\":\"sample\"");
    OK(!answer(&b, "ask_1", "7"));
    EQ(b.err.code, ERR_INVALID);
    OK(!answer(&b, "ask_1", "{\"action\":\"accept\",\"content\":{}}"));
    EQ(b.err.code, ERR_INVALID);
    HAS_S(str_of(b.err.text), "only the client that made the call");
    OK(answer(&b, "ask_1", "{\"role\":\"assistant\"}"));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_COMPLETED);
}

TEST(who_cannot_be_asked_is_not)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(create(&b, "ask", NULL, 1u << ASK_URL));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    HAS_S(b.ask.info.text, "ask needs input from a person");
    b.s.guard.own.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    OK(create(&b, "count", NULL, 0));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    HAS_S(b.ask.info.text, "no one is available");
    EQ(b.s.runs, 0);
    OK(create(&b, "count", NULL, 1u << ASK_PERMISSION));
    wait_state(&b, TASK_INPUT_REQUIRED);
    OK(answer(&b, "ask_1", "{\"action\":\"accept\"}"));
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_COMPLETED);
    EQ(b.s.runs, 1);
}

TEST(a_call_is_never_above_its_caller_also_when_that_has_gone)
{
    AUTO_BOOTH b;

    booth_init(&b);
    {
        struct guard_scope own = { .name = "the endpoint", .parent = &b.s.guard.own };

        own.permission[TOOL_EXECUTE] = PERMISSION_DENY;
        b.caller.scope = &own;
        b.caller.principal = STR("ann");
        OK(create(&b, "count", NULL, 0));
        memset(&own, 0xff, sizeof(own));
    }
    EQ_S(b.ask.info.owner, "ann");
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    HAS_S(b.ask.info.text, "count was denied");
    EQ(b.s.runs, 0);
    fresh(&b);
    b.ask.owner = STR("bob");
    task_get(b.engine, &b.ask, NULL, on_done, &b);
    OK(!finish(&b));
    EQ(b.err.code, ERR_NOT_FOUND);
}

/* ---- ending early ----------------------------------------------------------------------------- */

TEST(cancelling_stops_the_call)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(create(&b, "wait", NULL, 0));
    OK(until(b.s.world.loop, is_stuck, &b));
    OK(request(&b, task_cancel));
    EQ(b.ask.info.state, TASK_CANCELED);
    HAS_S(b.ask.info.result, "\"stop\":\"canceled\"");
    OK(!strstr(b.ask.info.result.p, "\"call\""));
    HAS_S(str_of(events(&b)), "\"status\":\"canceled\"");
    OK(create(&b, "ask", NULL, 1u << ASK_FORM));
    wait_state(&b, TASK_INPUT_REQUIRED);
    OK(request(&b, task_cancel));
    EQ(b.ask.info.state, TASK_CANCELED);
}

TEST(a_program_that_stops_fails_its_calls)
{
    AUTO_BOOTH b;

    booth_init(&b);
    OK(create(&b, "wait", NULL, 0));
    OK(until(b.s.world.loop, is_stuck, &b));
    close_engine(&b, &b.engine);
    b.engine = new_engine(&b);
    OK(request(&b, task_get));
    EQ(b.ask.info.state, TASK_FAILED);
    HAS_S(b.ask.info.text, "trefoil was stopped during the call");
}

static void seem_dead(struct booth *b)
{
    sqlite3 *db;

    EQ(sqlite3_open(b->s.world.path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    EQ(sqlite3_exec(db, "UPDATE tasks SET process = ''", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static bool nobody_runs(void *ctx)
{
    return !((struct booth *)ctx)->engine->runs;
}

TEST(a_call_whose_process_died_has_failed_and_is_not_run_again)
{
    AUTO_BOOTH b;
    struct task_engine *first;

    booth_init(&b);
    b.s.world.limits.task_look_ms = 600000;
    first = b.engine;
    OK(create(&b, "wait", NULL, 0));
    OK(until(b.s.world.loop, is_stuck, &b));
    seem_dead(&b);
    b.s.world.limits.task_look_ms = 10;
    b.second = b.engine = new_engine(&b);
    task_engine_recover(b.second);
    OK(request(&b, task_wait));
    EQ(b.ask.info.state, TASK_FAILED);
    HAS_S(b.ask.info.text, "wait did not finish");
    HAS_S(b.ask.info.text, "the call is not run again");
    /* The first finds that it is not its own any more, and says nothing. */
    b.engine = first;
    let_go(&b);
    OK(until(b.s.world.loop, nobody_runs, &b));
    OK(request(&b, task_get));
    EQ(b.ask.info.state, TASK_FAILED);
}

TEST_MAIN()
