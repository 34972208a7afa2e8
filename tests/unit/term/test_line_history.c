#include "base/limits.h"
#include "loop/file.h"
#include "tap.h"
#include "term/line_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/trefoil-history-XXXXXX";
static char path[64];

static void begin(void)
{
    snprintf(folder, sizeof(folder), "/tmp/trefoil-history-XXXXXX");
    OK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/history", folder);
}

static void end(void)
{
    unlink(path);
    OK(rmdir(folder) == 0);
}

static bool add(struct line_history *h, const char *line)
{
    return line_history_add(h, str_of(line));
}

TEST(the_newest_lines_are_kept)
{
    struct line_history h;

    line_history_init(&h, 2, 1000);
    OK(add(&h, "one"));
    OK(add(&h, "two"));
    OK(add(&h, "three"));
    EQ(h.n, 2);
    EQ_S(h.line[0], "two");
    EQ_S(h.line[1], "three");
    line_history_fini(&h);
}

TEST(what_begins_with_a_space_is_empty_or_repeats_is_not_kept)
{
    struct line_history h;

    line_history_init(&h, 10, 1000);
    OK(!add(&h, " secret"));
    OK(!add(&h, ""));
    OK(add(&h, "one"));
    OK(!add(&h, "one"));
    OK(add(&h, "two"));
    OK(add(&h, "one"));
    EQ(h.n, 3);
    line_history_fini(&h);
}

TEST(bytes_are_bounded_too)
{
    struct line_history h;

    line_history_init(&h, 10, 10); /* limits.chat_history_bytes */
    OK(add(&h, "12345"));
    OK(add(&h, "67890"));
    EQ(h.n, 2);
    OK(add(&h, "x"));
    EQ(h.n, 2);
    EQ_S(h.line[0], "67890");
    OK(!add(&h, "12345678901"));
    EQ(h.n, 2);
    line_history_fini(&h);
}

TEST(none_at_all_may_be_wanted)
{
    struct line_history h;

    line_history_init(&h, 0, 1000); /* limits.chat_history_lines */
    OK(!add(&h, "one"));
    line_history_fini(&h);
}

TEST(a_file_gives_back_what_was_written)
{
    struct line_history h;
    struct stat st;
    struct err e;

    begin();
    line_history_init(&h, 10, 1000);
    OK(line_history_load(&h, path, &e)); /* there is none yet */
    OK(line_history_append(path, STR("one"), &e));
    OK(line_history_append(path, STR("two\nlines \\n \\"), &e));
    OK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    OK(line_history_load(&h, path, &e));
    EQ(h.n, 2);
    EQ_S(h.line[1], "two\nlines \\n \\");
    line_history_fini(&h);
    end();
}

TEST(a_damaged_file_gives_what_is_whole)
{
    struct line_history h;
    struct err e;

    begin();
    OK(file_write(path, STR("one\nbad \xff\nbad \0\n\n\\"), 0600, &e));
    line_history_init(&h, 10, 1000);
    OK(line_history_load(&h, path, &e));
    EQ(h.n, 2);
    EQ_S(h.line[0], "one");
    EQ_S(h.line[1], "\\");
    line_history_fini(&h);
    end();
}

static off_t size_of(void)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : -1;
}

TEST(a_file_that_has_grown_is_made_shorter)
{
    struct line_history h;
    struct err e;

    begin();
    for (int i = 0; i < 9; i++)
        OK(line_history_append(path, i % 2 ? STR("odd") : STR("even"), &e));
    line_history_init(&h, 3, 1000);
    OK(line_history_load(&h, path, &e));
    EQ(h.n, 3);
    EQ(size_of(), 14);
    line_history_fini(&h);
    line_history_init(&h, 10, 7);
    OK(line_history_load(&h, path, &e)); /* the end of it, from the next whole line */
    EQ(h.n, 1);
    EQ_S(h.line[0], "even");
    EQ(size_of(), 5);
    line_history_fini(&h);
    end();
}

TEST(what_is_no_file_is_an_error)
{
    struct line_history h;
    struct err e;

    line_history_init(&h, 10, 1000);
    OK(!line_history_load(&h, "/", &e));
    EQ(e.code, ERR_INVALID);
    OK(!line_history_append("/proc/nonexistent/history", STR("x"), &e));
    EQ(e.code, ERR_SYSTEM);
    line_history_fini(&h);
}

TEST_MAIN()
