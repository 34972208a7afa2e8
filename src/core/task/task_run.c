/*
 * task_run.c - one task, from its locks to its last word; the states are in task_parts.h.
 *
 * No state asks whether it was cancelled before it begins something: the op it begins under was,
 * and ends at once. Each looks when it comes back.
 */
#include "core/task/task_parts.h"

#include "base/container.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/guard/guard.h"
#include "core/guard/guard_saved_rights.h"
#include "core/session/history_record.h"
#include "core/tool/path_below.h"

enum { TRIES_MOST = 3 };

static bool is_stopping(const struct task_run *r)
{
    return r->cancel || r->lost || r->parked;
}

/* ---- ENDING ---------------------------------------------------------------------------------- */

static void on_all_stored(struct task_run *r)
{
    timer_clear(r->op.loop, &r->look);
    if (r->holds)
        lock_release(r->engine->opts.locks, &r->hold);
    r->holds = false;
    op_ok(&r->op);
}

static const char stopped[] = "trefoil was stopped during the call, and calls are not repeated";

static void store_end(struct task_run *r)
{
    if (r->cancel) {
        r->outcome = TASK_CANCELED;
        r->stop = TURN_CANCELED;
        r->why = STR_NONE;
    } else if (r->parked && r->stop == TURN_CANCELED) {
        r->outcome = r->call ? TASK_FAILED : TASK_STATES;
        r->why = str_of(stopped);
    }
    if (r->outcome != TASK_STATES && !r->lost) {
        r->result = task_result_write(r);
        task_log_state(r, r->outcome, r->why);
    }
    task_log_flush(r, on_all_stored);
}

static void on_files_looked_at(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;

    (void)op;
    if (e) /* the look was cancelled: none of them is claimed to be made */
        r->files.named.n = 0;
    store_end(r);
}

static void end(struct task_run *r)
{
    if (is_stopping(r)) /* nothing more is looked at, so no file is claimed to be made */
        r->files.named.n = 0;
    if (!task_run_look_at_files(r, on_files_looked_at))
        store_end(r);
}

/* ---- LEAVING --------------------------------------------------------------------------------- */

static void on_left(void *ctx)
{
    end(ctx);
}

static void leave(struct task_run *r)
{
    struct str taint;

    if (!r->open) {
        end(r);
        return;
    }
    taint = history_taint(r->session.history);
    r->taint = taint.n ? arena_str(&r->mem, taint) : STR_NONE;
    task_run_find_named(r);
    r->open = false;
    session_close(&r->session, on_left, r);
}

/* It ends before its turn has begun. */
static void give_up_as(struct task_run *r, enum task_state outcome, const char *why)
{
    r->outcome = outcome;
    r->stop = is_stopping(r) ? TURN_CANCELED : TURN_FAILED;
    r->why = arena_str(&r->mem, str_of(why));
    leave(r);
}

static void give_up(struct task_run *r, const char *why)
{
    give_up_as(r, TASK_FAILED, why);
}

/*
 * It cannot be begun; when that is because it is not permitted, it is rejected. What the store denies
 * is no matter of permission: a session that is in use, a file that cannot be written.
 */
static void refuse(struct task_run *r, const struct err *e)
{
    give_up_as(r, e->code == ERR_DENIED && !r->taken ? TASK_REJECTED : TASK_FAILED, e->text);
}

void task_run_turned(struct task_run *r)
{
    leave(r);
}

/* ---- a store that fails ---------------------------------------------------------------------- */

/*
 * What cannot be stored now may be later: that is waited for by storing why it waits. A bound, since
 * each try may ask a model; what fails so often does not fit.
 */
static bool try_later(struct task_run *r, const struct err *e, void (*again)(struct task_run *r))
{
    if (!task_store_may_recover(e->code) || is_stopping(r) || r->tries++ >= TRIES_MOST)
        return false;
    task_log_add(r, "status",
                 task_status_body(&r->log.mem[r->log.filling], r->state, str_of(e->text)), true);
    task_log_flush(r, again);
    return true;
}

/* ---- TURNING --------------------------------------------------------------------------------- */

static struct str why_of(const struct turn *t)
{
    return t->why.code ? str_of(t->why.text) : STR("the agent was stopped");
}

/* What was stored of the turn says where it stands, as after a restart. */
static void on_storable(struct task_run *r)
{
    if (is_stopping(r))
        give_up(r, "canceled");
    else
        task_run_recover(r);
}

static void on_turned(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;

    (void)op;
    usage_add(&r->usage, &r->turn.usage); /* a try that failed was paid for, too */
    if (e && try_later(r, e, on_storable))
        return;
    r->stop = e ? TURN_FAILED : r->turn.stop;
    r->outcome = r->stop == TURN_END ? TASK_COMPLETED : TASK_FAILED;
    if (e)
        r->why = arena_str(&r->mem, str_of(e->text));
    else if (r->outcome == TASK_FAILED)
        r->why = arena_str(&r->mem, why_of(&r->turn));
    r->answer = arena_str(&r->mem, history_answer_to(r->session.history, str_of(r->id)));
    r->interrupted = history_interrupted(r->session.history, str_of(r->id));
    leave(r);
}

/* A text of its own each, so that the task stands as it was given. */
void task_run_prompt(struct task_run *r, struct str before, struct str text)
{
    size_t n = 0;

    if (before.n)
        r->block[n++] = (struct block){ .kind = BLOCK_TEXT, .text = before };
    r->block[n++] = (struct block){ .kind = BLOCK_TEXT, .text = text };
    r->prompt = (struct turn_prompt){
        .block = r->block, .blocks = n, .preface = n - 1, .id = str_of(r->id)
    };
    turn_start(&r->turn, &r->session, session_listen(&r->session, &r->client), &r->prompt, &r->op,
               on_turned, r);
}

void task_run_resume(struct task_run *r)
{
    turn_resume(&r->turn, &r->session, session_listen(&r->session, &r->client), &r->op, on_turned,
                r);
}

static void on_session_stored(struct task_run *r)
{
    if (is_stopping(r))
        give_up(r, "canceled");
    else if (r->taken)
        task_run_recover(r);
    else
        task_run_prompt(r, task_spec_preface(r->read_only), r->spec.text);
}

/* ---- OPENING --------------------------------------------------------------------------------- */

static void on_working(struct task_run *r);

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;

    (void)op;
    if (e && try_later(r, e, on_working))
        return;
    if (e) {
        give_up(r, e->text);
        return;
    }
    r->open = true;
    if (!r->session_id[0]) {
        memcpy(r->session_id, r->session.id, sizeof(r->session_id));
        r->log.urgent = true; /* no turn before it is known where */
    }
    task_log_flush(r, on_session_stored);
}

/* What whoever it works for may is the most. Not known any more: it is not permitted. */
static bool read_rights(struct task_run *r, struct err *e)
{
    const struct guard *g = r->engine->opts.guard;
    static const struct guard_scope everything;

    r->rights = guard_scope_read(&r->mem, r->spec.rights.n ? r->spec.rights : STR("[]"),
                                 g ? &g->own : &everything, e);
    if (!r->rights)
        e->code = ERR_DENIED;
    return r->rights != NULL;
}

static void open_session(struct task_run *r)
{
    const struct task_spec *s = &r->spec;
    const struct task_engine_opts *o = &r->engine->opts;
    struct str id = r->session_id[0] ? str_of(r->session_id) : s->session;

    session_open(&r->session, &r->opening, o->world,
                 &(struct session_opts){
                     .id = id.n ? id : STR_NONE,
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

static void on_working(struct task_run *r)
{
    if (is_stopping(r))
        give_up(r, "canceled");
    else if (r->call)
        task_call_start(r);
    else
        open_session(r);
}

/* What is said when it begins: with lock_conflict = "warn" nothing holds it back. */
static struct str lock_warning(const struct task_run *r)
{
    return r->holds && r->hold.conflicts
               ? STR("another task has locked the same path, and lock_conflict is \"warn\"")
               : STR_NONE;
}

static void work(struct task_run *r)
{
    if (!is_stopping(r) && r->state != TASK_WORKING)
        task_log_state(r, TASK_WORKING, lock_warning(r));
    else if (!is_stopping(r))
        task_log_add(r, "status",
                     task_status_body(&r->log.mem[r->log.filling], TASK_WORKING,
                                      STR("resumes after a restart")),
                     true);
    task_log_flush(r, on_working);
}

/* ---- LOCKS ----------------------------------------------------------------------------------- */

static void take_locks(struct task_run *r);

static void on_locked(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;

    (void)op;
    r->holds = !e;
    if (e && e->code != ERR_TIMEOUT && try_later(r, e, take_locks)) /* that has been waited for */
        return;
    if (e)
        give_up(r, e->text);
    else
        work(r);
}

static struct str vault[] = { { ".vault", 6 } };

/* What writes into the scratch folder of read-only work must not overlap. */
static void take_locks(struct task_run *r)
{
    struct pick_strs paths = r->spec.lock;

    if (!paths.n && r->read_only)
        paths = (struct pick_strs){ .v = vault, .n = 1, .set = true };
    if (!r->engine->opts.locks || !paths.n) {
        work(r);
        return;
    }
    r->hold = (struct lock_hold){
        .task = str_of(r->id),
        .agent = str_of(r->agent->def->name),
        .paths = paths,
        .mode = LOCK_EXCLUSIVE,
    };
    lock_take(r->engine->opts.locks, &r->hold, &r->op, on_locked, r);
}

/* ---- has somebody elsewhere cancelled it, or answered? --------------------------------------- */

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

/* To others, a process that writes nothing for limits.session_lease_ms may be dead. */
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
    if (r->cancel || task_state_final(r->state))
        return;
    r->cancel = true;
    op_cancel(&r->op);
}

void task_run_park(struct task_run *r)
{
    r->parked = true;
    op_cancel(&r->op);
    task_log_stop(r);
}

void task_run_lose(struct task_run *r)
{
    r->lost = true;
    op_cancel(&r->op);
}

/* What runs below has been told; it comes back. */
static void cancel_run(struct op *op)
{
    (void)op;
}

static const struct op_kind run_kind = { .name = "task", .cancel = cancel_run };

static void on_run_done(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;
    struct task_engine *g = r->engine;
    struct task_run **at = &g->runs;

    (void)op;
    (void)e;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
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
    if (r->damage.p || r->cancel) {
        give_up(r, r->damage.p ? r->damage.p : "canceled");
        return;
    }
    if ((!r->call && !open_agents(r, &e)) || !read_rights(r, &e)) {
        refuse(r, &e);
        return;
    }
    if (r->call) { /* which waits for its turn to write by itself */
        work(r);
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
