/* Ways out of the root, each tried with every tool that takes a path. */
#include "base/auto.h"
#include "swapper.h"
#include "tool/file/beneath.h"

enum { SWAPS = 400 };

/* Tools and arguments that reach for %s; the second one of a kind says what it would do there. */
static const struct {
    const struct tool *tool;
    const char *args;
} reaches[] = {
    { &tool_file_read, "{'path':'%s'}" },
    { &tool_file_write, "{'path':'%s','content':'mine'}" },
    { &tool_file_write, "{'path':'%s/new/er','content':'mine','parents':true}" },
    { &tool_file_edit, "{'path':'%s','old_text':'secret','new_text':'mine'}" },
    { &tool_file_list, "{'path':'%s/..'}" },
    { &tool_glob, "{'path':'%s/..','pattern':'**'}" },
    { &tool_grep, "{'path':'%s','pattern':'secret'}" },
    { &tool_file_move, "{'from':'%s','to':'mine'}" },
    { &tool_file_move, "{'from':'own','to':'%s','replace':true}" },
    { &tool_file_delete, "{'path':'%s'}" },
    { &tool_file_delete, "{'path':'%s/..','recursive':true}" },
    { &tool_dir_make, "{'path':'%s/made'}" },
};

static bool outside_is_untouched(const struct bench *b)
{
    struct bench out = *b;

    snprintf(out.root, sizeof(out.root), "%s", b->outside);
    return !strcmp(holds(&out, "secret"), "secret") && !there(&out, "new") && !there(&out, "made");
}

static void none_reaches(struct bench *b, const char *path)
{
    for (size_t i = 0; i < ARRAY_LEN(reaches); i++) {
        char args[512];
        struct str said;

        put(b, "own", "own");
        snprintf(args, sizeof(args), reaches[i].args, path);
        said = call(b, reaches[i].tool, "%s", args);
        if (!b->call.is_error)
            TAP_NOT("%s %s answered " STR_FMT, reaches[i].tool->name, args, STR_ARG(said));
        OK(outside_is_untouched(b));
    }
}

static void put_secret(const struct bench *b)
{
    struct bench out = *b;

    snprintf(out.root, sizeof(out.root), "%s", b->outside);
    put(&out, "secret", "secret");
}

TEST(no_path_leads_out_of_the_root)
{
    struct bench b;
    char path[200];

    bench_open(&b);
    put_secret(&b);
    folder(&b, "sub");
    none_reaches(&b, "../outside/secret");
    none_reaches(&b, "sub/../../outside/secret");
    snprintf(path, sizeof(path), "%s/secret", b.outside);
    none_reaches(&b, path);
    snprintf(path, sizeof(path), "/proc/self/root%s/secret", b.outside);
    none_reaches(&b, path);
    snprintf(path, sizeof(path), "%s/../outside/secret", b.root);
    none_reaches(&b, path);
    bench_close(&b);
}

TEST(a_folder_whose_name_begins_like_the_root_is_outside)
{
    struct bench b;
    char path[200];

    bench_open(&b);
    snprintf(path, sizeof(path), "%s-too", b.root);
    OK(mkdir(path, 0755) == 0);
    EQ_S(str_head(call(&b, &tool_file_list, "{'path':'%s'}", path), 5), "/tmp/");
    WAS_REFUSED(&b);
    HAS_S(answer(&b), "is outside the root folder");
    bench_close(&b);
}

/* A link that leads out is no way to what it leads to. Removing and renaming mean the link. */
TEST(no_link_leads_out_of_the_root)
{
    struct bench b;
    char path[200];

    bench_open(&b);
    put_secret(&b);
    snprintf(path, sizeof(path), "%s/secret", b.outside);
    OK(symlink(path, at(&b, "absolute")) == 0);
    OK(symlink("../outside/secret", at(&b, "relative")) == 0);
    OK(symlink("../outside", at(&b, "folder")) == 0);
    OK(symlink("/proc/self/root", at(&b, "magic")) == 0);
    none_reaches(&b, "folder/secret");
    snprintf(path, sizeof(path), "magic%s/secret", b.outside);
    none_reaches(&b, path);
    for (size_t i = 0; i < 4; i++) {
        call(&b, reaches[i].tool, reaches[i].args, "absolute");
        WAS_REFUSED(&b);
        call(&b, reaches[i].tool, reaches[i].args, "relative");
        WAS_REFUSED(&b);
    }
    call(&b, &tool_file_delete, "{'path':'folder','recursive':true}");
    WENT_WELL(&b);
    call(&b, &tool_file_move, "{'from':'absolute','to':'moved'}");
    WENT_WELL(&b);
    OK(!there(&b, "folder") && there(&b, "moved") && outside_is_untouched(&b));
    bench_close(&b);
}

TEST(a_link_inside_the_root_is_followed_and_stays)
{
    struct bench b;
    struct stat st;

    bench_open(&b);
    folder(&b, "sub");
    put(&b, "sub/real", "one two");
    OK(symlink("sub/real", at(&b, "link")) == 0 && symlink("../link", at(&b, "sub/second")) == 0);
    EQ_S(call(&b, &tool_file_read, "{'path':'sub/second'}"), "one two");
    call(&b, &tool_file_edit, "{'path':'sub/second','old_text':'two','new_text':'2'}");
    WENT_WELL(&b);
    call(&b, &tool_file_write, "{'path':'link','content':'%s'}", "three");
    WENT_WELL(&b);
    EQ_STR(holds(&b, "sub/real"), "three");
    OK(lstat(at(&b, "link"), &st) == 0 && S_ISLNK(st.st_mode));
    OK(symlink("round", at(&b, "round")) == 0);
    call(&b, &tool_file_write, "{'path':'round','content':'x'}");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST(included_folders_are_reached_by_absolute_paths_only)
{
    struct bench b;
    struct host_folder include;

    bench_open(&b);
    put_secret(&b);
    include = (struct host_folder){ open(b.outside, O_PATH | O_CLOEXEC), b.outside };
    b.host.include = &include;
    b.host.includes = 1;
    EQ_S(call(&b, &tool_file_read, "{'path':'%s/secret'}", b.outside), "secret");
    call(&b, &tool_file_read, "{'path':'../outside/secret'}");
    WAS_REFUSED(&b);
    call(&b, &tool_file_read, "{'path':'%s/../inside/x'}", b.outside);
    WAS_REFUSED(&b);
    put(&b, "x", "x");
    call(&b, &tool_file_move, "{'from':'x','to':'%s/x'}", b.outside);
    WENT_WELL(&b);
    close(include.fd);
    bench_close(&b);
}

/* ---- the working folder ------------------------------------------------------------------ */

TEST(relative_paths_are_meant_from_the_working_folder)
{
    struct bench b;
    char cwd[128];

    bench_open(&b);
    folder(&b, "sub");
    put(&b, "x", "above");
    put(&b, "sub/x", "here");
    put(&b, "sub/y.c", "word");
    snprintf(cwd, sizeof(cwd), "%s/sub", b.root);
    b.host.cwd = cwd;
    EQ_S(call(&b, &tool_file_read, "{'path':'x'}"), "here");
    EQ_S(call(&b, &tool_file_read, "{'path':'../x'}"), "above");
    EQ_S(call(&b, &tool_file_read, "{'path':'../sub/./x'}"), "here");
    EQ_S(call(&b, &tool_file_read, "{'path':'%s/x'}", b.root), "above");
    EQ_S(call(&b, &tool_file_list, "{}"), "x  4\ny.c  4");
    EQ_S(call(&b, &tool_file_list, "{'path':'..'}"), "sub/\nx  5");
    EQ_S(call(&b, &tool_glob, "{'pattern':'*.c'}"), "y.c");
    EQ_S(call(&b, &tool_glob, "{'pattern':'**/*.c','path':'..'}"), "../sub/y.c");
    HAS_S(call(&b, &tool_grep, "{'pattern':'word|above'}"), "y.c:1");
    OK(str_find(answer(&b), STR("above")) < 0);
    call(&b, &tool_file_write, "{'path':'../new/er','content':'n','parents':true}");
    WENT_WELL(&b);
    EQ_STR(holds(&b, "new/er"), "n");
    call(&b, &tool_file_move, "{'from':'../new/er','to':'moved'}");
    EQ_STR(holds(&b, "sub/moved"), "n");
    call(&b, &tool_dir_make, "{'path':'made'}");
    OK(there(&b, "sub/made"));
    call(&b, &tool_file_edit, "{'path':'x','old_text':'here','new_text':'there'}");
    EQ_STR(holds(&b, "sub/x"), "there");
    call(&b, &tool_file_delete, "{'path':'x'}");
    OK(!there(&b, "sub/x") && there(&b, "x"));
    call(&b, &tool_file_delete, "{'path':'made/..','recursive':true}");
    WAS_REFUSED(&b);
    OK(there(&b, "sub/y.c"));
    bench_close(&b);
}

TEST(no_path_leads_out_from_the_working_folder)
{
    struct bench b;
    char cwd[128];

    bench_open(&b);
    put_secret(&b);
    folder(&b, "sub");
    OK(symlink("../outside", at(&b, "out")) == 0);
    snprintf(cwd, sizeof(cwd), "%s/sub", b.root);
    b.host.cwd = cwd;
    none_reaches(&b, "../../outside/secret");
    none_reaches(&b, "../sub/../../outside/secret");
    none_reaches(&b, "../out/secret");
    b.host.cwd = b.outside; /* no folder of the host: nothing is meant from there */
    none_reaches(&b, "secret");
    snprintf(cwd, sizeof(cwd), "%s/out", b.root); /* a link that leads out */
    b.host.cwd = cwd;
    none_reaches(&b, "secret");
    call(&b, &tool_file_list, "{}");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST(the_working_folder_may_lie_in_an_included_one)
{
    struct bench b;
    struct host_folder include;

    bench_open(&b);
    put_secret(&b);
    put(&b, "x", "x");
    include = (struct host_folder){ open(b.outside, O_PATH | O_CLOEXEC), b.outside };
    b.host.include = &include;
    b.host.includes = 1;
    b.host.cwd = b.outside;
    EQ_S(call(&b, &tool_file_read, "{'path':'secret'}"), "secret");
    EQ_S(call(&b, &tool_file_list, "{}"), "secret  6");
    HAS_S(call(&b, &tool_file_read, "{'path':'../inside/x'}"), "is outside");
    EQ_S(call(&b, &tool_file_read, "{'path':'%s/x'}", b.root), "x");
    close(include.fd);
    bench_close(&b);
}

/* ---- a race ------------------------------------------------------------------------------ */

TEST(a_race_of_links_leads_nowhere)
{
    static const struct {
        const struct tool *tool;
        const char *args;
    } tries[] = {
        { &tool_file_read, "{'path':'d/secret'}" },
        { &tool_file_write, "{'path':'d/secret','content':'mine'}" },
        { &tool_file_edit, "{'path':'d/secret','old_text':'mine','new_text':'hers'}" },
        { &tool_dir_make, "{'path':'d/new/made'}" },
        { &tool_grep, "{'pattern':'se[c]ret'}" },
        { &tool_file_delete, "{'path':'d/new','recursive':true}" },
        { &tool_file_delete, "{'path':'d/secret'}" },
    };
    struct swapper s;
    struct bench b;

    bench_open(&b);
    put_secret(&b);
    folder(&b, "d");
    put(&b, "d/secret", "mine");
    swapper_start(&s, &b);
    for (int i = 0; i < SWAPS || atomic_load(&s.swaps) < SWAPS; i++) {
        struct str said = call(&b, tries[i % 7].tool, "%s", tries[i % 7].args);

        OK(!said.n || str_find(said, STR("secret:1")) < 0);
        OK(i % 7 || !str_eq(said, STR("secret")));
    }
    swapper_stop(&s);
    OK(outside_is_untouched(&b));
    bench_close(&b);
}

TEST_MAIN()
