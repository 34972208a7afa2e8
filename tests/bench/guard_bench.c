/*
 * guard_bench.c - what one decision of the guard costs, in CPU time: a remote agent under two
 * parents, lists of twenty entries each, a full history, 200 bytes of arguments. The goal is 5 us.
 */
#include "core/guard/guard.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS = 1000000, ENTRIES = 20 };

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(void)
{
    static const char text[] =
        "{\"path\":\"src/some/where/in/the/tree/file.c\",\"note\":\""
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}";
    static struct guard_history history;
    static struct str names[ENTRIES];
    const struct pick_strs list = { names, ENTRIES, true };
    struct json_opts opts = { .max_depth = 4, .max_values = 10 };
    struct limits limits;
    struct guard guard;
    struct guard_scope middle = { .disallowed = list }, agent = { .parent = &middle };
    struct host host = { .loop = loop_new(LOOP_FAKE_CLOCK), .limits = &limits };
    struct caller caller = { .kind = &caller_nobody,
                             .name = "agent",
                             .origin = ORIGIN_KEY,
                             .principal = STR("key:default"),
                             .remote = true,
                             .scope = &agent,
                             .history = &history };
    const struct tool tool = { .name = "file_read", .kind = TOOL_READ, .read_only = true };
    struct arena mem = { 0 };
    struct guard_verdict v;
    struct json args;
    struct err e;
    int64_t begun;

    limits_preset(&limits);
    guard_init(&guard, &limits);
    middle.parent = &guard.own;
    for (size_t i = 0; i < ENTRIES; i++)
        names[i] = STR("mcp_server_tool");
    for (uint64_t i = 1; i <= GUARD_HISTORY; i++)
        guard_history_add(&history, i);
    if (!json_read(&mem, str_of(text), &opts, &args, &e))
        return 1;
    begun = cpu_ns();
    for (int i = 0; i < ROUNDS; i++)
        guard_look(&guard, &host, &caller, &tool, args, &v);
    printf("guard: %.0f ns a decision (%s)\n", (double)(cpu_ns() - begun) / ROUNDS,
           guard_says_names[v.says]);
    arena_fini(&mem);
    guard_fini(&guard);
    loop_free(host.loop);
    return 0;
}
