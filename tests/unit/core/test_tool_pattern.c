/* test_tool_pattern.c - which calls the entries of a list of tools mean. */
#include "base/auto.h"
#include "core/guard/tool_pattern.h"
#include "tap.h"

enum {
    NO,
    YES,
    DENIED_ONLY
}; /* the last: means it in a list that denies, not in one that allows */

static const struct {
    const char *pattern, *tool, *alias, *args;
    int fits;
} rows[] = {
    /* names */
    { "file_read", "file_read", NULL, "{}", YES },
    { "file_read", "file_write", NULL, "{}", NO },
    { "*", "anything", NULL, "{}", YES },
    { "file_*", "file_edit", NULL, "{}", YES },
    { "file_*", "grep", NULL, "{}", NO },
    { "Read", "file_read", NULL, "{}", YES },
    { "Write", "file_write", NULL, "{}", YES },
    { "Edit", "file_edit", NULL, "{}", YES },
    { "MultiEdit", "file_edit", NULL, "{}", YES },
    { "NotebookEdit", "file_edit", NULL, "{}", YES },
    { "Bash", "shell_exec", NULL, "{}", YES },
    { "Grep", "grep", NULL, "{}", YES },
    { "Glob", "glob", NULL, "{}", YES },
    { "WebFetch", "web_fetch", NULL, "{}", YES },
    { "read", "file_read", NULL, "{}", NO },
    { "git:status", "mcp_git_status", "git:status", "{}", YES },
    { "mcp_git_status", "mcp_git_status", "git:status", "{}", YES },
    { "mcp__git__status", "mcp_git_status", "git:status", "{}", YES },
    { "mcp__git", "mcp_git_status", "git:status", "{}", YES },
    { "mcp__git__*", "mcp_git_status", "git:status", "{}", YES },
    { "mcp__gi", "mcp_git_status", "git:status", "{}", NO },
    { "mcp__git", "git", NULL, "{}", NO },
    /* commands */
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff\"}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff --stat a\"}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git difftool\"}", NO },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":[\"git\",\"diff\",\"x\"]}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"argv\":[\"git\",\"diff\"]}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"rm -rf x\"}", NO },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff; rm x\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff && rm x\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff | sh\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff $(rm x)\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff `rm x`\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff\\nrm x\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\":\"git diff > x\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\":\"true && rm -r x\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"argv\":[\"sh\",\"-c\",\"true; rm x\"]}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{}", DENIED_ONLY },
    { "Bash(make test)", "shell_exec", NULL, "{\"command\":\"make test\"}", YES },
    { "Bash(make test)", "shell_exec", NULL, "{\"command\":\"make test all\"}", NO },
    { "Bash(npm run *)", "shell_exec", NULL, "{\"command\":\"npm run build\"}", YES },
    { "Bash(git * main:*)", "shell_exec", NULL, "{\"command\":\"git push main now\"}", YES },
    { "Bash(*)", "shell_exec", NULL, "{\"command\":\"a; b\"}", YES },
    /* commands, word by word */
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"argv\": [\"git diff\", \"x\"]}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"argv\": [\"git\", \"diff; rm x\"]}", NO },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"argv\": [\"git\", \"diff\", \"; rm x\"]}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"  git   diff\\t--stat \"}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff 'a; b' \\\"c|d\\\"\"}",
      YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff *.c ~/x\"}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"g''it di\\\"ff\\\"\"}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git 'diff x'\"}", NO },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git di?f\"}", NO },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff \\\"$(rm x)\\\"\"}",
      DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff $HOME\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff \\\\\\nx\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff 'x\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff & rm x\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff {a,b}\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"git diff <x\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"command\": \"GIT_EXTERNAL_DIFF=x git diff\"}",
      DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL,
      "{\"argv\": [\"git\", \"diff\"], \"env\": {\"GIT_EXTERNAL_DIFF\": \"x\"}}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"argv\": [\"git\", \"diff\"], \"env\": {}}", YES },
    { "Bash(git diff:*)", "shell_exec", NULL,
      "{\"argv\": [\"git\", \"diff\"], \"env\": \"PATH=x\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL,
      "{\"argv\": [\"git\", \"diff\"], \"command\": \"git diff\"}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"argv\": [\"git\", 7]}", DENIED_ONLY },
    { "Bash(git diff:*)", "shell_exec", NULL, "{\"argv\": [\"./git\", \"diff\"]}", DENIED_ONLY },
    { "Bash(git diff*)", "shell_exec", NULL, "{\"command\": \"git difftool -y x\"}", YES },
    { "Bash(git * main)", "shell_exec", NULL, "{\"command\": \"git push origin main\"}", YES },
    { "Bash(git * main)", "shell_exec", NULL, "{\"command\": \"git main\"}", NO },
    { "Bash(* --version)", "shell_exec", NULL, "{\"command\": \"PATH=x ls --version\"}",
      DENIED_ONLY },
    { "Bash(git * x)", "shell_exec", NULL, "{\"command\": \"git diff x y\"}", NO },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"r\\\\m x\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"'r'\\\"m\\\" x\"}", YES },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"echo x\\nrm y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"true & rm y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"(rm y)\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"echo $(rm y)\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"echo \\\"`rm y`\\\"\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \">x rm y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"A=b rm y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"env -i rm y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"for f in *; do rm $f; done\"}",
      DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"/bin/rm y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"sh -c 'eval \\\"rm y\\\"'\"}",
      DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"$X y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"env $X y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"/bin/r?\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"argv\": [\"sh\"], \"input\": \"rm y\"}", DENIED_ONLY },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"echo $HOME *.c\"}", NO },
    { "Bash(rm:*)", "shell_exec", NULL, "{\"command\": \"make 2>&1 | grep 'form'\"}", NO },
    { "Bash(git push:*)", "shell_exec", NULL, "{\"command\": \"git >x push\"}", DENIED_ONLY },
    { "Bash(rm:*)", "process_start", NULL, "{\"argv\": [\"rm\", \"x\"]}", DENIED_ONLY },
    { "Bash", "process_write", NULL, "{\"id\": \"x\"}", DENIED_ONLY },
    { "Bash", "process_poll", NULL, "{\"id\": \"x\"}", NO },
    { "process_start(rm:*)", "process_start", NULL, "{\"argv\": [\"rm\", \"x\"]}", YES },
    { "Bash()", "shell_exec", NULL, "{\"command\":\"a\"}", NO },
    /* paths */
    { "Edit(docs/**)", "file_edit", NULL, "{\"path\":\"docs/a/b.md\"}", YES },
    { "Edit(docs/**)", "file_edit", NULL, "{\"path\":\"docsx/a\"}", NO },
    { "Edit(docs/*)", "file_edit", NULL, "{\"path\":\"docs/a\"}", YES },
    { "Edit(*.md)", "file_edit", NULL, "{\"path\":\"a.md\"}", YES },
    { "Edit(*.md)", "file_edit", NULL, "{\"path\":\"docs/a.md\"}", NO },
    { "Edit(**/*.md)", "file_edit", NULL, "{\"path\":\"docs/deep/a.md\"}", YES },
    { "Edit(**/*.md)", "file_edit", NULL, "{\"path\":\"a.md\"}", YES },
    { "Edit(**/foo.c)", "file_edit", NULL, "{\"path\":\"barfoo.c\"}", NO },
    { "Edit(**/foo.c)", "file_edit", NULL, "{\"path\":\"a/b/foo.c\"}", YES },
    { "Edit(src/**/x.?)", "file_edit", NULL, "{\"path\":\"src/a/b/x.c\"}", YES },
    { "Read(./src/)", "file_read", NULL, "{\"path\":\"src/x\"}", YES },
    { "Read(src)", "file_read", NULL, "{\"path\":\"./src//x/../y\"}", YES },
    { "Read(src)", "file_read", NULL, "{\"path\":\"src/../secret\"}", NO },
    { "Read(src)", "file_read", NULL, "{\"path\":\"/some/place/src/x\"}", YES },
    { "Read(src)", "file_read", NULL, "{\"path\":\"/some/placesrc/x\"}", DENIED_ONLY },
    { "Read(src)", "file_read", NULL, "{\"path\":\"../src/x\"}", DENIED_ONLY },
    { "Read(.env)", "file_read", NULL, "{\"path\":\"a/../.env\"}", YES },
    { "Read(src)", "file_read", NULL, "{\"path\":7}", DENIED_ONLY },
    { "file_move(docs)", "file_move", NULL, "{\"from\":\"docs/a\",\"to\":\"docs/b\"}", YES },
    { "file_move(docs)", "file_move", NULL, "{\"from\":\"docs/a\",\"to\":\"src/b\"}", DENIED_ONLY },
    { "file_move(docs)", "file_move", NULL, "{\"from\":\"a\",\"to\":\"docs/b\"}", DENIED_ONLY },
    { "file_move(docs)", "file_move", NULL, "{\"from\":\"a\",\"to\":\"b\"}", NO },
    /* hosts */
    { "WebFetch(domain:a.org)", "web_fetch", NULL, "{\"url\":\"https://a.org/x\"}", YES },
    { "WebFetch(domain:a.org)", "web_fetch", NULL, "{\"url\":\"https://A.org:8443\"}", YES },
    { "WebFetch(domain:a.org)", "web_fetch", NULL, "{\"url\":\"https://b.a.org/\"}", NO },
    { "WebFetch(domain:a.org)", "web_fetch", NULL, "{\"url\":\"https://a.org@b.org/\"}",
      DENIED_ONLY },
    { "WebFetch(domain:a.org)", "web_fetch", NULL, "{\"url\":\"https://b.org/a.org\"}", NO },
    { "WebFetch(a.org)", "web_fetch", NULL, "{\"url\":\"https://a.org\"}", DENIED_ONLY },
    /* what cannot be judged */
    { "system_time(x)", "system_time", NULL, "{}", DENIED_ONLY },
    { "Bash(git", "shell_exec", NULL, "{\"command\":\"git\"}", DENIED_ONLY },
};

TEST(an_entry_means_the_calls_it_names)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct json_opts opts = { .max_depth = 4, .max_values = 20 };
        AUTO_ARENA mem = { 0 };
        struct pattern_call call = { str_of(rows[i].tool),
                                     str_of(rows[i].alias),
                                     STR_NONE,
                                     { 0 },
                                     "/some/place",
                                     NULL,
                                     STR_NONE };
        struct err e;
        bool allows, denies;

        OK(json_read(&mem, str_of(rows[i].args), &opts, &call.args, &e));
        allows = tool_pattern_fits(str_of(rows[i].pattern), &call, PATTERN_ALLOWS);
        denies = tool_pattern_fits(str_of(rows[i].pattern), &call, PATTERN_DENIES);
        if (allows != (rows[i].fits == YES) || denies != (rows[i].fits != NO))
            TAP_NOT("%s against %s %s: allows %d denies %d", rows[i].pattern, rows[i].tool,
                    rows[i].args, allows, denies);
    }
}

/* Patterns count from the root, paths of a call from where its session works. */
TEST(relative_paths_are_meant_from_the_working_folder)
{
    static const struct {
        const char *pattern, *cwd, *path;
        int fits;
    } lines[] = {
        { "Edit(docs)", "/some/place/docs", "a.md", YES },
        { "Edit(docs)", "/some/place/src", "docs/a.md", NO },
        { "Edit(docs)", "/some/place/src", "../docs/a.md", YES },
        { "Edit(docs)", "/some/place/docs", "../src/a.c", NO },
        { "Edit(docs)", "/some/place/docs", "../../a.md", DENIED_ONLY },
        { "Edit(docs)", "/some/place/docs", "../../place/docs/a.md", DENIED_ONLY },
        { "Edit(docs)", "/some/place/src", "/some/place/docs/a.md", YES },
        { "Edit(*.md)", "/some/place/", "a.md", YES },
        { "Edit(a.md)", "/some/place/docs/..", "a.md", YES },
        { "Edit(docs)", "/some/placebo/docs", "a.md", DENIED_ONLY },
        { "Edit(docs)", "/elsewhere", "docs/a.md", DENIED_ONLY },
    };

    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        const struct json_opts opts = { .max_depth = 4, .max_values = 20 };
        AUTO_ARENA mem = { 0 };
        struct pattern_call call = { .tool = STR("file_edit"),
                                     .root = "/some/place",
                                     .cwd = lines[i].cwd };
        struct str args = arena_printf(&mem, "{\"path\":\"%s\"}", lines[i].path);
        struct str pattern = str_of(lines[i].pattern);
        struct err e;

        OK(json_read(&mem, args, &opts, &call.args, &e));
        if (tool_pattern_fits(pattern, &call, PATTERN_ALLOWS) != (lines[i].fits == YES) ||
            tool_pattern_fits(pattern, &call, PATTERN_DENIES) != (lines[i].fits != NO))
            TAP_NOT("%s against %s from %s", lines[i].pattern, lines[i].path, lines[i].cwd);
    }
}

TEST(a_path_without_end_is_not_judged)
{
    AUTO_ARENA mem = { 0 };
    const struct json_opts opts = { .max_depth = 4, .max_values = 20 };
    struct pattern_call call = { .tool = STR("file_read"), .root = "/some/place" };
    struct buf b;
    struct err e;

    buf_init_in(&b, &mem, 1 << 20);
    buf_put(&b, STR("{\"path\":\""));
    for (int i = 0; i < 100000; i++)
        buf_put(&b, STR("a/"));
    buf_put(&b, STR("\"}"));
    OK(json_read(&mem, buf_str(&b), &opts, &call.args, &e));
    OK(!tool_pattern_fits(STR("Read(**/a*a*b)"), &call, PATTERN_ALLOWS));
    OK(tool_pattern_fits(STR("Read(**/a*a*b)"), &call, PATTERN_DENIES));
}

TEST(lists_have_three_states)
{
    struct str v[] = { STR("Read"), STR("Bash(ls:*)") };
    struct pick_strs list = { v, 2, true }, none = { 0 };
    struct pattern_call read = { .tool = STR("file_read") }, grep = { .tool = STR("grep") };
    struct pattern_call shell = { .tool = STR("shell_exec") };

    OK(tool_patterns_fit(&list, &read, PATTERN_ALLOWS));
    OK(!tool_patterns_fit(&list, &grep, PATTERN_ALLOWS));
    OK(!tool_patterns_fit(&none, &read, PATTERN_ALLOWS));
    OK(tool_pattern_names(v[1], &shell)); /* some call of it fits, so it is offered */
    OK(!tool_pattern_names(v[1], &grep));
}

TEST(what_is_written_wrongly_is_said)
{
    struct err e;

    OK(tool_pattern_check(STR("Bash(a (b):*)"), &e));
    OK(!tool_pattern_check(STR("Bash(git"), &e));
    HAS_S(str_of(e.text), "without a closing bracket");
    OK(!tool_pattern_check(STR("two words"), &e));
    HAS_S(str_of(e.text), "is not a tool name");
    OK(!tool_pattern_check(STR("(x)"), &e));
    OK(!tool_pattern_check(STR(""), &e));
}

TEST_MAIN()
