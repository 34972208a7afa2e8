#include "core/guard/guard_request.h"

#include "core/guard/guard_parts.h"
#include "core/guard/tool_pattern.h"

/* ---- the tool ------------------------------------------------------------------------------- */

/* Our tool of each kind, by which rules also match the tools of other agents. */
static const char *const own_tools[TOOL_KINDS] = {
    [TOOL_READ] = "file_read",  [TOOL_EDIT] = "file_edit", [TOOL_DELETE] = "file_delete",
    [TOOL_MOVE] = "file_move",  [TOOL_SEARCH] = "grep",    [TOOL_EXECUTE] = "shell_exec",
    [TOOL_FETCH] = "web_fetch",
};

static enum tool_kind request_kind(const struct guard_request *r)
{
    return r->kind < TOOL_KINDS ? r->kind : TOOL_EXECUTE;
}

const char *guard_request_name(struct arena *mem, const struct guard_request *r)
{
    if (r->name.n)
        return arena_cstr(mem, r->name);
    return r->title.n ? arena_cstr(mem, r->title) : guard_kind_names[request_kind(r)];
}

/*
 * If the arguments are not known, the question of the agent identifies the call, so that a
 * remembered answer does not apply to every use of the tool.
 */
const struct tool *guard_request_tool(struct arena *mem, const struct guard_request *r)
{
    struct tool *t = ARENA_NEW(mem, struct tool);
    enum tool_kind kind = request_kind(r);
    const char *own = own_tools[kind] ? own_tools[kind] : guard_kind_names[kind];

    t->name = r->name.n ? arena_cstr(mem, tool_pattern_alias(r->name)) : own;
    t->other_name = own;
    t->title = r->title.p ? arena_cstr(mem, r->title) : NULL;
    t->description = r->has_args ? NULL : arena_cstr(mem, r->message);
    t->kind = kind;
    t->open_world = true;
    return t;
}

/* ---- the verdict ---------------------------------------------------------------------------- */

static enum guard_says judge_request(struct call *call, enum guard_paying paying,
                                     struct guard_verdict *out)
{
    guard_set_state(call, GUARD_JUDGING);
    guard_judge_call(call, call->tool, paying, out);
    return out->says;
}

enum guard_says guard_request_judge(struct call *call, struct guard_verdict *out)
{
    struct guard *g = call->host->guard;
    bool cut = call->pass.cut;

    if (!g)
        return GUARD_ASK;
    if (call->pass.state != GUARD_NEW)
        return judge_request(call, GUARD_HAS_PAID, out);
    call->pass = (struct guard_pass){ .begun = loop_now(call->host->loop), .cut = cut };
    if (g->audit)
        call->pass.digest = guard_call_digest(g, call->tool, call->args);
    if (judge_request(call, GUARD_PAYS, out) != GUARD_ASK)
        return out->says;
    return guard_remembered(g, call->host, call->caller, call->tool, call->args, out);
}

/* ---- asking --------------------------------------------------------------------------------- */

struct permission_offer guard_request_offer(const struct call *call)
{
    if (!call->host->guard)
        return (struct permission_offer){ 0 };
    return guard_offer_of(call);
}

void guard_request_asks(struct call *call)
{
    if (call->host->guard)
        guard_set_state(call, GUARD_ASKED);
}

void guard_request_remember(struct call *call, enum permission_option option)
{
    if (permission_offers(guard_request_offer(call), option))
        guard_remember(call, option);
}

void guard_request_end(struct call *call, const char *why)
{
    struct err e;

    if (!why) {
        if (call->host->guard)
            guard_set_state(call, GUARD_RUNNING);
        call_done(call);
    } else if (call->host->guard) {
        guard_refuse(call, "%s was rejected: %.320s", why);
    } else {
        fail(&e, ERR_DENIED, "%s was rejected: %.320s", call->what, why);
        call_broke(call, &e);
    }
}
