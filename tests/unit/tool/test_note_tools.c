/* memory, plan_update and skill. */
#include "core/agent/skill.h"
#include "tool_bench.h"

#include <sys/file.h>
#include <sys/resource.h>

TEST(notes_are_kept)
{
    struct bench b;

    bench_open(&b);
    EQ_S(call(&b, &tool_memory, "{'action':'list'}"), "There are no notes.");
    EQ_S(call(&b, &tool_memory, "{'action':'set','key':'build','value':'use ninja'}"),
         "Noted build");
    EQ_S(call(&b, &tool_memory, "{'action':'set','key':'t\\u0022','value':'a\\nb'}"), "Noted t\"");
    EQ_S(call(&b, &tool_memory, "{'action':'set','key':'build','value':'Use Make'}"),
         "Replaced build");
    EQ_S(call(&b, &tool_memory, "{'action':'get','key':'build'}"), "Use Make");
    EQ_S(call(&b, &tool_memory, "{'action':'list'}"), "t\"\nbuild");
    EQ_S(call(&b, &tool_memory, "{'action':'search','query':'MAKE'}"), "build: Use Make");
    EQ_S(call(&b, &tool_memory, "{'action':'search','query':'ninja'}"), "No note matches.");
    EQ_S(call(&b, &tool_memory, "{'action':'delete','key':'build'}"), "Deleted build");
    HAS_S(call(&b, &tool_memory, "{'action':'get','key':'build'}"), "there is no note");
    WAS_REFUSED(&b);
    EQ_STR(holds(&b, "state/memory.json"), "{\"t\\\"\":\"a\\nb\"}");
    bench_close(&b);
}

TEST(what_memory_needs_is_said)
{
    struct bench b;

    bench_open(&b);
    HAS_S(call(&b, &tool_memory, "{'action':'forget'}"), "expected get, set");
    HAS_S(call(&b, &tool_memory, "{'action':'get'}"), "needs a key");
    HAS_S(call(&b, &tool_memory, "{'action':'set','key':'a'}"), "needs a value");
    HAS_S(call(&b, &tool_memory, "{'action':'search'}"), "needs a query");
    b.limits.memory_notes = 1;
    call(&b, &tool_memory, "{'action':'set','key':'a','value':'1'}");
    WENT_WELL(&b);
    HAS_S(call(&b, &tool_memory, "{'action':'set','key':'b','value':'1'}"),
          "the constant memory_notes");
    b.limits.memory_bytes = 256;
    HAS_S(call(&b, &tool_memory, "{'action':'set','key':'a','value':'%0300d'}", 1),
          "the constant memory_bytes");
    EQ_S(call(&b, &tool_memory, "{'action':'get','key':'a'}"), "1");
    bench_close(&b);
}

TEST(a_full_disk_loses_no_note)
{
    struct rlimit was, tight;
    struct bench b;

    bench_open(&b);
    call(&b, &tool_memory, "{'action':'set','key':'a','value':'old'}");
    OK(getrlimit(RLIMIT_FSIZE, &was) == 0);
    tight = (struct rlimit){ 100, was.rlim_max };
    OK(setrlimit(RLIMIT_FSIZE, &tight) == 0);
    HAS_S(call(&b, &tool_memory, "{'action':'set','key':'b','value':'%0200d'}", 1),
          "File too large");
    WAS_REFUSED(&b);
    OK(setrlimit(RLIMIT_FSIZE, &was) == 0);
    EQ_STR(holds(&b, "state/memory.json"), "{\"a\":\"old\"}");
    bench_close(&b);
}

TEST(a_file_of_notes_that_is_broken_is_left_alone)
{
    static const char *const broken[] = { "{\"a\":", "[]", "{\"a\":1}",
                                          "{\"a\":\"1\",\"a\":\"2\"}" };
    struct bench b;

    bench_open(&b);
    folder(&b, "state");
    for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
        put(&b, "state/memory.json", broken[i]);
        call(&b, &tool_memory, "{'action':'set','key':'a','value':'1'}");
        WAS_REFUSED(&b);
        EQ_STR(holds(&b, "state/memory.json"), broken[i]);
    }
    bench_close(&b);
}

TEST(notes_wait_for_another_program_but_not_for_ever)
{
    struct bench b;
    int fd;

    bench_open(&b);
    folder(&b, "state");
    put(&b, "state/memory.lock", "");
    fd = open(at(&b, "state/memory.lock"), O_RDWR);
    OK(flock(fd, LOCK_EX) == 0);
    b.limits.memory_lock_ms = 10;
    HAS_S(call(&b, &tool_memory, "{'action':'list'}"), "the constant memory_lock_ms");
    close(fd);
    EQ_S(call(&b, &tool_memory, "{'action':'list'}"), "There are no notes.");
    bench_close(&b);
}

TEST(a_plan_comes_back_in_full)
{
    struct bench b;

    bench_open(&b);
    call(&b, &tool_plan_update,
         "{'entries':[{'content':'look'},{'content':'mend','status':'completed','priority':"
         "'high'}]}");
    WENT_WELL(&b);
    EQ_S(buf_str(&b.call.structured),
         "{\"entries\":[{\"content\":\"look\",\"priority\":\"medium\",\"status\":\"pending\"},"
         "{\"content\":\"mend\",\"priority\":\"high\",\"status\":\"completed\"}]}");
    HAS_S(call(&b, &tool_plan_update, "{'entries':[{'content':'a','status':'done'}]}"),
          "expected pending");
    HAS_S(call(&b, &tool_plan_update, "{'entries':[1]}"), "expected an object");
    HAS_S(call(&b, &tool_plan_update, "{'entries':[{'content':''}]}"), "must not be empty");
    EQ(b.call.structured.n, 0);
    b.limits.plan_entries = 1;
    HAS_S(call(&b, &tool_plan_update, "{'entries':[{'content':'a'},{'content':'b'}]}"),
          "the constant plan_entries");
    bench_close(&b);
}

TEST(a_skill_is_loaded_by_its_name)
{
    struct skill v[] = { { "build", STR("How to build"), STR("Run ninja."), "a/build/SKILL.md" },
                         { "pdf", STR("PDF"), STR("Use it."), ".claude/skills/pdf/SKILL.md" } };
    const struct skill_list list = { v, ARRAY_LEN(v) };
    struct bench b;

    bench_open(&b);
    HAS_S(call(&b, &tool_skill, "{'name':'pdf'}"), "unknown skill pdf; available skills: none");
    WAS_REFUSED(&b);
    b.host.skills = &list;
    begin(&b, &tool_skill, STR("{\"name\":\"pdf\"}"));
    finish(&b);
    WENT_WELL(&b);
    EQ_S(buf_str(&b.call.content),
         "{\"type\":\"text\",\"text\":\"Use it.\"},{\"type\":\"text\",\"text\":\"Files named by "
         "this skill are in .claude/skills/pdf/\"}");
    EQ_S(call(&b, &tool_skill, "{'name':'../pdf'}"),
         "unknown skill ../pdf; available skills: build, pdf");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_skill, "{}"), "name");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST_MAIN()
