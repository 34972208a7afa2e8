/*
 * task_dispatch.c - dispatch_agent: start a task that runs in the background.
 *
 *   check the arguments -> read the file that describes the task, if given
 *       -> check the owner of the session to resume, if given -> create the task
 *       -> answer at once, or after waiting for the task (task_report)
 *
 * A task never has more rights than its caller. It stores them as text (guard_saved_rights.h), since
 * it may outlive the caller and this process.
 */
#include "base/container.h"
#include "base/utf8.h"
#include "core/agent/agent_call.h"
#include "core/guard/guard.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/guard_saved_rights.h"
#include "loop/job.h"
#include "tool/task_tools.h"

#include <math.h>

struct task_dispatch_args {
    struct str agent, task, model, mode, effort, output_format, session;
    struct json parts; /* instead of task */
    int64_t max_turns;
    double budget; /* NAN: not given */
    double wait;
};

/*
 * agent_dispatch, the other name, takes "message" instead of "task", and its agent is optional. With
 * "message" the last two rows do not apply, else the first two.
 */
static const struct pick arg_fields[] = {
    PICK_FIELD("message", PICK_STR, struct task_dispatch_args, task, 0),
    PICK_FIELD("agent", PICK_STR, struct task_dispatch_args, agent, 0),
    PICK_FIELD("model", PICK_STR, struct task_dispatch_args, model, 0),
    PICK_FIELD("mode", PICK_STR, struct task_dispatch_args, mode, 0),
    PICK_RANGE("max_turns", struct task_dispatch_args, max_turns, 0, 1, AGENT_TURNS_MOST),
    PICK_FIELD("budget", PICK_DOUBLE, struct task_dispatch_args, budget, 0),
    PICK_FIELD("effort", PICK_STR, struct task_dispatch_args, effort, 0),
    PICK_FIELD("output_format", PICK_STR, struct task_dispatch_args, output_format, 0),
    PICK_FIELD("wait", PICK_DOUBLE, struct task_dispatch_args, wait, 0),
    PICK_FIELD("session_id", PICK_STR, struct task_dispatch_args, session, 0),
    PICK_FIELD("parts", PICK_ARRAY, struct task_dispatch_args, parts, 0),
    PICK_FIELD("agent", PICK_STR, struct task_dispatch_args, agent, PICK_MUST),
    PICK_FIELD("task", PICK_STR, struct task_dispatch_args, task, 0),
};

struct dispatch {
    struct call *call;
    struct job job;
    struct task_dispatch_args args;
    struct place place; /* of the file that says what to do ... */
    struct arena mem;   /* ... and what it holds: of the pool thread */
    bool instead;       /* the call ends as the task */
    struct task_spec spec;
    struct store_ask look; /* whose is the session to resume? */
    struct store_step look_step;
    struct task_ask *ask;
};

/* ---- checking ------------------------------------------------------------------------------ */

static bool check_word(struct call *call, const char *key, struct str word)
{
    if (!word.p || agent_word_known(str_of(key), word))
        return true;
    call_failed(call, "%s: expected %s", key, agent_words(str_of(key)));
    return false;
}

static bool check_budget(struct call *call, double usd)
{
    if (isnan(usd) || (usd >= 0 && usd <= AGENT_BUDGET_MOST))
        return true;
    call_failed(call, "budget: expected 0 to %d US dollars", (int)AGENT_BUDGET_MOST);
    return false;
}

static bool check_mode(struct call *call, const struct task_dispatch_args *a, enum agent_mode *mode)
{
    if (!a->mode.p || agent_mode_named(a->mode, mode))
        return true;
    call_failed(call, "mode: expected \"read-only\" or \"read-write\"");
    return false;
}

static bool check_task(struct call *call, const struct task_dispatch_args *a)
{
    if (a->agent.p && !a->agent.n)
        call_failed(call, "missing required argument \"agent\"; list_agents lists the agents");
    else
        return agent_call_check_depth(call);
    return false;
}

static bool check(struct call *call, const struct task_dispatch_args *a, enum agent_mode *mode)
{
    return check_task(call, a) && check_mode(call, a, mode) && check_budget(call, a->budget) &&
           check_word(call, "effort", a->effort) &&
           check_word(call, "output_format", a->output_format) && task_wait_check(call, a->wait);
}

/* ---- rights -------------------------------------------------------------------------------- */

/* What the caller may not, its task may not. The mode of the agent's file holds besides. */
static void set_mode(struct dispatch *d, enum agent_mode mode)
{
    const struct host *host = d->call->host;
    struct guard_scope caller = agent_caller_scope(d->call);

    d->spec.read_only = mode == AGENT_READ_ONLY || guard_is_read_only(&caller);
    if (mode == AGENT_READ_WRITE)
        d->spec.mode_reason = agent_mode_reason(d->call->mem, NULL, mode, &caller);
    d->spec.rights = guard_scope_text(d->call->mem, host->limits, &caller, host->guard);
}

/* ---- creating ------------------------------------------------------------------------------ */

static void write_answer(struct dispatch *d)
{
    struct call *call = d->call;
    struct jw w = jw_to(&call->structured);

    jw_object(&w);
    task_write_head(&w, &d->ask->info);
    jw_object_end(&w);
    task_call_done(call);
}

static void become(struct dispatch *d)
{
    d->call->task = arena_str(d->call->mem, d->ask->info.id);
    call_done(d->call);
}

static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct dispatch *d = ctx;

    (void)op;
    if (e)
        task_call_failed(d->call, STR_NONE, e);
    else if (d->instead)
        become(d);
    else if (d->args.wait > 0)
        task_report(d->call, d->ask->info.id, d->args.wait);
    else
        write_answer(d);
}

static void create(struct dispatch *d)
{
    struct call *call = d->call;
    struct caller caller = *call->caller; /* which may live longer than an id made here */
    struct task_engine *engine = task_engine_for(call);

    if (!engine)
        return;
    d->spec.agent = d->args.agent;
    d->spec.model = d->args.model;
    d->spec.effort = d->args.effort;
    d->spec.output_format = d->args.output_format;
    d->spec.max_turns = d->args.max_turns;
    d->spec.budget_usd = isnan(d->args.budget) ? -1 : d->args.budget;
    d->spec.owner = call->caller->principal;
    d->spec.origin = call->caller->origin;
    d->spec.session = d->args.session;
    d->spec.caller = call->caller->name;
    d->spec.trace = trace_next(&caller, call->mem, loop_wall(call->op.loop));
    d->spec.taint = call->caller->taint;
    d->ask = task_ask_new(call, STR_NONE);
    task_create(engine, d->ask, &d->spec, &call->op, on_created, d);
}

/* ---- a session to resume ------------------------------------------------------------------ */

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct dispatch *d = ctx;
    struct str owner = e ? STR_NONE : arena_str(d->call->mem, d->look_step.session.agent);
    struct err foreign;
    bool ours =
        !e && session_check_owner(&d->look_step.session, d->call->caller->principal, &foreign);

    (void)op;
    store_ask_fini(&d->look);
    if (!ours) {
        task_call_failed(d->call, STR_NONE, e ? e : &foreign);
        return;
    }
    if (!d->args.agent.p && owner.n)
        d->args.agent = owner;
    if (owner.n && !str_eq(owner, d->args.agent))
        call_failed(d->call,
                    "session_id: the session belongs to the agent " STR_FMT ", not to " STR_FMT,
                    STR_ARG(owner), STR_ARG(str_head(d->args.agent, 64)));
    else
        create(d);
}

/* Where there are tasks there is a store. */
static void look_up_session(struct dispatch *d)
{
    const struct session_world *world = d->call->host->context->world;

    d->look_step =
        (struct store_step){ .what = STORE_SESSION_LOAD, .session = { .id = d->args.session } };
    d->look = (struct store_ask){ .step = &d->look_step, .steps = 1 };
    store_start(world->store, &d->look, &d->call->op, on_looked, d);
}

static void go_on(struct dispatch *d)
{
    if (d->args.session.p)
        look_up_session(d);
    else
        create(d);
}

/* ---- a file that says what to do ----------------------------------------------------------- */

/* One line that ends in .md. With blanks in it, it may still be words about a file. */
static bool may_be_file(struct str task)
{
    task = str_trim(task);
    return str_ends(task, STR(".md")) && str_find_byte(task, '\n') < 0;
}

static bool has_blanks(struct str task)
{
    return str_find_byte(task, ' ') >= 0 || str_find_byte(task, '\t') >= 0;
}

/* On a pool thread. */
static bool read_file(struct job *job, struct err *e)
{
    struct dispatch *d = CONTAINER_OF(job, struct dispatch, job);
    struct str text;

    if (!beneath_read(&d->place, &d->mem, d->call->host->limits->file_read_bytes, "file_read_bytes",
                      &text, e))
        return e->code == ERR_NOT_FOUND && has_blanks(d->args.task);
    if (utf8_valid(text) < text.n)
        return fail(e, ERR_INVALID, "task: the file is not UTF-8 text");
    if (!str_trim(text).n)
        return fail(e, ERR_INVALID, "task: the file is empty");
    d->spec.prompt = blocks_text(&d->mem, text);
    return true;
}

static void on_read(struct op *op, const struct err *e, void *ctx)
{
    struct dispatch *d = ctx;

    (void)op;
    if (e)
        task_call_failed(d->call, STR_NONE, e);
    else
        go_on(d);
}

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

/* False: it is text. A path that leads out of the root is refused, and the call has failed. */
static bool begins_with_file(struct dispatch *d)
{
    struct call *call = d->call;
    struct str path = str_trim(d->args.task);
    struct err e;

    if (!may_be_file(path))
        return false;
    if (place_of(call->host, call->mem, path, &d->place, &e)) {
        tool_place_rights(call, &d->place);
        arena_defer(call->mem, free_mem, &d->mem);
        job_start(&d->job, call->op.loop, &call->op, read_file, on_read, d);
        return true;
    }
    if (has_blanks(path))
        return false;
    call_failed(call, "task: %s", e.text);
    return true;
}

/* ---- beginning ----------------------------------------------------------------------------- */

/* NULL: the call has failed with the reason. */
static struct dispatch *prepare(struct call *call, const struct task_dispatch_args *args)
{
    enum agent_mode mode = AGENT_READ_WRITE;
    struct dispatch *d;

    if (!check(call, args, &mode) || !task_engine_for(call))
        return NULL;
    d = ARENA_NEW(call->mem, struct dispatch);
    d->call = call;
    d->args = *args;
    if (!tool_prompt(call, "task", args->task, args->parts, &d->spec.prompt))
        return NULL;
    set_mode(d, mode);
    return d;
}

static bool has_message(const struct call *call)
{
    return json_here(json_get(call->args, STR("message")));
}

static void dispatch(struct call *call)
{
    struct task_dispatch_args args = { .budget = NAN };
    struct dispatch *d;

    if (!tool_args(call, arg_fields + (has_message(call) ? 0 : 2), ARRAY_LEN(arg_fields) - 2,
                   &args))
        return;
    d = prepare(call, &args);
    if (d && !begins_with_file(d))
        go_on(d);
}

void task_dispatch_instead(struct call *call, const struct task_errand *errand)
{
    struct dispatch *d = prepare(call, &(struct task_dispatch_args){ .budget = NAN,
                                                                     .agent = errand->agent,
                                                                     .task = errand->message,
                                                                     .parts = errand->parts,
                                                                     .session = errand->session,
                                                                     .mode = errand->mode });

    if (!d)
        return;
    d->instead = true;
    go_on(d);
}

static void start(struct call *call)
{
    agent_context_when(call, call->host->context, dispatch);
}

/* ---- the tools ----------------------------------------------------------------------------- */

/* The guard checks each call of the agent, never above its caller: no kind of higher risk. */
const struct tool tool_dispatch_agent = {
    .name = "dispatch_agent",
    .other_name = "agent_dispatch",
    .title = "Dispatch an agent",
    .description =
        "Start a task for an agent in the background and return its taskId at once. Call "
        "get_task_status for the result. The agent does not see this conversation: pass "
        "everything it needs.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{"
        "\"agent\":{\"type\":\"string\",\"description\":\"Agent to call.\"},"
        "\"task\":{\"type\":\"string\","
        "\"description\":\"What to do, or the path of a .md file that describes it.\"},"
        "\"parts\":{\"type\":\"array\",\"description\":\"Content blocks instead of `task`.\"},"
        "\"model\":{\"type\":\"string\","
        "\"description\":\"Model or tier (size: low, medium, high). Default: the agent's.\"},"
        "\"mode\":{\"type\":\"string\",\"enum\":[\"read-only\",\"read-write\"],"
        "\"description\":\"" READ_ONLY_SCHEMA "\"},"
        "\"max_turns\":{\"type\":\"integer\",\"minimum\":1,"
        "\"description\":\"Maximum model calls.\"},"
        "\"budget\":{\"type\":\"number\",\"minimum\":0,\"description\":\"Maximum US "
        "dollars.\"},"
        "\"effort\":{\"type\":\"string\",\"enum\":[\"none\",\"low\",\"medium\",\"high\",\"max\"],"
        "\"description\":\"Reasoning effort.\"},"
        "\"output_format\":{\"type\":\"string\",\"enum\":[\"text\",\"json\",\"stream-json\"],"
        "\"description\":\"Format of the result.\"}," TASK_WAIT_SCHEMA ","
        "\"session_id\":{\"type\":\"string\","
        "\"description\":\"Session to continue.\"}},"
        "\"required\":[\"agent\"]}",
    .kind = TOOL_THINK,
    .messages = true,
    .additive = true,
    .timeout_ms = CALL_NO_DEADLINE,
    .start = start,
};
