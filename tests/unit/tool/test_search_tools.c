/* file_list, glob and grep. */
#include "base/auto.h"
#include "tool/file/matcher.h"
#include "tool_bench.h"

static void make_tree(struct bench *b)
{
    bench_open(b);
    folder(b, "src");
    folder(b, "src/deep");
    folder(b, "build");
    folder(b, ".git");
    put(b, ".gitignore", "build/\n*.o\n");
    put(b, ".git/config", "needle");
    put(b, "src/.gitignore", "!keep.o\nlocal.c\n");
    put(b, "src/a.c", "int a;\nneedle here\nint b;\n");
    put(b, "src/a.o", "needle");
    put(b, "src/keep.o", "needle");
    put(b, "src/local.c", "needle");
    put(b, "src/deep/b.h", "one\nNeedle\r\nthree");
    put(b, "build/out", "needle");
    put_bytes(b, "binary", STR("needle\0needle"));
}

TEST(folders_are_listed)
{
    struct bench b;

    make_tree(&b);
    OK(symlink("nowhere", at(&b, "link")) == 0);
    EQ_S(call(&b, &tool_file_list, "{}"), ".gitignore  11\nbinary  13\nbuild/\nlink  (link)\nsrc/");
    EQ_S(call(&b, &tool_file_list, "{'path':'src','depth':2}"),
         ".gitignore  16\na.c  26\na.o  6\ndeep/\ndeep/b.h  17\nkeep.o  6\nlocal.c  6");
    HAS_S(call(&b, &tool_file_list, "{'path':'src/a.c'}"), "Not a directory");
    HAS_S(call(&b, &tool_file_list, "{'path':'none'}"), "No such file");
    folder(&b, "empty");
    EQ_S(call(&b, &tool_file_list, "{'path':'empty'}"), "The folder is empty.");
    b.limits.list_entries = 1;
    EQ_S(call(&b, &tool_file_list, "{}"),
         ".gitignore  11\n[truncated after 1 entries (the constant list_entries)]");
    b.limits.list_entries = 100;
    b.limits.walk_entries = 2;
    HAS_S(call(&b, &tool_file_list, "{}"), "the constant walk_entries");
    bench_close(&b);
}

TEST(names_that_are_not_text_are_shown_as_well_as_can_be)
{
    struct bench b;

    bench_open(&b);
    put(&b, "a\xff\xfe", "needle");
    EQ_S(call(&b, &tool_file_list, "{}"), "a\xef\xbf\xbd\xef\xbf\xbd  6");
    EQ_S(call(&b, &tool_glob, "{'pattern':'a?[!a]'}"), "a\xef\xbf\xbd\xef\xbf\xbd");
    EQ_S(call(&b, &tool_grep, "{'pattern':'needle'}"), "a\xef\xbf\xbd\xef\xbf\xbd:1:needle");
    bench_close(&b);
}

TEST(files_are_found_by_name)
{
    struct bench b;

    make_tree(&b);
    EQ_S(call(&b, &tool_glob, "{'pattern':'**/*.{c,h,o}'}"), "src/a.c\nsrc/deep/b.h\nsrc/keep.o");
    EQ_S(call(&b, &tool_glob, "{'pattern':'*','path':'src/'}"),
         "src/.gitignore\nsrc/a.c\nsrc/deep/\nsrc/keep.o");
    EQ_S(call(&b, &tool_glob, "{'pattern':'**/*.o','ignored':true}"), "src/a.o\nsrc/keep.o");
    EQ_S(call(&b, &tool_glob, "{'pattern':'*.x'}"), "Nothing matches *.x.");
    WENT_WELL(&b);
    b.limits.glob_results = 1;
    HAS_S(call(&b, &tool_glob, "{'pattern':'**'}"), "the constant glob_results");
    b.limits.pattern_bytes = 16;
    HAS_S(call(&b, &tool_glob, "{'pattern':'%020d'}", 1), "the constant pattern_bytes");
    bench_close(&b);
}

TEST(lines_are_found)
{
    struct bench b;

    make_tree(&b);
    EQ_S(call(&b, &tool_grep, "{'pattern':'ne+dle'}"),
         "src/a.c:2:needle here\nsrc/keep.o:1:needle\n[1 binary file skipped]");
    EQ_S(call(&b, &tool_grep,
              "{'pattern':'needle','path':'src','ignore_case':true,"
              "'files':'*.{c,h}'}"),
         "src/a.c:2:needle here\nsrc/deep/b.h:2:Needle");
    EQ_S(call(&b, &tool_grep, "{'pattern':'^needle','literal':true,'path':'src'}"),
         "Nothing found.");
    EQ_S(call(&b, &tool_grep,
              "{'pattern':'E','path':'src/a.c','literal':true,"
              "'ignore_case':true}"),
         "src/a.c:2:needle here");
    EQ_S(call(&b, &tool_grep, "{'pattern':'needle','path':'src','show':'files'}"),
         "src/a.c\nsrc/keep.o");
    EQ_S(call(&b, &tool_grep, "{'pattern':'int','path':'src','show':'counts'}"), "src/a.c:2");
    EQ_S(call(&b, &tool_grep, "{'pattern':'e','path':'src','files':'deep/*'}"),
         "src/deep/b.h:1:one\nsrc/deep/b.h:2:Needle\nsrc/deep/b.h:3:three");
    HAS_S(call(&b, &tool_grep, "{'pattern':'a','show':'all'}"), "expected lines");
    bench_close(&b);
}

TEST(context_is_shown_once)
{
    struct bench b;

    bench_open(&b);
    put(&b, "a", "1\n2x\n3\n4\n5\n6\n7x\n8x\n9");
    EQ_S(call(&b, &tool_grep, "{'pattern':'x','context':1}"),
         "a-1-1\na:2:2x\na-3-3\n--\na-6-6\na:7:7x\na:8:8x\na-9-9");
    EQ_S(call(&b, &tool_grep, "{'pattern':'x$','context':2}"),
         "a-1-1\na:2:2x\na-3-3\na-4-4\na-5-5\na-6-6\na:7:7x\na:8:8x\na-9-9");
    EQ_S(call(&b, &tool_grep, "{'pattern':'x','context':1,'limit':1}"),
         "a-1-1\na:2:2x\na-3-3\n[truncated after 1 results; there are more]");
    EQ_S(call(&b, &tool_grep, "{'pattern':'^$'}"), "Nothing found.");
    bench_close(&b);
}

TEST(long_lines_and_many_results_are_cut)
{
    struct bench b;

    bench_open(&b);
    put(&b, "a", "aaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9z\nz\nz\n");
    b.limits.grep_line_bytes = 26;
    b.limits.grep_results = 2;
    EQ_S(call(&b, &tool_grep, "{'pattern':'z'}"),
         "a:1:aaaaaaaaaaaaaaaaaaaaaaaaa [line truncated]\na:2:z\n[truncated after 2 results; there "
         "are more]");
    b.limits.grep_match_bytes = 20;
    EQ_S(call(&b, &tool_grep, "{'pattern':'z'}"), "a:2:z\na:3:z");
    bench_close(&b);
}

static bool opens(struct matcher *m, const char *pattern, const struct limits *limits,
                  struct err *e)
{
    const struct matcher_options options = { .limits = limits };

    return matcher_open(m, str_of(pattern), &options, e);
}

TEST(expressions_are_perl_compatible_and_small)
{
    static const char *const bad[] = {
        "((a{1,99}){1,99}){1,99}", "(a", "[a", "a{2,1}", "", "\\C", "(?<=a+)b", "a\nb",
    };
    static const char *const good[] = {
        "a{1,50}", "[]a]+",   "[[:alpha:]]{2,}", "(a|b)*c?",       "\\(",      "x{3}y{2}",
        "[^]]",    "(a+)\\1", "\\d+\\b",         "(?i)foo(?=bar)", "((a+)+)+",
    };
    struct limits limits;
    struct matcher m;
    struct err e;

    limits_preset(&limits);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (opens(&m, bad[i], &limits, &e))
            TAP_NOT("%s was accepted", bad[i]);
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        if (!opens(&m, good[i], &limits, &e))
            TAP_NOT("%s: %s", good[i], e.text);
        matcher_close(&m);
    }
}

TEST(lines_are_matched_as_unicode_whatever_their_bytes)
{
    static const struct {
        const char *pattern, *line;
        enum text_match match;
    } rows[] = {
        { "end$", "the end\r", MATCH_YES },
        { "\\bö\\w+", "die \xc3\xb6l", MATCH_YES },
        { "(?i)\xc3\x96L", "\xc3\xb6l", MATCH_YES },
        { "a.b",
          "a\xc3\xb6"
          "b",
          MATCH_YES },
        { "bad$", "\xff\xfe bad", MATCH_YES },
        { "a.b",
          "a\xff"
          "b",
          MATCH_NO },
        { "^$", "", MATCH_YES },
        { "(?R)", "a", MATCH_TOO_EXPENSIVE },
    };
    struct limits limits;
    struct matcher m;
    struct err e;

    limits_preset(&limits);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        OK(opens(&m, rows[i].pattern, &limits, &e));
        if (matcher_match(&m, str_of(rows[i].line)) != rows[i].match)
            TAP_NOT("%s in %s", rows[i].pattern, rows[i].line);
        matcher_close(&m);
    }
}

/* The third reaches the limit of memory first. */
TEST(expensive_lines_are_passed_over_and_named)
{
    struct bench b;
    static char line[100001];

    bench_open(&b);
    memset(line, 'a', sizeof(line) - 1);
    put_bytes(&b, "a", str_of(line));
    put_bytes(&b, "b",
              STR("x\naaa\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\naa"));
    b.limits.grep_line_ms = 5;
    EQ_S(call(&b, &tool_grep, "{'pattern':'^(a|aa)+$','path':'b'}"),
         "b:2:aaa\nb:4:aa\n[b:3: pattern too expensive (limits.grep_line_ms); "
         "this line was not searched]");
    b.limits.grep_expensive_lines = 1;
    EQ_S(call(&b, &tool_grep, "{'pattern':'^(a|aa)+$','path':'b'}"),
         "b:2:aaa\n[b:3: pattern too expensive (limits.grep_line_ms); this line was not searched]\n"
         "[stopped after 1 lines that were too expensive (limits.grep_expensive_lines)]");
    b.limits.grep_line_ms = 10000;
    b.limits.grep_memory_bytes = 1 << 20;
    HAS_S(call(&b, &tool_grep, "{'pattern':'^(?:a|b)+c?$','path':'a'}"),
          "a:1: pattern too expensive");
    bench_close(&b);
}

static bool started(void *ctx)
{
    (void)ctx;
    return true;
}

/* Before it has begun, and while it runs: it ends as cancelled, and nothing is left. */
TEST(a_search_that_is_cancelled_ends)
{
    struct bench b;
    char name[64];

    bench_open(&b);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        put(&b, name, "some text\nmore text\n");
    }
    begin(&b, &tool_grep, STR("{\"pattern\":\"(x|y|z)+w\"}"));
    op_cancel(&b.call.op);
    finish(&b);
    EQ(b.err.code, ERR_CANCELED);
    begin(&b, &tool_grep, STR("{\"pattern\":\"(x|y|z)+w\"}"));
    until(b.loop, started, NULL);
    op_cancel(&b.call.op);
    finish(&b);
    OK(b.err.code == ERR_CANCELED || b.err.code == ERR_NONE);
    bench_close(&b);
}

TEST(folders_that_lie_too_deep_are_told)
{
    struct bench b;

    bench_open(&b);
    folder(&b, "a");
    folder(&b, "a/b");
    put(&b, "a/b/c", "needle");
    b.limits.walk_depth = 1;
    EQ_S(call(&b, &tool_grep, "{'pattern':'needle'}"),
         "Nothing found.\n[skipped 1 folder: unreadable or nested too deeply]");
    bench_close(&b);
}

TEST(a_large_gitignore_is_not_heeded)
{
    struct bench b;

    bench_open(&b);
    put(&b, ".gitignore", "a\n");
    put(&b, "a", "needle");
    EQ_S(call(&b, &tool_glob, "{'pattern':'a'}"), "Nothing matches a.");
    b.limits.ignore_bytes = 1;
    EQ_S(call(&b, &tool_glob, "{'pattern':'a'}"), "a");
    bench_close(&b);
}

TEST_MAIN()
