#include "core/tool.h"

#include "core/guard.h"
#include "core/write_turn.h"

/* Nobody judges it. */
static void start_unguarded(struct call *call)
{
    write_turn_begin(call, call->tool);
}

void tool_run(const struct tool *tool, struct call *call, const struct host *host,
              struct caller *caller, struct arena *mem, struct json args, struct op *parent,
              op_done_fn *done, void *who)
{
    struct call_about about = {
        .what = tool->name,
        .who = tool->who,
        .tool = tool,
        .args = args,
        .timeout_ms = tool->timeout_ms,
    };

    call_run(call, host, caller, mem, &about, host->guard ? guard_start : start_unguarded, parent,
             done, who);
}
