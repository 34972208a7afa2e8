/* test_exposure.c - lists in three states, and who sees which tool. */
#include "core/tool/exposure.h"
#include "tap.h"

static struct str names[] = { { "mcp_fs_read", 11 }, { "admin:reset", 11 } };
static const struct pick_strs absent = { 0 }, empty = { .set = true };
static const struct pick_strs first = { names, 1, true }, second = { names + 1, 1, true },
                              both = { names, 2, true };

static const struct tool_called fs_read = { { "mcp_fs_read", 11 }, { "fs:read", 7 }, STR_NONE };
static const struct tool_called reset = { { "mcp_admin_reset", 15 },
                                          { "admin:reset", 11 },
                                          STR_NONE };
static const struct tool_called built_in = { { "system_time", 11 }, { NULL, 0 }, STR_NONE };

TEST(allowed_tools_has_three_states)
{
    struct server_spec s = { .allowed = absent };

    OK(server_allows(&s, STR("anything")));
    s.allowed = empty;
    OK(!server_allows(&s, STR("mcp_fs_read")));
    s.allowed = first;
    OK(server_allows(&s, STR("mcp_fs_read")));
    OK(!server_allows(&s, STR("mcp_fs_rea")));
    OK(!server_allows(&s, STR("other")));
}

TEST(what_holds_for_a_server_may_be_otherwise_for_a_tool)
{
    struct server_spec s = { 0 };

    OK(!server_tool_manual(&s, STR("mcp_fs_read")));
    s.otherwise = first;
    OK(server_tool_manual(&s, STR("mcp_fs_read")) && !server_tool_manual(&s, STR("other")));
    s.manual = true;
    OK(!server_tool_manual(&s, STR("mcp_fs_read")) && server_tool_manual(&s, STR("other")));
}

TEST(an_agent_exposes_nothing_but_what_it_lists)
{
    OK(!tool_exposed_by_agent(&absent, &absent, fs_read));
    OK(!tool_exposed_by_agent(&empty, &absent, fs_read));
    OK(tool_exposed_by_agent(&first, &absent, fs_read));
    OK(!tool_exposed_by_agent(&first, &absent, reset));
    OK(tool_exposed_by_agent(&second, &absent, reset));
    OK(!tool_exposed_by_agent(&first, &absent, built_in));
}

TEST(private_wins)
{
    OK(!tool_exposed_by_agent(&both, &first, fs_read));
    OK(tool_exposed_by_agent(&both, &first, reset));
    OK(!tool_exposed_by_kernel(&absent, &second, reset));
    OK(!tool_exposed_by_kernel(&both, &both, reset));
}

TEST(the_kernel_exposes_all_but_private_tools)
{
    OK(tool_exposed_by_kernel(&absent, &absent, fs_read));
    OK(tool_exposed_by_kernel(&absent, &second, built_in));
    OK(!tool_exposed_by_kernel(&empty, &absent, built_in));
    OK(!tool_exposed_by_kernel(&first, &absent, built_in));
}

TEST(an_override_is_found_by_the_name_the_server_gives)
{
    const struct tool_override o[] = { { .tool = STR("a") }, { .tool = STR("b"), .hide = true } };
    struct server_spec s = { .override = o, .overrides = 2 };

    OK(server_override(&s, STR("b"))->hide);
    OK(!server_override(&s, STR("c")));
}

TEST(read_only_leaves_what_looks_searches_and_thinks)
{
    static const enum tool_kind looks[] = { TOOL_READ, TOOL_SEARCH, TOOL_THINK };
    static const enum tool_kind acts[] = { TOOL_EDIT, TOOL_DELETE, TOOL_MOVE, TOOL_EXECUTE,
                                           TOOL_FETCH };

    for (size_t i = 0; i < ARRAY_LEN(looks); i++)
        OK(tool_kind_only_looks(looks[i]));
    for (size_t i = 0; i < ARRAY_LEN(acts); i++)
        OK(!tool_kind_only_looks(acts[i]));
}

TEST(without_a_mode_the_origin_decides)
{
    static const enum origin user[] = { ORIGIN_TERMINAL, ORIGIN_RUN, ORIGIN_CHAT, ORIGIN_STDIO,
                                        ORIGIN_SOCKET };
    static const enum origin other[] = { ORIGIN_NONE, ORIGIN_KEY, ORIGIN_LOOPBACK };

    for (size_t i = 0; i < ARRAY_LEN(user); i++) {
        OK(!endpoint_is_read_only(ENDPOINT_BY_ORIGIN, user[i]));
        OK(endpoint_is_read_only(ENDPOINT_READ_ONLY, user[i]));
    }
    for (size_t i = 0; i < ARRAY_LEN(other); i++) {
        OK(endpoint_is_read_only(ENDPOINT_BY_ORIGIN, other[i]));
        OK(!endpoint_is_read_only(ENDPOINT_READ_WRITE, other[i]));
    }
}

TEST_MAIN()
