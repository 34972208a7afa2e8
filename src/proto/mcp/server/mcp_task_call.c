/*
 * mcp_task_call.c - a tools/call that becomes a task.
 *
 * Wait until the task engine is ready. Then create a task and answer with its id, or run the tool
 * while the client waits: the tool may ask the client in rounds (mcp_park.h), and may create a task
 * itself.
 */
#include "base/mem.h"
#include "core/agent/agent_context.h"
#include "proto/mcp/server/mcp_tasks.h"

struct waiting_call {
    struct rpc_in *in;
    struct mcp_tool_call params;
};

struct mcp_task_creation {
    struct rpc_in *in;
    struct task_engine *engine;
    struct task_ask *ask;
};

/* ---- clients that cannot resume ------------------------------------------------------------- */

struct abandoned_task {
    struct task_ask ask;
    char id[ID_TEXT];
};

static void on_abandoned_canceled(struct op *op, const struct err *e, void *ctx)
{
    struct abandoned_task *o = ctx;

    (void)op;
    (void)e;
    task_ask_fini(&o->ask);
    mem_free(o);
}

/* The client disconnected or cancelled the call before it got the id: cancel the task. */
static void abandon(struct mcp_task_creation *c)
{
    struct str id = c->ask->info.id.n ? c->ask->info.id : c->ask->id;
    struct abandoned_task *o = MEM_NEW(struct abandoned_task);

    str_to_c(id, o->id, sizeof(o->id));
    o->ask.id = str_of(o->id);
    task_cancel(c->engine, &o->ask, NULL, on_abandoned_canceled, o);
}

/* ---- creating ------------------------------------------------------------------------------- */

static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_task_creation *c = ctx;
    struct rpc_in *in = c->in;
    struct jw *w;

    (void)op;
    if (in->op.canceled && (!e || c->ask->id.n))
        abandon(c);
    if (e || in->op.canceled) {
        rpc_error_of(in, e ? e : &(struct err){ ERR_CANCELED, "cancelled" });
        return;
    }
    w = rpc_result_begin(in);
    jw_object(w);
    jw_kstr(w, "resultType", STR("task"));
    mcp_write_task(w, in->mem, in->peer->rpc->limits, loop_wall(in->op.loop), &c->ask->info, false);
    mcp_result_end(in, MCP_CACHE_NEVER);
}

/* The kinds of questions that this client can answer after tasks/get. */
static unsigned abilities_of(const struct rpc_in *in)
{
    struct json meta = in->meta;
    struct mcp_abilities a =
        mcp_abilities_read(json_get(meta, STR(MCP_META "clientCapabilities")), mcp_version_of(in));
    unsigned can = 0;

    for (unsigned i = 0; i < ASK_KINDS; i++)
        if (a.can[i])
            can |= 1u << i;
    return can;
}

/* NULL: the program is stopping, and the request has been answered. */
static struct mcp_task_creation *creation_of(struct rpc_in *in)
{
    struct task_engine *engine = mcp_offer_of(in)->host.context->tasks;
    struct mcp_task_creation *c;

    if (!engine) {
        rpc_error_of(in, &(struct err){ ERR_CLOSED, "tasks are no longer stored" });
        return NULL;
    }
    c = ARENA_NEW(in->mem, struct mcp_task_creation);
    c->in = in;
    c->engine = engine;
    c->ask = mcp_task_ask(in, STR_NONE);
    return c;
}

static void create(struct rpc_in *in, struct str tool, struct json args)
{
    struct caller caller = mcp_caller_of(in, in->mem);
    struct mcp_task_creation *c = creation_of(in);
    struct task_call_spec spec = {
        .offer = mcp_offer_of(in),
        .tool = tool,
        .args = args,
        .caller = &caller,
        .can = abilities_of(in),
        .write = mcp_write_outcome,
    };

    if (c)
        task_create_call(c->engine, c->ask, &spec, &in->op, on_created, c);
}

/* A task that the tool has created is reported like one of ours. */
void mcp_answer_task(struct rpc_in *in, struct str id)
{
    struct mcp_task_creation *c = creation_of(in);

    if (!c)
        return;
    c->ask->id = arena_str(in->mem, id);
    task_get(c->engine, c->ask, &in->op, on_created, c);
}

/* ---- beginning ------------------------------------------------------------------------------ */

/*
 * The work of an agent survives a restart; but the agent does not choose the person that it asks,
 * so a client that cannot be asked gets the call itself as a task.
 */
static bool makes_its_own(const struct rpc_in *in, const struct tool *tool)
{
    return tool->task == TOOL_TASK_OWN && abilities_of(in) & 1u << ASK_FORM;
}

static void on_engine(void *ctx, struct task_engine *engine)
{
    struct waiting_call *c = ctx;
    struct str name = c->params.name;
    const struct tool *tool = mcp_offered_tool(c->in, offer_tool(mcp_offer_of(c->in), name), name);

    if (!tool)
        return;
    if (engine && !makes_its_own(c->in, tool))
        create(c->in, name, c->params.args);
    else if (!engine && tool->task == TOOL_TASK_ONLY)
        rpc_error(c->in, RPC_INTERNAL_ERROR, "%s always runs as a task, and no tasks are stored",
                  tool->name);
    else
        mcp_call_tool(c->in, tool, &c->params, engine != NULL);
}

bool mcp_call_as_task(struct rpc_in *in, const struct tool *tool,
                      const struct mcp_tool_call *params)
{
    struct waiting_call *c;

    if (tool->task == TOOL_TASK_NEVER)
        return false;
    if (!mcp_knows_tasks(in) && tool->task == TOOL_TASK_ONLY) {
        mcp_refuse_taskless(in);
        return true;
    }
    if (!mcp_knows_tasks(in))
        return false;
    c = ARENA_NEW(in->mem, struct waiting_call);
    c->in = in;
    c->params = *params;
    mcp_when_tasks(in, on_engine, c);
    return true;
}
