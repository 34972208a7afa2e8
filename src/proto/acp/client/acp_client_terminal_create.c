/*
 * acp_client_terminal_create.c - terminal/create: the command runs as a tool call, so that the guard
 * judges it as shell_exec.
 */
#include "base/container.h"
#include "base/pick.h"
#include "loop/proc_env.h"
#include "proto/acp/client/acp_client_call.h"
#include "proto/acp/client/acp_client_terminals.h"

struct create_params {
    struct str command, cwd;
    struct json args, env;
    int64_t limit;
};

struct acp_create {
    struct acp_agent_call base; /* first */
    struct create_params params;
    struct acp_child_terminal *made; /* may be freed as soon as it has started */
    struct str id;                   /* of the terminal */
};

static const struct acp_tools *tools_of(const struct acp_create *c)
{
    return c->base.request.session->program->world->tools;
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

/* Checked twice, because several requests can wait for an approval at the same time. */
static bool check_count(const struct acp_driven *s, struct err *e)
{
    int64_t most = s->session->host.limits->acp_terminals;

    return acp_terminal_count(s) < (size_t)most ||
           fail(e, ERR_LIMIT, "%lld terminals are open (limits.acp_terminals); release one",
                (long long)most);
}

static void on_started(struct op *op, const struct err *e, void *ctx)
{
    struct acp_create *c = ctx;
    struct acp_child_terminal *t = c->made;

    (void)op;
    if (e) {
        acp_terminal_free(t);
        acp_call_fail(&c->base.call, e);
        return;
    }
    acp_terminal_started(t);
    call_done(&c->base.call);
}

static bool prepare(struct acp_create *c, struct acp_child_terminal *t, struct err *e)
{
    t->terminal.mem = c->base.request.in->mem;
    t->terminal.sandbox = tools_of(c)->sandbox(&c->base.call);
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
    if (!check_count(s, &e)) {
        acp_call_fail(call, &e);
        return;
    }
    c->made = acp_terminal_new(s, (size_t)c->params.limit);
    c->id = arena_str(c->base.request.in->mem, str_of(c->made->id));
    if (!prepare(c, c->made, &e)) {
        acp_terminal_free(c->made);
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
    jw_kstr(w, "terminalId", c->id);
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
    struct err e;

    if (!p->command.n || str_find_byte(p->command, '\0') >= 0)
        rpc_error(in, RPC_INVALID_PARAMS, "command is empty or contains a NUL byte");
    else if (p->cwd.n && p->cwd.p[0] != '/')
        rpc_error(in, RPC_INVALID_PARAMS, "cwd must be absolute");
    else if (!check_count(s, &e))
        rpc_error_of(in, &e);
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

    if (!c || !rpc_params(in, PICK_TABLE(create_fields), &c->params) ||
        !check_params(in, &c->params, c->base.request.session))
        return;
    c->base.path = c->params.command;
    c->base.answer = answer_created;
    acp_call_run(&c->base, &create_tool, create_args(in, &c->params));
}
