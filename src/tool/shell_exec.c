/*
 * shell_exec.c - runs a command inside the root and waits for its end.
 *
 * The command runs in a terminal of the workspace. When its time limit has passed or the call is
 * cancelled, the command and all processes that it started are killed. The beginning and the end of
 * the output are kept, up to a limit.
 */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/child.h"
#include "tool/tools.h"

struct shell_exec {
    struct call *call;
    struct str input;
    int64_t timeout_ms;
    struct child *child;
    struct child_wait wait;
    bool late;
};

/* ---- the end ----------------------------------------------------------------------------- */

/* The output may contain any bytes, so it is copied, not formatted. */
static struct str output_text(struct shell_exec *x, struct str state)
{
    struct output *o = &x->child->output;
    struct str blocked = child_sandbox_blocked(x->child, x->call->mem);
    struct buf out;

    buf_init_in(&out, x->call->mem, o->head.n + o->tail.n + blocked.n + 1024);
    buf_put(&out, output_head(o));
    if (output_lost(o))
        buf_printf(&out,
                   "\n"
                   "[%llu bytes omitted]\n",
                   (unsigned long long)output_lost(o));
    buf_put(&out, output_tail(o));
    if (out.n && out.p[out.n - 1] != '\n')
        buf_putc(&out, '\n');
    buf_printf(&out, "[the program " STR_FMT "]", STR_ARG(state));
    buf_put(&out, blocked);
    return buf_str(&out);
}

static void write_result(struct shell_exec *x)
{
    struct jw w = jw_to(&x->call->structured);

    jw_object(&w);
    child_write_state(x->child, &w);
    jw_kbool(&w, "timedOut", x->late);
    jw_kstr(&w, "sandbox", str_of(sandbox_kind_name(x->child->sandbox)));
    jw_object_end(&w);
}

static void tell(struct shell_exec *x)
{
    struct call *call = x->call;
    struct str state = child_state_text(x->child, call->mem);

    if (x->child->exit.how == PROC_NOT_STARTED) {
        call_failed(call, "the program " STR_FMT, STR_ARG(state));
        return;
    }
    if (x->late)
        state = arena_printf(call->mem, "took longer than %lld ms and was killed",
                             (long long)x->timeout_ms);
    write_result(x);
    call_text(call, output_text(x, state));
    call->is_error = x->late;
    call_done(call);
}

static void on_child_exit(struct op *op, const struct err *e, void *ctx)
{
    struct shell_exec *x = ctx;

    (void)op;
    if (e && e->code == ERR_TIMEOUT && !x->late) {
        x->late = true;
        child_kill(x->child);
        child_wait(x->child, &x->wait, CHILD_EXIT, x->call->host->limits->tool_ms, &x->call->op,
                   on_child_exit, x);
        return;
    }
    if (!e)
        tell(x);
    else if (e->code == ERR_CANCELED)
        call_done(x->call); /* the call knows that it was cancelled */
    else
        call_broke(x->call, e);
    if (!e || e->code != ERR_CLOSED)
        child_drop(x->child);
}

/* ---- the beginning ----------------------------------------------------------------------- */

/* Write all of the input and close stdin. False: the call has failed. */
static bool give_input(struct shell_exec *x)
{
    struct stream *io = child_has_exited(x->child) ? NULL : terminal_input(&x->child->terminal);

    if (io && x->input.n)
        stream_put(io, x->input);
    if (io)
        stream_shut(io);
    if (io || !x->input.n || child_has_exited(x->child))
        return true;
    call_failed(x->call, "input: the terminal of this workspace takes no input");
    child_drop(x->child);
    return false;
}

static void on_command_started(struct call *call, struct child *k, void *ctx)
{
    struct shell_exec *x = ctx;

    x->child = k;
    if (give_input(x))
        child_wait(k, &x->wait, CHILD_EXIT, x->timeout_ms, &call->op, on_child_exit, x);
}

struct shell_exec_args {
    struct child_args child;
    struct str input;
    int64_t timeout_ms;
};

static const struct pick arg_fields[] = {
    CHILD_FIELDS(struct shell_exec_args, child),
    PICK_FIELD("input", PICK_STR, struct shell_exec_args, input, 0),
    PICK_RANGE("timeout_ms", struct shell_exec_args, timeout_ms, 0, 1, INT32_MAX),
};

static void start(struct call *call)
{
    const struct limits *l = call->host->limits;
    struct shell_exec_args args = { .timeout_ms = l->shell_ms };
    size_t room = child_output_room(l, l->shell_output_bytes);
    struct command_plan plan;
    struct shell_exec *x;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) || !child_plan(call, &args.child, &plan))
        return;
    if (args.timeout_ms > l->shell_max_ms) {
        call_failed(call, "timeout_ms: at most %lld (the constant shell_max_ms)",
                    (long long)l->shell_max_ms);
        return;
    }
    x = ARENA_NEW(call->mem, struct shell_exec);
    x->call = call;
    x->input = args.input;
    x->timeout_ms = args.timeout_ms;
    child_start(call, &plan, room / 2, room - room / 2, on_command_started, x);
}

const struct tool tool_shell_exec = {
    .name = "shell_exec",
    .title = "Run a program",
    .description =
        "Run a program inside the root folder, wait until it exits, and return its "
        "output and exit code. The program has no terminal. It reads the text of `input` on stdin. "
        "For programs that keep running, use process_start.",
    .input_schema = "{\"type\":\"object\",\"properties\":{" CHILD_SCHEMA ","
                    "\"input\":{\"type\":\"string\",\"description\":\"Text for stdin.\"},"
                    "\"timeout_ms\":{\"type\":\"integer\",\"minimum\":1,"
                    "\"description\":\"Kill the program after this time (milliseconds).\"}}}",
    .output_schema = "{\"type\":\"object\",\"properties\":{"
                     "\"running\":{\"type\":\"boolean\"},"
                     "\"exitCode\":{\"type\":\"integer\"},"
                     "\"signal\":{\"type\":\"integer\"},"
                     "\"timedOut\":{\"type\":\"boolean\"},"
                     "\"sandbox\":{\"type\":\"string\"}},"
                     "\"required\":[\"running\",\"timedOut\"]}",
    .kind = TOOL_EXECUTE,
    .sandbox = child_sandbox_wish,
    .open_world = true,
    .task = TOOL_TASK_MAY,
    .timeout_ms = CALL_NO_DEADLINE,
    .start = start,
};
