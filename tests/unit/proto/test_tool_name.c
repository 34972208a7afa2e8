/* test_tool_name.c - published names: how they look, that they are stable, who is behind them. */
#include "base/auto.h"
#include "proto/mcp/tool_name.h"
#include "tap.h"

#define PAIR(s, t)                                                                                 \
    {                                                                                              \
        STR(s), STR(t), STR_NONE                                                                   \
    }

static const struct {
    const char *server, *tool, *name;
} examples[] = {
    { "github", "create_issue", "mcp_github_create_issue" },
    { "my-server", "do_thing", "mcp_my_server_do_thing" },
    { "GitHub", "List.Issues", "mcp_github_list_issues" },
    { "a_b", "c_d", "mcp_a_b_c_d" },
    { "fs", "read file", "mcp_fs_read_file" },
    { "x", "\xc3\xa9", "mcp_x___" },
};

TEST(a_name_is_server_and_tool_in_small_letters)
{
    AUTO_ARENA mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(examples); i++)
        EQ_S(tool_name_plain(&mem, str_of(examples[i].server), str_of(examples[i].tool)),
             examples[i].name);
}

TEST(a_name_has_at_most_64_characters_and_keeps_its_suffix)
{
    AUTO_ARENA mem = { 0 };
    struct str s = STR("0123456789012345678901234567890123456789"), a, b;

    EQ(tool_name_plain(&mem, s, STR("0123456789012345678")).n, 64);
    a = tool_name_plain(&mem, s, STR("01234567890123456789"));
    b = tool_name_plain(&mem, s, STR("0123456789012345678x"));
    EQ(a.n, 64);
    EQ(b.n, 64);
    OK(!str_eq(a, b));
    EQ_S(str_head(a, 56), "mcp_0123456789012345678901234567890123456789_0123456789_");
    EQ_S(a, "mcp_0123456789012345678901234567890123456789_0123456789_" /* for ever the same */
            "df9426b0");
}

static struct str name_of(const struct tool_names *t, const char *server, const char *tool)
{
    const struct tool_name *n = tool_names_of(t, str_of(server), str_of(tool));

    return n ? n->name : STR("(none)");
}

TEST(the_table_finds_the_pair_behind_names_with_underscores)
{
    AUTO_ARENA mem = { 0 };
    const struct tool_pair pair[] = { PAIR("my_server", "do_thing"), PAIR("my", "other_thing"),
                                      PAIR("git", "status") };
    struct tool_names t = tool_names_build(&mem, pair, ARRAY_LEN(pair), NULL, 0);
    const struct tool_name *n = NULL;
    struct err e;

    EQ(t.count, 3);
    EQ(t.dropped, 0);
    OK(tool_names_find(&t, STR("mcp_my_server_do_thing"), &n, &e));
    EQ_S(n->of.server, "my_server");
    EQ_S(n->of.tool, "do_thing");
    EQ(n->index, 0);
    OK(tool_names_find(&t, STR("mcp_my_other_thing"), &n, &e));
    EQ_S(n->of.server, "my");
    OK(tool_names_find(&t, STR("git:status"), &n, &e));
    EQ_S(n->name, "mcp_git_status");
    OK(!tool_names_find(&t, STR("mcp_git_statu"), &n, &e));
    EQ(e.code, ERR_NOT_FOUND);
    OK(!tool_names_find(&t, STR("git:"), &n, &e));
    OK(!tool_names_find(&t, STR(""), &n, &e));
}

TEST(all_who_meet_in_a_name_get_a_suffix_in_any_order)
{
    AUTO_ARENA mem = { 0 };
    const struct tool_pair one[] = { PAIR("a", "b_c"), PAIR("a_b", "c"), PAIR("A", "b-c"),
                                     PAIR("a", "d") };
    const struct tool_pair two[] = { one[3], one[2], one[1], one[0] };
    struct tool_names s = tool_names_build(&mem, one, 4, NULL, 0);
    struct tool_names t = tool_names_build(&mem, two, 4, NULL, 0);

    EQ(s.count, 4);
    for (size_t i = 0; i < 4; i++)
        OK(str_eq(tool_names_of(&s, one[i].server, one[i].tool)->name,
                  tool_names_of(&t, one[i].server, one[i].tool)->name));
    EQ_S(name_of(&s, "a", "d"), "mcp_a_d");
    for (size_t i = 0; i < 3; i++) {
        struct str n = tool_names_of(&s, one[i].server, one[i].tool)->name;

        EQ(n.n, strlen("mcp_a_b_c_12345678"));
        EQ_S(str_head(n, 10), "mcp_a_b_c_");
    }
}

TEST(a_later_collider_moves_the_first_and_the_old_name_says_so)
{
    AUTO_ARENA mem = { 0 };
    const struct tool_pair pair[] = { PAIR("a", "b_c"), PAIR("a_b", "c") };
    struct tool_names before = tool_names_build(&mem, pair, 1, NULL, 0);
    struct tool_names after = tool_names_build(&mem, pair, 2, NULL, 0);
    const struct tool_name *n;
    struct err e;

    EQ_S(name_of(&before, "a", "b_c"), "mcp_a_b_c");
    OK(!tool_names_find(&after, STR("mcp_a_b_c"), &n, &e));
    OK(strstr(e.text, "it could be one of: mcp_a_b_c_"));
    OK(tool_names_find(&after, STR("a:b_c"), &n, &e));
    EQ(n->index, 0);
}

TEST(the_name_that_a_server_gives_says_under_which_it_is_published)
{
    AUTO_ARENA mem = { 0 };
    const struct tool_pair pair[] = { PAIR("files", "read"), PAIR("files", "write") };
    struct tool_names t = tool_names_build(&mem, pair, 2, NULL, 0);
    const struct tool_name *n;
    struct err e;

    OK(!tool_names_find(&t, STR("read"), &n, &e));
    EQ_STR(e.text, "unknown tool read; its name is: mcp_files_read");
    OK(!tool_names_find(&t, STR("rea"), &n, &e));
    EQ_STR(e.text, "unknown tool rea");
}

TEST(no_tool_can_take_the_suffixed_name_of_another)
{
    AUTO_ARENA mem = { 0 };
    const struct tool_pair two[] = { PAIR("a", "b_c"), PAIR("a_b", "c") };
    struct str taken =
        name_of(&(struct tool_names[]){ tool_names_build(&mem, two, 2, NULL, 0) }[0], "a", "b_c");
    const struct tool_pair three[] = { two[0],
                                       two[1],
                                       { STR("a"), str_skip(taken, strlen("mcp_a_")), STR_NONE } };
    struct tool_names t = tool_names_build(&mem, three, 3, NULL, 0);
    const struct tool_name *n = NULL;
    struct err e;

    EQ(t.count, 3);
    OK(tool_names_find(&t, taken, &n, &e));
    EQ_S(n->of.tool, "b_c");
}

TEST(renamed_tools_and_reserved_names)
{
    AUTO_ARENA mem = { 0 };
    const struct str reserved[] = { STR("file_read") };
    const struct tool_pair pair[] = { { STR("fs"), STR("read"), STR("look") },
                                      { STR("fs"), STR("cat"), STR("file_read") },
                                      { STR("fs"), STR("one"), STR("mcp_fs_two") },
                                      PAIR("fs", "two") };
    struct tool_names t = tool_names_build(&mem, pair, 4, reserved, 1);

    EQ_S(name_of(&t, "fs", "read"), "look");
    EQ_S(str_head(name_of(&t, "fs", "cat"), 10), "file_read_");
    OK(!str_eq(name_of(&t, "fs", "two"), name_of(&t, "fs", "one")));
    OK(!str_eq(name_of(&t, "fs", "two"), STR("mcp_fs_two")));
    OK(tool_name_valid(STR("Look-2.x_y")));
    OK(!tool_name_valid(STR("")));
    OK(!tool_name_valid(STR("a b")));
    OK(!tool_name_valid(STR("0123456789012345678901234567890123456789012345678901234567890123x")));
}

TEST(the_same_pair_twice_is_one_tool)
{
    AUTO_ARENA mem = { 0 };
    const struct tool_pair pair[] = { PAIR("a", "b"), PAIR("a", "b") };
    struct tool_names t = tool_names_build(&mem, pair, 2, NULL, 0);

    EQ(t.count, 1);
    EQ(t.dropped, 1);
    EQ_S(name_of(&t, "a", "b"), "mcp_a_b");
}

TEST(an_empty_table_finds_nothing)
{
    AUTO_ARENA mem = { 0 };
    struct tool_names t = tool_names_build(&mem, NULL, 0, NULL, 0);
    const struct tool_name *n;
    struct err e;

    OK(!tool_names_find(&t, STR("a:b"), &n, &e));
    OK(!tool_names_of(&t, STR("a"), STR("b")));
}

TEST_MAIN()
