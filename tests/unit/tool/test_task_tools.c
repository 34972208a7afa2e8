/* The tools about tasks: what they refuse before any task is begun. */
#include "core/agent/agent_context.h"
#include "tool/task_tools.h"
#include "tool_bench.h"

/* ---- a staff whose engine nobody may reach --------------------------------------------------- */

static const struct agent_card cards[] = {
    { "coder", "Coder", STR("Writes code."), AGENT_READ_WRITE, "high" },
};

static const struct agent_card *get_cards(struct agent_registry_port *d, size_t *n)
{
    (void)d;
    *n = ARRAY_LEN(cards);
    return cards;
}

static const struct agent_registry_kind registry_kind = { .cards = get_cards };
static struct agent_registry_port registry = { &registry_kind };
static char never;
static const struct agent_context context = { .registry = &registry,
                                              .tasks = (struct task_engine *)&never };

static void open_with_context(struct bench *b)
{
    bench_open(b);
    b->host.context = &context;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static const struct {
    const struct tool *tool;
    const char *args, *says;
} refused[] = {
    { &tool_dispatch_agent, "{}", "agent" },
    { &tool_dispatch_agent, "{'agent':'coder'}", "task" },
    { &tool_dispatch_agent, "{'agent':'','task':'x'}", "missing required argument \"agent\"" },
    { &tool_dispatch_agent, "{'agent':'coder','task':' \\n '}", "task must not be empty" },
    { &tool_dispatch_agent, "{'agent':'coder','message':' '}", "task must not be empty" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','mode':'wild'}", "\"read-write\"" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','max_turns':0}", "max_turns" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','max_turns':-3}", "max_turns" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','max_turns':1.5}", "max_turns" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','budget':-0.01}", "budget: expected" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','budget':-1}", "budget: expected" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','budget':'1'}", "budget" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','effort':'giant'}", "effort: expected" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','output_format':'pdf'}",
      "output_format: expected" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','wait':-1}", "wait: expected" },
    { &tool_dispatch_agent, "{'agent':'coder','task':'x','wait':601}",
      "the constant task_wait_ms" },
    { &tool_dispatch_agent, "{'message':' '}", "task must not be empty" },
    { &tool_dispatch_agent, "{'message':'x','task':'x'}", "task" },
    { &tool_get_task_status, "{}", "task_id" },
    { &tool_get_task_status, "{'task_id':7}", "task_id" },
    { &tool_get_task_status, "{'task_id':'x','wait':601}", "the constant task_wait_ms" },
    { &tool_get_task_status, "{'id':'x'}", "id" },
    { &tool_cancel_task, "{}", "task_id" },
    { &tool_cancel_task, "{'task_id':'x','wait':1}", "wait" },
    { &tool_answer_task, "{'task_id':'x'}", "action" },
    { &tool_answer_task, "{'action':'accept'}", "task_id" },
    { &tool_answer_task, "{'task_id':'x','action':'accept','content':7}", "content" },
    { &tool_list_tasks, "{'most':0}", "most" },
    { &tool_list_tasks, "{'most':101}", "most" },
    { &tool_list_tasks, "{'cursor':'1'}", "next_cursor" },
    { &tool_list_tasks, "{'cursor':'1.x'}", "next_cursor" },
};

TEST(wrong_arguments_are_refused_with_the_accepted_ones)
{
    struct bench b;

    open_with_context(&b);
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        HAS_S(call(&b, refused[i].tool, "%s", refused[i].args), refused[i].says);
        WAS_REFUSED(&b);
    }
    bench_close(&b);
}

/* ---- what is told ---------------------------------------------------------------------------- */

TEST(states_that_clients_do_not_know_are_told_by_those_they_know)
{
    static const char *const told[TASK_STATES] = { "working",        "working",   "input_required",
                                                   "input_required", "completed", "failed",
                                                   "cancelled",      "failed" };

    for (int i = 0; i < TASK_STATES; i++)
        EQ_S(task_status(i), told[i]);
    EQ_S(task_status(TASK_REJECTED), "failed");
    EQ_S(task_status(TASK_AUTH_REQUIRED), "input_required");
}

TEST(without_a_store_there_are_no_tasks)
{
    static const struct agent_context plain = { .registry = &registry };
    struct bench b;

    bench_open(&b);
    b.host.context = &plain;
    HAS_S(call(&b, &tool_dispatch_agent, "{'agent':'coder','task':'x'}"),
          "this process cannot store tasks");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_get_task_status, "{'task_id':'x'}"), "this process cannot store tasks");
    HAS_S(call(&b, &tool_cancel_task, "{'task_id':'x'}"), "this process cannot store tasks");
    HAS_S(call(&b, &tool_answer_task, "{'task_id':'x','action':'accept'}"),
          "this process cannot store tasks");
    HAS_S(call(&b, &tool_list_tasks, "{}"), "this process cannot store tasks");
    EQ_S(call(&b, &tool_get_locks, "{}"), "{\"locks\":[],\"count\":0}");
    WENT_WELL(&b);
    bench_close(&b);
}

TEST(agents_deeper_than_five_dispatch_nobody)
{
    struct bench b;

    open_with_context(&b);
    b.caller.trace.depth = TRACE_DEPTH;
    HAS_S(call(&b, &tool_dispatch_agent, "{'message':'x'}"), "longer than 5");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST(an_agent_in_a_chain_answers_nothing)
{
    struct bench b;

    open_with_context(&b);
    b.caller.trace.depth = 1;
    HAS_S(call(&b, &tool_answer_task, "{'task_id':'x','action':'accept'}"),
          "only a user can answer");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST(agents_have_no_tool_to_answer_with)
{
    for (size_t i = 0; i < builtin_tool_count; i++)
        OK(!strstr(builtin_tools[i]->name, "answer"));
}

/* ---- words for states ------------------------------------------------------------------------- */

TEST(states_that_only_some_know_fall_back_to_those_that_all_know)
{
    static const char *const words[TASK_STATES] = {
        [TASK_SUBMITTED] = "working",
        [TASK_WORKING] = "working",
        [TASK_INPUT_REQUIRED] = "input_required",
        [TASK_AUTH_REQUIRED] = "input_required",
        [TASK_COMPLETED] = "completed",
        [TASK_FAILED] = "failed",
        [TASK_CANCELED] = "cancelled",
        [TASK_REJECTED] = "failed",
    };

    for (int i = 0; i < TASK_STATES; i++)
        EQ_S(task_status((enum task_state)i), words[i]);
}

/* ---- files that say what to do --------------------------------------------------------------- */

TEST(a_file_is_read_below_the_root_alone)
{
    struct bench b;

    open_with_context(&b);
    put(&b, "empty.md", " \n");
    put_bytes(&b, "odd.md", STR("\xff\xfe"));
    HAS_S(call(&b, &tool_dispatch_agent, "{'agent':'coder','task':'missing.md'}"), "missing.md");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_dispatch_agent, "{'agent':'coder','task':'../outside/x.md'}"), "task: ");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_dispatch_agent, "{'agent':'coder','task':'/etc/x.md'}"), "task: ");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_dispatch_agent, "{'agent':'coder','task':'empty.md'}"), "empty");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_dispatch_agent, "{'agent':'coder','task':'odd.md'}"), "UTF-8");
    WAS_REFUSED(&b);
    OK(symlink(b.outside, at(&b, "way")) == 0);
    HAS_S(call(&b, &tool_dispatch_agent, "{'agent':'coder','task':'way/x.md'}"), "way/x.md");
    WAS_REFUSED(&b);
    bench_close(&b);
}

/* ---- what is published ----------------------------------------------------------------------- */

TEST(agents_are_listed_with_a_hint_where_to_read_on)
{
    struct bench b;
    struct str all;

    open_with_context(&b);
    all = call(&b, &tool_list_agents, "{}");
    WENT_WELL(&b);
    HAS_S(all, "\"name\":\"coder\"");
    HAS_S(all, "\"tier\":\"high\"");
    HAS_S(all, "read the resource agents://{name}");
    bench_close(&b);
}

TEST_MAIN()
