/*
 * task_run.c - the states of a run; task_run.h describes them.
 *
 * A state does not check for a cancellation before it starts an operation, because a new child of a
 * cancelled op ends at once. Each state checks r->halt in its callback.
 */
#include "core/task/task_run.h"

#include "base/container.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/guard/guard.h"
#include "core/guard/guard_saved_rights.h"
#include "core/guard/taint_label.h"
#include "core/session/history_record.h"
#include "core/task/task_engine.h"
#include "core/task/task_question.h"
#include "core/task/task_result.h"
#include "core/task/task_spec.h"

#include <assert.h>

enum { TRIES_MOST = 3 };

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const run_state_names[RUN_STATES] = {
    [RUN_NEW] = "new",         [RUN_LOCKING] = "locking",
    [RUN_OPENING] = "opening", [RUN_RECOVERING] = "recovering",
    [RUN_WORKING] = "working", [RUN_CLOSING] = "closing",
    [RUN_ENDING] = "ending",   [RUN_OVER] = "over",
};

#define TO(state) (1u << RUN_##state)

static const unsigned run_next[RUN_STATES] = {
    [RUN_NEW] = TO(LOCKING) | TO(OPENING) | TO(ENDING),
    [RUN_LOCKING] = TO(LOCKING) | TO(OPENING) | TO(ENDING),
    [RUN_OPENING] = TO(OPENING) | TO(RECOVERING) | TO(WORKING) | TO(CLOSING) | TO(ENDING),
    [RUN_RECOVERING] = TO(WORKING) | TO(CLOSING),
    [RUN_WORKING] = TO(RECOVERING) | TO(CLOSING) | TO(ENDING),
    [RUN_CLOSING] = TO(ENDING),
    [RUN_ENDING] = TO(OVER),
};

/* The only writer of r->at. */
static void task_run_go(struct task_run *r, enum task_run_state to)
{
    assert(run_next[r->at] & (1u << to));
    LOG(LOG_TRACE, "task", "state", LOG_Z("task", r->id), LOG_Z("from", run_state_names[r->at]),
        LOG_Z("to", run_state_names[to]));
    r->at = to;
}

static void run_halt(struct task_run *r, enum task_run_halt why)
{
    if (why > r->halt)
        r->halt = why;
    if (why == HALT_PARKED && r->at == RUN_WORKING && !r->call)
        turn_park(&r->turn);
    if (r->op.kind) /* else the run has not started yet */
        op_cancel(&r->op);
}

/* ---- ENDING ---------------------------------------------------------------------------------- */

static void on_all_stored(struct task_run *r)
{
    task_run_go(r, RUN_OVER);
    timer_clear(r->op.loop, &r->look);
    lock_release(r->engine->opts.locks, &r->hold); /* does nothing without locks */
    op_ok(&r->op);
}

static const char stopped[] = "trefoil was stopped during the call, and calls are not repeated";

static void store_end(struct task_run *r)
{
    if (r->halt == HALT_CANCELED) {
        r->outcome = TASK_CANCELED;
        r->stop = TURN_CANCELED;
        r->why = STR_NONE;
    } else if (r->halt == HALT_PARKED && r->stop == TURN_CANCELED) {
        r->outcome = r->call ? TASK_FAILED : TASK_STATES;
        r->why = str_of(stopped);
    }
    if (r->outcome != TASK_STATES && !task_run_is_lost(r)) {
        r->result = task_result_write(r);
        task_log_state(r, r->outcome, r->why);
    }
    task_log_flush(r, on_all_stored);
}

static void on_files_looked_at(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;

    (void)op;
    if (e) /* the check was cancelled: no file is claimed to be made */
        r->files.named.n = 0;
    store_end(r);
}

static void run_end(struct task_run *r)
{
    task_run_go(r, RUN_ENDING);
    if (r->halt) /* the files are not checked, so none is claimed to be made */
        r->files.named.n = 0;
    if (!task_run_look_at_files(r, on_files_looked_at))
        store_end(r);
}

/* ---- CLOSING --------------------------------------------------------------------------------- */

static void on_session_closed(void *ctx)
{
    run_end(ctx);
}

static void close_session(struct task_run *r)
{
    struct str taint =
        taint_join(&r->mem, history_taint(r->session.history), r->session.agent->source);

    task_run_go(r, RUN_CLOSING);
    r->taint = arena_maybe(&r->mem, taint);
    task_run_find_named(r);
    session_close_early(&r->session, on_session_closed, r);
}

/* End a run without an open session, before its work has begun. */
static void give_up_as(struct task_run *r, enum task_state outcome, const char *why)
{
    r->outcome = outcome;
    r->stop = r->halt ? TURN_CANCELED : TURN_FAILED;
    r->why = arena_str(&r->mem, str_of(why));
    run_end(r);
}

static void give_up(struct task_run *r, const char *why)
{
    give_up_as(r, TASK_FAILED, why);
}

/* The same with an open session. */
static void give_up_session(struct task_run *r)
{
    r->outcome = TASK_FAILED;
    r->stop = TURN_CANCELED;
    r->why = STR("cancelled");
    close_session(r);
}

/*
 * The task cannot start: it is rejected if it is not permitted, and fails otherwise. ERR_DENIED of
 * the store (the session is in use, the file cannot be written) does not count as a missing
 * permission.
 */
static void reject_or_fail(struct task_run *r, const struct err *e)
{
    bool begun = r->session_id[0];

    give_up_as(r, e->code == ERR_DENIED && !begun ? TASK_REJECTED : TASK_FAILED, e->text);
}

void task_run_turned(struct task_run *r)
{
    if (r->call)
        run_end(r);
    else
        close_session(r);
}

/* ---- store failures -------------------------------------------------------------------------- */

/*
 * Wait until the store accepts writes again, by storing the reason of the wait; then try again. The
 * number of attempts is limited, since each may send a request to a model.
 */
static bool try_later(struct task_run *r, const struct err *e, void (*again)(struct task_run *r))
{
    if (!task_store_may_recover(e->code) || r->halt || r->tries++ >= TRIES_MOST)
        return false;
    task_log_add(r, "status",
                 task_status_body(&r->log.mem[r->log.filling], r->state, str_of(e->text)), true);
    task_log_flush(r, again);
    return true;
}

/* ---- WORKING --------------------------------------------------------------------------------- */

static struct str why_of(const struct turn *t)
{
    return t->why.code ? str_of(t->why.text) : STR("the agent was stopped");
}

/* The stored records of the turn show how far it got, as after a restart. */
static void on_storable(struct task_run *r)
{
    if (r->halt)
        give_up_session(r);
    else
        task_run_recover(r);
}

static void on_turned(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;

    (void)op;
    usage_add(&r->usage, &r->turn.usage); /* a failed attempt was paid for, too */
    if (e && !r->halt)
        task_run_go(r, RUN_RECOVERING);
    if (e && try_later(r, e, on_storable))
        return;
    r->stop = !e ? r->turn.stop : r->halt ? TURN_CANCELED : TURN_FAILED;
    r->outcome = r->stop == TURN_END ? TASK_COMPLETED : TASK_FAILED;
    if (e)
        r->why = arena_str(&r->mem, str_of(e->text));
    else if (r->outcome == TASK_FAILED || r->turn.why.code)
        r->why = arena_str(&r->mem, why_of(&r->turn));
    r->answer = arena_str(&r->mem, history_answer_to(r->session.history, str_of(r->id)));
    r->interrupted = history_interrupted(r->session.history, str_of(r->id));
    close_session(r);
}

static void start_turn(struct task_run *r, const struct block *block, size_t n, size_t preface)
{
    task_run_go(r, RUN_WORKING);
    r->prompt = (struct turn_prompt){
        .block = block,
        .blocks = n,
        .preface = preface,
        .id = str_of(r->id),
        .message = r->spec.message,
    };
    turn_start(&r->turn, &r->session, session_listen(&r->session, &r->client), &r->prompt, &r->op,
               on_turned, r);
}

/* The instruction is a separate block, so that the prompt stays as the caller wrote it. */
void task_run_prompt(struct task_run *r)
{
    struct str before = task_spec_preface(r->read_only);
    struct blocks own = r->spec.prompt;
    struct block *all = ARENA_ARRAY(&r->mem, struct block, own.n + 1);

    all[0] = (struct block){ .kind = BLOCK_TEXT, .text = before };
    for (size_t i = 0; i < own.n; i++)
        all[i + 1] = own.v[i];
    if (before.n)
        start_turn(r, all, own.n + 1, 1);
    else
        start_turn(r, all + 1, own.n, 0);
}

void task_run_prompt_text(struct task_run *r, struct str text)
{
    struct blocks b = blocks_text(&r->mem, text);

    start_turn(r, b.v, b.n, 0);
}

void task_run_resume(struct task_run *r)
{
    task_run_go(r, RUN_WORKING);
    turn_resume(&r->turn, &r->session, session_listen(&r->session, &r->client), &r->op, on_turned,
                r);
}

/* ---- OPENING --------------------------------------------------------------------------------- */

static void on_opened(struct op *op, const struct err *e, void *ctx);

/* The scope of the caller is the upper limit. If it cannot be parsed, nothing is permitted. */
static bool read_rights(struct task_run *r, struct err *e)
{
    const struct guard *g = r->engine->opts.guard;
    static const struct guard_scope everything;

    r->rights = guard_scope_read(&r->mem, r->spec.rights.n ? r->spec.rights : STR("[]"),
                                 g ? &g->tasks : &everything, e);
    if (!r->rights)
        e->code = ERR_DENIED;
    return r->rights != NULL;
}

/* id: an existing session; STR_NONE: a new one, with the reserved id. */
static void open_session(struct task_run *r, struct str id)
{
    const struct task_spec *s = &r->spec;
    const struct task_engine_opts *o = &r->engine->opts;

    task_run_go(r, RUN_OPENING);
    r->makes_session = !id.n;
    session_open(&r->session, &r->opening, o->world,
                 &(struct session_opts){
                     .id = id.n ? id : STR_NONE,
                     .new_id = s->new_session,
                     .agent = r->agent,
                     .read_only = s->read_only,
                     .parent = r->rights,
                     .caller = s->caller,
                     .origin = s->origin,
                     .principal = r->owner,
                     .trace = s->trace,
                     .taint = s->taint,
                 },
                 &r->op, on_opened, r);
}

/* An earlier process of the task may already have created the reserved session. */
static void find_session(struct task_run *r)
{
    if (r->halt)
        give_up(r, "cancelled");
    else if (r->session_id[0])
        open_session(r, str_of(r->session_id));
    else if (r->spec.session.n)
        open_session(r, r->spec.session);
    else
        open_session(r, r->fence > 1 ? r->spec.new_session : STR_NONE);
}

static bool may_make_session(const struct task_run *r, const struct err *e)
{
    return e->code == ERR_NOT_FOUND && !r->makes_session && !r->session_id[0] &&
           !r->spec.session.n && !r->halt;
}

/* The prompt is sent first: it must not wait until the id of the session is stored. */
static void begin_turn(struct task_run *r)
{
    if (r->halt) {
        give_up_session(r);
        return;
    }
    if (r->makes_session || r->fence == 1) {
        task_run_prompt(r);
    } else {
        task_run_go(r, RUN_RECOVERING);
        task_run_recover(r);
    }
    task_log_hurry(r); /* the id of the session */
}

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;

    (void)op;
    if (e && may_make_session(r, e)) {
        open_session(r, STR_NONE);
        return;
    }
    if (e && try_later(r, e, find_session))
        return;
    if (e) {
        give_up(r, e->text);
        return;
    }
    memcpy(r->session_id, r->session.id, sizeof(r->session_id));
    task_log_flush(r, begin_turn); /* no turn starts before the state is stored */
}

/* With lock_conflict = "warn" a conflict is only reported. */
static struct str lock_warning(const struct task_run *r)
{
    return r->hold.conflicts
               ? STR("another task has locked the same path, and lock_conflict is \"warn\"")
               : STR_NONE;
}

static void log_working(struct task_run *r)
{
    if (r->state != TASK_WORKING)
        task_log_state(r, TASK_WORKING, lock_warning(r));
    else
        task_log_add(r, "status",
                     task_status_body(&r->log.mem[r->log.filling], TASK_WORKING,
                                      STR("resumes after a restart")),
                     true);
}

static void on_call_stored(struct task_run *r)
{
    if (r->halt) {
        give_up(r, "cancelled");
        return;
    }
    task_run_go(r, RUN_WORKING);
    task_call_start(r);
}

/*
 * The state is stored while the session is opened: both requests are made at once, so that one
 * commit takes them. A tool call has no session, and begins when its state is stored.
 */
static void begin_work(struct task_run *r)
{
    if (r->call)
        task_run_go(r, RUN_OPENING);
    else
        find_session(r);
    if (r->at == RUN_OPENING && !r->halt)
        log_working(r);
    if (r->call)
        task_log_flush(r, on_call_stored);
}

/* ---- LOCKING --------------------------------------------------------------------------------- */

static void take_locks(struct task_run *r);

static void on_locked(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;

    (void)op;
    if (e && e->code != ERR_TIMEOUT && try_later(r, e, take_locks)) /* a timeout is final */
        return;
    if (e)
        give_up(r, e->text);
    else
        begin_work(r);
}

static struct str vault[] = { { ".vault", 6 } };

/* Read-only tasks may write into the scratch folder, but not at the same time. */
static void take_locks(struct task_run *r)
{
    struct pick_strs paths = r->spec.lock;

    if (!paths.n && r->read_only)
        paths = (struct pick_strs){ .v = vault, .n = 1, .set = true };
    if (!r->engine->opts.locks || !paths.n) {
        begin_work(r);
        return;
    }
    task_run_go(r, RUN_LOCKING);
    r->hold = (struct lock_hold){
        .task = str_of(r->id),
        .agent = str_of(r->agent->def->name),
        .paths = paths,
        .mode = LOCK_EXCLUSIVE,
    };
    lock_take(r->engine->opts.locks, &r->hold, &r->op, on_locked, r);
}

/* ---- changes by other processes -------------------------------------------------------------- */

static void on_look(struct timer *t);

static void look_later(struct task_run *r)
{
    if (!r->op.settled)
        timer_set(r->op.loop, &r->look, r->engine->limits->task_look_ms, on_look);
}

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;
    bool canceled = !e && r->look_step[0].task.canceled;
    bool taken = !e && r->look_step[0].task.fence != r->fence;

    (void)op;
    if (taken)
        task_run_lose(r);
    else if (canceled)
        task_run_cancel(r);
    else if (!e && r->look_ask.steps > 1)
        task_run_take_answers(r, &r->look_step[1].answers);
    store_ask_fini(&r->look_ask);
    look_later(r);
}

/*
 * Other processes consider this one dead when it has written nothing for limits.session_lease_ms.
 */
static bool seems_dead(const struct task_run *r)
{
    return loop_now(r->op.loop) - r->log.stored > r->engine->limits->session_lease_ms / 3;
}

static void on_look(struct timer *t)
{
    struct task_run *r = CONTAINER_OF(t, struct task_run, look);

    if (seems_dead(r) && !r->log.then) {
        r->log.urgent = true;
        task_log_flush(r, NULL);
        look_later(r);
        return;
    }
    r->look_step[0] =
        (struct store_step){ .what = STORE_TASK_LOAD, .task = { .id = str_of(r->id) } };
    r->look_step[1] = (struct store_step){
        .what = STORE_TASK_ANSWERS,
        .answers = { .task = str_of(r->id), .after = r->answers_seen },
    };
    r->look_ask = (struct store_ask){ .step = r->look_step, .steps = r->asks ? 2 : 1 };
    store_start(r->engine->store, &r->look_ask, &r->op, on_looked, r);
}

/* ---- beginning and ending early -------------------------------------------------------------- */

void task_run_cancel(struct task_run *r)
{
    if (r->halt < HALT_CANCELED && !task_state_final(r->state))
        run_halt(r, HALT_CANCELED);
}

void task_run_park(struct task_run *r)
{
    run_halt(r, HALT_PARKED);
    task_log_stop(r);
}

void task_run_lose(struct task_run *r)
{
    run_halt(r, HALT_LOST);
}

/* The ops below are cancelled, too, and the run ends when they have settled. */
static void cancel_run(struct op *op)
{
    (void)op;
}

static const struct op_kind run_kind = { .name = "task", .cancel = cancel_run };

static void on_run_done(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;
    struct task_engine *g = r->engine;

    (void)op;
    (void)e;
    LIST_UNLINK(g->runs, r, next);
    task_requests_hear(r);
    task_run_free(r);
    task_engine_settled(g);
}

static bool open_agents(struct task_run *r, struct err *e)
{
    if (!r->agent)
        r->agent = task_spec_agent(&r->spec, r->engine->opts.registry, e);
    return r->agent != NULL;
}

void task_run_begin(struct task_run *r)
{
    struct task_engine *g = r->engine;
    struct err e;

    r->next = g->runs;
    g->runs = r;
    op_begin(&r->op, &run_kind, g->loop, NULL, on_run_done, r);
    r->log.stored = loop_now(g->loop);
    look_later(r);
    if (g->closing)
        task_run_park(r);
    if (r->damage.p || r->halt >= HALT_CANCELED) {
        give_up(r, r->damage.p ? r->damage.p : "cancelled");
        return;
    }
    if ((!r->call && !open_agents(r, &e)) || !read_rights(r, &e)) {
        reject_or_fail(r, &e);
        return;
    }
    if (r->call) { /* a tool call takes its locks itself */
        begin_work(r);
        return;
    }
    r->read_only = r->spec.read_only || r->agent->scope.mode == AGENT_READ_ONLY;
    take_locks(r);
}

struct task_run *task_run_new(struct task_engine *g, const struct task_spec *spec)
{
    struct task_run *r = MEM_NEW(struct task_run);

    r->engine = g;
    r->spec = task_spec_copy(&r->mem, spec);
    r->made.mem = &r->mem;
    r->client.kind = &task_client_kind;
    return r;
}

void task_run_free(struct task_run *r)
{
    agent_drop(r->agent);
    buf_fini(&r->log.words);
    arena_fini(&r->log.mem[0]);
    arena_fini(&r->log.mem[1]);
    arena_fini(&r->mem);
    mem_free(r);
}
