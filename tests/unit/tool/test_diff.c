#include "base/auto.h"
#include "tap.h"
#include "tool/file/diff.h"

/* The diff of replacing each `what` in old by `with`. */
static struct str diff(struct arena *mem, const char *old, const char *what, const char *with)
{
    struct diff_edit edit[16];
    struct str text = str_of(old);
    struct buf out;
    size_t n = 0, at = 0;
    ptrdiff_t next;

    while (n < ARRAY_LEN(edit) && (next = str_find(str_skip(text, at), str_of(what))) >= 0) {
        edit[n].from = at + (size_t)next;
        edit[n].to = at = edit[n].from + strlen(what);
        edit[n++].text = str_of(with);
    }
    buf_init_in(&out, mem, 1 << 20);
    diff_put(&out, mem, STR("f"), text, edit, n);
    return out.n ? buf_str(&out) : STR("");
}

static const struct {
    const char *old, *what, *with, *diff;
} rows[] = {
    { "one\ntwo\nthree\n", "two", "2", "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" },
    { "a\nb\nc\n", "b\n", "", "@@ -1,3 +1,2 @@\n a\n-b\n c\n" },
    { "a\nb\n", "a\n", "a\nx\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n" },
    { "a\nb\nc\n", "a\nb\nc", "a\nB\nc", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n" },
    { "a\nb\n", "\n", " ", "@@ -1,2 +1,1 @@\n-a\n-b\n+a b \n\\ No newline at end of file\n" },
    { "a", "a", "b",
      "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n" },
    { "a\n", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n" },
    { "x x\ny\n", "x", "z", "@@ -1,2 +1,2 @@\n-x x\n+z z\n y\n" },
    { "x\n1\n2\n3\n4\n5\n6\n7\nx\n8\n", "x", "z\nz",
      "@@ -1,4 +1,5 @@\n-x\n+z\n+z\n 1\n 2\n 3\n@@ -6,5 +7,6 @@\n 5\n 6\n 7\n-x\n+z\n+z\n 8\n" },
    { "x\n1\n2\n3\n4\n5\n6\nx\n", "x", "z",
      "@@ -1,8 +1,8 @@\n-x\n+z\n 1\n 2\n 3\n 4\n 5\n 6\n-x\n+z\n" },
};

TEST(replacements_become_hunks)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        struct str got = diff(&mem, rows[i].old, rows[i].what, rows[i].with);

        OK(str_starts(got, STR("--- a/f\n+++ b/f\n")));
        EQ_S(str_skip(got, got.n < 16 ? got.n : 16), rows[i].diff);
    }
}

TEST(what_stays_the_same_has_no_diff)
{
    AUTO_ARENA mem = { 0 };

    EQ_S(diff(&mem, "a\nb\n", "b", "b"), "");
}

TEST_MAIN()
