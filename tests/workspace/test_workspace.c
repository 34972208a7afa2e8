#include "tool/child.h"
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
    HAS_S(call(&b, &tool_file_read, "{'path':'../outside/secret'}"), "is outside the root");
    HAS_S(call(&b, &tool_file_write, "{'path':'.trefoil/x','content':''}"), "cannot write");
    WAS_REFUSED(&b);
    HAS_S(call(&b, &tool_file_write, "{'path':'trefoil.toml','content':''}"), "not approved");
    WAS_REFUSED(&b);
    EQ_S(memory_file("trefoil.toml"), "");
    bench_close(&b);
}

TEST(a_text_beyond_the_limit_is_not_read)
{
    struct bench b;

    open_memory(&b);
    b.limits.file_read_bytes = MEMORY_HUGE;
    b.limits.tool_result_chars = 1000;
    call(&b, &tool_file_read, "{'path':'huge.txt'}");
    WENT_WELL(&b);
    b.limits.file_read_bytes = MEMORY_HUGE - 1;
    HAS_S(call(&b, &tool_file_read, "{'path':'huge.txt'}"), "limits.file_read_bytes");
    WAS_REFUSED(&b);
    bench_close(&b);
}

/* ---- terminals --------------------------------------------------------------------------- */

/* No procs: a command that reached the machine would crash the test. */
struct terminal_bench {
    struct bench b;
    struct tool_resources world;
    bool closed;
};

static void open_terminals(struct terminal_bench *t)
{
    static const char *const env[] = { NULL };

    open_memory(&t->b);
    t->world = (struct tool_resources){ .loop = t->b.loop, .limits = &t->b.limits, .environ = env };
    t->b.host.world = &t->world;
    t->closed = false;
}

static void on_terminals_closed(void *ctx, bool in_time)
{
    OK(in_time);
    *(bool *)ctx = true;
}

static void close_terminals(struct terminal_bench *t)
{
    tool_resources_close(&t->world, on_terminals_closed, &t->closed);
    OK(until(t->b.loop, until_true, &t->closed));
    EQ(memory_terminals, 0);
    bench_close(&t->b);
}

TEST(shell_exec_runs_in_the_terminal_of_the_workspace)
{
    struct terminal_bench t;

    open_terminals(&t);
    EQ_S(call(&t.b, &tool_shell_exec, "{'argv':['say','hello']}"),
         "hello\n[the program exited with code 3]");
    WENT_WELL(&t.b);
    HAS_S(buf_str(&t.b.call.structured), "\"exitCode\":3");
    HAS_S(call(&t.b, &tool_shell_exec, "{'argv':['broken']}"), "no terminals left");
    WAS_REFUSED(&t.b);
    HAS_S(call(&t.b, &tool_shell_exec, "{'argv':['say','x'],'input':'y'}"), "takes no input");
    WAS_REFUSED(&t.b);
    close_terminals(&t);
}

TEST(output_is_limited_and_cut_between_characters)
{
    for (int most = 1000; most < 1004; most++) {
        struct terminal_bench t;
        struct str text;

        open_terminals(&t);
        t.b.limits.shell_output_bytes = most;
        text = call(&t.b, &tool_shell_exec, "{'argv':['flood']}");
        WENT_WELL(&t.b);
        OK(text.n < 1100);
        HAS_S(text, "\u00e9\n[");
        HAS_S(text, " bytes omitted]\n\u00e9");
        OK(str_find(text, STR("\ufffd")) < 0);
        close_terminals(&t);
    }
}

TEST(a_slow_command_is_killed_when_its_time_is_over_or_its_call_is_cancelled)
{
    struct terminal_bench t;

    open_terminals(&t);
    HAS_S(call(&t.b, &tool_shell_exec, "{'argv':['slow'],'timeout_ms':5}"),
          "begun\n[the program took longer than 5 ms");
    WAS_REFUSED(&t.b);
    for (int i = 0; i < 2; i++) {
        begin(&t.b, &tool_shell_exec,
              i ? STR("{\"argv\":[\"slow\"]}") : STR("{\"argv\":[\"late\"]}"));
        op_cancel(&t.b.call.op);
        finish(&t.b);
        EQ(t.b.err.code, ERR_CANCELED);
    }
    close_terminals(&t);
}

static const char *start_slow(struct bench *b)
{
    static char id[CHILD_ID];
    struct str text = call(b, &tool_process_start, "{'argv':['slow']}");

    WENT_WELL(b);
    str_to_c(str_skip(text, strlen("Started as ")), id, sizeof(id));
    return id;
}

TEST(background_processes_run_in_the_terminal_of_the_workspace)
{
    struct terminal_bench t;
    struct bench *b = &t.b;
    const char *id;

    open_terminals(&t);
    id = start_slow(b);
    EQ_S(call(b, &tool_process_poll, "{'id':'%s','wait_ms':1000}", id),
         "begun\n[the process is running]");
    HAS_S(call(b, &tool_process_write, "{'id':'%s','text':'x'}", id), "has no stdin");
    WAS_REFUSED(b);
    HAS_S(call(b, &tool_process_kill, "{'id':'%s'}", id), "signal 9");
    WENT_WELL(b);
    HAS_S(call(b, &tool_process_write, "{'id':'%s','text':'x'}", id), "signal 9");
    HAS_S(call(b, &tool_process_start, "{'argv':['broken']}"), "no terminals left");
    WAS_REFUSED(b);
    start_slow(b);
    close_terminals(&t);
}

TEST(the_folder_of_a_command_is_judged_before_the_workspace_sees_it)
{
    struct terminal_bench t;

    open_terminals(&t);
    HAS_S(call(&t.b, &tool_shell_exec, "{'argv':['say','x'],'cwd':'../outside'}"), "is outside");
    WAS_REFUSED(&t.b);
    close_terminals(&t);
}

TEST_MAIN()
