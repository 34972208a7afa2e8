#include "base/utf8.h"
#include "core/guard/guard_check.h"
#include "core/shown_error.h"
#include "core/tool/result_cap.h"
#include "proto/mcp/server/mcp_method.h"
#include "proto/mcp/server/mcp_park.h"
#include "proto/mcp/server/mcp_tasks.h"

static bool is_offered(const struct rpc_in *in, const struct tool *tool)
{
    return guard_offers(mcp_conv_scope(mcp_conv_of(in)), tool);
}

static void list_tools(struct rpc_in *in)
{
    const struct offer *offer = mcp_offer_of(in);
    const struct tool *tool;
    struct mcp_list_page page;
    struct jw *w;

    if (!mcp_page_read(in, &page))
        return;
    w = mcp_result_begin(in);
    jw_plain_key(w, STR("tools"));
    jw_array(w);
    for (; (tool = offer_tool_at(offer, page.at)); page.at++) {
        if (tool->withheld || !is_offered(in, tool))
            continue;
        if (!mcp_page_take(&page))
            break;
        mcp_write_tool(w, tool, mcp_version_of(in));
    }
    jw_array_end(w);
    if (tool)
        mcp_page_cursor(w, in->mem, page.at);
    mcp_result_end(in, MCP_CACHE_LIST);
}

struct tools_listing {
    struct readiness_wait wait; /* first */
    struct rpc_in *in;
    void (*list)(struct rpc_in *in);
};

static void on_gathered(struct op *op, const struct err *e, void *ctx)
{
    struct tools_listing *l = ctx;

    (void)op;
    if (e)
        rpc_error_of(l->in, e);
    else
        l->list(l->in);
}

void mcp_when_gathered(struct rpc_in *in, void (*list)(struct rpc_in *in))
{
    const struct offer *offer = mcp_offer_of(in);
    struct tools_listing *l;

    if (!offer->listing || !offer->listing->open) {
        list(in);
        return;
    }
    l = ARENA_NEW(in->mem, struct tools_listing);
    l->in = in;
    l->list = list;
    readiness_wait(offer->listing, &l->wait, offer->host.loop, offer->host.limits, &in->op,
                   on_gathered, l);
}

void mcp_on_tools_list(struct rpc_in *in)
{
    mcp_when_gathered(in, list_tools);
}

static const struct pick tool_call_fields[] = {
    PICK_FIELD("name", PICK_STR, struct mcp_tool_call, name, PICK_MUST),
    PICK_FIELD("arguments", PICK_OBJECT, struct mcp_tool_call, args, 0),
    MCP_ROUND_FIELDS(struct mcp_tool_call, round),
};

/* The model should learn why a tool was stopped. */
static void answer_tool(struct mcp_request *r, const struct err *e)
{
    struct err own;
    struct jw *w;

    if (!e && r->call.raw_result.p)
        result_cap_forwarded(&r->call, mcp_offer_of(r->in)->parts & 1u << OFFER_RESOURCES);
    if (mcp_answer_common(r, e, MCP_CACHE_NEVER))
        return;
    if (!e && r->call.task.n) {
        mcp_answer_task(r->in, r->call.task);
        return;
    }
    w = mcp_result_begin(r->in);
    if (e)
        mcp_write_failure(w, shown_error(mcp_conv_of(r->in)->principal.origin, e, &own));
    else
        mcp_write_result(w, &r->call, r->version);
    mcp_result_end_of_tool(r->in, &r->call);
}

const struct tool *mcp_offered_tool(struct rpc_in *in, const struct tool *tool, struct str name)
{
    if (tool && !is_offered(in, tool))
        tool = NULL;
    if (!tool)
        rpc_error(in, RPC_INVALID_PARAMS, "Unknown tool: " STR_FMT, STR_ARG(utf8_head(name, 100)));
    return tool;
}

void mcp_call_tool(struct rpc_in *in, const struct tool *tool, struct mcp_tool_call *params,
                   bool takes_tasks)
{
    struct offer *offer = mcp_offer_of(in);
    struct mcp_request *r = mcp_request_begin(in, &params->round, &params->args, answer_tool);

    r->caller.takes_tasks = takes_tasks;
    tool_run(tool, &r->call, &offer->host, &r->caller, r->mem, params->args, mcp_request_op(r),
             mcp_request_done, r);
}

/* tool: from the offer; NULL: there is no tool of that name. */
static void call_tool(struct rpc_in *in, const struct tool *tool, struct mcp_tool_call *params)
{
    tool = mcp_offered_tool(in, tool, params->name);
    if (tool && !mcp_call_as_task(in, tool, params))
        mcp_call_tool(in, tool, params, false);
}

/* A call of a tool that is not listed yet, by a client that knows its name from before. */
struct early_call {
    struct readiness_wait wait; /* first */
    struct mcp_tool_call params;
};

static void on_gathered_call(struct op *op, const struct err *e, void *ctx)
{
    struct early_call *early = (struct early_call *)(void *)op;

    if (e)
        rpc_error_of(ctx, e);
    else
        call_tool(ctx, offer_tool(mcp_offer_of(ctx), early->params.name), &early->params);
}

void mcp_on_tools_call(struct rpc_in *in)
{
    struct offer *offer = mcp_offer_of(in);
    struct mcp_tool_call params = { 0 };
    const struct tool *tool;
    struct early_call *early;

    if (!rpc_params(in, PICK_TABLE(tool_call_fields), &params) ||
        mcp_park_resume(in, &params.round))
        return;
    tool = offer_tool(offer, params.name);
    if (tool || !offer->readiness || !offer->readiness->open) {
        call_tool(in, tool, &params);
        return;
    }
    early = ARENA_NEW(in->mem, struct early_call);
    early->params = params;
    readiness_wait(offer->readiness, &early->wait, offer->host.loop, offer->host.limits, &in->op,
                   on_gathered_call, in);
}
