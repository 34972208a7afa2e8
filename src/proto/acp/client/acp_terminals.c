#include "proto/acp/client/acp_terminals.h"

#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/pick.h"
#include "base/utf8.h"
#include "core/workspace.h"
#include "loop/proc_env.h"
#include "proto/acp/client/acp_call.h"

#include <stdio.h>
#include <string.h>

enum { TERMINAL_ID = 24 };

enum acp_child_terminal_state { TERM_STARTING, TERM_RUNNING, TERM_EXITED, TERM_CLOSED };

struct acp_child_terminal {
    struct terminal terminal;
    struct acp_driven *session;
    struct acp_child_terminal *next;
    char id[TERMINAL_ID];
    enum acp_child_terminal_state state;
    bool released;
    struct buf output;
    size_t limit;
    bool truncated;
    struct proc_exit exit;
    struct acp_wait *waits;
};

/* A request terminal/wait_for_exit. */
struct acp_wait {
    struct acp_request request; /* first */
    struct acp_child_terminal *terminal;
    struct acp_wait *next;
};

/* ---- output ---------------------------------------------------------------------------------- */

/* The number of bytes to drop so that at most `limit` bytes remain, from a whole character on. */
static size_t bytes_to_drop(struct str s, size_t limit)
{
    size_t cut = s.n > limit ? s.n - limit : 0;

    while (cut && cut < s.n && ((unsigned char)s.p[cut] & 0xc0) == 0x80)
        cut++;
    return cut;
}

static void on_terminal_output(struct terminal *terminal, struct str bytes)
{
    struct acp_child_terminal *t = terminal->owner;
    size_t drop = bytes_to_drop(bytes, t->limit);

    if (drop)
        buf_clear(&t->output);
    buf_put(&t->output, str_skip(bytes, drop));
    t->truncated |= drop > 0;
    drop = bytes_to_drop(buf_str(&t->output), t->limit);
    if (!drop)
        return;
    buf_consume(&t->output, drop);
    t->truncated = true;
}

/* The bytes of a character that has not arrived completely are left out. */
static struct str whole_characters(struct str s)
{
    size_t n = s.n, back = 0;

    while (back < 4 && n > 0 && ((unsigned char)s.p[n - 1] & 0xc0) == 0x80) {
        n--;
        back++;
    }
    if (n > 0 && (unsigned char)s.p[n - 1] >= 0xc0 && !utf8_len(s.p + n - 1, back + 1))
        return str_head(s, n - 1);
    return s;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* {"exitCode"} or {"signal"}; both are null if it is not known how the command ended. */
static void write_exit(struct jw *w, const struct acp_child_terminal *t)
{
    const char *name = t->exit.how == PROC_SIGNALED ? sigabbrev_np(t->exit.code) : NULL;
    char signal[32];

    jw_object(w);
    if (t->exit.how == PROC_EXITED)
        jw_kint(w, "exitCode", t->exit.code);
    else if (t->exit.how == PROC_NOT_STARTED)
        jw_kint(w, "exitCode", 127);
    else
        jw_kraw(w, "exitCode", STR("null"));
    snprintf(signal, sizeof(signal), "SIG%s", name ? name : "KILL");
    if (t->exit.how == PROC_EXITED || t->exit.how == PROC_NOT_STARTED)
        jw_kraw(w, "signal", STR("null"));
    else
        jw_kstr(w, "signal", str_of(signal));
    jw_object_end(w);
}

static void settle_wait(struct acp_wait *wait, bool exited)
{
    struct rpc_in *in = wait->request.in;

    LIST_UNLINK(wait->terminal->waits, wait, next);
    if (exited) {
        write_exit(rpc_result_begin(in), wait->terminal);
        rpc_result_end(in);
    } else {
        rpc_error(in, ACP_CANCELLED, "the terminal was released");
    }
    acp_request_end(&wait->request);
}

static void end_waits(struct acp_child_terminal *t, bool exited)
{
    while (t->waits)
        settle_wait(t->waits, exited);
}

static void on_terminal_exit(struct terminal *terminal, const struct proc_exit *exit)
{
    struct acp_child_terminal *t = terminal->owner;
    char text[160];

    t->state = TERM_EXITED;
    t->exit = *exit;
    if (exit->how == PROC_NOT_STARTED) {
        proc_exit_text(exit, text, sizeof(text));
        on_terminal_output(terminal, str_of(text));
    }
    end_waits(t, true);
}

static void free_terminal(struct acp_child_terminal *t)
{
    struct acp_driven *s = t->session;

    LIST_UNLINK(s->terminals, t, next);
    buf_fini(&t->output);
    mem_free(t);
    acp_session_gone(s);
}

static void on_terminal_closed(struct terminal *terminal)
{
    struct acp_child_terminal *t = terminal->owner;

    t->state = TERM_CLOSED;
    if (t->released)
        free_terminal(t);
}

static const struct terminal_events events = {
    .on_output = on_terminal_output,
    .on_exit = on_terminal_exit,
    .on_closed = on_terminal_closed,
};

/* The agent needs the terminal no more. A STARTING one is released when it has started. */
static void terminal_drop(struct acp_child_terminal *t)
{
    if (t->released)
        return;
    t->released = true;
    t->id[0] = '\0';
    end_waits(t, false);
    if (t->state == TERM_RUNNING || t->state == TERM_EXITED)
        terminal_release(&t->terminal);
    else if (t->state == TERM_CLOSED)
        free_terminal(t);
}

void acp_terminals_end(struct acp_driven *s)
{
    for (struct acp_child_terminal *t = s->terminals, *next; t; t = next) {
        next = t->next;
        terminal_drop(t);
    }
}

/* ---- finding --------------------------------------------------------------------------------- */

static struct acp_child_terminal *find_terminal(const struct acp_driven *s, struct str id)
{
    struct acp_child_terminal *t = s->terminals;

    while (t && !(id.n && str_eq(str_of(t->id), id)))
        t = t->next;
    return t;
}

struct str acp_terminal_output(const struct acp_driven *s, struct str id)
{
    const struct acp_child_terminal *t = find_terminal(s, id);

    return t ? whole_characters(buf_str(&t->output)) : STR_NONE;
}

/* The terminal that a request names. NULL: the request was answered with an error. */
static struct acp_child_terminal *named_terminal(struct rpc_in *in)
{
    struct acp_driven *s = acp_driven_of(in);
    struct str id = json_str(in->mem, json_get(in->params, STR("terminalId")));
    struct acp_child_terminal *t = s ? find_terminal(s, id) : NULL;

    if (!t || t->state == TERM_STARTING) {
        rpc_error_data(in, ACP_NOT_FOUND, STR("there is no such terminal"), STR_NONE);
        return NULL;
    }
    return t;
}

/* ---- create ---------------------------------------------------------------------------------- */

struct create_params {
    struct str command, cwd;
    struct json args, env;
    int64_t limit;
};

struct acp_create {
    struct acp_agent_call base; /* first */
    struct create_params params;
    struct acp_child_terminal *made;
};

static const struct acp_tools *tools_of(const struct acp_create *c)
{
    return c->base.request.session->program->world->tools;
}

static size_t count_terminals(const struct acp_driven *s)
{
    size_t n = 0;

    for (const struct acp_child_terminal *t = s->terminals; t; t = t->next)
        n++;
    return n;
}

static bool make_env(const struct acp_create *c, const char *const **out, struct err *e)
{
    struct arena *mem = c->base.request.in->mem;
    struct json env = c->params.env;
    struct proc_env_var *set = ARENA_ARRAY(mem, struct proc_env_var, json_count(env) + 1);
    struct proc_env_opts o = { .ours = c->base.request.session->program->world->environ,
                               .set = set };

    JSON_EACH(item, env)
    {
        struct str name = json_str(mem, json_get(item, STR("name")));
        struct str value = json_str(mem, json_get(item, STR("value")));

        if (!name.n || !value.p)
            return fail(e, ERR_INVALID, "env: expected objects with name and value");
        set[o.sets++] = (struct proc_env_var){ name, value };
    }
    return proc_env(mem, &o, out, e);
}

static bool make_argv(const struct acp_create *c, const char *const **out, struct err *e)
{
    struct arena *mem = c->base.request.in->mem;
    const char **argv = ARENA_ARRAY(mem, const char *, json_count(c->params.args) + 2);
    size_t n = 0;

    argv[n++] = arena_cstr(mem, c->params.command);
    JSON_EACH(item, c->params.args)
    {
        struct str word = json_str(mem, item);

        if (!word.p || str_find_byte(word, '\0') >= 0)
            return fail(e, ERR_INVALID, "args: expected strings without NUL bytes");
        argv[n++] = arena_cstr(mem, word);
    }
    *out = argv;
    return true;
}

static struct acp_child_terminal *new_terminal(struct acp_create *c)
{
    struct acp_driven *s = c->base.request.session;
    struct acp_child_terminal *t = MEM_NEW(struct acp_child_terminal);

    t->session = s;
    t->limit = (size_t)c->params.limit;
    buf_init(&t->output, 2 * t->limit + 64);
    snprintf(t->id, sizeof(t->id), "terminal-%zu", ++s->terminals_made);
    t->next = s->terminals;
    s->terminals = t;
    return t;
}

static void on_started(struct op *op, const struct err *e, void *ctx)
{
    struct acp_create *c = ctx;
    struct acp_child_terminal *t = c->made;

    (void)op;
    if (e) {
        free_terminal(t);
        acp_call_fail(&c->base.call, e);
        return;
    }
    if (t->state == TERM_STARTING)
        t->state = TERM_RUNNING;
    if (t->released && t->state == TERM_CLOSED)
        free_terminal(t);
    else if (t->released)
        terminal_release(&t->terminal);
    call_done(&c->base.call);
}

static bool prepare(struct acp_create *c, struct acp_child_terminal *t, struct err *e)
{
    t->terminal = (struct terminal){
        .events = &events,
        .owner = t,
        .output_limit = t->limit,
        .host = &t->session->session->host,
        .mem = c->base.request.in->mem,
        .sandbox = tools_of(c)->sandbox(&c->base.call),
    };
    return make_argv(c, &t->terminal.argv, e) && make_env(c, &t->terminal.env, e);
}

static void start_create(struct call *call)
{
    struct acp_create *c = CONTAINER_OF(acp_call_of(call), struct acp_create, base);
    struct acp_driven *s = c->base.request.session;
    struct place cwd;
    struct err e;

    if (!tools_of(c)->place(call, c->params.cwd.n ? c->params.cwd : STR("."), false, &cwd))
        return;
    c->made = new_terminal(c);
    if (!prepare(c, c->made, &e)) {
        free_terminal(c->made);
        acp_call_fail(call, &e);
        return;
    }
    c->made->terminal.cwd = cwd;
    workspace_run(tools_of(c)->workspace(&s->session->host), &c->made->terminal, &call->op,
                  on_started, c);
}

static void answer_created(struct acp_agent_call *call)
{
    struct acp_create *c = CONTAINER_OF(call, struct acp_create, base);
    struct jw *w = rpc_result_begin(call->request.in);

    jw_object(w);
    jw_kstr(w, "terminalId", str_of(c->made->id));
    jw_object_end(w);
    rpc_result_end(call->request.in);
}

static struct tool_sandbox create_wish(const struct host *host, struct json args);

static const struct tool create_tool = {
    .name = "shell_exec",
    .title = "Run a program",
    .kind = TOOL_EXECUTE,
    .open_world = true,
    .sandbox = create_wish,
    .unlisted = true,
    .start = start_create,
};

/* The sandbox of commands does not depend on what the agent sends. */
static struct tool_sandbox create_wish(const struct host *host, struct json args)
{
    (void)args;
    return (struct tool_sandbox){ .what = TOOL_SANDBOX_DEFAULT,
                                  .elsewhere = host->workspace && !host->workspace->kind->local };
}

/* The arguments as of shell_exec, by which rules about commands match. */
static struct str create_args(struct rpc_in *in, const struct create_params *p)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, in->mem, 8 * json_raw(in->params).n + 1024);
    jw_object(&w);
    jw_plain_key(&w, STR("argv"));
    jw_array(&w);
    jw_str(&w, p->command);
    JSON_EACH(item, p->args)
    jw_raw(&w, json_raw(item));
    jw_array_end(&w);
    jw_kstr(&w, "cwd", p->cwd);
    if (json_count(p->env)) {
        jw_plain_key(&w, STR("env"));
        jw_object(&w);
        JSON_EACH(item, p->env)
        {
            jw_key(&w, json_str(in->mem, json_get(item, STR("name"))));
            jw_str(&w, json_str(in->mem, json_get(item, STR("value"))));
        }
        jw_object_end(&w);
    }
    jw_object_end(&w);
    return buf_str(&out);
}

static const struct pick create_fields[] = {
    PICK_FIELD("command", PICK_STR, struct create_params, command, PICK_MUST),
    PICK_FIELD("cwd", PICK_STR, struct create_params, cwd, 0),
    PICK_FIELD("args", PICK_ANY, struct create_params, args, 0),
    PICK_FIELD("env", PICK_ANY, struct create_params, env, 0),
    PICK_RANGE("outputByteLimit", struct create_params, limit, 0, 0, INT64_MAX),
};

static bool check_params(struct rpc_in *in, struct create_params *p, const struct acp_driven *s)
{
    const struct limits *l = s->session->host.limits;

    if (!p->command.n || str_find_byte(p->command, '\0') >= 0)
        rpc_error(in, RPC_INVALID_PARAMS, "command is empty or contains a NUL byte");
    else if (p->cwd.n && p->cwd.p[0] != '/')
        rpc_error(in, RPC_INVALID_PARAMS, "cwd must be absolute");
    else if (count_terminals(s) >= (size_t)l->acp_terminals)
        rpc_error(in, RPC_INTERNAL_ERROR,
                  "%lld terminals are open (limits.acp_terminals); release one",
                  (long long)l->acp_terminals);
    else {
        if (!p->limit || p->limit > l->acp_terminal_bytes)
            p->limit = l->acp_terminal_bytes;
        return true;
    }
    return false;
}

void acp_on_terminal_create(struct rpc_in *in)
{
    struct acp_create *c = acp_call_new(in, sizeof(*c));
    struct err e;

    if (!c)
        return;
    if (!pick(in->mem, in->params, PICK_TABLE(create_fields), PICK_LENIENT, &c->params, &e)) {
        rpc_error(in, RPC_INVALID_PARAMS, "%s", e.text);
        return;
    }
    if (!check_params(in, &c->params, c->base.request.session))
        return;
    c->base.path = c->params.command;
    c->base.answer = answer_created;
    acp_call_run(&c->base, &create_tool, create_args(in, &c->params));
}

/* ---- the other methods ------------------------------------------------------------------------ */

void acp_on_terminal_output(struct rpc_in *in)
{
    const struct acp_child_terminal *t = named_terminal(in);
    struct jw *w;

    if (!t)
        return;
    w = rpc_result_begin(in);
    jw_object(w);
    jw_plain_key(w, STR("output"));
    jw_str(w, whole_characters(buf_str(&t->output)));
    jw_kbool(w, "truncated", t->truncated);
    if (t->state >= TERM_EXITED) {
        jw_plain_key(w, STR("exitStatus"));
        write_exit(w, t);
    }
    jw_object_end(w);
    rpc_result_end(in);
}

static void cancel_wait(struct acp_request *r)
{
    settle_wait(CONTAINER_OF(r, struct acp_wait, request), false);
}

void acp_on_terminal_wait(struct rpc_in *in)
{
    struct acp_child_terminal *t = named_terminal(in);
    struct acp_wait *wait;

    if (!t)
        return;
    wait = ARENA_NEW(in->mem, struct acp_wait);
    wait->terminal = t;
    wait->next = t->waits;
    t->waits = wait;
    wait->request.cancel = cancel_wait;
    acp_request_begin(&wait->request, in, t->session);
    if (t->state >= TERM_EXITED)
        settle_wait(wait, true);
}

void acp_on_terminal_kill(struct rpc_in *in)
{
    struct acp_child_terminal *t = named_terminal(in);

    if (!t)
        return;
    if (t->state == TERM_RUNNING)
        terminal_kill(&t->terminal);
    rpc_result_raw(in, STR("{}"));
}

void acp_on_terminal_release(struct rpc_in *in)
{
    struct acp_child_terminal *t = named_terminal(in);

    if (!t)
        return;
    terminal_drop(t);
    rpc_result_raw(in, STR("{}"));
}
