/*
 * guard_bench.c - what one decision of the guard costs, in CPU time: a remote agent under two
 * parents, lists of twenty entries each, a full history, 200 bytes of arguments. The goal is 3 us.
 * The second line is the same for a tool of an MCP server and an agent that has read untrusted data:
 * then the guard also searches the arguments for secrets, of which trefoil has twenty.
 */
#include "core/guard/guard.h"
#include "core/guard/own_secrets.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS = 1000000, ENTRIES = 20 };

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct bench {
    struct guard guard;
    struct host host;
    struct caller caller;
    struct json args;
};

static void measure(struct bench *b, const struct tool *tool, const char *what)
{
    struct guard_verdict v;
    int64_t begun = cpu_ns();

    for (int i = 0; i < ROUNDS; i++)
        guard_look(&b->guard, &b->host, &b->caller, tool, b->args, &v);
    printf("%s: %.0f ns a decision (%s)\n", what, (double)(cpu_ns() - begun) / ROUNDS,
           guard_says_names[v.says]);
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
    struct guard_scope middle = { .disallowed = list }, agent = { .parent = &middle };
    static struct bench b;
    struct own_secrets secrets = { 0 };
    const struct tool theirs = { .name = "gh_get", .alias = "gh:get", .kind = TOOL_EXECUTE };
    struct caller caller = { .kind = &caller_nobody,
                             .name = "agent",
                             .origin = ORIGIN_KEY,
                             .principal = STR("key:default"),
                             .remote = true,
                             .scope = &agent,
                             .history = &history };
    const struct tool tool = { .name = "file_read", .kind = TOOL_READ, .read_only = true };
    struct arena mem = { 0 };
    struct err e;

    limits_preset(&limits);
    b.host = (struct host){ .loop = loop_new(LOOP_FAKE_CLOCK), .limits = &limits };
    b.caller = caller;
    guard_init(&b.guard, &limits);
    middle.parent = &b.guard.own;
    for (size_t i = 0; i < ENTRIES; i++) {
        names[i] = STR("mcp_server_tool");
        own_secrets_add(&secrets, &mem, STR("KEY"), arena_printf(&mem, "%zu-sk-Ab1Cd2Ef3", i));
    }
    b.guard.own_secrets = &secrets;
    for (uint64_t i = 1; i <= GUARD_HISTORY; i++)
        guard_history_add(&history, i);
    if (!json_read(&mem, str_of(text), &opts, &b.args, &e))
        return 1;
    measure(&b, &tool, "guard");
    b.caller.taint = STR("gh:list,db:query!override,https://x.example");
    measure(&b, &theirs, "guard, tainted");
    arena_fini(&mem);
    guard_fini(&b.guard);
    loop_free(b.host.loop);
    return 0;
}
