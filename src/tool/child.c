#include "tool/child.h"

#include "base/container.h"
#include "base/id.h"
#include "base/mem.h"
#include "loop/proc_env.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

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
        call_failed(call, "an argument of a program cannot hold NUL");
    else if (a->argv.set && a->command.p)
        call_failed(call, "give argv, or command with shell, not both");
    else if (a->command.p && !a->shell)
        call_failed(call, "a command line is run only with \"shell\": true; else give argv");
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

bool child_plan(struct call *call, const struct child_args *args, struct child_plan *out)
{
    if (!call->host->world || call->host->world->closing) {
        call_failed(call, "no program can be started here");
        return false;
    }
    if (!check_argv(call, args) || !plan_env(call, args->env, &out->env) ||
        !tool_place(call, args->cwd.p ? args->cwd : STR("."), &out->cwd))
        return false;
    out->argv = plan_argv(call, args);
    return true;
}

/* ---- waiting ----------------------------------------------------------------------------- */

static void settle_wait(struct child_wait *w, const struct err *e)
{
    struct child_wait **at = &w->child->waits;

    while (*at && *at != w)
        at = &(*at)->next;
    if (*at)
        *at = w->next;
    timer_clear(w->op.loop, &w->timer);
    if (e)
        op_fail(&w->op, e);
    else
        op_ok(&w->op);
}

static void cancel_wait(struct op *op)
{
    settle_wait(CONTAINER_OF(op, struct child_wait, op), &(struct err){ ERR_CANCELED, "canceled" });
}

static const struct op_kind wait_kind = { .name = "child", .cancel = cancel_wait };

static void on_wait_time(struct timer *t)
{
    settle_wait(CONTAINER_OF(t, struct child_wait, timer),
                &(struct err){ ERR_TIMEOUT, "nothing came in time" });
}

static bool is_news(const struct child *k, enum child_news news)
{
    return k->exited || (news == CHILD_ANY && k->output.behind > k->output.taken);
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

/* ---- its life ---------------------------------------------------------------------------- */

static struct child *child_of(struct stream *s)
{
    return s->owner;
}

static void on_bytes(struct stream *s, struct str bytes)
{
    output_put(&child_of(s)->output, bytes);
    tell_waits(child_of(s));
}

static void on_end(struct stream *s, const struct err *e)
{
    (void)s, (void)e;
}

static void on_room(struct stream *s)
{
    (void)s;
}

static const struct stream_events io_events = {
    .on_bytes = on_bytes,
    .on_end = on_end,
    .on_room = on_room,
};

static void on_stderr(struct proc *p, struct str line)
{
    struct child *k = p->owner;

    output_put(&k->output, line);
    output_put(&k->output, STR("\n"));
    tell_waits(k);
}

static void leave_cwd(struct child *k)
{
    if (k->cwd >= 0)
        close(k->cwd);
    k->cwd = -1;
}

static void on_started(struct proc *p)
{
    leave_cwd(p->owner);
}

static void on_proc_exit(struct proc *p, const struct proc_exit *exit)
{
    struct child *k = p->owner;

    leave_cwd(k);
    k->exited = true;
    k->exit = *exit;
    tell_waits(k);
    proc_close(p);
}

static void free_child(struct child *k)
{
    struct tool_world *w = k->world;

    *k->link = k->next;
    if (k->next)
        k->next->link = k->link;
    output_fini(&k->output);
    mem_free(k);
    tool_world_check(w);
}

static void on_closed(struct proc *p)
{
    struct child *k = p->owner;

    k->closed = true;
    if (k->dropped)
        free_child(k);
}

static const struct proc_events child_events = {
    .on_started = on_started,
    .on_stderr = on_stderr,
    .on_exit = on_proc_exit,
    .on_closed = on_closed,
};

static void new_id(char out[CHILD_ID])
{
    uint64_t random;

    id_random(&random, sizeof(random));
    snprintf(out, CHILD_ID, "%016llx", (unsigned long long)random);
}

static void join_world(struct child *k, struct tool_world *w)
{
    k->world = w;
    k->next = w->children;
    k->link = &w->children;
    if (k->next)
        k->next->link = &k->next;
    w->children = k;
}

/* The folder is given by its descriptor: what its path leads to may change. */
size_t child_output_room(const struct limits *limits, int64_t most)
{
    enum { NOTES = 256 }; /* characters that are said besides */
    int64_t chars = limits->tool_result_chars;
    int64_t room = chars > 2 * NOTES ? chars - NOTES : chars / 2;

    return (size_t)(most < room ? most : room);
}

struct child *child_start(struct tool_world *w, const struct child_plan *plan, int cwd, size_t head,
                          size_t tail, struct err *e)
{
    struct child *k = MEM_NEW(struct child);
    char folder[64];
    struct proc_opts opts = {
        .argv = plan->argv,
        .env = plan->env,
        .cwd = folder,
        .events = &child_events,
        .owner = k,
        .io_events = &io_events,
        .io_owner = k,
    };

    snprintf(folder, sizeof(folder), "/proc/%d/fd/%d", (int)getpid(), cwd);
    if (!proc_start(&k->proc, w->procs, &opts, e)) {
        close(cwd);
        mem_free(k);
        return NULL;
    }
    k->cwd = cwd;
    output_init(&k->output, head, tail);
    new_id(k->id);
    join_world(k, w);
    stream_start(proc_io(&k->proc));
    return k;
}

void child_kill(struct child *k)
{
    if (!k->exited)
        proc_kill(&k->proc);
}

void child_drop(struct child *k)
{
    if (k->dropped)
        return;
    k->dropped = true;
    k->kept = false;
    while (k->waits)
        settle_wait(k->waits, &(struct err){ ERR_CLOSED, "the process was dropped" });
    if (k->closed)
        free_child(k);
    else
        proc_close(&k->proc);
}

struct child *child_find(struct tool_world *w, struct str id)
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

    if (!k->exited)
        return STR("is running");
    proc_exit_text(&k->exit, text, sizeof(text));
    return arena_str(mem, str_of(text));
}

void child_write_state(const struct child *k, struct jw *w)
{
    jw_kbool(w, "running", !k->exited);
    if (k->exited && k->exit.how == PROC_EXITED)
        jw_kint(w, "exitCode", k->exit.code);
    if (k->exited && k->exit.how == PROC_SIGNALED)
        jw_kint(w, "signal", k->exit.code);
}
