/* Which path is below which, and lists of them. */
#include "base/auto.h"
#include "sandbox/path_list.h"

#include "tap.h"

TEST(a_folder_contains_itself_and_what_is_below_it)
{
    OK(path_within("/a/b", "/a/b"));
    OK(path_within("/a/b/c", "/a/b"));
    OK(path_within("/a", "/"));
    OK(!path_within("/a/bc", "/a/b"));
    OK(!path_within("/a", "/a/b"));
}

TEST(the_longest_entry_above_a_path_is_found)
{
    AUTO_ARENA mem = { 0 };
    struct path_list l = { 0 };

    OK(path_list_add(&mem, &l, "/home"));
    OK(path_list_add(&mem, &l, "/home/u/x"));
    OK(path_list_add(&mem, &l, "/home"));
    EQ(l.n, 2);
    OK(str_eq(str_of(path_list_above(&l, "/home/u/x/y")), STR("/home/u/x")));
    OK(str_eq(str_of(path_list_above(&l, "/home/u")), STR("/home")));
    OK(!path_list_above(&l, "/homes"));
    OK(str_eq(str_of(path_list_below(&l, "/home/u")), STR("/home/u/x")));
    OK(!path_list_below(&l, "/home/u/x/y"));
}

TEST(a_list_is_bounded)
{
    AUTO_ARENA mem = { 0 };
    struct path_list l = { 0 };

    for (int i = 0; i < PATH_LIST_MOST; i++)
        OK(path_list_add(&mem, &l, arena_printf(&mem, "/%d", i).p));
    OK(!path_list_add(&mem, &l, "/more"));
    OK(path_list_add(&mem, &l, "/7")); /* is in it already */
}

TEST(a_joined_path_has_one_slash)
{
    AUTO_ARENA mem = { 0 };

    OK(str_eq(str_of(path_join(&mem, "/", "a")), STR("/a")));
    OK(str_eq(str_of(path_join(&mem, "/a", "b/c")), STR("/a/b/c")));
}

TEST_MAIN()
