/*
 * shell_exec.c - run a program inside the root and wait for its end.
 *
 * The folder is opened on the pool, then the program is started under the keeper. When its time is
 * over, or the call is cancelled, it is killed with all it started. What it said is kept up to a
 * bound: the beginning and the end.
 */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/child.h"
#include "tool/tools.h"

#include <fcntl.h>

struct shell_exec {
    struct tool_job job; /* first */
    struct child_plan plan;
    struct str input;
    int64_t timeout_ms;
    int cwd;
    struct child *child;
    struct child_wait wait;
    bool late;
};

/* ---- the end ----------------------------------------------------------------------------- */

/* What it said may hold anything, so it is put, not printed. */
static struct str output_text(struct shell_exec *x, struct str state)
{
    struct output *o = &x->child->output;
    struct buf out;

    buf_init_in(&out, x->job.call->mem, o->head.n + o->tail.n + 1024);
    buf_put(&out, buf_str(&o->head));
    if (output_lost(o))
        buf_printf(&out, "\n[%llu bytes left out]\n", (unsigned long long)output_lost(o));
    buf_put(&out, output_tail(o));
    if (out.n && out.p[out.n - 1] != '\n')
        buf_putc(&out, '\n');
    buf_printf(&out, "[the program " STR_FMT "]", STR_ARG(state));
    return buf_str(&out);
}

static void write_result(struct shell_exec *x)
{
    struct jw w = jw_to(&x->job.call->structured);

    jw_object(&w);
    child_write_state(x->child, &w);
    jw_kbool(&w, "timedOut", x->late);
    jw_object_end(&w);
}

static void tell(struct shell_exec *x)
{
    struct call *call = x->job.call;
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
        child_wait(x->child, &x->wait, CHILD_EXIT, x->job.host->limits->tool_ms, &x->job.call->op,
                   on_child_exit, x);
        return;
    }
    if (!e)
        tell(x);
    else if (e->code == ERR_CANCELED)
        call_done(x->job.call); /* the call knows that it was cancelled */
    else
        call_broke(x->job.call, e);
    if (!e || e->code != ERR_CLOSED)
        child_drop(x->child);
}

/* ---- the beginning ----------------------------------------------------------------------- */

static void close_cwd(void *ptr)
{
    struct shell_exec *x = ptr;

    if (x->cwd >= 0)
        close(x->cwd);
}

static bool run(struct tool_job *w, struct err *e)
{
    struct shell_exec *x = CONTAINER_OF(w, struct shell_exec, job);

    return beneath_open(&x->plan.cwd, O_PATH | O_DIRECTORY, 0, &x->cwd, e);
}

static void told(struct tool_job *w)
{
    struct shell_exec *x = CONTAINER_OF(w, struct shell_exec, job);
    const struct limits *l = w->host->limits;
    size_t most = child_output_room(l, l->shell_output_bytes);
    struct err e;

    x->child = child_start(w->host->world, &x->plan, x->cwd, most / 2, most - most / 2, &e);
    x->cwd = -1;
    if (!x->child) {
        call_failed(w->call, "%s", e.text);
        return;
    }
    if (x->input.n)
        stream_put(proc_io(&x->child->proc), x->input);
    stream_shut(proc_io(&x->child->proc));
    child_wait(x->child, &x->wait, CHILD_EXIT, x->timeout_ms, &w->call->op, on_child_exit, x);
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
    struct child_plan plan;
    struct shell_exec *x;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) || !child_plan(call, &args.child, &plan))
        return;
    if (args.timeout_ms > l->shell_max_ms) {
        call_failed(call, "timeout_ms: at most %lld (limits.shell_max_ms)",
                    (long long)l->shell_max_ms);
        return;
    }
    x = TOOL_JOB_NEW(call, struct shell_exec);
    x->plan = plan;
    x->input = args.input;
    x->timeout_ms = args.timeout_ms;
    x->cwd = -1;
    arena_defer(call->mem, close_cwd, x);
    tool_job_start(&x->job, run, told);
}

const struct tool tool_shell_exec = {
    .name = "shell_exec",
    .title = "Run a program",
    .description =
        "Run a program inside the root folder, wait until it exits, and return its "
        "output and exit code. It has no terminal; stdin is input, then end of file. For "
        "programs that keep running use process_start.",
    .input_schema = "{\"type\":\"object\",\"properties\":{" CHILD_SCHEMA ","
                    "\"input\":{\"type\":\"string\",\"description\":\"Text for stdin.\"},"
                    "\"timeout_ms\":{\"type\":\"integer\",\"minimum\":1,"
                    "\"description\":\"Kill the program after this time.\"}}}",
    .output_schema = "{\"type\":\"object\",\"properties\":{"
                     "\"running\":{\"type\":\"boolean\"},"
                     "\"exitCode\":{\"type\":\"integer\"},"
                     "\"signal\":{\"type\":\"integer\"},"
                     "\"timedOut\":{\"type\":\"boolean\"}},"
                     "\"required\":[\"running\",\"timedOut\"]}",
    .kind = TOOL_EXECUTE,
    .open_world = true,
    .task = TOOL_TASK_MAY,
    .timeout_ms = CALL_NO_DEADLINE,
    .start = start,
};
