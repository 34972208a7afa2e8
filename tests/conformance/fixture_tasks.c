/*
 * fixture_tasks.c - tools that become tasks, and the engine that keeps them: the real one, on a
 * database in a temporary folder.
 */
#include "fixture.h"

#include "core/agent/agent_context.h"
#include "proto/mcp/server/mcp_tasks.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { JOB_MS = 1000, MOST_SECONDS = 3600 };

/* ---- tools -------------------------------------------------------------------------------- */

static void start_greet(struct call *call)
{
    struct str name = fixture_arg(call, STR("name"));

    call_text(call, arena_printf(call->mem, "Hello, " STR_FMT "!",
                                 STR_ARG(name.p ? name : STR("nobody"))));
    call_done(call);
}

static void end_compute(struct call *call)
{
    struct str label = fixture_arg(call, STR("label"));

    call_text(call, arena_printf(call->mem, "Computed " STR_FMT ".",
                                 STR_ARG(label.p ? label : STR("it"))));
    call_done(call);
}

static void start_compute(struct call *call)
{
    double seconds = 0;

    json_double(json_get(call->args, STR("seconds")), &seconds);
    if (seconds >= 0 && seconds <= MOST_SECONDS)
        fixture_pause(call, (int64_t)(seconds * 1000), end_compute);
    else
        call_failed(call, "seconds: expected 0 to %d", (int)MOST_SECONDS);
}

static void end_failing(struct call *call)
{
    call_failed(call, "This job always fails");
}

static void start_failing(struct call *call)
{
    fixture_pause(call, JOB_MS, end_failing);
}

static void end_broken(struct call *call)
{
    call_forward(call, STR_NONE, STR("{\"code\":-32603,\"message\":\"This job broke\"}"));
}

static void start_broken(struct call *call)
{
    fixture_pause(call, JOB_MS, end_broken);
}

static void finish_confirmed(struct fixture_asking *a)
{
    struct json content = json_get(a->ask[0].answer, STR("content"));
    struct str file = fixture_arg(a->call, STR("filename"));

    call_text(a->call,
              arena_printf(a->call->mem, "%s " STR_FMT ".",
                           json_true(json_get(content, STR("confirm"))) ? "Deleted" : "Kept",
                           STR_ARG(file.p ? file : STR("nothing"))));
    call_done(a->call);
}

static void finish_names(struct fixture_asking *a)
{
    struct str first = fixture_form_field(a, 0, STR("name"));
    struct str second = fixture_form_field(a, 1, STR("name"));

    call_text(a->call, arena_printf(a->call->mem, STR_FMT " and " STR_FMT ".", STR_ARG(first),
                                    STR_ARG(second)));
    call_done(a->call);
}

static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct task_ask *task = (struct task_ask *)op;
    struct call *call = ctx;

    if (!e)
        call->task = arena_str(call->mem, task->info.id);
    task_ask_fini(task);
    if (e)
        call_broke(call, e);
    else
        call_done(call);
}

/* What was answered before the task becomes its argument. */
static void finish_before(struct fixture_asking *a)
{
    struct call *call = a->call;
    struct str name = fixture_form_field(a, 0, STR("name"));
    struct json_opts opts = limits_json(call->host->limits);
    struct str args = arena_printf(call->mem, "{\"name\":\"" STR_FMT "\"}", STR_ARG(name));
    struct task_call_spec spec = {
        .offer = call->host->offer,
        .tool = str_of(call->what),
        .caller = call->caller,
        .write = mcp_write_outcome,
    };
    struct err e;

    if (!json_read(call->mem, args, &opts, &spec.args, &e))
        call_failed(call, "name: %s", e.text);
    else
        task_create_call(call->host->context->tasks, ARENA_NEW(call->mem, struct task_ask), &spec,
                         &call->op, on_created, call);
}

/* Asked of who takes tasks; then, of the task, no more. */
static void start_greet_later(struct call *call)
{
    if (call->caller->takes_tasks)
        fixture_ask(call);
    else
        start_greet(call);
}

#define ASK_CONFIRM                                                                                \
    "{\"message\":\"Delete it?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"        \
    "\"confirm\":{\"type\":\"boolean\"}},\"required\":[\"confirm\"]}}"
#define ASK_ONE_NAME                                                                               \
    "{\"message\":\"What is your name?\",\"requestedSchema\":{\"type\":\"object\","                \
    "\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}"

static const struct fixture_script confirm = {
    .round = { { { ASK_FORM, "confirm", ASK_CONFIRM } } },
    .finish = finish_confirmed,
};
static const struct fixture_script two_names = {
    .round = { { { ASK_FORM, "first", ASK_ONE_NAME }, { ASK_FORM, "second", ASK_ONE_NAME } } },
    .finish = finish_names,
};
static const struct fixture_script one_name = {
    .round = { { { ASK_FORM, "user_name", ASK_ONE_NAME } } },
    .finish = finish_before,
};

#define STRING(name) "\"" name "\":{\"type\":\"string\"}"
#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"

static const struct tool tools[] = {
    { .name = "greet",
      .description = "Greets at once",
      .input_schema = OBJECT(STRING("name")),
      .start = start_greet },
    { .name = "slow_compute",
      .description = "Takes some seconds",
      .input_schema = OBJECT("\"seconds\":{\"type\":\"number\"}," STRING("label")),
      .task = TOOL_TASK_MAY,
      .timeout_ms = CALL_NO_DEADLINE,
      .start = start_compute },
    { .name = "failing_job",
      .description = "Takes a second, then says that it failed",
      .input_schema = FIXTURE_NO_ARGS,
      .task = TOOL_TASK_ONLY,
      .start = start_failing },
    { .name = "protocol_error_job",
      .description = "Takes a second, then breaks",
      .input_schema = FIXTURE_NO_ARGS,
      .task = TOOL_TASK_MAY,
      .start = start_broken },
    { .name = "confirm_delete",
      .description = "Asks before it deletes",
      .input_schema = OBJECT(STRING("filename")),
      .task = TOOL_TASK_MAY,
      .ctx = (void *)&confirm,
      .start = fixture_ask },
    { .name = "multi_input",
      .description = "Asks two things at once",
      .input_schema = FIXTURE_NO_ARGS,
      .task = TOOL_TASK_MAY,
      .ctx = (void *)&two_names,
      .start = fixture_ask },
    { .name = "test_tool_with_task",
      .description = "Asks for a name, then greets as a task",
      .input_schema = FIXTURE_NO_ARGS,
      .task = TOOL_TASK_OWN,
      .ctx = (void *)&one_name,
      .start = start_greet_later },
};

static struct offer_source source;

static void join(struct offer *o)
{
    static const struct tool *list[ARRAY_LEN(tools)];

    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        list[i] = &tools[i];
    source.tool = list;
    source.tools = ARRAY_LEN(tools);
    offer_join(o, &source);
}

/* ---- the engine --------------------------------------------------------------------------- */

static void remove_folder(struct fixture_tasks *t)
{
    static const char *const ends[] = { "", "-wal", "-shm" };
    char path[sizeof(t->folder) + 32];

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        snprintf(path, sizeof(path), "%s/tasks.db%s", t->folder, ends[i]);
        unlink(path);
    }
    rmdir(t->folder);
}

bool fixture_tasks_open(struct fixture_tasks *t, struct offer *o, struct agent_context *context,
                        struct err *e)
{
    const struct host *h = &o->host;
    char path[sizeof(t->folder) + 32];

    snprintf(t->folder, sizeof(t->folder), "/tmp/trefoil-conformance-XXXXXX");
    if (!mkdtemp(t->folder))
        return fail_sys(e, "make a temporary folder");
    snprintf(path, sizeof(path), "%s/tasks.db", t->folder);
    if (!store_open(h->loop, h->limits, path, &t->store, e)) {
        remove_folder(t);
        return false;
    }
    t->world = (struct session_world){ .loop = h->loop,
                                       .limits = h->limits,
                                       .store = store_port(t->store) };
    t->context = context;
    context->tasks =
        task_engine_new(&(struct task_engine_opts){ .world = &t->world, .guard = h->guard });
    join(o);
    return true;
}

static void on_store_closed(void *ctx)
{
    struct fixture_tasks *t = ctx;

    remove_folder(t);
    t->closed(t->closed_ctx);
}

static void on_engine_closed(void *ctx)
{
    struct fixture_tasks *t = ctx;

    store_close(t->store, on_store_closed, t);
}

void fixture_tasks_close(struct fixture_tasks *t, void (*closed)(void *ctx), void *ctx)
{
    struct task_engine *engine = t->context->tasks;

    t->closed = closed;
    t->closed_ctx = ctx;
    t->context->tasks = NULL;
    task_engine_close(engine, on_engine_closed, t);
}
