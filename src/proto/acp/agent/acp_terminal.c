/*
 * acp_terminal.c - commands in terminals of the editor.
 *
 *   CREATING ──> RUNNING ──> EXITED ──> RELEASED
 *       └───────────┴────────────┴─────────^
 *
 * CREATING  terminal/create is sent
 * RUNNING   terminal/wait_for_exit is sent; terminal/output is polled
 * EXITED    the last output was delivered, and then on_exit
 * RELEASED  terminal/release is sent; on_closed follows
 *
 * The editor's output may lack its beginning. Then the rest is delivered at the end, after a line
 * that says so.
 */
#include "base/container.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/acp/agent/acp_tool_update.h"
#include "proto/acp/agent/acp_workspace.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>

enum { TERMINAL_ID = 200, POLL_MS = 250, PARAMS_MOST = 4 << 20 };

/* A background process may run as long as its session, so the wait for its end has no real limit. */
static const int64_t WAIT_MS = 365LL * 24 * 3600 * 1000;

enum acp_terminal_state {
    ACP_TERMINAL_CREATING,
    ACP_TERMINAL_RUNNING,
    ACP_TERMINAL_EXITED,
    ACP_TERMINAL_RELEASED
};

/* On the heap, until on_closed. */
struct acp_terminal {
    enum acp_terminal_state state;
    struct acp_session *session;
    struct terminal *t;
    char id[TERMINAL_ID];
    struct rpc_out main;  /* create, then wait_for_exit */
    struct rpc_out look;  /* output */
    struct rpc_out end;   /* kill, release */
    bool looking, ending; /* `look`, `end` are in progress */
    bool waiting;         /* `main` is in progress */
    bool kills, releases; /* requested */
    bool has_exit;        /* `exit` is set */
    bool last_look;       /* `look` was sent after the exit, so its answer has all output */
    struct proc_exit exit;
    size_t delivered; /* bytes of the output that were delivered */
    struct timer poll;
    struct post post; /* continues from the loop */
};

static void set_state(struct acp_terminal *a, enum acp_terminal_state to)
{
    assert(to > a->state);
    a->state = to;
}

static struct loop *loop_of(const struct acp_terminal *a)
{
    return a->session->conn->peer.rpc->loop;
}

/* A client that has disconnected answers no requests. */
static bool is_gone(const struct acp_terminal *a)
{
    return a->session->conn->state == ACP_CONN_ENDING;
}

static void call_client(struct acp_terminal *a, struct rpc_out *out, const char *method,
                        int64_t timeout_ms, op_done_fn *done)
{
    char room[TERMINAL_ID * 6 + ID_TEXT + 64];
    struct arena mem = { 0 };
    struct buf params;
    struct jw w = jw_to(&params);

    buf_init_in(&params, &mem, sizeof(room));
    jw_object(&w);
    jw_kstr(&w, "sessionId", str_of(a->session->id));
    jw_kstr(&w, "terminalId", str_of(a->id));
    jw_object_end(&w);
    peer_call(&a->session->conn->peer, NULL, out, NULL, method, buf_str(&params), timeout_ms, done,
              a);
    arena_fini(&mem);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void continue_terminal(struct acp_terminal *a);

static void deliver(struct acp_terminal *a, struct str bytes)
{
    if (bytes.n && a->t)
        a->t->events->on_output(a->t, bytes);
}

/* While the output is whole, only what is new is delivered; else all that is left, at the end. */
static void take_output(struct acp_terminal *a, struct json result)
{
    struct arena mem = { 0 };
    struct str text = json_str(&mem, json_get(result, STR("output")));
    bool cut = json_true(json_get(result, STR("truncated")));

    if (!cut && text.n >= a->delivered) {
        deliver(a, str_skip(text, a->delivered));
        a->delivered = text.n;
    } else if (cut && a->last_look) {
        deliver(a, STR("\n[earlier output is missing: the terminal has dropped it]\n"));
        deliver(a, text);
    }
    arena_fini(&mem);
}

static void on_poll(struct timer *t);

static void on_output(struct op *op, const struct err *e, void *ctx)
{
    struct acp_terminal *a = ctx;

    (void)op;
    a->looking = false;
    if (!e && json_here(a->look.result))
        take_output(a, a->look.result);
    rpc_out_fini(&a->look);
    if (a->last_look && a->state == ACP_TERMINAL_RUNNING)
        set_state(a, ACP_TERMINAL_EXITED);
    else if (a->state == ACP_TERMINAL_RUNNING && !a->has_exit)
        timer_set(loop_of(a), &a->poll, POLL_MS, on_poll);
    continue_terminal(a);
}

static void look(struct acp_terminal *a)
{
    timer_clear(loop_of(a), &a->poll);
    a->looking = true;
    call_client(a, &a->look, "terminal/output", a->session->root->limits->tool_ms, on_output);
}

static void on_poll(struct timer *t)
{
    struct acp_terminal *a = CONTAINER_OF(t, struct acp_terminal, poll);

    if (!is_gone(a) && !a->releases)
        look(a);
}

/* ---- the exit -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int number;
} signals[] = {
    { "SIGHUP", SIGHUP },   { "SIGINT", SIGINT },   { "SIGQUIT", SIGQUIT }, { "SIGILL", SIGILL },
    { "SIGABRT", SIGABRT }, { "SIGBUS", SIGBUS },   { "SIGFPE", SIGFPE },   { "SIGKILL", SIGKILL },
    { "SIGSEGV", SIGSEGV }, { "SIGPIPE", SIGPIPE }, { "SIGALRM", SIGALRM }, { "SIGTERM", SIGTERM },
};

static int signal_named(struct json name)
{
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        if (json_is(name, str_of(signals[i].name)) ||
            json_is(name, str_of(signals[i].name + strlen("SIG"))))
            return signals[i].number;
    return SIGKILL;
}

static struct proc_exit read_exit(struct json result)
{
    struct proc_exit x = { .how = PROC_EXITED };
    struct json signal = json_get(result, STR("signal"));
    int64_t code = 0;

    if (json_type(signal) == JSON_STRING) {
        x.how = PROC_SIGNALED;
        x.code = signal_named(signal);
    } else if (json_int(json_get(result, STR("exitCode")), &code)) {
        x.code = (int)code;
    } else {
        x.how = PROC_LOST;
        fail(&x.err, ERR_CLOSED, "the editor does not say how the command has ended");
    }
    return x;
}

static void set_exit(struct acp_terminal *a, const struct proc_exit *exit)
{
    a->has_exit = true;
    a->exit = *exit;
}

static void on_waited(struct op *op, const struct err *e, void *ctx)
{
    struct acp_terminal *a = ctx;
    struct proc_exit exit = { .how = PROC_LOST };

    (void)op;
    a->waiting = false;
    if (!e && json_here(a->main.result))
        exit = read_exit(a->main.result);
    else
        fail(&exit.err, ERR_CLOSED, "the editor has lost the terminal%s%s", e ? ": " : "",
             e ? e->text : "");
    if (!a->has_exit) /* else it was released before */
        set_exit(a, &exit);
    rpc_out_fini(&a->main);
    continue_terminal(a);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void on_end_request(struct op *op, const struct err *e, void *ctx)
{
    struct acp_terminal *a = ctx;

    (void)op;
    (void)e; /* nothing else can be done */
    a->ending = false;
    rpc_out_fini(&a->end);
    continue_terminal(a);
}

static void drop_terminal(struct acp_terminal *a)
{
    struct acp_session *s = a->session;

    mem_free(a);
    s->terminals--;
    acp_session_check(s);
}

static void finish(struct acp_terminal *a)
{
    struct terminal *t = a->t;

    timer_clear(loop_of(a), &a->poll);
    loop_unpost(loop_of(a), &a->post);
    t->own = NULL;
    t->events->on_closed(t);
    drop_terminal(a);
}

static void request_end(struct acp_terminal *a, const char *method)
{
    a->ending = true;
    call_client(a, &a->end, method, a->session->root->limits->shutdown_ms, on_end_request);
}

/* Has the command ended, as far as we can know? */
static bool learn_exit(struct acp_terminal *a)
{
    struct proc_exit lost = { .how = PROC_LOST };

    if (!a->has_exit && is_gone(a)) {
        fail(&lost.err, ERR_CLOSED, "the editor has disconnected");
        set_exit(a, &lost);
    } else if (!a->has_exit && a->releases && !a->ending) { /* releasing kills the command */
        set_exit(a, &(struct proc_exit){ .how = PROC_SIGNALED, .code = SIGKILL });
    }
    return a->has_exit;
}

/* RUNNING: after the exit, the last output is fetched, unless nobody wants it. */
static void continue_running(struct acp_terminal *a)
{
    if (!learn_exit(a)) {
        if (a->kills && !a->ending) {
            a->kills = false;
            request_end(a, "terminal/kill");
        }
    } else if (a->releases || is_gone(a)) {
        set_state(a, ACP_TERMINAL_EXITED);
    } else if (!a->looking) {
        a->last_look = true;
        look(a);
    }
}

/* EXITED: the workspace releases a terminal after its exit. */
static void release_terminal(struct acp_terminal *a)
{
    set_state(a, ACP_TERMINAL_RELEASED);
    a->releases = true;
    a->t->events->on_exit(a->t, &a->exit);
    if (a->waiting)
        op_cancel(&a->main.op);
    if (!is_gone(a))
        request_end(a, "terminal/release");
}

/*
 * Do what is possible in the present state. Called from callbacks of the loop only, since it calls
 * the owner and may free *a.
 */
static void continue_terminal(struct acp_terminal *a)
{
    if (a->state == ACP_TERMINAL_RUNNING)
        continue_running(a);
    if (a->state == ACP_TERMINAL_EXITED && !a->ending)
        release_terminal(a);
    if (a->state == ACP_TERMINAL_RELEASED && !a->ending && !a->looking && !a->waiting)
        finish(a);
}

static void on_continue(struct post *post)
{
    continue_terminal(CONTAINER_OF(post, struct acp_terminal, post));
}

/* ---- creating -------------------------------------------------------------------------------- */

static void cancel_create(struct op *op)
{
    (void)op;
}

static const struct op_kind create_kind = { .name = "editor terminal", .cancel = cancel_create };

static void free_unstarted(struct acp_terminal *a, const struct err *e)
{
    a->t->own = NULL;
    op_fail(&a->t->op, e);
    drop_terminal(a);
}

static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct acp_terminal *a = ctx;
    struct json message = json_get(a->main.error, STR("message"));
    struct str id = json_str(&a->main.mem, json_get(a->main.result, STR("terminalId")));
    struct err why;
    bool ok = !e && id.n && str_to_c(id, a->id, sizeof(a->id));

    (void)op;
    if (e)
        why = *e;
    else if (!ok)
        fail(&why, ERR_DENIED, "the editor cannot create a terminal: " STR_FMT,
             STR_ARG(utf8_head(json_here(message) ? json_str(&a->main.mem, message)
                                                  : STR("its response has no terminalId"),
                               160)));
    rpc_out_fini(&a->main);
    if (!ok) {
        free_unstarted(a, &why);
        return;
    }
    set_state(a, ACP_TERMINAL_RUNNING);
    acp_call_has_terminal(a->session, a->t->call, str_of(a->id));
    op_ok(&a->t->op);
    if (is_gone(a)) {
        loop_post(loop_of(a), &a->post);
        return;
    }
    a->waiting = true;
    call_client(a, &a->main, "terminal/wait_for_exit", WAIT_MS, on_waited);
    timer_set(loop_of(a), &a->poll, POLL_MS, on_poll);
}

static void write_env(struct jw *w, const char *const *env)
{
    jw_plain_key(w, STR("env"));
    jw_array(w);
    for (; env && *env; env++) {
        struct str value = str_of(*env), name = str_cut(&value, '=');

        jw_object(w);
        jw_kstr(w, "name", name);
        jw_kstr(w, "value", value.p ? value : STR(""));
        jw_object_end(w);
    }
    jw_array_end(w);
}

/* The words of the command, behind those that put it into its sandbox. */
static void write_command(struct jw *w, const struct acp_session *s, const struct terminal *t)
{
    const struct sandbox_profile *box = t->sandbox;
    char port[16];

    jw_kstr(w, "command", str_of(box ? s->root->program : t->argv[0]));
    jw_plain_key(w, STR("args"));
    jw_array(w);
    if (box) {
        jw_str(w, STR("sandbox"));
        jw_str(w, STR("--root"));
        jw_str(w, str_of(box->root));
        jw_str(w, STR("--profile"));
        jw_str(w, str_of(sandbox_kind_name(box->kind)));
        if (box->best_effort)
            jw_str(w, STR("--best-effort"));
        for (size_t i = 0; i < box->connects; i++) {
            snprintf(port, sizeof(port), "%u", box->connect[i]);
            jw_str(w, STR("--connect"));
            jw_str(w, str_of(port));
        }
        jw_str(w, STR("--"));
        jw_str(w, str_of(t->argv[0]));
    }
    for (size_t i = 1; t->argv[i]; i++)
        jw_str(w, str_of(t->argv[i]));
    jw_array_end(w);
}

void acp_terminal_run(struct workspace *w, struct terminal *t, struct op *parent, op_done_fn *done,
                      void *ctx)
{
    struct acp_session *s = acp_workspace_session(w);
    struct acp_terminal *a;
    struct buf params;
    struct jw out = jw_to(&params);

    if (!s->conn->can.terminal) {
        t->workspace = s->root->local;
        s->root->local->kind->run(s->root->local, t, parent, done, ctx);
        return;
    }
    a = MEM_NEW(struct acp_terminal);
    a->session = s;
    a->t = t;
    a->post.fn = on_continue;
    t->own = a;
    s->terminals++;
    buf_init_in(&params, t->mem, PARAMS_MOST);
    jw_object(&out);
    jw_kstr(&out, "sessionId", str_of(s->id));
    write_command(&out, s, t);
    write_env(&out, t->env);
    jw_kstr(&out, "cwd", acp_path_of_place(t->mem, &t->cwd));
    jw_kint(&out, "outputByteLimit", (int64_t)t->output_limit);
    jw_object_end(&out);
    op_begin(&t->op, &create_kind, t->host->loop, parent, done, ctx);
    if (params.full) {
        free_unstarted(a, &(struct err){ ERR_LIMIT, "the command is too long for the editor" });
        return;
    }
    /* not below t->op: a terminal that the editor has created must be released, too */
    peer_call(&s->conn->peer, NULL, &a->main, NULL, "terminal/create", buf_str(&params),
              s->root->limits->tool_ms, on_created, a);
}

/* ---- a command that was started -------------------------------------------------------------- */

/* The input of a terminal belongs to the user. */
struct stream *acp_terminal_input(struct terminal *t)
{
    (void)t;
    return NULL;
}

void acp_terminal_kill(struct terminal *t)
{
    struct acp_terminal *a = t->own;

    a->kills = true;
    loop_post(loop_of(a), &a->post);
}

void acp_terminal_release(struct terminal *t)
{
    struct acp_terminal *a = t->own;

    if (!a)
        return;
    a->releases = true;
    loop_post(loop_of(a), &a->post);
}
