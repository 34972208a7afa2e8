/* turn_begin.c - how a turn begins: with a prompt, where one was broken off, to make room; its op. */
#include "core/session/turn_parts.h"

#include "base/container.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { TITLE_MOST = 80 };

/* ---- the op ---------------------------------------------------------------------------------- */

static void on_wall(struct timer *timer)
{
    struct turn_work *w = CONTAINER_OF(timer, struct turn_work, wall);

    w->ending = true;
    w->stop = TURN_TIME;
    if (w->asking)
        op_cancel(&w->ask.op);
    turn_tools_cancel(w);
}

void turn_wall_stop(struct turn_work *w)
{
    struct loop *loop = w->turn->op.loop;

    if (!timer_is_set(&w->wall))
        return;
    w->wall_left = w->wall.due - loop_now(loop);
    timer_clear(loop, &w->wall);
}

void turn_wall_go_on(struct turn_work *w)
{
    struct op *op = &w->turn->op;

    for (size_t i = 0; i < w->calls; i++)
        if (w->call[i].running && w->call[i].call.asks)
            return;
    if (!turn_stopping(w) && !op->settled && !timer_is_set(&w->wall))
        timer_set(op->loop, &w->wall, w->wall_left > 0 ? w->wall_left : 1, on_wall);
}

/* What runs below has been told; it comes back. */
static void cancel_turn(struct op *op)
{
    (void)op;
}

static const struct op_kind turn_kind = { .name = "turn", .cancel = cancel_turn };

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct turn_work *w = ctx;
    struct session *s = w->session;
    op_done_fn *done = w->done;
    void *to = w->ctx;

    if (s->turn == w->turn) {
        s->turn = NULL;
        s->broken_off = e != NULL;
    }
    turn_tools_free(w);
    agent_drop(w->agent);
    arena_fini(&w->ask_mem);
    mem_free(w);
    done(op, e, to);
}

static struct turn_work *begin(struct turn *t, struct session *s, struct work_client *client,
                               struct op *parent, op_done_fn *done, void *ctx)
{
    struct turn_work *w = MEM_NEW(struct turn_work);

    *t = (struct turn){ .session = s, .client = client, .work = w };
    *w = (struct turn_work){ .turn = t, .session = s, .done = done, .ctx = ctx };
    w->agent = agent_hold(s->agent);
    w->model = &w->agent->model;
    op_begin(&t->op, &turn_kind, s->world->loop, parent, on_done, w);
    if (s->turn) {
        op_fail(&t->op,
                &(struct err){ ERR_DENIED, "the session works on another prompt; wait for its "
                                           "end, or cancel it" });
        return NULL;
    }
    s->turn = t;
    timer_set(s->world->loop, &w->wall, s->world->limits->turn_ms, on_wall);
    return w;
}

static void warn_budget(struct turn_work *w)
{
    if (w->agent->def->budget_usd > 0 && (w->model->price.input < 0 || w->model->price.output < 0))
        turn_notice(w, NOTICE_WARNING,
                    STR("the budget cannot be kept: the price of the model is not configured"));
}

static void on_prompt_saved(struct turn_save *s)
{
    struct event ev = { .kind = EVENT_SESSION };

    warn_budget(s->w);
    if (history_last(s->w->session->history) == 1) { /* the first prompt has named it */
        ev.session.title = s->w->session->title;
        turn_tell(s->w, &ev);
    }
    turn_ask(s->w);
}

/* After the first line of what is asked first. */
static void name_session(struct turn_work *w, const struct turn_prompt *p)
{
    struct session *s = w->session;
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

void turn_start(struct turn *t, struct session *s, struct work_client *client,
                const struct turn_prompt *prompt, struct op *parent, op_done_fn *done, void *ctx)
{
    struct turn_work *w = begin(t, s, client, parent, done, ctx);
    char message[ID_TEXT];

    if (!w)
        return;
    id_new(loop_wall(s->world->loop), t->id);
    id_new(loop_wall(s->world->loop), message);
    save_begin(&w->save, w, &w->ask_mem, 2);
    save_record(&w->save, "prompt",
                record_prompt(&w->ask_mem, prompt->id.p ? prompt->id : str_of(message),
                              str_of(t->id), prompt->block, prompt->blocks, s->opts.taint));
    if (s->broken_off) /* nobody goes on with that one any more */
        save_state(&w->save, arena_str(&w->ask_mem, str_of(s->last_turn)), "end");
    save_state(&w->save, str_of(t->id), "ask");
    name_session(w, prompt);
    log_prompt(s, prompt);
    memcpy(s->last_turn, t->id, sizeof(s->last_turn));
    save_run(&w->save, on_prompt_saved);
}

/* The answer was complete when we were killed. */
static bool has_answered(struct history *h)
{
    size_t n;
    const struct message *m = history_messages(h, &n);

    return n && m[n - 1].role == ROLE_ASSISTANT;
}

void turn_resume(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                 op_done_fn *done, void *ctx)
{
    struct turn_work *w = begin(t, s, client, parent, done, ctx);
    const struct block **open;

    if (!w)
        return;
    memcpy(t->id, s->last_turn, sizeof(t->id));
    turn_notice(w, NOTICE_RESUMED, STR("the turn that was broken off goes on"));
    if (history_open_calls(s->history, &w->ask_mem, &open) && s->begun)
        turn_tools_refuse(w, HISTORY_INTERRUPTED);
    else if (history_open_calls(s->history, &w->ask_mem, &open))
        turn_tools(w);
    else if (has_answered(s->history))
        turn_end(w, TURN_END, NULL);
    else
        turn_ask(w);
}

void turn_compact(struct turn *t, struct session *s, struct work_client *client, struct op *parent,
                  op_done_fn *done, void *ctx)
{
    struct turn_work *w = begin(t, s, client, parent, done, ctx);

    if (!w)
        return;
    id_new(loop_wall(s->world->loop), t->id);
    w->only_shorten = true;
    turn_shorten(w);
}
