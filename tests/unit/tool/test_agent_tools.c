/* agent_list, ask_user, artifact_write, and the tools that are still to come. */
#include "base/container.h"
#include "core/agent/agent_call.h"
#include "tool_bench.h"

/* ---- agents -------------------------------------------------------------------------------- */

static const struct agent_card cards[] = {
    { "coder", "Coder", STR("Writes code."), AGENT_READ_WRITE, "high" },
    { "reviewer", "Reviewer", STR("Reads \"code\"."), AGENT_READ_ONLY, NULL },
};

static const struct agent_card *get_cards(struct agent_registry_port *d, size_t *n)
{
    (void)d;
    *n = ARRAY_LEN(cards);
    return cards;
}

static struct agent *take(struct agent_registry_port *d, const struct agent_want *want,
                          struct err *e)
{
    (void)d;
    fail(e, ERR_NOT_FOUND, "there is no agent " STR_FMT, STR_ARG(want->name));
    return NULL;
}

static const struct agent_registry_kind registry_kind = { .take = take, .cards = get_cards };
static struct agent_registry_port registry = { &registry_kind };

TEST(agents_are_listed_with_the_default_one)
{
    static const struct agent_context context = { .registry = &registry };
    struct bench b;
    struct str all;

    bench_open(&b);
    HAS_S(call(&b, &tool_list_agents, "{}"), "no agents are available");
    WAS_REFUSED(&b);
    b.host.context = &context;
    all = call(&b, &tool_list_agents, "{}");
    WENT_WELL(&b);
    HAS_S(all, "{\"agents\":[{\"name\":\"default\"");
    HAS_S(all, "{\"name\":\"coder\",\"title\":\"Coder\",\"description\":\"Writes code.\","
               "\"mode\":\"read-write\",\"tier\":\"high\"}");
    HAS_S(all,
          "\"description\":\"Reads "
          "\\\"code\\\".\",\"mode\":\"read-only\",\"mode_reason\":\"the definition of the agent ");
    EQ_S(buf_str(&b.call.structured), arena_cstr(&b.mem, all));
    bench_close(&b);
}

TEST(an_agent_that_is_not_there_is_named)
{
    static const struct agent_context context = { .registry = &registry };
    struct bench b;

    bench_open(&b);
    HAS_S(call(&b, &tool_agent_send, "{'message':'hi'}"), "no agents are available");
    b.host.context = &context;
    HAS_S(call(&b, &tool_agent_send, "{'agent':'x','message':'hi'}"), "there is no agent x");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_agent_send, "{'agent':'x','message':' '}"), "describe what");
    HAS_S(call(&b, &tool_agent_send, "{'agent':'x'}"), "message");
    HAS_S(call(&b, &tool_agent_send, "{'message':'hi','mode':'wild'}"), "read-only");
    bench_close(&b);
}

TEST(agents_deeper_than_five_are_not_called)
{
    static const struct agent_context context = { .registry = &registry };
    struct bench b;

    bench_open(&b);
    b.host.context = &context;
    b.caller.trace.depth = TRACE_DEPTH;
    HAS_S(call(&b, &tool_agent_send, "{'agent':'x','message':'hi'}"), "longer than 5");
    WAS_REFUSED(&b);
    b.caller.trace.depth = TRACE_DEPTH - 1;
    HAS_S(call(&b, &tool_agent_send, "{'agent':'x','message':'hi'}"), "there is no agent x");
    bench_close(&b);
}

TEST(a_call_that_comes_before_the_agents_waits_for_them)
{
    static struct readiness coming = { .open = true };
    static struct agent_context context = { .coming = &coming };
    struct bench b;

    bench_open(&b);
    b.host.context = &context;
    begin(&b, &tool_list_agents, STR("{}"));
    while (loop_run_once(b.loop))
        ;
    OK(!b.done);
    context.registry = &registry;
    readiness_end(&coming);
    finish(&b);
    WENT_WELL(&b);
    HAS_S(answer(&b), "coder");
    bench_close(&b);
}

/* ---- a person ------------------------------------------------------------------------------ */

struct person {
    struct caller caller;
    const char *answer; /* NULL: refuses */
    char asked[512];
};

static bool can(const struct caller *c, enum ask_kind kind)
{
    (void)c;
    return kind == ASK_FORM;
}

static void ask(struct caller *c, struct ask *a)
{
    struct person *p = CONTAINER_OF(c, struct person, caller);
    struct json_opts opts = limits_json(a->call->host->limits);
    struct json answer;
    struct err e;

    OK(str_to_c(a->params, p->asked, sizeof(p->asked)));
    if (!p->answer)
        ask_refuse(a, &(struct err){ ERR_TIMEOUT, "nobody was there" });
    else if (json_read(a->call->mem, str_of(p->answer), &opts, &answer, &e))
        ask_answer(a, answer);
}

static const struct caller_kind person_kind = { .can = can, .ask = ask };

static struct str ask_person(struct bench *b, struct person *p, const char *answers,
                             const char *args)
{
    static char json[512];

    p->caller = (struct caller){ .kind = &person_kind, .name = "test" };
    p->answer = answers;
    snprintf(json, sizeof(json), "%s", args);
    for (char *c = json; *c; c++)
        if (*c == '\'')
            *c = '"';
    arena_fini(&b->mem);
    b->done = false;
    {
        struct json_opts opts = limits_json(&b->limits);
        struct json parsed = { 0 };
        struct err e;

        OK(json_read(&b->mem, str_of(json), &opts, &parsed, &e));
        tool_run(&tool_ask_user, &b->call, &b->host, &p->caller, &b->mem, parsed, NULL, bench_done,
                 b);
    }
    finish(b);
    return answer(b);
}

TEST(a_person_is_asked_and_the_answer_comes_back)
{
    struct bench b;
    struct person p = { 0 };

    bench_open(&b);
    EQ_S(ask_person(&b, &p, "{\"action\":\"accept\",\"content\":{\"answer\":\"blue\"}}",
                    "{'question':'Which?','options':['red','blue']}"),
         "blue");
    WENT_WELL(&b);
    EQ_STR(p.asked,
           "{\"message\":\"Which?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
           "\"answer\":{\"type\":\"string\",\"title\":\"Answer\",\"enum\":[\"red\",\"blue\"]}},"
           "\"required\":[\"answer\"]}}");
    bench_close(&b);
}

TEST(who_declines_or_is_not_there_is_told_of)
{
    struct bench b;
    struct person p = { 0 };

    bench_open(&b);
    HAS_S(call(&b, &tool_ask_user, "{'question':'Which?'}"), "no user is available");
    WAS_REFUSED(&b);
    HAS_S(ask_person(&b, &p, "{\"action\":\"decline\"}", "{'question':'Which?'}"), "declined");
    WAS_REFUSED(&b);
    HAS_S(ask_person(&b, &p, "{\"action\":\"cancel\"}", "{'question':'Which?'}"), "gave no answer");
    HAS_S(ask_person(&b, &p, NULL, "{'question':'Which?'}"), "nobody was there");
    HAS_S(call(&b, &tool_ask_user, "{'question':' '}"), "must not be empty");
    bench_close(&b);
}

/* ---- artifacts, and what is to come -------------------------------------------------------- */

TEST(an_artifact_comes_back_as_it_was_made)
{
    struct bench b;

    bench_open(&b);
    EQ_S(
        call(&b, &tool_artifact_write, "{'name':'report.md','text':'# Hi','type':'text/markdown'}"),
        "Made the artifact report.md (4 bytes).");
    WENT_WELL(&b);
    HAS_S(buf_str(&b.call.structured), "\"name\":\"report.md\",\"type\":\"text/markdown\","
                                       "\"text\":\"# Hi\"}");
    HAS_S(buf_str(&b.call.structured), "{\"id\":\"");
    call(&b, &tool_artifact_write, "{'name':'a','text':''}");
    HAS_S(buf_str(&b.call.structured), "\"type\":\"text/plain\",\"text\":\"\"");
    HAS_S(call(&b, &tool_artifact_write, "{'name':'','text':''}"), "name: expected 1 to 200");
    HAS_S(call(&b, &tool_artifact_write, "{'name':'a','text':'','type':'markdown'}"), "media type");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST_MAIN()
