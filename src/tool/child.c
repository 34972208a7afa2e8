#include "tool/child.h"

#include "base/container.h"
#include "base/id.h"
#include "base/list.h"
#include "base/mem.h"
#include "loop/proc_env.h"
#include "tool/local_workspace.h"

#include <stdio.h>

/* ---- what to run ------------------------------------------------------------------------- */

static bool has_nul(struct str s)
{
    return str_find_byte(s, 0) >= 0;
}

static const char *const *plan_argv(struct call *call, const struct child_args *a)
{
    size_t n = a->shell ? 3 : a->argv.n;
    const char **argv = ARENA_ARRAY(call->mem, const char *, n + 1);

    if (a->shell) {
        argv[0] = "/bin/sh";
        argv[1] = "-c";
        argv[2] = arena_cstr(call->mem, a->command);
        return argv;
    }
    for (size_t i = 0; i < n; i++)
        argv[i] = arena_cstr(call->mem, a->argv.v[i]);
    return argv;
}

static bool check_argv(struct call *call, const struct child_args *a)
{
    bool nul = a->shell && has_nul(a->command);

    for (size_t i = 0; i < a->argv.n; i++)
        nul |= has_nul(a->argv.v[i]);
    if (nul)
        call_failed(call, "an argument of a program cannot contain a NUL byte");
    else if (a->argv.set && a->command.p)
        call_failed(call, "give argv, or command with shell, not both");
    else if (a->command.p && !a->shell)
        call_failed(call, "\"command\" needs \"shell\": true; without a shell use argv");
    else if (a->shell ? !a->command.n : !a->argv.n || !a->argv.v[0].n)
        call_failed(call, "nothing to run: give argv, or command with shell");
    else
        return true;
    return false;
}

static bool plan_env(struct call *call, struct json env, const char *const **out)
{
    struct proc_env_var *set = ARENA_ARRAY(call->mem, struct proc_env_var, json_count(env) + 1);
    struct proc_env_opts o = { .ours = call->host->world->environ, .set = set };
    struct err e;

    JSON_MEMBERS(key, env)
    {
        if (json_type(json_value(key)) != JSON_STRING) {
            call_failed(call, "env: the value of a variable must be a string");
            return false;
        }
        set[o.sets++] =
            (struct proc_env_var){ json_str(call->mem, key), json_str(call->mem, json_value(key)) };
    }
    if (proc_env(call->mem, &o, out, &e))
        return true;
    call_failed(call, "%s", e.text);
    return false;
}

/* The guard has judged the argument already; an unknown word counted as the default. */
static bool check_sandbox(struct call *call, const struct child_args *a)
{
    if (!a->sandbox.p || str_eq(a->sandbox, STR("default")) || str_eq(a->sandbox, STR("network")) ||
        str_eq(a->sandbox, STR("off")))
        return true;
    call_failed(call, "sandbox: expected default, network or off");
    return false;
}

bool child_plan(struct call *call, const struct child_args *args, struct command_plan *out)
{
    if (!call->host->world || call->host->world->closing) {
        call_failed(call, "this process cannot start programs");
        return false;
    }
    out->sandbox = child_sandbox_of(call);
    if (!check_argv(call, args) || !check_sandbox(call, args) ||
        !plan_env(call, args->env, &out->env) ||
        !tool_place(call, args->cwd.p ? args->cwd : STR("."), &out->cwd))
        return false;
    out->argv = plan_argv(call, args);
    return true;
}

/* ---- waiting ----------------------------------------------------------------------------- */

static void settle_wait(struct child_wait *w, const struct err *e)
{
    LIST_UNLINK(w->child->waits, w, next);
    timer_clear(w->op.loop, &w->timer);
    if (e)
        op_fail(&w->op, e);
    else
        op_ok(&w->op);
}

static void cancel_wait(struct op *op)
{
    settle_wait(CONTAINER_OF(op, struct child_wait, op),
                &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind wait_kind = { .name = "child", .cancel = cancel_wait };

static void on_wait_time(struct timer *t)
{
    settle_wait(CONTAINER_OF(t, struct child_wait, timer),
                &(struct err){ ERR_TIMEOUT, "no output arrived in time" });
}

static bool is_news(const struct child *k, enum child_news news)
{
    return child_has_exited(k) || (news == CHILD_ANY && k->output.behind > k->output.taken);
}

static void tell_waits(struct child *k)
{
    for (struct child_wait *w = k->waits, *next; w; w = next) {
        next = w->next;
        if (is_news(k, w->news))
            settle_wait(w, NULL);
    }
}

void child_wait(struct child *k, struct child_wait *w, enum child_news news, int64_t ms,
                struct op *parent, op_done_fn *done, void *ctx)
{
    *w = (struct child_wait){ .child = k, .news = news, .next = k->waits };
    k->waits = w;
    op_begin(&w->op, &wait_kind, k->world->loop, parent, done, ctx);
    if (is_news(k, news))
        settle_wait(w, NULL);
    else
        timer_set(k->world->loop, &w->timer, ms, on_wait_time);
}

/* ---- states ------------------------------------------------------------------------------ */

/* The only writer of k->state, except for child_start. */
static void child_enter(struct child *k, enum child_state to)
{
    if (k->state < to)
        k->state = to;
}

static void on_child_output(struct terminal *t, struct str bytes)
{
    struct child *k = t->owner;

    output_put(&k->output, bytes);
    tell_waits(k);
}

static void on_child_exit(struct terminal *t, const struct proc_exit *exit)
{
    struct child *k = t->owner;

    child_enter(k, CHILD_EXITED);
    k->exit = *exit;
    tell_waits(k);
}

static void free_child(struct child *k)
{
    struct tool_resources *w = k->world;

    *k->link = k->next;
    if (k->next)
        k->next->link = k->link;
    output_fini(&k->output);
    mem_free(k->folder);
    mem_free(k);
    tool_resources_check(w);
}

/* Free a dropped child once neither the terminal nor the op refers to it. */
static void child_check(struct child *k)
{
    if (k->dropped && !k->call && k->state == CHILD_CLOSED)
        free_child(k);
}

static void on_child_closed(struct terminal *t)
{
    child_enter(t->owner, CHILD_CLOSED);
    child_check(t->owner);
}

static const struct terminal_events child_events = {
    .on_output = on_child_output,
    .on_exit = on_child_exit,
    .on_closed = on_child_closed,
};

/* ---- starting ---------------------------------------------------------------------------- */

static void new_id(char out[CHILD_ID])
{
    uint64_t random;

    id_random(&random, sizeof(random));
    snprintf(out, CHILD_ID, "%016llx", (unsigned long long)random);
}

static void join_world(struct child *k, struct tool_resources *w)
{
    k->world = w;
    k->next = w->children;
    k->link = &w->children;
    if (k->next)
        k->next->link = &k->next;
    w->children = k;
}

size_t child_output_room(const struct limits *limits, int64_t most)
{
    enum { NOTES = 256 }; /* characters of the tool's own lines */
    int64_t chars = limits->tool_result_chars;
    int64_t room = chars > 2 * NOTES ? chars - NOTES : chars / 2;

    return (size_t)(most < room ? most : room);
}

/* A child that was dropped, or whose call was cancelled, while it was starting ends here. */
static void on_child_started(struct op *op, const struct err *e, void *ctx)
{
    struct child *k = ctx;
    struct call *call = k->call;

    (void)op;
    k->call = NULL;
    if (e) {
        tool_failed(call, e);
        free_child(k);
        return;
    }
    child_enter(k, CHILD_RUNNING);
    if (!k->dropped && !call->op.canceled) {
        k->started(call, k, k->started_ctx);
        return;
    }
    tool_failed(call, &(struct err){ ERR_CANCELED, "cancelled" });
    k->dropped = false;
    child_drop(k);
}

static char *folder_of(const struct place *cwd)
{
    size_t size = strlen(cwd->in.path) + strlen(cwd->path) + 2;
    char *path = mem_alloc(size);

    snprintf(path, size, "%s/%s", cwd->in.path, cwd->path);
    return path;
}

static struct str call_id_of(const struct call *call)
{
    const struct caller *c = call->caller;

    return c->kind->call_id ? c->kind->call_id(c) : STR_NONE;
}

struct child *child_start(struct call *call, const struct command_plan *plan, size_t head,
                          size_t tail, child_started_fn *started, void *ctx)
{
    struct child *k = MEM_NEW(struct child);

    k->call = call;
    k->host = call->host;
    k->sandbox = plan->sandbox ? plan->sandbox->kind : SANDBOX_OFF;
    k->folder = folder_of(&plan->cwd);
    k->started = started;
    k->started_ctx = ctx;
    k->state = CHILD_STARTING;
    output_init(&k->output, head, tail);
    new_id(k->id);
    join_world(k, call->host->world);
    k->terminal = (struct terminal){
        .events = &child_events,
        .owner = k,
        .output_limit = head + tail,
        .call = call_id_of(call),
        .host = call->host,
        .mem = call->mem,
        .argv = plan->argv,
        .env = plan->env,
        .cwd = plan->cwd,
        .sandbox = plan->sandbox,
    };
    workspace_run(workspace_of(call->host), &k->terminal, &call->op, on_child_started, k);
    return k;
}

/* ---- ending ------------------------------------------------------------------------------ */

void child_kill(struct child *k)
{
    if (!child_has_exited(k))
        terminal_kill(&k->terminal);
}

void child_drop(struct child *k)
{
    if (k->dropped)
        return;
    k->dropped = true;
    k->kept = false;
    while (k->waits)
        settle_wait(
            k->waits,
            &(struct err){ ERR_CLOSED, "trefoil has killed the process and dropped its output" });
    if (k->call)
        op_cancel(&k->terminal.op);
    else if (k->state != CHILD_CLOSED)
        terminal_release(&k->terminal);
    else
        free_child(k);
}

struct child *child_find(struct tool_resources *w, struct str id)
{
    for (struct child *k = w->children; k; k = k->next)
        if (k->kept && str_eq(id, str_of(k->id)))
            return k;
    return NULL;
}

/* ---- telling ----------------------------------------------------------------------------- */

struct str child_state_text(const struct child *k, struct arena *mem)
{
    char text[300];

    if (!child_has_exited(k))
        return STR("is running");
    proc_exit_text(&k->exit, text, sizeof(text));
    return arena_str(mem, str_of(text));
}

void child_write_state(const struct child *k, struct jw *w)
{
    jw_kbool(w, "running", !child_has_exited(k));
    if (child_has_exited(k) && k->exit.how == PROC_EXITED)
        jw_kint(w, "exitCode", k->exit.code);
    if (child_has_exited(k) && k->exit.how == PROC_SIGNALED)
        jw_kint(w, "signal", k->exit.code);
}
