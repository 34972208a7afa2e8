/* test_tasks.c - what is pure of tasks on the command line: cursors, ids, exit codes. */
#include "app/task/task_exit.h"
#include "base/auto.h"
#include "runtime/store_find.h"
#include "tap.h"
#include "web/task_json.h"

TEST(a_cursor_comes_back_as_it_went)
{
    struct store_cursor c = { 1760000000000, 12 }, back;
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 100);
    task_cursor_write(&w, &c);
    OK(str_eq(buf_str(&out), STR("\"1760000000000-12\"")));
    OK(task_cursor_read(STR("1760000000000-12"), &back));
    OK(back.updated == c.updated && back.n == c.n);
    OK(!task_cursor_read(STR(""), &back) && !task_cursor_read(STR("1"), &back));
    OK(!task_cursor_read(STR("1-"), &back) && !task_cursor_read(STR("a-1"), &back));
}

TEST(a_whole_id_beats_those_that_begin_with_it)
{
    struct id_search s = { .what = "task", .beginning = STR("ab") };
    struct err e;

    OK(!id_search_meets(&s, STR("b")));
    OK(!id_search_end(&s, &e));
    EQ(e.code, ERR_NOT_FOUND);
    OK(id_search_meets(&s, STR("abc")) && !s.over && id_search_end(&s, &e));
    OK(id_search_meets(&s, STR("ab")) && s.over && id_search_end(&s, &e));
    s = (struct id_search){ .what = "task", .beginning = STR("ab") };
    OK(id_search_meets(&s, STR("abc")) && id_search_meets(&s, STR("abd")) && s.over);
    OK(!id_search_end(&s, &e));
    EQ(e.code, ERR_INVALID);
}

TEST(exit_codes_are_those_of_run)
{
    EQ(task_exit_code(TASK_COMPLETED, STR("end")), EXIT_OK);
    EQ(task_exit_code(TASK_FAILED, STR("failed")), EXIT_FAILED);
    EQ(task_exit_code(TASK_FAILED, STR("budget")), EXIT_LIMIT);
    EQ(task_exit_code(TASK_FAILED, STR("refused")), EXIT_REFUSED);
    EQ(task_exit_code(TASK_CANCELED, STR_NONE), EXIT_FAILED);
    EQ(task_exit_code(TASK_REJECTED, STR_NONE), EXIT_DENIED);
}

TEST_MAIN()
