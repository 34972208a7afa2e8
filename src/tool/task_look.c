/* task_look.c - the tools that report, cancel and list tasks, and list locks. */
#include "tool/task_tools.h"

#include "base/container.h"

/* ---- one ----------------------------------------------------------------------------------- */

struct get_args {
    struct str id;
    double wait;
};

static const struct pick get_fields[] = {
    PICK_FIELD("task_id", PICK_STR, struct get_args, id, PICK_MUST),
    PICK_FIELD("wait", PICK_DOUBLE, struct get_args, wait, 0),
};

static void get(struct call *call)
{
    struct get_args args = { 0 };

    if (tool_args(call, PICK_TABLE(get_fields), &args) && task_wait_check(call, args.wait))
        task_report(call, args.id, args.wait);
}

static void start_get(struct call *call)
{
    agent_context_when(call, call->host->context, get);
}

/* ---- stopping one -------------------------------------------------------------------------- */

struct canceling {
    struct call *call;
    struct task_ask *ask;
};

static const struct pick cancel_fields[] = {
    PICK_FIELD("task_id", PICK_STR, struct get_args, id, PICK_MUST),
};

static void over_before(struct canceling *c)
{
    call_failed(c->call,
                "task " STR_FMT " has already ended and cannot be cancelled; its state is " STR_FMT,
                STR_ARG(str_head(c->ask->id, 64)), STR_ARG(task_status(c->ask->info.state)));
}

static void on_canceled(struct op *op, const struct err *e, void *ctx)
{
    struct canceling *c = ctx;
    struct jw w = jw_to(&c->call->structured);

    (void)op;
    if (e && e->code == ERR_INVALID && task_state_final(c->ask->info.state)) {
        over_before(c);
    } else if (e) {
        task_call_failed(c->call, c->ask->id, e);
    } else {
        jw_object(&w);
        jw_kstr(&w, "status", task_status(TASK_CANCELED));
        jw_kstr(&w, "taskId", c->ask->info.id);
        jw_kstr(&w, "agent", c->ask->info.agent);
        jw_object_end(&w);
        task_call_done(c->call);
    }
}

static void cancel(struct call *call)
{
    struct task_engine *engine;
    struct get_args args = { 0 };
    struct canceling *c;

    if (!tool_args(call, PICK_TABLE(cancel_fields), &args))
        return;
    engine = task_engine_for(call);
    if (!engine)
        return;
    c = ARENA_NEW(call->mem, struct canceling);
    c->call = call;
    c->ask = task_ask_new(call, args.id);
    task_cancel(engine, c->ask, &call->op, on_canceled, c);
}

static void start_cancel(struct call *call)
{
    agent_context_when(call, call->host->context, cancel);
}

/* ---- all of them --------------------------------------------------------------------------- */

enum { LIST_MOST = 100 };

struct task_listing {
    struct task_list list; /* first */
    struct call *call;
};

struct list_args {
    struct str agent, cursor;
    bool live;
    int64_t most;
};

static const struct pick list_fields[] = {
    PICK_FIELD("agent", PICK_STR, struct list_args, agent, 0),
    PICK_FIELD("live", PICK_BOOL, struct list_args, live, 0),
    PICK_RANGE("most", struct list_args, most, 0, 1, LIST_MOST),
    PICK_FIELD("cursor", PICK_STR, struct list_args, cursor, 0),
};

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

static bool digits(struct str *s, int64_t *out)
{
    size_t n = 0;

    for (*out = 0; n < s->n && n < 18 && s->p[n] >= '0' && s->p[n] <= '9'; n++)
        *out = *out * 10 + (s->p[n] - '0');
    *s = str_skip(*s, n);
    return n > 0;
}

/* As write_page has given it: the two numbers of a store_cursor. */
static bool read_cursor(struct call *call, struct str text, struct store_cursor *out)
{
    if (!text.p)
        return true;
    if (digits(&text, &out->updated) && str_starts(text, STR("."))) {
        text = str_skip(text, 1);
        if (digits(&text, &out->n) && !text.n)
            return true;
    }
    call_failed(call, "cursor: expected the unchanged next_cursor of the previous response");
    return false;
}

static void write_task(struct jw *w, const struct task_info *info)
{
    jw_object(w);
    task_write_head(w, info);
    if (info->text.n)
        jw_kstr(w, "text", info->text);
    task_write_time(w, "created_at", info->created);
    task_write_time(w, "updated_at", info->updated);
    if (info->ended)
        task_write_time(w, "ended_at", info->ended);
    jw_object_end(w);
}

static void on_listed(struct op *op, const struct err *e, void *ctx)
{
    struct task_listing *l = CONTAINER_OF(op, struct task_listing, list.op);
    struct jw w = jw_to(&l->call->structured);

    (void)ctx;
    if (e) {
        task_call_failed(l->call, STR_NONE, e);
        return;
    }
    jw_object(&w);
    jw_plain_key(&w, STR("tasks"));
    jw_array(&w);
    for (size_t i = 0; i < l->list.n; i++)
        write_task(&w, &l->list.v[i]);
    jw_array_end(&w);
    jw_kint(&w, "count", (int64_t)l->list.n);
    if (l->list.more)
        jw_kstr(&w, "next_cursor",
                arena_printf(l->call->mem, "%lld.%lld", (long long)l->list.cursor.updated,
                             (long long)l->list.cursor.n));
    jw_object_end(&w);
    task_call_done(l->call);
}

static void list(struct call *call)
{
    struct list_args args = { 0 };
    struct task_engine *engine;
    struct task_listing *l;

    if (!tool_args(call, PICK_TABLE(list_fields), &args))
        return;
    engine = task_engine_for(call);
    if (!engine)
        return;
    l = ARENA_NEW(call->mem, struct task_listing);
    l->call = call;
    l->list.owner = task_owner(call);
    l->list.agent = args.agent;
    l->list.only_live = args.live;
    l->list.most = args.most ? args.most : LIST_MOST;
    if (!read_cursor(call, args.cursor, &l->list.cursor))
        return;
    arena_defer(call->mem, free_mem, &l->list.mem);
    task_list(engine, &l->list, &call->op, on_listed, l);
}

static void start_list(struct call *call)
{
    agent_context_when(call, call->host->context, list);
}

/* ---- locks --------------------------------------------------------------------------------- */

struct holding {
    struct lock_list locks; /* first */
    struct call *call;
};

static void write_lock(struct jw *w, const struct lock_info *lock)
{
    jw_object(w);
    jw_kstr(w, "taskId", lock->task);
    jw_kstr(w, "agent", lock->agent);
    jw_kraw(w, "paths", lock->paths);
    jw_kstr(w, "mode", str_of(lock->mode));
    task_write_time(w, "acquired_at", lock->acquired);
    jw_object_end(w);
}

static void write_locks(struct call *call, const struct lock_info *v, size_t n)
{
    struct jw w = jw_to(&call->structured);

    jw_object(&w);
    jw_plain_key(&w, STR("locks"));
    jw_array(&w);
    for (size_t i = 0; i < n; i++)
        write_lock(&w, &v[i]);
    jw_array_end(&w);
    jw_kint(&w, "count", (int64_t)n);
    jw_object_end(&w);
    task_call_done(call);
}

static void on_locks(struct op *op, const struct err *e, void *ctx)
{
    struct holding *h = CONTAINER_OF(op, struct holding, locks.op);

    (void)ctx;
    if (e)
        task_call_failed(h->call, STR_NONE, e);
    else
        write_locks(h->call, h->locks.v, h->locks.n);
}

static void locks(struct call *call)
{
    const struct agent_context *context = call->host->context;
    struct holding *h;

    if (!context || !context->locks) {
        write_locks(call, NULL, 0); /* without tasks there are no locks */
        return;
    }
    h = ARENA_NEW(call->mem, struct holding);
    h->call = call;
    arena_defer(call->mem, free_mem, &h->locks.mem);
    lock_list(context->locks, &h->locks, &call->op, on_locks, h);
}

static void start_locks(struct call *call)
{
    agent_context_when(call, call->host->context, locks);
}

/* ---- the tools ----------------------------------------------------------------------------- */

const struct tool tool_get_task_status = {
    .name = "get_task_status",
    .other_name = "task_get",
    .title = "Get task status",
    .description = "Get the status of a dispatched task, its open questions (`asks`) and, after it "
                   "has ended, its result.",
    .input_schema = "{\"type\":\"object\",\"properties\":{" TASK_ID_SCHEMA "," TASK_WAIT_SCHEMA "},"
                    "\"required\":[\"task_id\"]}",
    .kind = TOOL_READ,
    .polls = true,
    .read_only = true,
    .idempotent = true,
    .timeout_ms = CALL_NO_DEADLINE,
    .start = start_get,
};

const struct tool tool_cancel_task = {
    .name = "cancel_task",
    .other_name = "task_cancel",
    .title = "Cancel a task",
    .description = "Stop a dispatched task and everything it runs. Fail if the task has ended.",
    .input_schema = "{\"type\":\"object\",\"properties\":{" TASK_ID_SCHEMA "},"
                    "\"required\":[\"task_id\"]}",
    .kind = TOOL_THINK,
    .idempotent = true,
    .start = start_cancel,
};

const struct tool tool_list_tasks = {
    .name = "list_tasks",
    .title = "List tasks",
    .description = "List dispatched tasks, newest first.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"agent\":{\"type\":\"string\",\"description\":\"Only tasks of this agent.\"},"
                    "\"live\":{\"type\":\"boolean\","
                    "\"description\":\"Only tasks that have not ended.\"},"
                    "\"most\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100},"
                    "\"cursor\":{\"type\":\"string\",\"description\":\"next_cursor of the previous "
                    "answer.\"}}}",
    .kind = TOOL_READ,
    .polls = true,
    .read_only = true,
    .idempotent = true,
    .start = start_list,
};

const struct tool tool_get_locks = {
    .name = "get_locks",
    .title = "List locks",
    .description = "List the paths that running tasks have locked.",
    .input_schema = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}",
    .kind = TOOL_READ,
    .polls = true,
    .read_only = true,
    .idempotent = true,
    .start = start_locks,
};
