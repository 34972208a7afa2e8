/* child_sandbox.c - the sandbox of a command that a tool runs. */
#include "core/sandbox_policy.h"
#include "tool/child.h"
#include "tool/local_workspace.h"
#include "tool/sandbox_hint.h"

struct tool_sandbox child_sandbox_wish(const struct host *host, struct json args)
{
    const struct workspace_kind *kind = workspace_of(host)->kind;
    struct json word = json_get(args, STR("sandbox"));
    struct tool_sandbox wish = { .what = TOOL_SANDBOX_DEFAULT,
                                 .elsewhere = !kind->local && !kind->confines };

    if (json_is(word, STR("network")) || json_is(word, STR("off"))) {
        wish.what = TOOL_SANDBOX_CHOSEN;
        wish.kind = json_is(word, STR("off")) ? SANDBOX_OFF : SANDBOX_NETWORK;
    }
    return wish;
}

const struct sandbox_profile *child_sandbox_of(struct call *call)
{
    const struct sandbox_policy *policy = call->host->sandbox;
    struct sandbox_profile *p;

    if (!policy || call->sandbox.kind == SANDBOX_OFF)
        return NULL;
    p = ARENA_NEW(call->mem, struct sandbox_profile);
    *p = sandbox_policy_profile(policy, call->sandbox.kind, call->host->root);
    p->best_effort |= call->sandbox.best_effort;
    return p;
}

/* The last bytes of the output, from its two parts. */
static struct str last_output(const struct child *k, struct arena *mem)
{
    struct str head = output_head(&k->output), tail = output_tail(&k->output);
    struct buf out;

    if (tail.n >= SANDBOX_HINT_BYTES || output_lost(&k->output))
        return tail;
    if (head.n > SANDBOX_HINT_BYTES)
        head = str_skip(head, head.n - SANDBOX_HINT_BYTES);
    buf_init_in(&out, mem, head.n + tail.n + 1);
    buf_put(&out, head);
    buf_put(&out, tail);
    return out.n ? buf_str(&out) : STR("");
}

/*
 * A shell succeeds if its last command does, so a program that exits with code 0 may have been
 * refused something, too.
 */
struct str child_sandbox_blocked(const struct child *k, struct arena *mem)
{
    struct str hint;

    if (k->exit.how == PROC_NOT_STARTED)
        return STR("");
    hint = sandbox_hint(mem, k->sandbox, k->folder, last_output(k, mem));
    return hint.p ? arena_printf(mem, "\n[" STR_FMT "]", STR_ARG(hint)) : STR("");
}
