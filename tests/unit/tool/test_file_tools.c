/* What the tools that read and change files do, and how they fail. */
#include "tool_bench.h"

#include <sys/resource.h>

/* ---- reading ----------------------------------------------------------------------------- */

TEST(lines_are_read)
{
    struct bench b;

    bench_open(&b);
    put(&b, "a", "one\ntwo\nthree\n");
    EQ_S(call(&b, &tool_file_read, "{'path':'a'}"), "one\ntwo\nthree\n");
    EQ_S(call(&b, &tool_file_read, "{'path':'a','line':2,'lines':1}"), "two\n");
    EQ_S(call(&b, &tool_file_read, "{'path':'%s/a','line':3}", b.root), "three\n");
    HAS_S(call(&b, &tool_file_read, "{'path':'none'}"), "No such file");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_file_read, "{'path':'.'}"), "is a folder");
    HAS_S(call(&b, &tool_file_read, "{'path':'a/b'}"), "Not a directory");
    HAS_S(call(&b, &tool_file_read, "{'path':''}"), "expected a file name");
    HAS_S(call(&b, &tool_file_read, "{'path':'a\\u0000b'}"), "without NUL");
    HAS_S(call(&b, &tool_file_read, "{'path':'a','paht':'a'}"), "paht");
    HAS_S(call(&b, &tool_file_read, "{}"), "path");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST(images_are_blocks_of_their_own)
{
    static const struct {
        struct str bytes;
        const char *type;
    } rows[] = {
        { STR("\x89PNG\r\n\x1a\n..."), "image/png" },
        { STR("\xff\xd8\xff\xe0..."), "image/jpeg" },
        { STR("GIF89a..."), "image/gif" },
        { STR("RIFF\1\2\3\4WEBPVP8 "), "image/webp" },
    };
    struct bench b;

    bench_open(&b);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put_bytes(&b, "image.txt", rows[i].bytes);
        call(&b, &tool_file_read, "{'path':'image.txt'}");
        WENT_WELL(&b);
        HAS_S(buf_str(&b.call.content), "{\"type\":\"image\",\"data\":\"");
        HAS_S(buf_str(&b.call.content), rows[i].type);
    }
    HAS_S(buf_str(&b.call.content), "UklGRgECAwRXRUJQVlA4IA==");
    put(&b, "image.txt", "RIFF\1\2\3\4WAVE");
    EQ_S(call(&b, &tool_file_read, "{'path':'image.txt'}"), "RIFF\1\2\3\4WAVE");
    put_bytes(&b, "image.txt", STR("ab\xff\0"));
    HAS_S(call(&b, &tool_file_read, "{'path':'image.txt'}"), "is not UTF-8 text (byte 2)");
    put_bytes(&b, "image.txt", rows[0].bytes);
    b.limits.image_bytes = 8;
    HAS_S(call(&b, &tool_file_read, "{'path':'image.txt'}"), "the constant image_bytes");
    bench_close(&b);
}

/* None of these may hang or be read. */
TEST(only_regular_files_are_read)
{
    struct bench b;

    bench_open(&b);
    OK(mkfifo(at(&b, "pipe"), 0644) == 0);
    HAS_S(call(&b, &tool_file_read, "{'path':'pipe'}"), "not a regular file");
    HAS_S(call(&b, &tool_file_write, "{'path':'pipe','content':'x'}"), "not a regular file");
    HAS_S(call(&b, &tool_file_edit, "{'path':'pipe','old_text':'x','new_text':'y'}"),
          "not a regular file");
    HAS_S(call(&b, &tool_grep, "{'path':'pipe','pattern':'x'}"), "not a regular file");
    EQ_S(call(&b, &tool_grep, "{'pattern':'x'}"), "Nothing found.");
    if (mknod(at(&b, "zero"), S_IFCHR | 0666, 1 << 8 | 5) == 0) {
        call(&b, &tool_file_read, "{'path':'zero'}");
        WAS_REFUSED(&b);
        call(&b, &tool_file_write, "{'path':'zero','content':'x'}");
        WAS_REFUSED(&b);
    }
    bench_close(&b);
}

TEST(a_huge_file_is_refused_before_it_is_read)
{
    struct bench b;
    int fd;

    bench_open(&b);
    fd = open(at(&b, "huge"), O_CREAT | O_WRONLY, 0644);
    OK(fd >= 0 && ftruncate(fd, 1LL << 40) == 0);
    close(fd);
    HAS_S(call(&b, &tool_file_read, "{'path':'huge'}"), "limits.file_read_bytes");
    HAS_S(call(&b, &tool_file_edit, "{'path':'huge','old_text':'a','new_text':'b'}"),
          "limits.file_read_bytes");
    HAS_S(call(&b, &tool_grep, "{'pattern':'a'}"), "1 large file skipped");
    bench_close(&b);
}

/* As somebody who is not root. */
TEST(what_is_not_allowed_is_said)
{
    struct bench b;
    uid_t was = geteuid();

    bench_open(&b);
    put(&b, "private", "x");
    OK(chmod(at(&b, "private"), was ? 0 : 0600) == 0);
    folder(&b, "closed");
    OK(chmod(at(&b, "closed"), was ? 0 : 0700) == 0);
    OK(chmod(b.root, 0555) == 0);
    OK(was || seteuid(65534) == 0);
    HAS_S(call(&b, &tool_file_read, "{'path':'private'}"), "Permission denied");
    HAS_S(call(&b, &tool_file_write, "{'path':'new','content':'x'}"), "Permission denied");
    HAS_S(call(&b, &tool_file_delete, "{'path':'private'}"), "Permission denied");
    HAS_S(call(&b, &tool_dir_make, "{'path':'new'}"), "Permission denied");
    HAS_S(call(&b, &tool_file_list, "{'path':'closed'}"), "Permission denied");
    HAS_S(call(&b, &tool_glob, "{'pattern':'**/x'}"), "[skipped 1 folder: unreadable");
    OK(was || seteuid(0) == 0);
    OK(chmod(b.root, 0755) == 0 && chmod(at(&b, "closed"), 0755) == 0);
    bench_close(&b);
}

/* ---- writing ----------------------------------------------------------------------------- */

TEST(files_are_created_and_replaced)
{
    struct bench b;
    struct stat st;

    bench_open(&b);
    EQ_S(call(&b, &tool_file_write, "{'path':'a','content':'one'}"), "Created a: 3 bytes");
    OK(chmod(at(&b, "a"), 0750) == 0);
    EQ_S(call(&b, &tool_file_write, "{'path':'a','content':''}"), "Replaced a: 0 bytes");
    EQ_STR(holds(&b, "a"), "");
    OK(stat(at(&b, "a"), &st) == 0 && (st.st_mode & 07777) == 0750);
    HAS_S(call(&b, &tool_file_write, "{'path':'a','content':'x','only_new':true}"),
          "already exists");
    HAS_S(call(&b, &tool_file_write, "{'path':'d/e/f','content':'x'}"), "No such file");
    WAS_REFUSED(&b);
    EQ_S(call(&b, &tool_file_write, "{'path':'d/e/f','content':'x','parents':true}"),
         "Created d/e/f: 1 byte");
    HAS_S(call(&b, &tool_file_write, "{'path':'d','content':'x'}"), "not a regular file");
    HAS_S(call(&b, &tool_file_write, "{'path':'.','content':'x'}"), "its last part must be a name");
    HAS_S(call(&b, &tool_file_write, "{'path':'d/..','content':'x'}"), "must be a name");
    b.limits.file_write_bytes = 3;
    HAS_S(call(&b, &tool_file_write, "{'path':'a','content':'four'}"),
          "the constant file_write_bytes");
    bench_close(&b);
}

static int count_names(const struct bench *b)
{
    struct bench copy = *b;
    struct str list;
    int n = 0;

    copy.mem = (struct arena){ 0 };
    list = call(&copy, &tool_file_list, "{}");
    for (size_t i = 0; i < list.n; i++)
        n += list.p[i] == '\n';
    arena_fini(&copy.mem);
    return n + 1;
}

/* The old content stays, and nothing is left lying about. */
TEST(a_full_disk_loses_nothing)
{
    struct rlimit was, tight;
    struct bench b;

    bench_open(&b);
    put(&b, "a", "old");
    OK(getrlimit(RLIMIT_FSIZE, &was) == 0);
    tight = (struct rlimit){ 100, was.rlim_max };
    OK(setrlimit(RLIMIT_FSIZE, &tight) == 0);
    call(&b, &tool_file_write, "{'path':'a','content':'%0200d'}", 1);
    WAS_REFUSED(&b);
    HAS_S(answer(&b), "File too large");
    call(&b, &tool_file_edit, "{'path':'a','old_text':'old','new_text':'%0200d'}", 1);
    WAS_REFUSED(&b);
    OK(setrlimit(RLIMIT_FSIZE, &was) == 0);
    EQ_STR(holds(&b, "a"), "old");
    EQ(count_names(&b), 1);
    bench_close(&b);
}

TEST(an_edit_needs_one_place_and_shows_what_it_did)
{
    struct bench b;

    bench_open(&b);
    put(&b, "a", "one\ntwo\ntwo\n");
    HAS_S(call(&b, &tool_file_edit, "{'path':'a','old_text':'two','new_text':'2'}"), "2 times");
    HAS_S(call(&b, &tool_file_edit, "{'path':'a','old_text':'three','new_text':'2'}"),
          "must match exactly");
    HAS_S(call(&b, &tool_file_edit, "{'path':'a','old_text':'','new_text':'2'}"), "empty");
    HAS_S(call(&b, &tool_file_edit, "{'path':'a','old_text':'one','new_text':'one'}"), "differ");
    EQ_STR(holds(&b, "a"), "one\ntwo\ntwo\n");
    EQ_S(call(&b, &tool_file_edit, "{'path':'a','old_text':'one\\ntwo','new_text':'1'}"),
         "--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n-one\n-two\n+1\n two\n");
    put(&b, "a", "one\ntwo\ntwo\n");
    call(&b, &tool_file_edit, "{'path':'a','old_text':'two','new_text':'','replace_all':true}");
    WENT_WELL(&b);
    EQ_STR(holds(&b, "a"), "one\n\n\n");
    b.limits.edit_places = 2;
    HAS_S(
        call(&b, &tool_file_edit, "{'path':'a','old_text':'\\n','new_text':'','replace_all':true}"),
        "the constant edit_places");
    b.limits.file_write_bytes = 8;
    HAS_S(call(&b, &tool_file_edit, "{'path':'a','old_text':'one','new_text':'seven'}"), "");
    HAS_S(call(&b, &tool_file_edit, "{'path':'a','old_text':'seven','new_text':'seventeen'}"),
          "the constant file_write_bytes");
    bench_close(&b);
}

TEST(an_edit_may_empty_a_file)
{
    struct bench b;

    bench_open(&b);
    put(&b, "a", "all");
    call(&b, &tool_file_edit, "{'path':'a','old_text':'all','new_text':''}");
    WENT_WELL(&b);
    EQ_STR(holds(&b, "a"), "");
    bench_close(&b);
}

/* ---- moving, deleting, making ------------------------------------------------------------ */

TEST(files_and_folders_are_moved)
{
    struct bench b;

    bench_open(&b);
    put(&b, "a", "a");
    put(&b, "b", "b");
    HAS_S(call(&b, &tool_file_move, "{'from':'a','to':'b'}"), "already exists");
    EQ_STR(holds(&b, "b"), "b");
    EQ_S(call(&b, &tool_file_move, "{'from':'a','to':'b','replace':true}"), "Moved a to b");
    EQ_STR(holds(&b, "b"), "a");
    HAS_S(call(&b, &tool_file_move, "{'from':'a','to':'c'}"), "No such file");
    HAS_S(call(&b, &tool_file_move, "{'from':'b','to':'x/y/b'}"), "No such file");
    call(&b, &tool_file_move, "{'from':'b','to':'x/y/b','parents':true}");
    WENT_WELL(&b);
    HAS_S(call(&b, &tool_file_move, "{'from':'x','to':'x/y/z'}"), "Invalid argument");
    HAS_S(call(&b, &tool_file_move, "{'from':'.','to':'z'}"), "must be a name");
    call(&b, &tool_file_move, "{'from':'x','to':'z'}");
    EQ_STR(holds(&b, "z/y/b"), "a");
    bench_close(&b);
}

TEST(full_folders_are_deleted_only_when_asked)
{
    struct bench b;

    bench_open(&b);
    folder(&b, "d");
    folder(&b, "d/e");
    put(&b, "d/e/f", "f");
    HAS_S(call(&b, &tool_file_delete, "{'path':'d'}"), "not empty");
    OK(there(&b, "d/e/f"));
    HAS_S(call(&b, &tool_file_delete, "{'path':'.','recursive':true}"), "must be a name");
    b.limits.walk_depth = 1;
    put(&b, "d/e/g", "g");
    folder(&b, "d/e/h");
    HAS_S(call(&b, &tool_file_delete, "{'path':'d','recursive':true}"), "the constant walk_depth");
    b.limits.walk_depth = 64;
    HAS_S(call(&b, &tool_file_delete, "{'path':'d','recursive':true}"), "Deleted d (");
    OK(!there(&b, "d"));
    folder(&b, "d");
    EQ_S(call(&b, &tool_file_delete, "{'path':'d/'}"), "Deleted d/");
    HAS_S(call(&b, &tool_file_delete, "{'path':'d'}"), "No such file");
    bench_close(&b);
}

TEST(folders_are_made)
{
    struct bench b;

    bench_open(&b);
    EQ_S(call(&b, &tool_dir_make, "{'path':'a/b/c'}"), "Made a/b/c");
    EQ_S(call(&b, &tool_dir_make, "{'path':'a/b/c/'}"), "Already exists: a/b/c/");
    HAS_S(call(&b, &tool_dir_make, "{'path':'x/y','parents':false}"), "No such file");
    put(&b, "f", "");
    HAS_S(call(&b, &tool_dir_make, "{'path':'f'}"), "not a folder");
    HAS_S(call(&b, &tool_dir_make, "{'path':'f/g'}"), "Not a directory");
    HAS_S(call(&b, &tool_dir_make, "{'path':'%0300d'}", 1), "at most 255 bytes");
    bench_close(&b);
}

TEST_MAIN()
