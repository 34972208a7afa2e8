/* test_file.c - files read whole; the codes and sentences of errors. */
#include "base/auto.h"
#include "loop/file.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A folder of our own, gone at the end of the scope. */
struct place {
    char dir[64], path[128];
};

static void place_fini(struct place *at)
{
    unlink(at->path);
    rmdir(at->dir);
}

static struct place place_new(void)
{
    struct place at = { .dir = "/tmp/trefoil-test-XXXXXX" };

    if (!mkdtemp(at.dir))
        TAP_NOT("mkdtemp: %s", strerror(errno));
    snprintf(at.path, sizeof(at.path), "%s/f", at.dir);
    return at;
}

#define AUTO_PLACE __attribute__((cleanup(place_fini))) struct place

static void write_file(const char *path, struct str text, mode_t mode)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

    OK(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n && fchmod(fd, mode) == 0);
}

TEST(missing_files_are_found_below_a_folder)
{
    static const char *const path[] = { "f", "g", "g/h", "../f", "/f", "away/f", "dangling" };
    AUTO_PLACE at = place_new();
    bool missing[ARRAY_LEN(path)];
    char link[160];

    write_file(at.path, STR("a"), 0600);
    snprintf(link, sizeof(link), "%s/away", at.dir);
    EQ(symlink("/", link), 0);
    file_find_missing(at.dir, path, 6, missing);
    OK(!missing[0] && missing[1] && missing[2]);
    OK(!missing[3] && !missing[4] && !missing[5]); /* reading them is denied */
    unlink(link);
    snprintf(link, sizeof(link), "%s/dangling", at.dir);
    EQ(symlink("nothing", link), 0);
    file_find_missing(at.dir, path + 6, 1, missing);
    OK(missing[0]);
    unlink(link);
    file_find_missing("/does/not/exist", path, 1, missing);
    OK(!missing[0]);
}

TEST(a_file_is_read_whole_up_to_the_maximum)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct str text = STR_NONE;
    struct err e = { 0 };

    write_file(at.path, STR("a\0b\n"), 0600);
    OK(file_read(&mem, at.path, 4, &text, &e));
    OK(str_eq(text, STR("a\0b\n")));
    EQ(e.code, ERR_NONE);
    text = STR_NONE;
    OK(!file_read(&mem, at.path, 3, &text, &e) && !text.p);
    EQ(e.code, ERR_LIMIT);
    OK(strstr(e.text, "has 4 bytes; at most 3 are read"));
    write_file(at.path, STR(""), 0600);
    OK(file_read(&mem, at.path, 0, &text, &e));
    EQ(text.n, 0);
}

TEST(a_file_that_cannot_tell_its_size_is_still_read_and_bounded)
{
    AUTO_ARENA mem = { 0 };
    struct str text;
    struct err e = { 0 };

    OK(file_read(&mem, "/proc/self/limits", 1 << 20, &text, &e));
    OK(text.n > 100);
    OK(!file_read(&mem, "/proc/self/limits", 100, &text, &e));
    EQ(e.code, ERR_LIMIT);
}

TEST(what_is_no_readable_file_is_told_apart_by_its_code)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct str text;
    struct err e = { 0 };

    OK(!file_read(&mem, at.path, 100, &text, &e));
    EQ(e.code, ERR_NOT_FOUND);
    OK(strstr(e.text, at.path) && strstr(e.text, "No such file"));
    OK(!file_read(&mem, at.dir, 100, &text, &e));
    EQ(e.code, ERR_INVALID);
    OK(!file_read(&mem, "/dev/null/x", 100, &text, &e));
    EQ(e.code, ERR_NOT_FOUND);
    OK(mkfifo(at.path, 0600) == 0);
    OK(!file_read(&mem, at.path, 100, &text, &e)); /* and does not wait for a writer */
    EQ(e.code, ERR_INVALID);
}

TEST(a_file_that_may_not_be_read_is_denied)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct str text;
    struct err e = { 0 };

    if (geteuid() == 0) /* root may read everything */
        return;
    write_file(at.path, STR("x"), 0);
    OK(!file_read(&mem, at.path, 100, &text, &e));
    EQ(e.code, ERR_DENIED);
}

TEST(below_a_folder_nothing_else_is_reached)
{
    static const char *const outside[] = { "../../etc/passwd", "/etc/passwd", "f", "/" };
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct file_id id = { 0 };
    struct str text;
    struct err e;

    OK(symlink("/etc/passwd", at.path) == 0);
    for (size_t i = 0; i < ARRAY_LEN(outside); i++) {
        OK(!file_read_beneath(&mem, at.dir, outside[i], 1 << 20, &text, NULL, &e));
        EQ(e.code, ERR_DENIED);
        HAS_S(str_of(e.text), "is outside");
    }
    OK(!file_read_beneath(&mem, at.dir, "nothing", 9, &text, NULL, &e));
    EQ(e.code, ERR_NOT_FOUND);
    OK(!file_read_beneath(&mem, at.dir, ".", 9, &text, NULL, &e));
    EQ(e.code, ERR_INVALID);
    unlink(at.path);
    write_file(at.path, STR("hello"), 0600);
    OK(!file_read_beneath(&mem, at.dir, "f", 4, &text, NULL, &e));
    EQ(e.code, ERR_LIMIT);
    OK(file_read_beneath(&mem, at.dir, "./f", 5, &text, &id, &e));
    EQ_S(text, "hello");
    OK(id.inode != 0);
}

TEST(a_folder_is_listed_in_order_and_up_to_a_number)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    const char *other = arena_printf(&mem, "%s/B", at.dir).p;
    const char *hidden = arena_printf(&mem, "%s/.x", at.dir).p;
    struct file_names names;
    struct err e;

    write_file(at.path, STR(""), 0600);
    OK(file_write(other, STR(""), 0600, &e) && file_write(hidden, STR(""), 0600, &e));
    OK(file_list_beneath(&mem, at.dir, ".", 2, &names, &e));
    EQ(names.n, 2);
    EQ_STR(names.v[0], "B");
    EQ_STR(names.v[1], "f");
    OK(!file_list_beneath(&mem, at.dir, ".", 1, &names, &e));
    EQ(e.code, ERR_LIMIT);
    OK(!file_list_beneath(&mem, at.dir, "..", 9, &names, &e));
    EQ(e.code, ERR_DENIED);
    OK(!file_list_beneath(&mem, at.dir, "f", 9, &names, &e));
    EQ(e.code, ERR_NOT_FOUND);
    unlink(other);
    unlink(hidden);
}

TEST(a_secret_that_others_can_read_is_refused)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct str text = STR_NONE;
    struct err e = { 0 };

    write_file(at.path, STR("x"), 0640);
    OK(!file_read_secret(&mem, at.path, 10, &text, &e));
    EQ(e.code, ERR_DENIED);
    OK(!text.p);
    OK(strstr(e.text, "mode 640"));
    write_file(at.path, STR("x"), 0600);
    OK(file_read_secret(&mem, at.path, 10, &text, &e));
}

TEST(a_secret_behind_a_link_is_refused)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct str text = STR_NONE;
    struct err e = { 0 };

    OK(symlink("/dev/null", at.path) == 0);
    OK(!file_read_secret(&mem, at.path, 10, &text, &e));
    OK(!text.p);
}

TEST(a_secret_is_read_like_any_file)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct str text;
    struct err e = { 0 };

    write_file(at.path, STR("hush"), 0600);
    OK(file_read_secret(&mem, at.path, 4, &text, &e));
    EQ_S(text, "hush");
    OK(!file_read_secret(&mem, at.path, 3, &text, &e));
    EQ(e.code, ERR_LIMIT);
}

/* ---- writing ---------------------------------------------------------------------------- */

static unsigned mode_of(const char *path)
{
    struct stat st = { 0 };

    OK(stat(path, &st) == 0);
    return st.st_mode & 07777;
}

TEST(a_file_is_written_whole_and_keeps_its_mode)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct str text = STR_NONE;
    struct err e = { 0 };

    OK(file_write(at.path, STR("one"), 0600, &e));
    EQ(mode_of(at.path), 0600);
    OK(chmod(at.path, 0640) == 0);
    OK(file_write(at.path, STR("two"), 0600, &e));
    EQ(mode_of(at.path), 0640);
    OK(file_read(&mem, at.path, 10, &text, &e));
    EQ_S(text, "two");
}

TEST(a_link_stays_and_the_file_behind_it_is_written)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    const char *real = arena_printf(&mem, "%s.real", at.path).p;
    struct str text = STR_NONE;
    struct stat st = { 0 };
    struct err e = { 0 };

    write_file(real, STR("old"), 0600);
    OK(symlink(real, at.path) == 0);
    OK(file_write(at.path, STR("new"), 0600, &e));
    OK(lstat(at.path, &st) == 0 && S_ISLNK(st.st_mode));
    OK(file_read(&mem, real, 10, &text, &e));
    EQ_S(text, "new");
    unlink(real);
}

TEST(below_a_folder_no_link_is_written_through)
{
    static const char *const made[] = { "a/b/c", "link", "folder", "a/b", "a", "real" };
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    const char *real = arena_printf(&mem, "%s/real", at.dir).p;
    const char *file = arena_printf(&mem, "%s/a/b/c", at.dir).p;
    struct str text = STR_NONE;
    struct err e = { 0 };

    write_file(real, STR("old"), 0600);
    OK(file_write_beneath(at.dir, "a/b/c", STR("one"), 0640, &e));
    EQ(mode_of(file), 0640);
    OK(file_write_beneath(at.dir, "a/b/c", STR("two"), 0600, &e));
    EQ(mode_of(file), 0640);
    OK(file_read(&mem, file, 10, &text, &e));
    EQ_S(text, "two");
    OK(symlink("real", arena_printf(&mem, "%s/link", at.dir).p) == 0);
    OK(symlink("a", arena_printf(&mem, "%s/folder", at.dir).p) == 0);
    OK(!file_write_beneath(at.dir, "link", STR("x"), 0600, &e));
    EQ(e.code, ERR_DENIED);
    OK(!file_write_beneath(at.dir, "folder/b/c", STR("x"), 0600, &e));
    EQ(e.code, ERR_DENIED);
    OK(!file_write_beneath(at.dir, "a/b", STR("x"), 0600, &e));
    EQ(e.code, ERR_INVALID);
    OK(!file_write_beneath(at.dir, "a/b/c/d", STR("x"), 0600, &e));
    OK(file_read(&mem, real, 10, &text, &e));
    EQ_S(text, "old");
    for (size_t i = 0; i < ARRAY_LEN(made); i++)
        OK(remove(arena_printf(&mem, "%s/%s", at.dir, made[i]).p) == 0);
}

TEST(what_cannot_be_written_is_left_as_it_is)
{
    AUTO_PLACE at = place_new();
    AUTO_ARENA mem = { 0 };
    struct err e = { 0 };

    OK(!file_write(arena_printf(&mem, "%s/none", at.path).p, STR("x"), 0600, &e));
    EQ(e.code, ERR_SYSTEM);
    OK(!file_write("/dev/null", STR("x"), 0600, &e));
    EQ(e.code, ERR_INVALID);
}

/* ---- err -------------------------------------------------------------------------------- */

TEST(every_code_of_an_error_has_its_own_name)
{
    const char *seen[16] = { 0 };

    for (int code = ERR_NONE; code <= ERR_SYSTEM; code++) {
        seen[code] = err_code_name((enum err_code)code);
        OK(strcmp(seen[code], "?") != 0);
        for (int other = 0; other < code; other++)
            OK(strcmp(seen[code], seen[other]) != 0);
    }
    EQ_STR(err_code_name((enum err_code)99), "?");
}

TEST(a_failure_carries_its_sentence_and_gains_context_on_its_way)
{
    struct err e = { 0 };

    OK(!fail(&e, ERR_LIMIT, "%d is too much", 5));
    EQ(e.code, ERR_LIMIT);
    EQ_STR(e.text, "5 is too much");
    OK(!fail_in(&e, "line %d", 7));
    EQ(e.code, ERR_LIMIT);
    EQ_STR(e.text, "line 7: 5 is too much");
    errno = ENOENT;
    OK(!fail_sys(&e, "open %s", "x"));
    EQ(e.code, ERR_SYSTEM);
    EQ_STR(e.text, "open x: No such file or directory");
}

TEST(a_sentence_too_long_is_cut_and_the_reason_survives)
{
    char path[4000];
    struct err e = { 0 };

    memset(path, 'p', sizeof(path) - 1);
    path[sizeof(path) - 1] = 0;
    errno = EACCES;
    fail_sys(&e, "open %s", path);
    OK(strstr(e.text, ": Permission denied"));
    fail_in(&e, "%s", path);
    EQ(e.code, ERR_SYSTEM);
    OK(strlen(e.text) < sizeof(e.text));
}

TEST_MAIN()
