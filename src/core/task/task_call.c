/*
 * task_call.c - runs a tool call as a task. The states of the run are those of task_run.h; the call
 * takes the place of the session and the turn.
 */
#include "core/task/task_call.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/utf8.h"
#include "core/guard/guard.h"
#include "core/guard/guard_saved_rights.h"
#include "core/guard/guard_untrusted_text.h"
#include "core/guard/taint_label.h"
#include "core/session/history_record.h"
#include "core/task/task_create.h"
#include "core/task/task_engine.h"
#include "core/task/task_question.h"
#include "core/task/task_run.h"
#include "core/tool/args_summary.h"

enum { WHY_MOST = 4096, ASKED_MOST = 1024 };

struct task_call {
    struct task_run *run;
    struct caller caller;
    struct call call;
    struct offer *offer;
    struct json args;
    unsigned can;
    void (*write)(struct jw *w, const struct call *call, const struct err *e);
    struct event_tool event; /* as last reported */
    struct str words;        /* written by task_call_spec.write; STR_NONE: none */
};

/* ---- the caller ------------------------------------------------------------------------------ */

static struct task_call *of_caller(struct caller *c)
{
    return CONTAINER_OF(c, struct task_call, caller);
}

static void task_call_report(struct task_call *c, const struct event_tool *t)
{
    struct event ev = { .kind = EVENT_TOOL, .tool = *t };

    task_log_event(c->run, &ev);
}

static bool task_caller_can(const struct caller *c, enum ask_kind kind)
{
    return CONTAINER_OF(c, const struct task_call, caller)->can & 1u << kind;
}

static void task_caller_ask(struct caller *c, struct ask *ask)
{
    task_run_ask(of_caller(c)->run, ask);
}

static void task_caller_progress(struct caller *c, const struct progress *p)
{
    struct task_call *tc = of_caller(c);
    struct event_tool t = tc->event;

    t.args = STR_NONE;
    t.text = p->message;
    t.done = p->done;
    t.total = p->total;
    task_call_report(tc, &t);
}

/* Warnings and errors of the tool become notices of the task; other log messages are dropped. */
static void task_caller_log(struct caller *c, enum call_level level, struct str logger,
                            struct str data)
{
    struct json_opts opts = { .max_depth = 1, .max_values = 1 };
    struct event ev = { .kind = EVENT_NOTICE, .notice = { NOTICE_WARNING, data } };
    AUTO_ARENA mem = { 0 };
    struct json words;
    struct err e;

    (void)logger;
    if (level < CALL_WARNING)
        return;
    if (json_read(&mem, data, &opts, &words, &e) && json_type(words) == JSON_STRING)
        ev.notice.text = json_str(&mem, words);
    task_log_event(of_caller(c)->run, &ev);
}

static void task_caller_let_in(struct caller *c)
{
    struct task_call *tc = of_caller(c);

    tc->event.status = CALLED_RUNNING;
    task_call_report(tc, &tc->event);
}

static const struct caller_kind call_task_caller = {
    .can = task_caller_can,
    .ask = task_caller_ask,
    .progress = task_caller_progress,
    .log = task_caller_log,
    .let_in = task_caller_let_in,
};

/* ---- the end --------------------------------------------------------------------------------- */

static void keep_words(struct task_call *c, const struct err *e)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (!c->write || (e && e->code == ERR_CANCELED))
        return;
    buf_init_in(&out, &c->run->mem, RECORD_MOST);
    c->write(&w, &c->call, e);
    if (out.n && !out.full)
        c->words = buf_str(&out);
}

struct str task_call_words(const struct task_run *r)
{
    return r->call->words;
}

static enum turn_stop stop_of(bool failed, const struct err *e)
{
    if (!failed)
        return TURN_END;
    return e && e->code == ERR_CANCELED ? TURN_CANCELED : TURN_FAILED;
}

static enum called_status status_of(const struct task_call *c)
{
    if (c->run->stop == TURN_CANCELED)
        return CALLED_CANCELED;
    return c->run->stop == TURN_END && !c->call.is_error ? CALLED_DONE : CALLED_FAILED;
}

/* A call whose result has is_error set has run to its end: the task is COMPLETED. */
static void on_called(struct op *op, const struct err *e, void *ctx)
{
    struct task_call *c = ctx;
    struct task_run *r = c->run;
    struct str from = guard_marks(&c->call).from;
    bool failed = e || c->call.raw_error.p;

    (void)op;
    keep_words(c, e);
    r->answer = e ? arena_str(&r->mem, str_of(e->text)) : guard_text(&c->call, &r->mem);
    r->outcome = failed ? TASK_FAILED : TASK_COMPLETED;
    r->stop = stop_of(failed, e);
    r->why = failed ? utf8_head(r->answer, WHY_MOST) : STR_NONE;
    r->taint = taint_join(&r->mem, r->spec.taint, arena_maybe(&r->mem, from));
    c->event.args = STR_NONE;
    c->event.text = r->answer;
    c->event.status = status_of(c);
    task_call_report(c, &c->event);
    task_run_turned(r);
}

/* ---- the work -------------------------------------------------------------------------------- */

/* The tool may have been removed since the task was created. */
void task_call_start(struct task_run *r)
{
    struct task_call *c = r->call;
    const struct tool *tool = offer_tool(c->offer, r->spec.tool);

    c->caller.scope = r->rights;
    if (!tool) {
        r->outcome = TASK_FAILED;
        r->stop = TURN_FAILED;
        r->why = arena_printf(&r->mem, "the tool " STR_FMT " is no longer available",
                              STR_ARG(str_head(r->spec.tool, 64)));
        task_run_turned(r);
        return;
    }
    c->event = (struct event_tool){
        .id = str_of(r->id),
        .name = r->spec.tool,
        .title = tool->title ? arena_str(&r->mem, str_of(tool->title)) : STR_NONE,
        .kind = tool->kind,
        .args = json_here(c->args) ? json_raw(c->args) : STR("{}"),
    };
    task_call_report(c, &c->event);
    c->event.args = STR_NONE; /* arguments are reported once */
    tool_run(tool, &c->call, &c->offer->host, &c->caller, &r->mem, c->args, &r->op, on_called, c);
}

/* ---- creating -------------------------------------------------------------------------------- */

/* The text of the task in lists, without secrets: shell_exec {"command":...} */
static struct str task_call_text(struct arena *mem, const struct task_call_spec *s)
{
    bool cut;
    struct str args = args_brief(mem, s->args, &cut);

    return arena_printf(mem, STR_FMT " " STR_FMT "%s", STR_ARG(s->tool),
                        STR_ARG(utf8_head(args, ASKED_MOST)), args.n > ASKED_MOST ? "..." : "");
}

static struct task_spec spec_of(struct task_engine *g, struct arena *mem,
                                const struct task_call_spec *s)
{
    const struct caller *c = s->caller;

    return (struct task_spec){
        .tool = s->tool,
        .prompt = blocks_text(mem, task_call_text(mem, s)),
        .budget_usd = -1,
        .context = s->context,
        .owner = c->principal,
        .origin = c->origin,
        .caller = c->name,
        .trace = c->trace,
        .taint = c->taint,
        /* the rights of the caller, as text: the scope itself may be freed before the task ends */
        .rights = c->scope ? guard_scope_text(mem, g->limits, c->scope, g->opts.guard) : STR_NONE,
    };
}

static bool copy_args(struct task_run *r, struct task_call *c, struct json args, struct err *e)
{
    struct json_opts opts = limits_json(r->engine->limits);

    return !json_here(args) ||
           json_read(&r->mem, arena_str(&r->mem, json_raw(args)), &opts, &c->args, e);
}

static bool equip(struct task_run *r, const struct task_call_spec *s, struct err *e)
{
    struct task_call *c = ARENA_NEW(&r->mem, struct task_call);
    const struct tool *tool = offer_tool(s->offer, s->tool);

    if (!tool)
        return fail(e, ERR_NOT_FOUND, "there is no tool " STR_FMT, STR_ARG(str_head(s->tool, 64)));
    c->run = r;
    c->offer = s->offer;
    c->can = s->can;
    c->write = s->write;
    c->caller = (struct caller){
        .kind = &call_task_caller,
        .name = r->spec.caller,
        .trace = r->spec.trace,
        .work = str_of(r->id),
        .origin = r->spec.origin,
        .principal = r->spec.owner,
        .remote = s->caller->remote,
        .taint = r->spec.taint,
    };
    r->call = c;
    r->read_only = tool->read_only;
    return copy_args(r, c, s->args, e);
}

void task_create_call(struct task_engine *g, struct task_ask *a, const struct task_call_spec *s,
                      struct op *parent, op_done_fn *done, void *ctx)
{
    AUTO_ARENA mem = { 0 };
    struct task_spec spec = spec_of(g, &mem, s);
    struct task_run *r;
    struct err e;

    if (!task_create_begin(g, a, &spec, parent, done, ctx))
        return;
    r = task_run_new(g, &spec);
    if (equip(r, s, &e)) {
        task_create_store(a, r);
        return;
    }
    task_run_free(r);
    op_fail(&a->op, &e);
}
