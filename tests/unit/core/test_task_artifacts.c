/* Which paths of an answer count as made, and in which order they are listed. */
#include "core/task/task_artifacts.h"
#include "tap.h"

static struct arena mem;

static struct str found(const char *text)
{
    struct task_artifacts a = { .mem = &mem };
    struct str all = STR("");

    task_artifacts_find(&a, str_of(text));
    task_artifacts_sort(&a);
    for (size_t i = 0; i < a.n; i++)
        all = arena_printf(&mem, STR_FMT "%s" STR_FMT, STR_ARG(all), i ? "|" : "", STR_ARG(a.v[i]));
    return all;
}

static const struct {
    const char *text, *found;
} rows[] = {
    { "I wrote src/a.c and tests/b.py.", "src/a.c|tests/b.py" },
    { "see .vault/plan/x.md, .vaultspec/y, crates/z/lib.rs; test/t: done",
      ".vault/plan/x.md|.vaultspec/y|crates/z/lib.rs|test/t" },
    { "(docs/a.md) `Cargo.toml` \"x.py\" 'y.rs'", "Cargo.toml|docs/a.md|x.py|y.rs" },
    { "README.md\nREADME.md\n", "README.md" },
    { "src/main.c:12 is wrong", "src/main.c" },
    { "lib/src/x.c and a=src/b.c", "" },
    { "mysrc/x.c x.mdx notes.txt", "" },
    { "src/ .md tests/.", "" },
    { "[x](src/in_a_link.c)", "src/in_a_link.c" },
    { "", "" },
};

TEST(paths_are_found_by_where_they_lie_and_how_they_end)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        EQ_S(found(rows[i].text), rows[i].found);
    arena_fini(&mem);
}

TEST(what_tools_wrote_and_what_the_answer_names_is_one_list)
{
    struct task_artifacts a = { .mem = &mem };

    task_artifacts_add(&a, STR("src/z.c"));
    task_artifacts_add(&a, STR("notes.txt"));
    task_artifacts_find(&a, STR("src/z.c src/a.c"));
    task_artifacts_sort(&a);
    EQ(a.n, 3);
    EQ_S(a.v[0], "notes.txt");
    EQ_S(a.v[1], "src/a.c");
    EQ_S(a.v[2], "src/z.c");
    arena_fini(&mem);
}

TEST(a_list_has_an_end)
{
    struct task_artifacts a = { .mem = &mem };

    for (int i = 0; i < TASK_ARTIFACTS_MOST + 10; i++)
        task_artifacts_add(&a, arena_printf(&mem, "src/%d", i));
    EQ(a.n, TASK_ARTIFACTS_MOST);
    arena_fini(&mem);
}

TEST_MAIN()
