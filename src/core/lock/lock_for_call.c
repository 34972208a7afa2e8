#include "core/lock/lock_for_call.h"

#include "core/lock/lock.h"
#include "core/tool/path_args.h"

/* The turn of a call, in the memory of the call. */
struct write_turn {
    struct lock_turn turn; /* first */
    struct call *call;
    call_start_fn *start;
};

static void begin_now(struct call *call, call_start_fn *start)
{
    if (call->caller->kind->let_in)
        call->caller->kind->let_in(call->caller);
    start(call);
}

static void on_turn(struct op *op, const struct err *e, void *ctx)
{
    struct write_turn *w = ctx;
    struct err why;

    (void)op;
    call_waits(w->call, false);
    if (e) {
        fail(&why, e->code, "%s could not lock its path for writing: %.160s", w->call->what,
             e->text);
        call_broke(w->call, &why);
    } else if (w->call->op.canceled) { /* cancelled after its turn came */
        call_done(w->call);
    } else {
        begin_now(w->call, w->start);
    }
}

static bool writes(const struct tool *tool)
{
    return !tool->alias &&
           (tool->kind == TOOL_EDIT || tool->kind == TOOL_DELETE || tool->kind == TOOL_MOVE);
}

/* Locks are below the root: a path elsewhere is never locked. */
static bool needs_turn(struct call *call, const struct tool *tool, struct pick_strs *paths)
{
    if (!call->host->locks || !writes(tool))
        return false;
    path_args(call->mem, call->host, call->args, paths);
    return paths->n > 0;
}

void write_turn_begin(struct call *call, const struct tool *tool)
{
    struct pick_strs paths;
    struct write_turn *w;

    call->tool = NULL;
    call->ctx = tool->ctx;
    if (!needs_turn(call, tool, &paths)) {
        begin_now(call, tool->start);
        return;
    }
    w = ARENA_NEW(call->mem, struct write_turn);
    *w = (struct write_turn){ .turn.paths = paths, .call = call, .start = tool->start };
    call->turn = &w->turn;
    call_waits(call, true);
    lock_turn_take(call->host->locks, &w->turn, &call->op, on_turn, w);
}
