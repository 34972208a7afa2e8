/*
 * mcp_upstream_calls.c - decide which calls to a server run, wait, or are cancelled.
 *
 * Each call has a ticket, in the memory of the call. A ticket first waits, as a child op of the
 * call, so that the call can be cancelled or reach its deadline. Then it runs, until the call is
 * settled. The deadline of core includes the waiting time; the timeout of the spec limits how long
 * a call may wait.
 */
#include "base/container.h"
#include "base/utf8.h"
#include "proto/mcp/client/mcp_upstream_reader.h"

struct ticket {
    struct op op; /* first: the wait */
    struct upstream *up;
    struct call *call;
    struct str tool;
    bool read_only; /* as the guard saw the tool */
    struct timer too_long;
    struct ticket *next;
    bool queued;
};

static struct ticket *ticket_of(struct op *op)
{
    return CONTAINER_OF(op, struct ticket, op);
}

static struct loop *upstream_loop(const struct upstream *u)
{
    return u->world->rpc->loop;
}

/* A lost client is not ready any more, even before it reports the loss. */
static bool is_ready(const struct upstream *u)
{
    return u->state == UP_READY && mcp_client_ready(u->client);
}

/* ---- running ----------------------------------------------------------------------------- */

/* A closed upstream is freed when its last ticket ends. */
static void give_back(struct upstream *u)
{
    u->tickets--;
    loop_post(upstream_loop(u), &u->pump);
}

static void on_settled(struct call *call)
{
    struct ticket *t = call->ctx;
    struct upstream *u = t->up;

    call->on_settled = NULL;
    u->running--;
    give_back(u);
    if (call->op.err.code != ERR_CANCELED && call->op.err.code != ERR_CLOSED)
        upstream_heard(u, call->op.err.code != ERR_TIMEOUT);
    upstream_mind_idling(u);
}

static const struct upstream_tool *find_tool(const struct upstream *u, struct str name)
{
    for (size_t i = 0; i < u->tools; i++)
        if (str_eq(u->tool[i].original, name))
            return &u->tool[i];
    return NULL;
}

/*
 * After the wait, the server may offer another tool under this name than the one the guard allowed.
 */
static bool is_same_tool(const struct ticket *t, struct err *e)
{
    const struct upstream_tool *now = find_tool(t->up, t->tool);

    if (!now)
        return fail(e, ERR_NOT_FOUND, "MCP server %s no longer offers the tool " STR_FMT,
                    t->up->spec.name, STR_ARG(utf8_head(t->tool, 80)));
    if (t->read_only && !now->tool.read_only)
        return fail(e, ERR_DENIED,
                    "the tool " STR_FMT
                    " of MCP server %s is no longer read-only, so it was not called; "
                    "call it again to have it checked as a tool that writes",
                    STR_ARG(utf8_head(t->tool, 80)), t->up->spec.name);
    if (now->tool.withheld)
        return fail(e, ERR_DENIED, "the tool " STR_FMT " of MCP server %s is quarantined: %s",
                    STR_ARG(utf8_head(t->tool, 80)), t->up->spec.name, now->tool.withheld);
    return true;
}

static void ticket_run(struct ticket *t)
{
    t->call->ctx = t;
    t->call->on_settled = on_settled;
    mcp_client_call(t->up->client, t->call, t->tool);
}

/* ---- waiting ----------------------------------------------------------------------------- */

static void leave_queue(struct ticket *t)
{
    struct upstream *u = t->up;
    struct ticket **at = &u->first;

    timer_clear(upstream_loop(u), &t->too_long);
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    if (!*at)
        u->end = at;
    t->queued = false;
    u->waiting--;
}

static void stop_waiting(struct ticket *t, const struct err *e)
{
    leave_queue(t);
    op_fail(&t->op, e);
}

static void cancel_wait(struct op *op)
{
    stop_waiting(ticket_of(op), &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind wait_kind = { .name = "mcp-wait", .cancel = cancel_wait };

static void on_too_long(struct timer *timer)
{
    struct ticket *t = CONTAINER_OF(timer, struct ticket, too_long);
    struct upstream *u = t->up;
    struct err e, why;

    if (u->state == UP_READY) {
        fail(&e, ERR_TIMEOUT,
             "MCP server %s: this call was not sent, because after %lld ms %zu earlier calls were "
             "still running and `concurrency` allows no more",
             u->spec.name, (long long)u->spec.timeout_ms, u->running);
    } else {
        upstream_explain(u, &why);
        fail(&e, ERR_TIMEOUT, "waited %lld ms: %s", (long long)u->spec.timeout_ms, why.text);
    }
    stop_waiting(t, &e);
}

static void ticket_wait(struct ticket *t);
static bool admit(const struct upstream *u, struct err *e);

/*
 * The wait has ended: the ticket may run (it is counted already), or has failed. If the client was
 * lost meanwhile, the call has done nothing yet, so it can wait again.
 */
static void on_waited(struct op *op, const struct err *e, void *ctx)
{
    struct ticket *t = ctx;
    struct upstream *u = t->up;
    struct err why = { ERR_CANCELED, "cancelled" };

    (void)op;
    if (!e && is_ready(u) && !t->call->op.canceled && is_same_tool(t, &why)) {
        ticket_run(t);
        return;
    }
    if (!e) {
        u->running--;
        if (!is_ready(u) && !t->call->op.canceled && admit(u, &why)) {
            ticket_wait(t);
            return;
        }
        e = &why;
    }
    give_back(u);
    upstream_mind_idling(u);
    call_broke(t->call, e);
}

static void ticket_wait(struct ticket *t)
{
    struct upstream *u = t->up;

    t->next = NULL;
    *u->end = t;
    u->end = &t->next;
    u->waiting++;
    t->queued = true;
    op_begin(&t->op, &wait_kind, upstream_loop(u), &t->call->op, on_waited, t);
    if (u->spec.timeout_ms > 0)
        timer_set(upstream_loop(u), &t->too_long, u->spec.timeout_ms, on_too_long);
    upstream_start(u);
}

static bool has_room(const struct upstream *u)
{
    return is_ready(u) && (u->spec.concurrency <= 0 || u->running < (size_t)u->spec.concurrency);
}

void upstream_pump(struct post *post)
{
    struct upstream *u = CONTAINER_OF(post, struct upstream, pump);

    upstream_end_hung(u);
    while (u->first && has_room(u)) {
        struct ticket *t = u->first;

        leave_queue(t);
        u->running++;
        op_ok(&t->op);
    }
    if (u->state == UP_CLOSED && !u->tickets && !u->reader)
        u->events->on_closed(u);
}

void upstream_fail_waiting(struct upstream *u, const struct err *e)
{
    while (u->first)
        stop_waiting(u->first, e);
}

/* ---- a new call -------------------------------------------------------------------------- */

/* Can a call be accepted in this state? */
static bool admit(const struct upstream *u, struct err *e)
{
    int64_t most = u->world->rpc->limits->mcp_calls_waiting;

    switch (u->state) {
    case UP_STOPPED:
    case UP_CONNECTING:
    case UP_READY:
    case UP_WAITING:
    case UP_STOPPING:
        if (has_room(u) || (int64_t)u->waiting < most)
            return true;
        return fail(
            e, ERR_LIMIT,
            "MCP server %s: %lld calls are already waiting (the constant mcp_calls_waiting)",
            u->spec.name, (long long)most);
    case UP_DISABLED:
    case UP_UNTRUSTED:
    case UP_BROKEN:
    case UP_CLOSING:
    case UP_CLOSED:
    case UP_STATES: break;
    }
    upstream_explain(u, e);
    return false;
}

void upstream_call(struct upstream *u, struct call *call, const struct upstream_tool *tool)
{
    struct ticket *t;
    struct err e;

    u = upstream_for_call(u, call, tool->tool.read_only);
    call->untrusted = true;
    call->result_chars = u->spec.result_chars;
    if (!admit(u, &e)) {
        call_broke(call, &e);
        return;
    }
    t = ARENA_NEW(call->mem, struct ticket);
    *t = (struct ticket){ .up = u,
                          .call = call,
                          .tool = arena_str(call->mem, tool->original),
                          .read_only = tool->tool.read_only };
    u->tickets++;
    upstream_mind_idling(u);
    if (has_room(u) && !u->first) {
        u->running++;
        ticket_run(t);
        return;
    }
    ticket_wait(t);
}
