/*
 * mcp_client_call.c - run core calls by a server.
 *
 * A work is one core call in progress. It is in one of four states. In each state an op below the
 * call is open, so that cancelling the call has an effect:
 *
 *   asked      its request is pending (req.out)
 *   rounds     the server requests input first; asks are open (mcp_client_rounds.c)
 *   paused     the tools are being listed again, because the server rejected the headers that were
 *              made from the old list; or the server first gets roots (mcp_client_roots.c)
 *   task       the server runs it as a task (mcp_client_tasks.c)
 *
 * The bytes of the answer belong to the work, which is in the memory of the call. So they can be
 * forwarded unchanged.
 */
#include "base/auto.h"
#include "base/container.h"
#include "core/tool/exposure.h"
#include "proto/mcp/client/mcp_client_headers.h"
#include "proto/mcp/client/mcp_client_work.h"
#include "proto/mcp/mcp_trace.h"

enum { HEADER_MISMATCH = -32020 };

static const int64_t FOREVER = INT64_MAX / 4;

static struct loop *call_work_loop(const struct mcp_work *k)
{
    return k->c->world.rpc->loop;
}

/* ---- time -------------------------------------------------------------------------------- */

int64_t mcp_work_timeout(const struct mcp_work *k)
{
    const struct server_spec *spec = k->c->spec;
    const struct tool_override *over = k->tool.p ? server_override(spec, k->tool) : NULL;

    if (over && over->timeout_secs)
        return over->timeout_secs * 1000;
    return spec->timeout_ms ? spec->timeout_ms : k->c->world.rpc->limits->tool_ms;
}

static int64_t longest(const struct mcp_work *k)
{
    int64_t most = k->c->spec->timeout_max_ms;

    return most > mcp_work_timeout(k) ? most : mcp_work_timeout(k);
}

void mcp_work_clock(struct mcp_work *k)
{
    k->since = loop_now(call_work_loop(k));
    k->until = k->since + longest(k);
}

/* Progress restarts the timeout, within the maximum. */
static void extend(struct mcp_work *k)
{
    int64_t left = k->until - loop_now(call_work_loop(k)), ms = mcp_work_timeout(k);

    if (k->held || k->paused)
        return;
    if (left < ms)
        ms = left > 1 ? left : 1;
    rpc_out_extend(&k->req.out, ms);
}

static void hold_deadline(struct mcp_work *k, bool more)
{
    int64_t now = loop_now(call_work_loop(k));

    if (more && !k->held++) {
        k->held_at = now;
        if (!k->paused) /* else no request is in flight */
            rpc_out_extend(&k->req.out, FOREVER);
    } else if (!more && !--k->held) {
        k->until += now - k->held_at;
        extend(k);
    }
}

/* ---- the end ----------------------------------------------------------------------------- */

static void leave(struct mcp_work *k)
{
    open_trace_end(&k->open_trace);
    mcp_task_drop(k);
    if (k->older)
        k->older->newer = k->newer;
    if (k->newer)
        k->newer->older = k->older;
    else
        k->c->works = k->older;
    mcp_client_check(k->c);
}

void mcp_work_forward(struct mcp_work *k, struct json result, struct json error)
{
    k->task = STR_NONE; /* the task has ended on the server, too */
    leave(k);
    k->call->result = result;
    call_forward(k->call, json_here(result) ? json_raw(result) : STR_NONE,
                 json_here(error) ? json_raw(error) : STR_NONE);
}

void mcp_work_fail(struct mcp_work *k, const struct err *e)
{
    struct err late;

    leave(k);
    if (e->code == ERR_TIMEOUT || e->code == ERR_CANCELED)
        mcp_origin_left(k->c, k->call);
    if (e->code == ERR_TIMEOUT && !k->call->op.canceled) {
        mcp_client_fail(k->c, &late, ERR_TIMEOUT, "did not answer %s in time (%lld ms)",
                        k->call->what, (long long)(loop_now(call_work_loop(k)) - k->since));
        e = &late;
    }
    call_broke(k->call, e);
}

void mcp_work_wrong(struct mcp_work *k, const char *what)
{
    struct err e;

    mcp_client_fail(k->c, &e, ERR_INVALID, "sent an invalid response to %s: %s", k->call->what,
                    what);
    mcp_work_fail(k, &e);
}

void mcp_work_lacks(struct mcp_work *k, enum ask_kind kind)
{
    leave(k);
    call_lacks(k->call, kind);
}

/* ---- answers ----------------------------------------------------------------------------- */

static void on_paused(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_work *k = ctx;

    (void)op;
    if (e)
        mcp_work_fail(k, e);
    else
        mcp_work_send(k);
}

static const struct op_kind pause_kind = { .name = "relist" };

static void pause_work(struct mcp_work *k)
{
    op_begin(&k->pause, &pause_kind, call_work_loop(k), &k->call->op, on_paused, k);
    k->paused = true;
}

/* The server's definition of the tool has changed: list the tools again and retry, once. */
static bool learn_first(struct mcp_work *k)
{
    struct mcp_client *c = k->c;

    if (k->relisted || c->step != STEP_READY)
        return false;
    k->relisted = true;
    pause_work(k);
    mcp_lists_refresh(c);
    return true;
}

static void on_result(struct mcp_work *k, struct json result)
{
    struct json type = k->c->modern ? json_get(result, STR("resultType")) : (struct json){ 0 };
    struct json task = k->as_task ? json_get(result, STR("task")) : (struct json){ 0 };

    if (json_type(result) != JSON_OBJECT) {
        mcp_work_wrong(k, "the result is not an object");
    } else if (json_here(task)) {
        mcp_task_begin(k, task);
    } else if (!json_here(type) || json_is(type, STR("complete"))) {
        mcp_work_forward(k, result, (struct json){ 0 });
    } else if (json_is(type, STR("input_required"))) {
        mcp_work_round(k, result);
    } else if (json_is(type, STR("task")) && k->c->tasks && k->tool.p) {
        mcp_task_begin(k, result);
    } else {
        mcp_work_wrong(k, "unknown resultType");
    }
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_work *k = ctx;
    struct rpc_out *out = &k->req.out;
    int64_t code = e ? k->req.code : mcp_req_code(&k->req);

    (void)op;
    if (code == HEADER_MISMATCH && learn_first(k))
        return;
    if (e)
        mcp_work_fail(k, e);
    else if (json_here(out->error))
        mcp_work_forward(k, (struct json){ 0 }, out->error);
    else
        on_result(k, out->result);
}

/* ---- asking ------------------------------------------------------------------------------ */

/* Is this a member of params that we write ourselves? */
static bool ours(struct json key)
{
    return json_is(key, STR("_meta")) || json_is(key, STR("inputResponses")) ||
           json_is(key, STR("requestState"));
}

static void write_what(const struct mcp_work *k, struct jw *w)
{
    if (k->tool.p) {
        jw_kstr(w, "name", k->tool);
        jw_kraw(w, "arguments", json_here(k->call->args) ? json_raw(k->call->args) : STR("{}"));
        if (k->as_task)
            jw_kraw(w, "task", STR("{}"));
        return;
    }
    JSON_MEMBERS(key, k->params)
    if (!ours(key))
        jw_member(w, key);
}

static void set_call_headers(struct mcp_work *k)
{
    struct arena *mem = k->call->mem;

    k->req.name = mcp_mirror_name(mem, k->method, k->tool, k->params);
    mcp_mirror(k->c, mem, k->tool, k->call->args, &k->trace, &k->req);
}

void mcp_work_send(struct mcp_work *k)
{
    struct mcp_client *c = k->c;
    struct jw *w = mcp_req_begin(c);
    struct mcp_about about = {
        .call = k->call,
        .token = k->token,
        .tasks = c->tasks && k->tool.p,
        .trace = k->trace,
        .theirs = json_get(k->params, STR("_meta")),
    };

    jw_object(w);
    write_what(k, w);
    jw_kraw(w, "inputResponses", k->responses);
    jw_kraw(w, "requestState", k->state);
    mcp_write_meta(c, w, &about);
    jw_object_end(w);
    rpc_out_fini(&k->req.out);
    if (c->wire && c->wire->kind->transport != SERVER_STDIO)
        set_call_headers(k);
    mcp_work_clock(k);
    mcp_req_send(c, &k->req, &k->call->op, k->method, mcp_work_timeout(k), on_answer, k);
}

static void free_answer(void *work)
{
    rpc_out_fini(&((struct mcp_work *)work)->req.out);
}

/*
 * Uses a copy of the caller: the new trace id lives as long as the call, the caller may live
 * longer.
 */
static void set_trace(struct mcp_work *k)
{
    struct caller copy = *k->call->caller;

    k->trace = trace_next(&copy, k->call->mem, loop_wall(call_work_loop(k)));
    trace_parent_new(&k->trace, k->parent);
    k->trace.parent = str_of(k->parent);
    k->open_trace = (struct open_trace){ .id = k->trace.id,
                                         .parent = k->trace.parent,
                                         .from = k->call->caller->trace.parent,
                                         .depth = k->trace.depth,
                                         .arrived = k->trace.arrived };
    if (k->call->host->traces)
        open_trace_begin(k->call->host->traces, &k->open_trace);
}

/* Modern servers decide themselves whether a call becomes a task. */
static bool wants_task(const struct mcp_client *c, struct str tool)
{
    const struct mcp_remote_tool *t =
        !c->modern && c->tools.has_tasks && tool.p ? mcp_tools_find(&c->tools, tool) : NULL;

    return t && mcp_tool_wants_task(t->tool);
}

static void begin_work(struct mcp_client *c, struct call *call, const char *method, struct str tool,
                       struct json params)
{
    struct mcp_work *k;
    struct err e;

    if (c->step != STEP_READY) {
        mcp_client_fail(c, &e, ERR_CLOSED, "is not connected");
        call_broke(call, c->step == STEP_CLOSING ? &c->why : &e);
        return;
    }
    k = ARENA_NEW(call->mem, struct mcp_work);
    k->c = c;
    k->call = call;
    k->method = method;
    k->tool = tool;
    k->params = params;
    k->as_task = wants_task(c, tool);
    k->token = ++c->tokens;
    set_trace(k);
    k->older = c->works;
    if (k->older)
        k->older->newer = k;
    c->works = k;
    arena_defer(call->mem, free_answer, k);
    if (tool.p && mcp_roots_wait(k))
        pause_work(k);
    else
        mcp_work_send(k);
}

void mcp_client_call(struct mcp_client *c, struct call *call, struct str tool)
{
    begin_work(c, call, "tools/call", tool, (struct json){ 0 });
}

void mcp_client_request(struct mcp_client *c, struct call *call, const char *method,
                        struct json params)
{
    begin_work(c, call, method, STR_NONE, params);
}

/* ---- all of them -------------------------------------------------------------------------- */

void mcp_works_progress(struct mcp_client *c, int64_t token, const struct progress *p)
{
    for (struct mcp_work *k = c->works; k; k = k->older) {
        if (k->token != token)
            continue;
        extend(k);
        call_progress(k->call, p);
        return;
    }
}

void mcp_works_hold(struct mcp_client *c, struct call *call, bool more)
{
    for (struct mcp_work *k = c->works; k; k = k->older)
        if (k->call == call)
            hold_deadline(k, more);
}

/* Warn all callers: the server asked something, and why no client was asked. */
void mcp_works_warn(struct mcp_client *c, struct str method, const struct err *why)
{
    struct buf text;
    struct jw w = jw_to(&text);
    AUTO_ARENA mem = { 0 };

    buf_init_in(&text, &mem, 4096);
    jw_str(&w, arena_printf(&mem, "server %s requested " STR_FMT ", which was rejected: %s",
                            c->spec->name, STR_ARG(str_head(method, 64)), why->text));
    for (struct mcp_work *k = c->works; k; k = k->older)
        call_log(k->call, CALL_WARNING, str_of(c->world.name), buf_str(&text));
}

void mcp_works_listed(struct mcp_client *c)
{
    for (struct mcp_work *k = c->works; k; k = k->older) {
        if (!k->paused)
            continue;
        k->paused = false;
        if (!k->pause.settled)
            op_ok(&k->pause);
    }
}

/* Work with a request in flight is notified by the failure of that request. */
void mcp_works_stop(struct mcp_client *c)
{
    for (struct mcp_work *k = c->works; k; k = k->older) {
        if (k->paused && !k->pause.settled)
            op_fail(&k->pause, &c->why);
        k->paused = false;
        mcp_task_stop(k, &c->why);
        mcp_work_stop_round(k);
    }
}
