/* What tools would change, kept; and brought back. */
#include "core/store.h"
#include "swapper.h"
#include "tool/file/undo.h"

#include <sys/resource.h>

enum { KEPT = 256, SWAPS = 400 };

/* A turn: the images of its calls, as a store would keep them. */
struct keeper {
    struct bench b;
    struct arena mem;
    struct undo_look look;
    struct store_image image[KEPT]; /* the oldest first */
    size_t images;
    struct undo_put put;
    bool done;
    struct err err;
};

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct keeper *k = ctx;

    (void)op;
    k->done = true;
    k->err = e ? *e : (struct err){ 0 };
}

static void open_keeper(struct keeper *k)
{
    memset(k, 0, sizeof(*k));
    bench_open(&k->b);
}

static void close_keeper(struct keeper *k)
{
    arena_fini(&k->mem);
    bench_close(&k->b);
}

/* What a call would change. The arguments are JSON with ' for ". */
static const struct undo_look *look(struct keeper *k, const struct tool *tool, const char *args)
{
    struct json_opts opts = limits_json(&k->b.limits);
    char *text = arena_cstr(&k->mem, str_of(args));
    struct err e;

    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    k->look = (struct undo_look){ .host = &k->b.host, .mem = &k->mem, .tool = tool };
    OK(json_read(&k->mem, str_of(text), &opts, &k->look.args, &e));
    k->done = false;
    tool_undo_port.look(&tool_undo_port, &k->look, NULL, on_done, k);
    OK(until(k->b.loop, until_true, &k->done));
    EQ(k->err.code, ERR_NONE);
    return &k->look;
}

static bool is_kept(const struct keeper *k, struct str path)
{
    for (size_t i = 0; i < k->images; i++)
        if (str_eq(k->image[i].path, path))
            return true;
    return false;
}

/* As a turn does it: look, keep the first image of each path, call. */
static void change(struct keeper *k, const struct tool *tool, const char *args)
{
    const struct undo_look *l = look(k, tool, args);

    for (size_t i = 0; i < l->images; i++) {
        const struct file_image *f = &l->image[i];

        OK(!f->too_large && k->images < KEPT);
        if (!is_kept(k, f->path))
            k->image[k->images++] = (struct store_image){
                .path = f->path, .mode = f->mode, .content = f->content, .absent = f->absent
            };
    }
    call(&k->b, tool, "%s", args);
    WENT_WELL(&k->b);
}

/* How many were brought back. */
static size_t take_back(struct keeper *k)
{
    struct store_image *newest_first = ARENA_ARRAY(&k->mem, struct store_image, k->images + 1);

    for (size_t i = 0; i < k->images; i++)
        newest_first[i] = k->image[k->images - 1 - i];
    k->put = (struct undo_put){ .host = &k->b.host,
                                .vault_only = k->put.vault_only,
                                .image = newest_first,
                                .images = k->images };
    k->done = false;
    tool_undo_port.put(&tool_undo_port, &k->put, NULL, on_done, k);
    OK(until(k->b.loop, until_true, &k->done));
    return k->put.restored;
}

static unsigned mode_of(const struct bench *b, const char *path)
{
    struct stat st = { 0 };

    OK(lstat(at(b, path), &st) == 0);
    return st.st_mode & 07777;
}

/* ---- looking ----------------------------------------------------------------------------- */

TEST(a_file_is_kept_as_it_is)
{
    struct keeper k;
    const struct file_image *i;

    open_keeper(&k);
    put(&k.b, "a", "old");
    OK(chmod(at(&k.b, "a"), 0640) == 0);
    EQ(look(&k, &tool_file_write, "{'path':'a','content':'new'}")->images, 1);
    i = &k.look.image[0];
    EQ_S(i->path, at(&k.b, "a"));
    EQ_S(i->content, "old");
    EQ(i->mode, S_IFREG | 0640);
    OK(!i->absent && !i->too_large);
    EQ_S(file_image_text(i), "old");
    EQ(look(&k, &tool_file_edit, "{'path':'b','old_text':'a','new_text':'b'}")->images, 1);
    OK(k.look.image[0].absent && !file_image_text(&k.look.image[0]).p);
    put(&k.b, "a", "");
    look(&k, &tool_file_edit, "{'path':'a','old_text':'a','new_text':'b'}");
    OK(file_image_text(&k.look.image[0]).p && !file_image_text(&k.look.image[0]).n);
    put(&k.b, "a", "\xff");
    look(&k, &tool_file_edit, "{'path':'a','old_text':'a','new_text':'b'}");
    OK(!file_image_text(&k.look.image[0]).p);
    close_keeper(&k);
}

/* The same question before and after gives what an editor shows as a change. */
TEST(a_look_after_the_call_sees_what_became_of_it)
{
    static const char args[] = "{'path':'d/a','content':'new','parents':true}";
    struct keeper k;

    open_keeper(&k);
    EQ(look(&k, &tool_file_write, args)->images, 2);
    OK(!file_image_text(&k.look.image[1]).p);
    EQ_S(k.look.image[0].path, at(&k.b, "d"));
    EQ_S(k.look.image[1].path, at(&k.b, "d/a"));
    call(&k.b, &tool_file_write, "%s", args);
    look(&k, &tool_file_write, args);
    EQ_S(file_image_text(&k.look.image[k.look.images - 1]), "new");
    close_keeper(&k);
}

TEST(what_changes_nothing_has_no_image)
{
    static const struct {
        const struct tool *tool;
        const char *args;
    } rows[] = {
        { &tool_file_read, "{'path':'a'}" },
        { &tool_shell_exec, "{'argv':['rm','a']}" },
        { &tool_file_write, "{'path':'../outside/secret','content':''}" },
        { &tool_file_write, "{'path':'out/secret','content':''}" },
        { &tool_file_write, "{'path':'out/new/secret','content':'','parents':true}" },
        { &tool_file_write, "{'path':'no/such','content':''}" },
        { &tool_file_write, "{'path':'a/b','content':'','parents':true}" },
        { &tool_file_write, "{'path':7}" },
        { &tool_file_write, "{}" },
        { &tool_file_delete, "{'path':'.','recursive':true}" },
        { &tool_file_move, "{'from':'no/such','to':'b'}" },
        { &tool_file_move, "{'from':'a'}" },
    };
    struct tool other = tool_file_write;
    struct keeper k;

    open_keeper(&k);
    put(&k.b, "a", "a");
    OK(symlink("../outside", at(&k.b, "out")) == 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (look(&k, rows[i].tool, rows[i].args)->images)
            TAP_NOT("%s %s", rows[i].tool->name, rows[i].args);
    other.start = tool_file_read.start; /* somebody else's, of that name */
    EQ(look(&k, &other, "{'path':'a','content':''}")->images, 0);
    close_keeper(&k);
}

TEST(what_is_too_much_is_said_once)
{
    struct keeper k;

    open_keeper(&k);
    folder(&k.b, "d");
    put(&k.b, "d/a", "12345");
    put(&k.b, "d/b", "12345");
    k.b.limits.undo_bytes = 9;
    EQ(look(&k, &tool_file_delete, "{'path':'d/a'}")->images, 1);
    OK(!k.look.image[0].too_large);
    EQ(look(&k, &tool_file_delete, "{'path':'d','recursive':true}")->images, 1);
    OK(k.look.image[0].too_large);
    EQ_S(k.look.image[0].path, at(&k.b, "d"));
    k.b.limits.undo_bytes = 10;
    EQ(look(&k, &tool_file_delete, "{'path':'d','recursive':true}")->images, 3);
    k.b.limits.undo_files = 2;
    EQ(look(&k, &tool_file_delete, "{'path':'d','recursive':true}")->images, 1);
    OK(k.look.image[0].too_large);
    k.b.limits.undo_files = 5;
    EQ(look(&k, &tool_file_move, "{'from':'d','to':'e'}")->images, 1);
    OK(k.look.image[0].too_large);
    k.b.limits.undo_files = 6;
    EQ(look(&k, &tool_file_move, "{'from':'d','to':'e'}")->images, 6);
    k.b.limits.walk_depth = 0;
    EQ(look(&k, &tool_file_delete, "{'path':'d','recursive':true}")->images, 1);
    OK(mkfifo(at(&k.b, "pipe"), 0600) == 0);
    EQ(look(&k, &tool_file_delete, "{'path':'pipe'}")->images, 1);
    OK(k.look.image[0].too_large);
    close_keeper(&k);
}

TEST(a_look_can_be_cancelled)
{
    struct json_opts opts;
    struct keeper k;
    struct err e;

    open_keeper(&k);
    put(&k.b, "a", "a");
    opts = limits_json(&k.b.limits);
    k.look = (struct undo_look){ .host = &k.b.host, .mem = &k.mem, .tool = &tool_file_delete };
    OK(json_read(&k.mem, STR("{\"path\":\"a\"}"), &opts, &k.look.args, &e));
    tool_undo_port.look(&tool_undo_port, &k.look, NULL, on_done, &k);
    op_cancel(&k.look.op);
    OK(until(k.b.loop, until_true, &k.done));
    EQ(k.err.code, ERR_CANCELED);
    EQ(k.look.images, 0);
    close_keeper(&k);
}

/* ---- back -------------------------------------------------------------------------------- */

TEST(written_and_edited_files_come_back)
{
    struct keeper k;

    open_keeper(&k);
    put(&k.b, "a", "old");
    OK(chmod(at(&k.b, "a"), 0751) == 0);
    put(&k.b, "same", "same");
    change(&k, &tool_file_write, "{'path':'a','content':'new'}");
    change(&k, &tool_file_edit, "{'path':'a','old_text':'new','new_text':'newer'}");
    change(&k, &tool_file_write, "{'path':'x/y/z','content':'z','parents':true}");
    change(&k, &tool_file_write, "{'path':'same','content':'same'}");
    EQ(take_back(&k), 4);
    EQ(k.err.code, ERR_NONE);
    EQ_STR(holds(&k.b, "a"), "old");
    EQ(mode_of(&k.b, "a"), 0751);
    OK(!there(&k.b, "x"));
    EQ(take_back(&k), 0); /* once more does no harm */
    EQ(k.err.code, ERR_NONE);
    EQ_STR(holds(&k.b, "a"), "old");
    close_keeper(&k);
}

TEST(a_deleted_folder_comes_back_with_all_that_was_in_it)
{
    struct keeper k;
    char to[64] = "";

    open_keeper(&k);
    folder(&k.b, "d");
    folder(&k.b, "d/e");
    folder(&k.b, "d/empty");
    put(&k.b, "d/e/f", "f");
    put(&k.b, "d/run", "#!");
    OK(chmod(at(&k.b, "d/run"), 0755) == 0 && chmod(at(&k.b, "d/e"), 0555) == 0);
    OK(symlink("../../outside", at(&k.b, "d/link")) == 0);
    OK(geteuid() == 0 || chmod(at(&k.b, "d/e"), 0755) == 0);
    change(&k, &tool_file_delete, "{'path':'d/run'}");
    change(&k, &tool_file_delete, "{'path':'d','recursive':true}");
    OK(!there(&k.b, "d"));
    EQ(take_back(&k), 6);
    EQ(k.err.code, ERR_NONE);
    EQ_STR(holds(&k.b, "d/e/f"), "f");
    EQ(mode_of(&k.b, "d/run"), 0755);
    EQ(mode_of(&k.b, "d/e"), geteuid() ? 0755 : 0555);
    OK(there(&k.b, "d/empty"));
    OK(readlink(at(&k.b, "d/link"), to, sizeof(to) - 1) > 0);
    EQ_STR(to, "../../outside");
    OK(chmod(at(&k.b, "d/e"), 0755) == 0);
    close_keeper(&k);
}

TEST(what_was_moved_goes_back)
{
    struct keeper k;

    open_keeper(&k);
    folder(&k.b, "d");
    folder(&k.b, "d/sub");
    put(&k.b, "d/sub/x", "x");
    put(&k.b, "a", "a");
    put(&k.b, "b", "b");
    change(&k, &tool_file_move, "{'from':'a','to':'b','replace':true}");
    change(&k, &tool_file_move, "{'from':'d','to':'new/place','parents':true}");
    change(&k, &tool_file_write, "{'path':'new/place/sub/x','content':'changed'}");
    EQ_STR(holds(&k.b, "new/place/sub/x"), "changed");
    take_back(&k);
    EQ(k.err.code, ERR_NONE);
    EQ_STR(holds(&k.b, "a"), "a");
    EQ_STR(holds(&k.b, "b"), "b");
    EQ_STR(holds(&k.b, "d/sub/x"), "x");
    OK(!there(&k.b, "new"));
    close_keeper(&k);
}

TEST(folders_that_were_made_go_and_those_with_other_things_stay)
{
    struct keeper k;

    open_keeper(&k);
    change(&k, &tool_dir_make, "{'path':'a/b/c'}");
    change(&k, &tool_dir_make, "{'path':'kept'}");
    put(&k.b, "kept/mine", "mine");
    EQ(take_back(&k), 3);
    EQ(k.err.code, ERR_NONE);
    OK(!there(&k.b, "a"));
    EQ_STR(holds(&k.b, "kept/mine"), "mine");
    close_keeper(&k);
}

/* A file where a folder was, a folder where a file was. */
TEST(another_kind_in_its_place_is_no_obstacle)
{
    struct keeper k;

    open_keeper(&k);
    folder(&k.b, "d");
    put(&k.b, "d/x", "x");
    put(&k.b, "f", "f");
    OK(symlink("f", at(&k.b, "l")) == 0);
    change(&k, &tool_file_delete, "{'path':'d','recursive':true}");
    change(&k, &tool_file_write, "{'path':'d','content':'a file'}");
    change(&k, &tool_file_delete, "{'path':'f'}");
    change(&k, &tool_dir_make, "{'path':'f/g'}");
    change(&k, &tool_file_delete, "{'path':'l'}");
    change(&k, &tool_file_write, "{'path':'l','content':'no link'}");
    take_back(&k);
    EQ(k.err.code, ERR_NONE);
    EQ_STR(holds(&k.b, "d/x"), "x");
    EQ_STR(holds(&k.b, "f"), "f");
    EQ_STR(holds(&k.b, "l"), "f");
    close_keeper(&k);
}

/* Through a link the file is changed that it leads to, and that file comes back. */
TEST(links_stay_and_what_they_lead_to_comes_back)
{
    struct keeper k;
    struct stat st;

    open_keeper(&k);
    folder(&k.b, "real");
    put(&k.b, "real/x", "old");
    OK(symlink("real", at(&k.b, "dir")) == 0 && symlink("real/x", at(&k.b, "link")) == 0);
    OK(symlink("real/none", at(&k.b, "dangling")) == 0);
    change(&k, &tool_file_write, "{'path':'link','content':'1'}");
    change(&k, &tool_file_write, "{'path':'dir/x','content':'2'}");
    change(&k, &tool_file_write, "{'path':'dangling','content':'3'}");
    change(&k, &tool_file_write, "{'path':'dir/new/y','content':'4','parents':true}");
    EQ_S(k.image[0].path, at(&k.b, "real/x"));
    EQ(k.images, 4);
    EQ(take_back(&k), 4);
    EQ_STR(holds(&k.b, "real/x"), "old");
    OK(!there(&k.b, "real/none") && !there(&k.b, "real/new"));
    OK(lstat(at(&k.b, "link"), &st) == 0 && S_ISLNK(st.st_mode));
    OK(lstat(at(&k.b, "dangling"), &st) == 0 && S_ISLNK(st.st_mode));
    close_keeper(&k);
}

/* ---- what cannot be ---------------------------------------------------------------------- */

TEST(nothing_is_put_outside_the_root)
{
    struct keeper k;
    struct bench out;

    open_keeper(&k);
    out = k.b;
    snprintf(out.root, sizeof(out.root), "%s", k.b.outside);
    folder(&k.b, "d");
    put(&k.b, "d/x", "x");
    change(&k, &tool_file_write, "{'path':'d/x','content':'new'}");
    change(&k, &tool_file_write, "{'path':'d/y','content':'new'}");
    OK(rename(at(&k.b, "d"), at(&k.b, "moved")) == 0);
    OK(symlink("../outside", at(&k.b, "d")) == 0); /* somebody swaps the folder for a link */
    put(&out, "x", "theirs");
    put(&out, "y", "theirs");
    k.image[k.images++] = (struct store_image){ .path = arena_str(&k.mem, str_of(at(&out, "x"))),
                                                .content = STR("ours") };
    EQ(take_back(&k), 0);
    EQ(k.err.code, ERR_DENIED);
    EQ_STR(holds(&out, "x"), "theirs");
    EQ_STR(holds(&out, "y"), "theirs");
    close_keeper(&k);
}

/* A folder that has become a link since then is not the folder that was changed. */
TEST(a_link_that_took_the_place_of_a_folder_is_not_followed)
{
    struct keeper k;

    open_keeper(&k);
    folder(&k.b, "d");
    folder(&k.b, "other");
    put(&k.b, "d/f", "old");
    put(&k.b, "other/f", "mine");
    change(&k, &tool_file_write, "{'path':'d/f','content':'new'}");
    OK(rename(at(&k.b, "d"), at(&k.b, "moved")) == 0);
    OK(symlink("other", at(&k.b, "d")) == 0);
    take_back(&k);
    EQ(k.err.code, ERR_DENIED);
    EQ_STR(holds(&k.b, "other/f"), "mine");
    close_keeper(&k);
}

TEST(in_read_only_mode_only_the_vault_is_brought_back)
{
    struct keeper k;

    open_keeper(&k);
    folder(&k.b, "src");
    folder(&k.b, ".vault");
    put(&k.b, "src/f", "old");
    put(&k.b, ".vault/f", "old");
    change(&k, &tool_file_write, "{'path':'src/f','content':'new'}");
    change(&k, &tool_file_write, "{'path':'.vault/f','content':'new'}");
    k.put.vault_only = true;
    take_back(&k);
    EQ(k.err.code, ERR_DENIED);
    EQ_STR(holds(&k.b, "src/f"), "new");
    EQ_STR(holds(&k.b, ".vault/f"), "old");
    close_keeper(&k);
}

TEST(a_race_of_links_leads_no_image_in_or_out)
{
    static const char *const looks[] = {
        "{'path':'d/x','content':'mine'}",
        "{'path':'d/n/m','content':'mine','parents':true}",
    };
    struct keeper k;
    struct swapper s;
    struct bench out;

    open_keeper(&k);
    out = k.b;
    snprintf(out.root, sizeof(out.root), "%s", k.b.outside);
    put(&out, "x", "theirs");
    put(&out, "y", "theirs");
    folder(&k.b, "d");
    put(&k.b, "d/x", "x");
    change(&k, &tool_file_write, "{'path':'d/x','content':'new'}");
    change(&k, &tool_file_write, "{'path':'d/y','content':'new'}");
    change(&k, &tool_dir_make, "{'path':'d/made/deep'}");
    swapper_start(&s, &k.b);
    for (int i = 0; i < SWAPS || atomic_load(&s.swaps) < SWAPS; i++) {
        take_back(&k);
        look(&k, &tool_file_write, looks[i % 2]);
        for (size_t j = 0; j < k.look.images; j++)
            OK(!str_eq(k.look.image[j].content, STR("theirs")));
    }
    swapper_stop(&s);
    EQ_STR(holds(&out, "x"), "theirs");
    EQ_STR(holds(&out, "y"), "theirs");
    OK(!there(&out, "made"));
    close_keeper(&k);
}

/* The others come back; what failed is told in one sentence. */
TEST(what_cannot_be_restored_is_told_and_the_others_are)
{
    struct rlimit was, tight;
    struct keeper k;

    open_keeper(&k);
    put(&k.b, "a", "a");
    put(&k.b, "large",
        "0123456789012345678901234567890123456789012345678901234567890123456789"
        "0123456789012345678901234567890123456789012345678901234567890123456789");
    put(&k.b, "z", "z");
    change(&k, &tool_file_write, "{'path':'a','content':'new'}");
    change(&k, &tool_file_write, "{'path':'large','content':'new'}");
    change(&k, &tool_file_write, "{'path':'z','content':'new'}");
    OK(getrlimit(RLIMIT_FSIZE, &was) == 0);
    tight = (struct rlimit){ 100, was.rlim_max };
    OK(setrlimit(RLIMIT_FSIZE, &tight) == 0); /* the disk is full */
    EQ(take_back(&k), 2);
    OK(setrlimit(RLIMIT_FSIZE, &was) == 0);
    EQ(k.err.code, ERR_SYSTEM);
    HAS_S(str_of(k.err.text), "1 of 3 files could not be restored");
    HAS_S(str_of(k.err.text), "large: File too large");
    EQ_STR(holds(&k.b, "a"), "a");
    EQ_STR(holds(&k.b, "z"), "z");
    EQ_STR(holds(&k.b, "large"), "new"); /* all of it or nothing */
    EQ(take_back(&k), 1);                /* there is room again */
    EQ(k.err.code, ERR_NONE);
    EQ(strlen(holds(&k.b, "large")), 140);
    close_keeper(&k);
}

TEST_MAIN()
