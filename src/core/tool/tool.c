#include "core/tool/tool.h"

#include "core/guard/guard.h"
#include "core/lock/lock_for_call.h"

#include <ctype.h>

/* For hosts without a guard. */
static void start_unguarded(struct call *call)
{
    write_turn_begin(call, call->tool);
}

void tool_run(const struct tool *tool, struct call *call, const struct host *host,
              struct caller *caller, struct arena *mem, struct json args, struct op *parent,
              op_done_fn *done, void *ctx)
{
    struct call_about about = {
        .what = tool->name,
        .ctx = tool->ctx,
        .tool = tool,
        .args = args,
        .timeout_ms = tool->timeout_ms,
    };

    call_run(call, host, caller, mem, &about, host->guard ? guard_start : start_unguarded, parent,
             done, ctx);
}

bool tool_name_valid(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!isalnum((unsigned char)name.p[i]) && name.p[i] != '_' && name.p[i] != '-' &&
            name.p[i] != '.')
            return false;
    return name.n >= 1 && name.n <= TOOL_NAME_MOST;
}
