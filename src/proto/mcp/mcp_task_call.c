/*
 * mcp_task_call.c - a tools/call that becomes a task.
 *
 *   wait until tasks are there -> have the tool ask what it has to ask first, if anything, while
 *       the client comes back round by round (mcp_park.h) -> create the task -> tell its id
 */
#include "core/agent_staff.h"
#include "proto/mcp/mcp_tasks.h"

struct creation {
    struct rpc_in *in;
    struct mcp_tool_call params;
    struct task_ask *ask;
};

/* ---- creating ------------------------------------------------------------------------------- */

static void on_created(struct op *op, const struct err *e, void *who)
{
    struct creation *c = who;
    struct rpc_in *in = c->in;
    struct jw *w;

    (void)op;
    if (e) {
        rpc_error_of(in, e);
        return;
    }
    w = rpc_result_begin(in);
    jw_object(w);
    jw_kstr(w, "resultType", STR("task"));
    mcp_write_task(w, in->mem, in->peer->rpc->limits, loop_wall(in->op.loop), &c->ask->info, false);
    mcp_result_end(in, MCP_CACHE_NEVER);
}

/* What this client can be asked, by tasks/get. */
static unsigned abilities_of(const struct rpc_in *in)
{
    struct json meta = json_get(in->params, STR("_meta"));
    struct mcp_abilities a =
        mcp_abilities_read(json_get(meta, STR(MCP_META "clientCapabilities")), mcp_version_of(in));
    unsigned can = 0;

    for (unsigned i = 0; i < ASK_KINDS; i++)
        if (a.can[i])
            can |= 1u << i;
    return can;
}

static void create(struct rpc_in *in, struct str tool, struct json args)
{
    struct offer *offer = mcp_offer_of(in);
    struct task_engine *engine = offer->host.staff->tasks;
    struct caller caller = mcp_caller_of(in, in->mem);
    struct creation *c = ARENA_NEW(in->mem, struct creation);
    struct task_call_spec spec = {
        .offer = offer,
        .tool = tool,
        .args = args,
        .caller = &caller,
        .can = abilities_of(in),
        .write = mcp_write_outcome,
    };

    if (!engine) {
        rpc_error_of(in, &(struct err){ ERR_CLOSED, "no tasks are kept here any more" });
        return;
    }
    c->in = in;
    c->ask = mcp_task_ask(in, STR_NONE);
    task_create_call(engine, c->ask, &spec, &in->op, on_created, c);
}

/* ---- asking first --------------------------------------------------------------------------- */

/* All rounds are over: from here on the call belongs to the request that came last. */
static void answer_asked(struct mcp_request *r, const struct err *e)
{
    struct rpc_in *in = r->in;
    struct json args = { 0 };

    if (!e && !r->call.is_error && !r->call.raw_error.p && !r->call.raw_result.p)
        args = mcp_reread(in->mem, in->peer->rpc->limits,
                          arena_str(in->mem, buf_str(&r->call.structured)));
    if (json_type(args) == JSON_OBJECT)
        create(in, arena_str(in->mem, str_of(r->call.what)), args);
    else
        mcp_answer_tool(r, e);
}

static void ask_first(struct creation *c, const struct tool *tool)
{
    struct mcp_request *r =
        mcp_request_begin(c->in, &c->params.round, &c->params.args, answer_asked);
    struct call_about about = {
        .what = tool->name,
        .who = tool->who,
        .args = c->params.args,
    };

    call_run(&r->call, &mcp_offer_of(c->in)->host, &r->caller, r->mem, &about, tool->before_task,
             mcp_request_op(r), mcp_request_done, r);
}

/* ---- beginning ------------------------------------------------------------------------------ */

static void on_engine(void *who, struct task_engine *engine)
{
    struct creation *c = who;
    const struct tool *tool = offer_tool(mcp_offer_of(c->in), c->params.name);

    if (!tool || (!engine && tool->task == TOOL_TASK_MAY))
        mcp_call_tool(c->in, &c->params);
    else if (!engine)
        rpc_error(c->in, RPC_INTERNAL_ERROR, "%s is always a task, and none are kept here",
                  tool->name);
    else if (tool->before_task)
        ask_first(c, tool);
    else
        create(c->in, c->params.name, c->params.args);
}

bool mcp_call_as_task(struct rpc_in *in, const struct tool *tool,
                      const struct mcp_tool_call *params)
{
    struct creation *c;

    if (tool->task == TOOL_TASK_NEVER)
        return false;
    if (!mcp_knows_tasks(in) && tool->task == TOOL_TASK_ONLY) {
        mcp_refuse_taskless(in);
        return true;
    }
    if (!mcp_knows_tasks(in))
        return false;
    c = ARENA_NEW(in->mem, struct creation);
    c->in = in;
    c->params = *params;
    mcp_when_tasks(in, on_engine, c);
    return true;
}
