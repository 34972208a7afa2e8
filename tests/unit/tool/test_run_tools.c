/* shell_exec and the process tools, with real children under a real keeper. */
#include "tool/child.h"
#include "tool_bench.h"
#include "unit/loop/tree.h"

struct run_bench {
    struct bench b;
    struct procs procs;
    struct tool_resources world;
    int fds;
    bool closed, in_time;
};

static const char *const env[] = { "PATH=/usr/bin:/bin", "SECRET_TOKEN=hush", NULL };

static void open_run(struct run_bench *r)
{
    loop_free(loop_new(LOOP_REAL_CLOCK)); /* libuv opens some descriptors once for all */
    r->fds = tree_fds();
    bench_open(&r->b);
    procs_init(&r->procs, r->b.loop, &r->b.limits);
    r->procs.keeper = TEST_KEEPER;
    r->world = (struct tool_resources){
        .loop = r->b.loop, .limits = &r->b.limits, .procs = &r->procs, .environ = env
    };
    r->b.host.world = &r->world;
    r->closed = false;
}

static void on_world_closed(void *ctx, bool in_time)
{
    struct run_bench *r = ctx;

    r->closed = true;
    r->in_time = in_time;
}

/* Nothing may be left: no child, no descriptor. */
static void close_run(struct run_bench *r)
{
    tool_resources_close(&r->world, on_world_closed, r);
    OK(until(r->b.loop, until_true, &r->closed));
    OK(r->in_time && !r->world.children && !r->procs.first);
    EQ(tree_children(), 0);
    bench_close(&r->b);
    EQ(tree_fds(), r->fds);
}

static struct json structured(struct bench *b)
{
    struct json_opts opts = limits_json(&b->limits);
    struct json out = { 0 };
    struct err e;

    OK(json_read(&b->mem, buf_str(&b->call.structured), &opts, &out, &e));
    return out;
}

/* Start a background process; its id is copied. */
static const char *start_one(struct bench *b, const char *args)
{
    static char id[CHILD_ID];

    call(b, &tool_process_start, "%s", args);
    WENT_WELL(b);
    str_to_c(json_str(&b->mem, json_get(structured(b), STR("id"))), id, sizeof(id));
    return id;
}

static bool newest_exited(void *ctx)
{
    struct tool_resources *w = ctx;

    return child_has_exited(w->children);
}

/* ---- shell_exec -------------------------------------------------------------------------- */

TEST(a_program_is_run_and_its_output_comes_back)
{
    struct run_bench r;
    struct bench *b = &r.b;

    open_run(&r);
    folder(b, "sub");
    put(b, "sub/file", "x");
    EQ_S(call(b, &tool_shell_exec, "{'argv':['ls'],'cwd':'sub'}"),
         "file\n[the program exited with code 0]");
    EQ_S(buf_str(&b->call.structured),
         "{\"running\":false,\"exitCode\":0,\"timedOut\":false,\"sandbox\":\"off\"}");
    EQ_S(call(b, &tool_shell_exec, "{'argv':['echo','$HOME;','a b']}"),
         "$HOME; a b\n[the program exited with code 0]");
    EQ_S(call(b, &tool_shell_exec,
              "{'command':'echo \\u0024X; exit 3','shell':true,'env':{'X':'y'}}"),
         "y\n[the program exited with code 3]");
    WENT_WELL(b);
    EQ_S(call(b, &tool_shell_exec, "{'argv':['cat'],'input':'in'}"),
         "in\n[the program exited with code 0]");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['pwd'],'cwd':'sub'}"), "/inside/sub\n");
    HAS_S(call(b, &tool_shell_exec, "{'command':'kill -9 $$','shell':true}"), "signal 9");
    HAS_S(call(b, &tool_shell_exec, "{'command':'echo oops >&2','shell':true}"), "oops\n");
    close_run(&r);
}

TEST(programs_run_in_the_working_folder)
{
    struct run_bench r;
    struct bench *b = &r.b;
    char cwd[128];
    const char *id;

    open_run(&r);
    folder(b, "sub");
    folder(b, "sub/deep");
    snprintf(cwd, sizeof(cwd), "%s/sub", b->root);
    b->host.cwd = cwd;
    HAS_S(call(b, &tool_shell_exec, "{'argv':['pwd']}"), "/inside/sub\n");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['pwd'],'cwd':'deep'}"), "/inside/sub/deep\n");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['pwd'],'cwd':'..'}"), "/inside\n");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['pwd'],'cwd':'../..'}"), "is outside");
    id = start_one(b, "{'argv':['pwd']}");
    OK(until(b->loop, newest_exited, &r.world));
    HAS_S(call(b, &tool_process_poll, "{'id':'%s'}", id), "/inside/sub\n");
    OK(symlink("../outside", at(b, "out")) == 0);
    snprintf(cwd, sizeof(cwd), "%s/out", b->root);
    HAS_S(call(b, &tool_shell_exec, "{'argv':['pwd']}"), "is outside");
    close_run(&r);
}

TEST(a_program_sees_no_secrets_of_ours)
{
    struct run_bench r;
    struct str said;

    open_run(&r);
    said = call(&r.b, &tool_shell_exec, "{'argv':['env']}");
    HAS_S(said, "PATH=");
    OK(str_find(said, STR("hush")) < 0);
    close_run(&r);
}

TEST(what_cannot_be_run_says_why)
{
    struct run_bench r;
    struct bench *b = &r.b;

    open_run(&r);
    HAS_S(call(b, &tool_shell_exec, "{'command':'ls'}"), "needs \"shell\": true");
    HAS_S(call(b, &tool_shell_exec, "{}"), "nothing to run");
    HAS_S(call(b, &tool_shell_exec, "{'argv':[]}"), "nothing to run");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['a\\u0000b']}"), "NUL");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls'],'command':'ls','shell':true}"), "not both");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls'],'env':{'A=B':'c'}}"), "environment variable");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls'],'env':{'A':1}}"), "must be a string");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['no-such-program']}"), "did not start");
    WAS_REFUSED(b);
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls'],'cwd':'none'}"), "No such file");
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls'],'cwd':'..'}"), "is outside");
    OK(symlink("../outside", at(b, "out")) == 0);
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls'],'cwd':'out'}"), "is outside");
    b->limits.shell_max_ms = 10;
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls'],'timeout_ms':11}"),
          "the constant shell_max_ms");
    b->host.world = NULL;
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls']}"), "cannot start programs");
    close_run(&r);
}

/* Whatever it left behind goes along. */
TEST(a_program_that_takes_too_long_is_killed_with_all_it_started)
{
    struct run_bench r;
    struct bench *b = &r.b;

    open_run(&r);
    HAS_S(call(b, &tool_shell_exec,
               "{'command':'echo begun; setsid cat /dev/zero >/dev/null & wait','shell':true,"
               "'timeout_ms':300}"),
          "took longer than 300 ms and was killed");
    OK(b->call.is_error);
    HAS_S(buf_str(&b->call.structured), "\"timedOut\":true");
    EQ(tree_children(), 0);
    b->limits.shell_ms = 200;
    call(b, &tool_shell_exec, "{'command':'while :; do :; done','shell':true}");
    OK(b->call.is_error);
    close_run(&r);
}

/* Neither one that holds our pipe nor one that has let go of everything. */
TEST(a_daemon_does_not_hold_its_call_and_does_not_outlive_it)
{
    static const char *const daemons[] = {
        "(setsid tail -f /dev/null &); echo begun",
        "(setsid tail -f /dev/null </dev/null >/dev/null 2>&1 &); echo begun",
    };
    struct run_bench r;
    char mark[64];

    open_run(&r);
    snprintf(mark, sizeof(mark), "TREFOIL_TEST_DAEMON=%d", (int)getpid());
    for (size_t i = 0; i < ARRAY_LEN(daemons); i++) {
        HAS_S(call(&r.b, &tool_shell_exec,
                   "{'command':'%s','shell':true,'env':{'TREFOIL_TEST_DAEMON':'%d'}}", daemons[i],
                   (int)getpid()),
              "begun\n[the program exited with code 0]");
        WENT_WELL(&r.b);
        EQ(tree_size(mark), 0);
    }
    close_run(&r);
}

static bool has_child(void *ctx)
{
    struct tool_resources *w = ctx;

    return w->children && w->procs->first && w->procs->first->pid > 0;
}

TEST(a_cancelled_call_kills_its_program)
{
    struct run_bench r;

    open_run(&r);
    begin(&r.b, &tool_shell_exec, STR("{\"command\":\"while :; do :; done\",\"shell\":true}"));
    OK(until(r.b.loop, has_child, &r.world));
    op_cancel(&r.b.call.op);
    finish(&r.b);
    EQ(r.b.err.code, ERR_CANCELED);
    close_run(&r);
}

TEST(a_flood_is_kept_to_its_beginning_and_its_end)
{
    struct run_bench r;
    struct str said;

    open_run(&r);
    r.b.limits.shell_output_bytes = 256;
    said = call(&r.b, &tool_shell_exec,
                "{'command':'echo first; yes xxxxxxxx | head -c 5000000; echo last',"
                "'shell':true}");
    OK(str_starts(said, STR("first\nxxx")));
    HAS_S(said, "\n[4999755 bytes omitted]\n");
    HAS_S(said, "xlast\n[the program exited with code 0]");
    OK(said.n < 700);
    close_run(&r);
}

TEST(binary_output_is_shown_as_well_as_can_be)
{
    struct run_bench r;
    const char *id;

    open_run(&r);
    HAS_S(call(&r.b, &tool_shell_exec, "{'argv':['printf','a\\\\377\\\\000b']}"), "a\xef\xbf\xbd");
    WENT_WELL(&r.b);
    id = start_one(&r.b, "{'argv':['printf','a\\\\377\\\\000b']}");
    OK(until(r.b.loop, newest_exited, &r.world));
    HAS_S(call(&r.b, &tool_process_poll, "{'id':'%s'}", id), "a\xef\xbf\xbd");
    WENT_WELL(&r.b);
    close_run(&r);
}

/* ---- processes --------------------------------------------------------------------------- */

TEST(a_process_is_talked_to)
{
    struct run_bench r;
    struct bench *b = &r.b;
    const char *id;

    open_run(&r);
    id = start_one(b, "{'argv':['cat']}");
    EQ_S(call(b, &tool_process_poll, "{'id':'%s'}", id), "[the process is running]");
    EQ_S(call(b, &tool_process_write, "{'id':'%s','text':'hello\\n'}", id), "Written: 6 bytes");
    EQ_S(call(b, &tool_process_poll, "{'id':'%s','wait_ms':30000}", id),
         "hello\n[the process is running]");
    EQ_S(call(b, &tool_process_poll, "{'id':'%s','wait_ms':1}", id), "[the process is running]");
    call(b, &tool_process_write, "{'id':'%s','text':'end','close':true}", id);
    while (!b->call.is_error &&
           str_find(call(b, &tool_process_poll, "{'id':'%s','wait_ms':30000}", id),
                    STR("exited with code 0")) < 0)
        ;
    EQ_S(call(b, &tool_process_poll, "{'id':'%s','wait_ms':30000}", id),
         "[the process exited with code 0]");
    HAS_S(call(b, &tool_process_write, "{'id':'%s','text':'x'}", id), "exited");
    WAS_REFUSED(b);
    close_run(&r);
}

TEST(a_process_is_killed)
{
    struct run_bench r;
    struct bench *b = &r.b;
    const char *id;

    open_run(&r);
    id = start_one(b, "{'argv':['cat']}");
    HAS_S(call(b, &tool_process_kill, "{'id':'%s'}", id), "signal 9");
    HAS_S(call(b, &tool_process_kill, "{'id':'%s'}", id), "signal 9");
    HAS_S(call(b, &tool_process_kill, "{'id':'other'}"), "no process with this id");
    WAS_REFUSED(b);
    close_run(&r);
}

TEST(processes_are_bounded)
{
    struct run_bench r;
    struct bench *b = &r.b;
    char first[CHILD_ID];

    open_run(&r);
    b->limits.processes = 2;
    snprintf(first, sizeof(first), "%s", start_one(b, "{'argv':['cat']}"));
    start_one(b, "{'argv':['cat']}");
    HAS_S(call(b, &tool_process_start, "{'argv':['cat']}"), "limits.processes");
    call(b, &tool_process_kill, "{'id':'%s'}", first);
    start_one(b, "{'argv':['cat']}");
    HAS_S(call(b, &tool_process_poll, "{'id':'%s'}", first), "no process with this id");
    b->limits.process_wait_ms = 5;
    b->limits.process_input_bytes = 4;
    HAS_S(call(b, &tool_process_poll, "{'id':'%s','wait_ms':6}", r.world.children->id),
          "the constant process_wait_ms");
    HAS_S(call(b, &tool_process_write, "{'id':'%s','text':'12345'}", r.world.children->id),
          "the constant process_input_bytes");
    close_run(&r);
}

TEST(old_output_of_a_process_is_dropped)
{
    struct run_bench r;
    struct bench *b = &r.b;
    const char *id;

    open_run(&r);
    b->limits.process_output_bytes = 256;
    id = start_one(b, "{'command':'yes xxxxxxxx | head -c 100000; echo last',"
                      "'shell':true}");
    OK(until(b->loop, newest_exited, &r.world));
    HAS_S(call(b, &tool_process_poll, "{'id':'%s'}", id), "bytes omitted]\nxxx");
    HAS_S(answer(b), "xlast\n[the process exited");
    HAS_S(buf_str(&b->call.structured), "\"lostBytes\":99749}");
    close_run(&r);
}

/* A wait for a process ends with the world, and so does the process. */
TEST(closing_ends_everything)
{
    struct run_bench r;
    struct bench *b = &r.b;
    char args[100];

    open_run(&r);
    snprintf(args, sizeof(args), "{\"id\":\"%s\",\"wait_ms\":30000}",
             start_one(b, "{'argv':['cat']}"));
    begin(b, &tool_process_poll, str_of(args));
    tool_resources_close(&r.world, on_world_closed, &r);
    finish(b);
    WAS_REFUSED(b);
    OK(until(b->loop, until_true, &r.closed));
    HAS_S(call(b, &tool_shell_exec, "{'argv':['ls']}"), "cannot start programs");
    r.closed = false;
    close_run(&r);
}

TEST_MAIN()
