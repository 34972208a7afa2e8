/* test_server_diff.c - what a reload would have to do. */
#include "base/auto.h"
#include "core/tool/server_diff.h"
#include "tap.h"

static const char *const argv_a[] = { "npx", "-y", "a", NULL };
static const char *const argv_b[] = { "npx", "-y", "b", NULL };

static struct server_spec spec(const char *name)
{
    return (
        struct server_spec){ .name = name, .argv = argv_a, .timeout_ms = 30000, .enabled = true };
}

TEST(each_name_is_same_added_removed_or_changed)
{
    AUTO_ARENA mem = { 0 };
    struct server_spec was[] = { spec("same"), spec("gone"), spec("moved") };
    struct server_spec now[] = { spec("new"), spec("moved"), spec("same") };
    struct server_diff *d;

    now[1].argv = argv_b;
    now[2].origin = "elsewhere:3";
    EQ(server_specs_diff(&mem, was, 3, now, 3, &d), 4);
    EQ(d[0].change, SERVER_ADDED);
    OK(!d[0].was && d[0].now == &now[0]);
    EQ(d[1].change, SERVER_CHANGED);
    OK(d[1].was == &was[2] && d[1].now == &now[1]);
    EQ(d[2].change, SERVER_SAME);
    EQ(d[3].change, SERVER_REMOVED);
    OK(d[3].was == &was[1] && !d[3].now);
}

TEST(nothing_against_nothing)
{
    AUTO_ARENA mem = { 0 };
    struct server_diff *d;

    EQ(server_specs_diff(&mem, NULL, 0, NULL, 0, &d), 0);
}

/* Every field that matters makes a difference; the ones below are all there are. */
TEST(whatever_decides_how_a_server_is_used_counts)
{
    AUTO_ARENA mem = { 0 };
    struct server_pair pair = { STR("N"), STR("v") };
    struct tool_override hide = { .tool = STR("t"), .hide = true };
    struct tool_override slow = { .tool = STR("t"), .timeout_secs = 9 };
    struct str name = STR("N");
    struct server_spec s[19];
    size_t n = ARRAY_LEN(s);

    for (size_t i = 0; i < n; i++)
        s[i] = spec("x");
    s[1].transport = SERVER_HTTP;
    s[2].cwd = "/tmp";
    s[3].env_strict = true;
    s[4].pass = &name, s[4].passes = 1;
    s[5].env = &pair, s[5].envs = 1;
    s[6].url = "http://x/";
    s[7].header = &pair, s[7].headers = 1;
    s[8].timeout_ms = 1;
    s[9].timeout_max_ms = 1;
    s[10].idle_stop_ms = 1;
    s[11].concurrency = 1;
    s[12].era = SERVER_ERA_LEGACY;
    s[13].enabled = false;
    s[14].allowed.set = true;
    s[15].override = &hide, s[15].overrides = 1;
    s[16].manual = true;
    s[17].otherwise = (struct pick_strs){ &name, 1, true };
    s[18].override = &slow, s[18].overrides = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            OK(!str_eq(server_spec_canonical(&mem, &s[i]), server_spec_canonical(&mem, &s[j])));
    s[0].trusted = true;
    OK(!str_eq(server_spec_canonical(&mem, &s[0]),
               server_spec_canonical(&mem, &(struct server_spec[]){ spec("x") }[0])));
}

TEST_MAIN()
