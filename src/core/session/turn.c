/* turn.c - the states of a turn (turn.h). */
#include "core/session/turn_parts.h"

#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <assert.h>

enum { TITLE_MOST = 80 };

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const state_names[TURN_STATES] = {
    [TURN_STORING] = "storing", [TURN_WORKING] = "working", [TURN_ENDING] = "ending",
    [TURN_OVER] = "over",       [TURN_BROKEN] = "broken",
};

#define TO(state) (1u << TURN_##state)

static const unsigned state_next[TURN_STATES] = {
    [TURN_STORING] = TO(WORKING) | TO(BROKEN),
    [TURN_WORKING] = TO(ENDING) | TO(BROKEN),
    [TURN_ENDING] = TO(OVER) | TO(BROKEN),
};

static void turn_go(struct turn *t, enum turn_state to)
{
    assert(state_next[t->state] & (1u << to));
    LOG(LOG_TRACE, "turn", "state", LOG_Z("turn", t->id), LOG_Z("from", state_names[t->state]),
        LOG_Z("to", state_names[to]));
    t->state = to;
}

/* ---- the time -------------------------------------------------------------------------------- */

static void on_wall(struct timer *timer)
{
    struct turn_work *w = CONTAINER_OF(timer, struct turn_work, wall);

    w->late = true;
    if (w->turn->state == TURN_WORKING)
        op_cancel(&w->turn->prompt.op);
}

void turn_wall_stop(struct turn *t)
{
    struct turn_work *w = t->work;

    w->asks++;
    if (!timer_is_set(&w->wall))
        return;
    w->wall_left = w->wall.due - loop_now(t->op.loop);
    timer_clear(t->op.loop, &w->wall);
}

void turn_wall_go_on(struct turn *t)
{
    struct turn_work *w = t->work;

    if (w->asks && --w->asks)
        return;
    if (t->state == TURN_WORKING && !t->prompt.op.canceled && !timer_is_set(&w->wall))
        timer_set(t->op.loop, &w->wall, w->wall_left > 0 ? w->wall_left : 1, on_wall);
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* The reasons of an end for which the agent gave none. */
static const char *const why_ended[TURN_STOPS] = {
    [TURN_LENGTH] = "the answer was truncated: the model reached its output limit (max_tokens)",
    [TURN_REQUESTS] =
        "the maximum number of requests to the model was reached (max_turns, limits.turn_requests)",
    [TURN_BUDGET] = "the budget is spent",
    [TURN_TOKENS] = "the token limit of a turn was reached (limits.turn_tokens)",
    [TURN_TIME] = "the time limit of a turn was reached (limits.turn_ms)",
    [TURN_CONTEXT] = "the conversation no longer fits into the context of the model",
    [TURN_STUCK] =
        "the model makes no progress: none of its last calls was run (the constant turn_stuck)",
    [TURN_REFUSED] = "the model refused to answer",
    [TURN_FAILED] = "the agent failed",
};

static struct event_end end_of(const struct turn *t)
{
    return (struct event_end){
        .stop = t->stop,
        .code = t->stop == TURN_FAILED ? t->why.code : ERR_NONE,
        .text = t->why.code ? str_of(t->why.text) : STR_NONE,
    };
}

static void on_end_saved(struct turn_save *s)
{
    struct turn *t = s->turn;
    struct event ev = { .kind = EVENT_END };

    turn_go(t, TURN_OVER);
    if (t->prompt.last_answer.p)
        t->prompt.answered(&t->prompt);
    ev.end = end_of(t);
    turn_tell(t, &ev);
    op_ok(&t->op);
}

static void save_end(struct turn *t)
{
    struct turn_work *w = t->work;
    struct event_end end = end_of(t);

    save_begin(&w->save, t, &w->mem, 0);
    if (t->prompt.last_answer.p)
        save_record(&w->save, "answer", t->prompt.last_answer);
    save_record(&w->save, "end", record_end(&w->mem, str_of(t->id), &end, &t->usage, t->cost));
    save_state(&w->save, str_of(t->id), "end");
    save_run(&w->save, on_end_saved);
}

static void set_end(struct turn *t, enum turn_stop stop, const struct err *why)
{
    bool late = stop == TURN_CANCELED && t->work->late && !t->op.canceled;

    t->stop = late ? TURN_TIME : stop;
    if (why->code && !late)
        t->why = *why;
    else if (why_ended[t->stop])
        fail(&t->why, ERR_LIMIT, "%s", why_ended[t->stop]);
}

void turn_broke(struct turn *t, const struct err *e)
{
    timer_clear(t->op.loop, &t->work->wall);
    if (t->state == TURN_BROKEN)
        return;
    turn_go(t, TURN_BROKEN);
    t->stop = TURN_FAILED;
    t->why = *e;
    op_cancel(&t->op); /* cancels everything below it */
    if (t->prompt.op.kind && !t->prompt.op.settled)
        op_fail(&t->prompt.op, e);
    op_fail(&t->op, e);
}

/* ---- working --------------------------------------------------------------------------------- */

const struct agent *turn_agent(const struct turn *t)
{
    return t->work->agent;
}

static void cancel_prompt(struct op *op)
{
    struct agent_prompt *p = CONTAINER_OF(op, struct agent_prompt, op);

    if (p->cancel)
        p->cancel(p);
}

static const struct op_kind prompt_kind = { .name = "prompt", .cancel = cancel_prompt };

static void leave_open(struct turn *t)
{
    turn_broke(t,
               &(struct err){ ERR_CANCELED, "this process is stopping; the turn can be resumed" });
}

static void on_prompted(struct op *op, const struct err *e, void *ctx)
{
    struct turn *t = ctx;
    struct agent_prompt *p = &t->prompt;

    (void)op;
    if (t->state == TURN_BROKEN)
        return;
    timer_clear(t->op.loop, &t->work->wall);
    turn_go(t, TURN_ENDING);
    if (e && e->code == ERR_CANCELED)
        set_end(t, TURN_CANCELED, &(struct err){ 0 });
    else
        set_end(t, e ? TURN_FAILED : p->stop, e ? e : &p->why);
    turn_record_finish(t, t->parked && t->stop == TURN_CANCELED ? leave_open : save_end);
}

/* The kind does not implement this: the turn fails. */
static void no_work(struct agent_prompt *p, const char *what)
{
    p->stop = TURN_FAILED;
    fail(&p->why, ERR_INVALID, "the agent %s cannot %s", p->turn->work->agent->def->name, what);
    op_ok(&p->op);
}

static void work(struct turn *t, void (*start)(struct agent_prompt *p), const char *what)
{
    struct agent_prompt *p = &t->prompt;

    turn_go(t, TURN_WORKING);
    p->turn = t;
    p->conversation = &t->session->conversation;
    op_begin(&p->op, &prompt_kind, t->op.loop, &t->op, on_prompted, t);
    if (t->work->late)
        op_cancel(&p->op);
    if (start)
        start(p);
    else
        no_work(p, what);
}

void turn_notice(struct turn *t, enum notice_kind kind, struct str text)
{
    struct event ev = { .kind = EVENT_NOTICE };

    ev.notice = (struct event_notice){ kind, text };
    turn_tell(t, &ev);
}

/* ---- the op ---------------------------------------------------------------------------------- */

/* Cancelling the turn also cancels its prompt, whose end ends the turn. */
static void cancel_turn(struct op *op)
{
    (void)op;
}

static const struct op_kind turn_kind = { .name = "turn", .cancel = cancel_turn };

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct turn_work *w = ctx;
    struct turn *t = w->turn;
    struct session *s = t->session;
    op_done_fn *done = w->done;
    void *to = w->ctx;

    if (s->turn == t) {
        s->turn = NULL;
        s->interrupted = e != NULL;
        session_set_state(s, SESSION_IDLE);
    }
    if (t->prompt.release)
        t->prompt.release(&t->prompt);
    turn_record_free(w);
    agent_drop(w->agent);
    arena_fini(&w->mem);
    mem_free(w);
    done(op, e, to);
}

static bool begin(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                  op_done_fn *done, void *ctx)
{
    struct turn_work *w = MEM_NEW(struct turn_work);

    *t = (struct turn){ .session = s, .client = client, .work = w };
    *w = (struct turn_work){ .turn = t, .done = done, .ctx = ctx };
    w->agent = agent_hold(s->agent);
    op_begin(&t->op, &turn_kind, s->world->loop, parent, on_done, w);
    if (s->state == SESSION_WORKING) {
        op_fail(&t->op,
                &(struct err){
                    ERR_DENIED,
                    "the session is busy with another prompt; wait until it ends, or cancel it" });
        return false;
    }
    session_set_state(s, SESSION_WORKING);
    s->turn = t;
    timer_set(s->world->loop, &w->wall, s->world->limits->turn_ms, on_wall);
    return true;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void on_prompt_saved(struct turn_save *s)
{
    struct turn *t = s->turn;
    struct event ev = { .kind = EVENT_SESSION };

    if (history_last(t->session->history) == 1) { /* the first prompt has set the title */
        ev.session.title = t->session->title;
        turn_tell(t, &ev);
    }
    work(t, t->work->agent->kind->prompt, "work on prompts");
}

/* Set the title of a session without one to the first line of the user's prompt. */
static void name_session(struct turn_work *w, const struct turn_prompt *p)
{
    struct session *s = w->turn->session;
    struct str text = p->preface < p->blocks ? p->block[p->preface].text : STR_NONE;

    if (s->title.n || !text.n)
        return;
    text = str_trim(text);
    s->title = arena_str(&s->mem, utf8_head(str_cut(&text, '\n'), TITLE_MOST));
    save_step(&w->save,
              (struct store_step){
                  .what = STORE_SESSION_UPDATE,
                  .session = { .id = str_of(s->id), .fence = s->fence, .title = s->title } });
}

static void log_prompt(const struct session *s, const struct turn_prompt *p)
{
    struct session_logs *logs = s->world->logs;

    for (size_t i = 0; s->log && i < p->blocks; i++)
        logs->kind->note(logs, s->log,
                         &(struct event){ .kind = EVENT_PROMPT, .block = &p->block[i] });
}

/* The list of blocks and their texts are copied; other data of the blocks stays the caller's. */
static void set_prompt(struct turn *t, const struct turn_prompt *prompt)
{
    struct arena *mem = &t->work->mem;
    struct block *b = ARENA_ARRAY(mem, struct block, prompt->blocks ? prompt->blocks : 1);
    char message[ID_TEXT];

    id_new(loop_wall(t->op.loop), message);
    for (size_t i = 0; i < prompt->blocks; i++) {
        b[i] = prompt->block[i];
        b[i].text = arena_maybe(mem, b[i].text);
    }
    t->prompt.block = b + prompt->preface;
    t->prompt.blocks = prompt->blocks - prompt->preface;
    t->prompt.id = arena_str(mem, prompt->id.p ? prompt->id : str_of(message));
    t->prompt.message = arena_maybe(mem, prompt->message);
}

void turn_start(struct turn *t, struct session *s, struct work_client *client,
                const struct turn_prompt *prompt, struct op *parent, op_done_fn *done, void *ctx)
{
    struct turn_work *w;

    if (!begin(t, s, client, parent, done, ctx))
        return;
    w = t->work;
    id_new(loop_wall(s->world->loop), t->id);
    set_prompt(t, prompt);
    save_begin(&w->save, t, &w->mem, 2);
    save_record(&w->save, "prompt",
                record_prompt(&w->mem, t->prompt.id, str_of(t->id), prompt->block, prompt->blocks,
                              s->opts.taint));
    if (s->interrupted) /* a new prompt ends the unfinished turn */
        save_state(&w->save, arena_str(&w->mem, str_of(s->last_turn)), "end");
    save_state(&w->save, str_of(t->id), "ask");
    name_session(w, prompt);
    log_prompt(s, prompt);
    memcpy(s->last_turn, t->id, sizeof(s->last_turn));
    save_run(&w->save, on_prompt_saved);
}

void turn_resume(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                 op_done_fn *done, void *ctx)
{
    if (!begin(t, s, client, parent, done, ctx))
        return;
    memcpy(t->id, s->last_turn, sizeof(t->id));
    turn_notice(t, NOTICE_RESUMED, STR("the interrupted turn resumes"));
    work(t, t->work->agent->kind->resume, "resume an interrupted turn; send the prompt again");
}

void turn_park(struct turn *t)
{
    t->parked = (turn_agent(t)->caps & AGENT_RESUMES) != 0;
    op_cancel(&t->op);
}

void turn_compact(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                  op_done_fn *done, void *ctx)
{
    if (!begin(t, s, client, parent, done, ctx))
        return;
    id_new(loop_wall(s->world->loop), t->id);
    work(t, t->work->agent->kind->compact, "shorten its history");
}
