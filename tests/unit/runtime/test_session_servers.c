/* test_session_servers.c - the MCP servers of one session, beside a configured server. */
#include "runtime/session_servers.h"

#include "place.h"
#include "runtime/service.h"
#include "state/state_dir.h"
#include "unit/loop/until.h"

#include <stdio.h>

struct servers_bench {
    struct place f;
    struct loop *loop;
    struct config c;
    struct root root;
    struct service service;
    struct runtime w;
    struct acp_root acp;
    struct acp_servers *servers;
    char said[2000]; /* the sentences that were reported */
    bool closed, left, gone;
};

/* The root contains the home folder, so no sandbox starts here. */
static const char settings[] = "[sandbox]\ndefault = 'off'\n"
                               "[[mcp.servers]]\nname = 'ok'\n"
                               "command = ['python3', '" BAD_SERVER "', 'ok']\n"
                               "sandbox = 'off'\n";

#define ENTRY(name, mode)                                                                          \
    "{\"name\":\"" name "\",\"command\":\"python3\",\"args\":[\"" BAD_SERVER "\",\"" mode "\"],"   \
    "\"env\":[],\"sandbox\":\"off\"}"

static void on_flag(void *ctx)
{
    *(bool *)ctx = true;
}

static void on_report(void *ctx, struct str sentence)
{
    struct servers_bench *b = ctx;
    size_t n = strlen(b->said);

    snprintf(b->said + n, sizeof(b->said) - n, STR_FMT "\n", STR_ARG(sentence));
}

static struct json parse(struct servers_bench *b, const char *text)
{
    struct json_opts opts = limits_json(&b->c.limits);
    struct json v = { 0 };
    struct err e;

    OK(json_read(&b->f.mem, str_of(text), &opts, &v, &e));
    return v;
}

static void servers_bench_open(struct servers_bench *b)
{
    struct err e = { 0 };

    *b = (struct servers_bench){ .f = place_new() };
    setenv("TREFOIL_PROVIDER", "offline", 1);
    b->loop = loop_new(LOOP_REAL_CLOCK);
    b->root = (struct root){ .path = b->f.path };
    place_write(&b->f, "home/own.toml", settings);
    if (!config_load(&b->f.mem, &b->root, place_file(&b->f, "home/own.toml"), false, &b->c, &e) ||
        !service_open(&b->service, b->loop, &b->c.limits, b->f.path, &e))
        TAP_NOT("%s", e.text);
    b->service.upstreams.procs.keeper = TEST_KEEPER;
    if (!runtime_open(&b->w, &b->service, &b->f.mem, &b->c, false, &e))
        TAP_NOT("%s", e.text);
    service_use(&b->service, &b->c);
    runtime_use(&b->w, &b->c);
}

static bool open_servers(struct servers_bench *b, const char *array, struct err *e)
{
    b->servers = session_servers_open(&b->w,
                                      &(struct acp_servers_opts){ .root = &b->acp,
                                                                  .cwd = b->f.path,
                                                                  .array = parse(b, array),
                                                                  .report = on_report,
                                                                  .ctx = b },
                                      e);
    return b->servers != NULL;
}

static void on_left(void *ctx, bool in_time)
{
    OK(in_time);
    ((struct servers_bench *)ctx)->left = true;
}

static void servers_bench_close(struct servers_bench *b)
{
    if (b->servers) {
        session_servers_close(b->servers, on_flag, &b->gone);
        OK(until(b->loop, until_true, &b->gone));
    }
    runtime_close(&b->w, on_flag, &b->closed);
    OK(until(b->loop, until_true, &b->closed));
    service_leave_servers(&b->service, on_left, b);
    OK(until(b->loop, until_true, &b->left));
    service_close(&b->service);
    loop_free(b->loop);
    place_fini(&b->f);
}

static const struct tool *find_tool(const struct servers_bench *b, const char *name)
{
    return offer_tool(b->servers->offer, str_of(name));
}

static bool are_tried(void *ctx)
{
    return !((struct servers_bench *)ctx)->servers->readiness.open;
}

static bool is_configured_ready(void *ctx)
{
    return offer_tool(&((struct servers_bench *)ctx)->w.offer, STR("mcp_ok_echo")) != NULL;
}

TEST(the_tools_of_a_session_are_those_of_its_servers_and_of_its_root)
{
    struct servers_bench b;
    struct err e = { 0 };

    servers_bench_open(&b);
    OK(until(b.loop, is_configured_ready, &b));
    OK(open_servers(&b, "[" ENTRY("mine", "ok") "]", &e));
    OK(until(b.loop, are_tried, &b));
    OK(find_tool(&b, "mcp_mine_echo") && find_tool(&b, "mcp_mine_echo")->always);
    OK(find_tool(&b, "mcp_ok_echo") && !find_tool(&b, "mcp_ok_echo")->always);
    OK(find_tool(&b, "file_read") != NULL);
    OK(!offer_tool(&b.w.offer, STR("mcp_mine_echo"))); /* other sessions do not see it */
    EQ_STR(b.said, "");
    servers_bench_close(&b);
}

TEST(a_server_of_the_session_replaces_the_configured_one_until_it_is_removed)
{
    struct servers_bench b;
    struct err e = { 0 };
    uint64_t configured;

    servers_bench_open(&b);
    OK(until(b.loop, is_configured_ready, &b));
    configured = offer_tool(&b.w.offer, STR("mcp_ok_echo"))->server;
    OK(open_servers(&b, "[" ENTRY("ok", "ok") "]", &e));
    OK(until(b.loop, are_tried, &b));
    OK(find_tool(&b, "mcp_ok_echo")->server != configured);
    OK(strstr(b.said, "replaces the configured server") != NULL);
    OK(session_servers_remove(b.servers, STR("ok"), &e));
    OK(find_tool(&b, "mcp_ok_echo")->server == configured);
    OK(!session_servers_remove(b.servers, STR("ok"), &e));
    EQ(e.code, ERR_NOT_FOUND);
    servers_bench_close(&b);
}

TEST(servers_are_added_later_and_each_failure_is_reported_once)
{
    static const char missing[] = "{\"name\":\"gone\",\"command\":\"/"
                                  "nonexistent\",\"args\":[],\"env\":[],\"sandbox\":\"off\"}";
    struct servers_bench b;
    struct err e = { 0 };

    servers_bench_open(&b);
    OK(open_servers(&b, "[]", &e));
    OK(!b.servers->readiness.open);
    OK(session_servers_add(b.servers, parse(&b, missing), &e));
    OK(b.servers->readiness.open);
    OK(until(b.loop, are_tried, &b));
    OK(strstr(b.said, "MCP server gone: could not be connected") != NULL);
    b.said[0] = 0;
    OK(session_servers_add(b.servers, parse(&b, ENTRY("late", "ok")), &e));
    OK(until(b.loop, are_tried, &b));
    OK(find_tool(&b, "mcp_late_echo") != NULL);
    EQ_STR(b.said, "");
    OK(!session_servers_add(b.servers, parse(&b, "{\"name\":\"x\"}"), &e));
    EQ(e.code, ERR_INVALID);
    servers_bench_close(&b);
}

TEST(a_malformed_entry_opens_nothing)
{
    struct servers_bench b;
    struct err e = { 0 };

    servers_bench_open(&b);
    OK(!open_servers(&b, "[" ENTRY("a", "ok") "," ENTRY("a", "ok") "]", &e));
    EQ(e.code, ERR_INVALID);
    servers_bench_close(&b);
}

TEST_MAIN()
