#include "unit/tool/tool_bench.h"
#include "workspace/memory_workspace.h"

static struct workspace memory = { &memory_kind };

static void open_memory(struct bench *b)
{
    bench_open(b);
    b->host.workspace = &memory;
    put(b, "buffer.txt", "saved\n");
}

TEST(file_read_sees_the_unsaved_buffer)
{
    struct bench b;

    open_memory(&b);
    EQ_S(call(&b, &tool_file_read, "{'path':'buffer.txt'}"), MEMORY_BUFFER);
    EQ_S(call(&b, &tool_file_read, "{'path':'buffer.txt','line':2,'lines':1}"), "unsaved two\n");
    WENT_WELL(&b);
    HAS_S(call(&b, &tool_file_read, "{'path':'gone.txt'}"), "no file gone.txt");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST(writes_and_edits_reach_the_buffer_and_not_the_disk)
{
    struct bench b;

    open_memory(&b);
    HAS_S(call(&b, &tool_file_write, "{'path':'new.txt','content':'a\\nb\\n'}"), "Created new.txt");
    HAS_S(call(&b, &tool_file_edit, "{'path':'new.txt','old_text':'b','new_text':'c'}"), "+c");
    WENT_WELL(&b);
    EQ_S(memory_file("new.txt"), "a\nc\n");
    OK(!there(&b, "new.txt"));
    HAS_S(call(&b, &tool_file_write, "{'path':'new.txt','content':'','only_new':true}"),
          "only_new");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST(an_edit_of_a_file_that_changed_since_it_was_read_fails)
{
    struct bench b;

    open_memory(&b);
    HAS_S(call(&b, &tool_file_edit, "{'path':'moving.txt','old_text':'here','new_text':'x'}"),
          "was changed by another program");
    WAS_REFUSED(&b);
    EQ_S(memory_file("moving.txt"), "there\n");
    bench_close(&b);
}

TEST(a_failing_workspace_is_reported)
{
    struct bench b;

    open_memory(&b);
    HAS_S(call(&b, &tool_file_read, "{'path':'broken.txt'}"), "closed the connection");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_file_write, "{'path':'broken.txt','content':''}"),
          "closed the connection");
    WAS_REFUSED(&b);
    bench_close(&b);
}

TEST(a_slow_operation_can_be_cancelled)
{
    struct bench b;

    open_memory(&b);
    begin(&b, &tool_file_read, STR("{\"path\":\"slow.txt\"}"));
    op_cancel(&b.call.op);
    finish(&b);
    EQ(b.err.code, ERR_CANCELED);
    begin(&b, &tool_file_write, STR("{\"path\":\"slow.txt\",\"content\":\"\"}"));
    op_cancel(&b.call.op);
    finish(&b);
    EQ(b.err.code, ERR_CANCELED);
    bench_close(&b);
}

TEST(paths_are_judged_before_the_workspace_sees_them)
{
    struct bench b;

    open_memory(&b);
    HAS_S(call(&b, &tool_file_read, "{'path':'../outside/secret'}"), "leads out of the root");
    HAS_S(call(&b, &tool_file_write, "{'path':'.trefoil/x','content':''}"), "do not write");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_file_write, "{'path':'trefoil.toml','content':''}"), "not approved");
    WAS_REFUSED(&b);
    EQ_S(memory_file("trefoil.toml"), "");
    bench_close(&b);
}

TEST_MAIN()
