/*
 * task_tools.c - the functions of task_tools.h, and the report about one task:
 *
 *   get the task -> if it is not final and there is time to wait: watch it, then get it again
 *                -> if it is not final and there are locks: list the locks
 *                -> settle the call
 */
#include "tool/task_tools.h"

#include "base/auto.h"
#include "base/clock.h"
#include "base/container.h"
#include "core/agent/agent_progress.h"
#include "core/guard/taint_label.h"
#include "core/shown_error.h"

/* ---- what they share ----------------------------------------------------------------------- */

struct str task_owner(const struct call *call)
{
    return principal_sees(call->caller->principal);
}

struct task_engine *task_engine_for(struct call *call)
{
    const struct agent_context *context = call->host->context;

    if (context && context->tasks)
        return context->tasks;
    call_failed(call,
                "this process cannot store tasks; use agent_send, which waits for the answer");
    return NULL;
}

void task_write_time(struct jw *w, const char *key, int64_t ms)
{
    char text[CLOCK_TEXT];

    clock_text(ms, text);
    jw_kstr(w, key, str_of(text));
}

void task_write_head(struct jw *w, const struct task_info *info)
{
    jw_kstr(w, "taskId", info->id);
    jw_kstr(w, "status", task_status(info->state));
    jw_kstr(w, "agent", info->agent);
    jw_kstr(w, "model", info->model);
    jw_kstr(w, "mode", info->mode);
    if (info->mode_reason.n)
        jw_kstr(w, "mode_reason", info->mode_reason);
    if (info->session.n)
        jw_kstr(w, "session_id", info->session);
    if (task_interrupted(info))
        jw_kint(w, "interrupted", task_interrupted(info));
}

void task_call_failed(struct call *call, struct str id, const struct err *e)
{
    struct err own;

    if (e->code == ERR_CANCELED)
        call_done(call); /* the call knows that it was cancelled */
    else if (e->code == ERR_NOT_FOUND && id.p)
        call_failed(call, "there is no task " STR_FMT ", or it has expired",
                    STR_ARG(str_head(id, 64)));
    else
        call_failed(call, "%s", shown_error(call->caller->origin, e, &own)->text);
}

void task_call_done(struct call *call)
{
    if (call->structured.full) {
        buf_clear(&call->structured);
        call_failed(call, "the answer is too large for one message");
        return;
    }
    call_text(call, buf_str(&call->structured));
    call_done(call);
}

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

struct task_ask *task_ask_new(struct call *call, struct str id)
{
    struct task_ask *a = ARENA_NEW(call->mem, struct task_ask);

    a->id = id;
    a->owner = task_owner(call);
    a->by = principal_named(call->caller->origin, call->caller->principal);
    arena_defer(call->mem, free_mem, &a->mem);
    return a;
}

bool task_wait_check(struct call *call, double seconds)
{
    int64_t most = call->host->limits->task_wait_ms;

    if (seconds >= 0 && seconds * 1000 <= (double)most)
        return true;
    call_failed(call, "wait: expected 0 to %g seconds (the constant task_wait_ms)",
                (double)most / 1000);
    return false;
}

/* ---- a report ------------------------------------------------------------------------------ */

struct report {
    struct call *call;
    struct task_engine *engine;
    struct str id;
    int64_t wait_ms; /* 0: no longer */
    struct task_ask *ask;
    struct task_watch watch;
    struct timer timer;
    struct agent_tell tell;
    struct lock_list locks;
};

static void get_it(struct report *r);

static void write_lock(struct jw *w, const struct lock_info *lock)
{
    jw_plain_key(w, STR("lock"));
    jw_object(w);
    jw_kraw(w, "paths", lock->paths);
    jw_kstr(w, "mode", str_of(lock->mode));
    task_write_time(w, "acquired_at", lock->acquired);
    jw_object_end(w);
}

/* What went into a result goes on with it: whoever reads it is told, and marked, as by a tool. */
static void take_trust(struct call *call, struct str result)
{
    struct json_opts opts = limits_json(call->host->limits);
    struct json v, trust;
    struct err e;

    if (!result.n || !json_read(call->mem, result, &opts, &v, &e))
        return;
    trust = json_get(v, STR("trust"));
    if (!json_is(json_get(trust, STR("level")), STR("untrusted")))
        return;
    call->untrusted = true;
    JSON_EACH(source, json_get(trust, STR("from")))
    {
        call->from = taint_join(call->mem, call->from, json_str(call->mem, source));
    }
}

/* A model reads the answer: larger artifacts are only named, by result.artifacts. */
enum { ARTIFACTS_SHOWN = 16 << 10 };

static void answer(struct report *r)
{
    const struct task_info *info = &r->ask->info;
    struct jw w = jw_to(&r->call->structured);

    take_trust(r->call, info->result);
    jw_object(&w);
    task_write_head(&w, info);
    if (info->artifacts.n <= ARTIFACTS_SHOWN)
        jw_kraw(&w, "artifacts", info->artifacts);
    if (info->result.n)
        jw_kraw(&w, "result", info->result);
    if (info->state == TASK_FAILED || info->state == TASK_REJECTED)
        jw_kstr(&w, "error", info->text.p ? info->text : STR("it failed"));
    if (info->asks.n && !task_state_final(info->state))
        jw_kraw(&w, "asks", info->asks);
    for (size_t i = 0; i < r->locks.n; i++)
        if (str_eq(r->locks.v[i].task, r->id))
            write_lock(&w, &r->locks.v[i]);
    jw_object_end(&w);
    task_call_done(r->call);
}

static void on_locks(struct op *op, const struct err *e, void *ctx)
{
    struct report *r = ctx;

    (void)op;
    if (e)
        task_call_failed(r->call, STR_NONE, e);
    else
        answer(r);
}

static void list_locks(struct report *r)
{
    arena_defer(r->call->mem, free_mem, &r->locks.mem);
    lock_list(r->call->host->context->locks, &r->locks, &r->call->op, on_locks, r);
}

/* ---- waiting, and telling meanwhile -------------------------------------------------------- */

/* As the event would have been told, had the agent worked for this caller. */
static void tell(struct report *r, struct arena *mem, struct str kind, struct json body)
{
    struct str text = json_str(mem, json_get(body, STR("text")));
    struct str name = json_str(mem, json_get(body, STR("name")));
    struct str state = json_str(mem, json_get(body, STR("state")));
    struct event ev = { .kind = EVENT_NOTICE, .notice.kind = NOTICE_WARNING };

    if (str_eq(kind, STR("text")))
        ev = (struct event){ .kind = EVENT_TEXT, .text = text };
    else if (str_eq(kind, STR("tool")))
        ev.notice.text = arena_printf(mem, STR_FMT ": " STR_FMT, STR_ARG(name),
                                      STR_ARG(json_str(mem, json_get(body, STR("status")))));
    else
        ev.notice.text = state.p ? state : text;
    if (ev.kind == EVENT_TEXT ? ev.text.n : ev.notice.text.n)
        agent_tell_event(&r->tell, &ev);
}

static bool on_event(struct task_watch *w, int64_t seq, int64_t at, struct str kind,
                     struct str body)
{
    struct report *r = CONTAINER_OF(w, struct report, watch);
    struct json_opts opts = limits_json(r->call->host->limits);
    AUTO_ARENA mem = { 0 };
    struct json read;
    struct err e;

    (void)seq;
    (void)at;
    if (json_read(&mem, body, &opts, &read, &e))
        tell(r, &mem, kind, read);
    return true;
}

static void on_watched(struct op *op, const struct err *e, void *ctx)
{
    struct report *r = ctx;

    (void)op;
    (void)e; /* how the task is, is asked in any case */
    timer_clear(r->call->op.loop, &r->timer);
    agent_tell_end(&r->tell);
    get_it(r);
}

static void on_time(struct timer *t)
{
    op_cancel(&CONTAINER_OF(t, struct report, timer)->watch.op);
}

static void watch(struct report *r)
{
    struct loop *loop = r->call->op.loop;

    r->watch = (struct task_watch){
        .id = r->id, .owner = task_owner(r->call), .after = r->ask->info.last_seq, .event = on_event
    };
    agent_tell_begin(&r->tell, r->call);
    timer_set(loop, &r->timer, r->wait_ms, on_time);
    r->wait_ms = 0;
    task_watch(r->engine, &r->watch, &r->call->op, on_watched, r);
}

static void on_got(struct op *op, const struct err *e, void *ctx)
{
    struct report *r = ctx;
    bool lives;

    (void)op;
    if (e) {
        task_call_failed(r->call, r->id, e);
        return;
    }
    lives = !task_state_final(r->ask->info.state);
    if (lives && r->wait_ms)
        watch(r);
    else if (lives && r->call->host->context->locks)
        list_locks(r);
    else
        answer(r);
}

static void get_it(struct report *r)
{
    r->ask = task_ask_new(r->call, r->id);
    r->ask->artifacts = true;
    task_get(r->engine, r->ask, &r->call->op, on_got, r);
}

void task_report(struct call *call, struct str id, double seconds)
{
    struct report *r = ARENA_NEW(call->mem, struct report);

    r->call = call;
    r->id = id;
    r->wait_ms = (int64_t)(seconds * 1000);
    r->engine = task_engine_for(call);
    if (r->engine)
        get_it(r);
}

/* ---- prompts --------------------------------------------------------------------------------- */

bool tool_prompt(struct call *call, const char *text_key, struct str text, struct json parts,
                 struct blocks *out)
{
    struct err e;

    if (text.p && !str_trim(text).n) {
        call_failed(call, "%s must not be empty: describe what the agent should do", text_key);
        return false;
    }
    if (blocks_pick(call->mem, call->args, text_key, text, parts, call->host->limits, out, &e))
        return true;
    call_failed(call, "%s", e.text);
    return false;
}
