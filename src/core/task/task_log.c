/*
 * task_log.c - stores the events of a task, then publishes them.
 *
 * At most one request is in flight; later events go with the next one. A request that fails because
 * the disk is full, the file system is read-only or the database is locked is repeated unchanged
 * every limits.task_look_ms until it succeeds. A request that is too large for the store is
 * repeated in a shorter form. Any other error means that this process no longer holds the task.
 * While too many events wait, progress reports and notices are dropped.
 */
#include "core/task/task_log.h"

#include "base/container.h"
#include "base/log.h"
#include "base/utf8.h"
#include "core/task/task_engine.h"
#include "core/task/task_pieces.h"
#include "core/task/task_question.h"
#include "core/task/task_run.h"

enum { WORDS_MOST = 64 << 10, BRIEF_TEXT = 200 };

static struct task_run *run_of(struct timer *t)
{
    return CONTAINER_OF(t, struct task_run, log.timer);
}

static const struct limits *limits_of(const struct task_run *r)
{
    return r->engine->limits;
}

static struct str status_body(struct arena *mem, enum task_state state, struct str text,
                              bool refused)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, 1 << 16);
    jw_object(&w);
    jw_kstr(&w, "state", str_of(task_state_names[state]));
    if (text.n)
        jw_kstr(&w, "text", text);
    if (refused)
        jw_kstr(&w, "stop", str_of(turn_stop_names[TURN_REFUSED]));
    jw_object_end(&w);
    return buf_str(&out);
}

struct str task_status_body(struct arena *mem, enum task_state state, struct str text)
{
    return status_body(mem, state, text, false);
}

/* ---- storing --------------------------------------------------------------------------------- */

static void put(struct task_run *r, const char *kind, struct str body);
static void send(struct task_run *r);
static void flush(struct task_run *r);
static void goes_soon(struct task_run *r);

static struct str or_empty(struct str s)
{
    return s.p ? s : STR("");
}

static struct store_task update_of(struct task_run *r)
{
    struct task_log *l = &r->log;
    bool final = task_state_final(r->state);

    return (struct store_task){
        .id = str_of(r->id),
        .fence = r->fence,
        .state = str_of(task_state_names[r->state]),
        .text = or_empty(r->text),
        .session = str_of(r->session_id),
        .asks = task_run_asks(r, &l->mem[!l->filling]),
        .result = final ? r->result : STR_NONE,
        .final = final,
        .expires = final ? loop_wall(r->op.loop) + limits_of(r)->task_keep_ms : 0,
        .event = l->sent,
        .events = l->sents,
    };
}

static void on_again(struct timer *t)
{
    run_of(t)->log.again = false;
    send(run_of(t));
}

bool task_store_may_recover(enum err_code code)
{
    return code == ERR_SYSTEM || code == ERR_TIMEOUT || code == ERR_BUSY;
}

static void store_again(struct task_run *r, const struct err *e)
{
    struct task_log *l = &r->log;

    if (!l->why.code)
        LOG(LOG_WARN, "task", "an event cannot be stored yet", LOG_Z("task", r->id),
            LOG_Z("why", e->text));
    l->why = *e;
    l->again = true;
    timer_set(r->op.loop, &l->timer, limits_of(r)->task_look_ms, on_again);
}

/*
 * The request is too large for the store and would fail forever. Events and questions have limits
 * of their own, so the text of the state or the result is too large: store the state with a short
 * text. The events of the request are lost.
 */
static void store_briefly(struct task_run *r, const struct err *e)
{
    struct task_log *l = &r->log;

    LOG(LOG_WARN, "task", "an event was too large to store and was truncated", LOG_Z("task", r->id),
        LOG_Z("why", e->text));
    arena_reset(&l->mem[!l->filling]);
    l->sents = 0;
    l->brief = l->urgent = true;
    r->text = utf8_head(r->text, BRIEF_TEXT);
    r->result = STR("{}");
    put(r, "status", task_status_body(&l->mem[l->filling], r->state, r->text));
}

static void on_refused(struct task_run *r, const struct err *e)
{
    struct task_log *l = &r->log;

    if (task_store_may_recover(e->code) && !task_run_is_lost(r) && !r->engine->closing) {
        store_again(r, e);
        return;
    }
    l->storing = false;
    if (e->code == ERR_LIMIT && !l->brief)
        store_briefly(r, e);
    else
        task_run_lose(r);
    flush(r);
    task_requests_hear(r);
}

static bool has_feed(const struct task_log *l)
{
    for (size_t i = 0; i < l->sents; i++)
        if (l->sent[i].feed)
            return true;
    return false;
}

static void on_stored(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;
    struct task_log *l = &r->log;
    int64_t first = l->seq + 1;
    bool canceled = l->step.task.canceled;

    (void)op;
    if (!e) {
        l->seq = l->step.task.last_seq;
        first = l->seq + 1 - (int64_t)l->sents;
    }
    store_ask_fini(&l->ask);
    if (e) {
        on_refused(r, e);
        return;
    }
    l->storing = l->brief = false;
    l->why.code = ERR_NONE;
    l->stored = loop_now(r->op.loop);
    for (size_t i = 0; i < l->sents; i++)
        l->sent[i].at = l->step.task.updated;
    task_followers_hear(r, l->sent, l->sents, first);
    if (has_feed(l))
        task_feeds_hear(r->engine);
    arena_reset(&l->mem[!l->filling]);
    l->sents = 0;
    if (canceled && !task_state_final(r->state))
        task_run_cancel(r);
    if (l->urgent || l->then)
        flush(r);
    else if (l->n || l->words.n)
        goes_soon(r);
    if (!l->storing)
        task_requests_hear(r);
}

static void send(struct task_run *r)
{
    struct task_log *l = &r->log;

    l->storing = true;
    l->step = l->want; /* repeat the original: the failed attempt may have changed the copy */
    l->ask =
        (struct store_ask){ .step = &l->step,
                            .steps = 1,
                            .durability = l->want.task.final ? STORE_POWER
                                                             : r->engine->opts.world->durability };
    store_start(r->engine->store, &l->ask, &r->op, on_stored, r);
}

/* ---- gathering ------------------------------------------------------------------------------- */

static void put(struct task_run *r, const char *kind, struct str body)
{
    struct task_log *l = &r->log;
    struct arena *mem = &l->mem[l->filling];

    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 16;

        l->v = arena_grow(mem, l->v, l->room * sizeof(*l->v), room * sizeof(*l->v));
        l->room = room;
    }
    l->v[l->n++] = (struct store_event){
        .kind = str_of(kind),
        .body = arena_str(mem, body),
        .feed = task_feed_tells(str_of(kind)),
    };
}

/* An event that is too large is reported without its long texts. */
static struct event without_texts(const struct event *ev)
{
    struct event less = *ev;

    if (ev->kind == EVENT_TOOL) {
        less.tool.args = less.tool.text = less.tool.old_text = less.tool.new_text = STR_NONE;
        less.tool.content = STR_NONE;
    } else if (ev->kind == EVENT_ARTIFACT) {
        less.artifact.part.n = 0;
    } else if (ev->kind == EVENT_ASK) {
        less.ask.params = STR("{}"); /* a client that wants to answer reads the task */
    }
    return less;
}

static size_t event_most(const struct task_run *r)
{
    const struct limits *l = limits_of(r);

    return (size_t)(l->task_event_bytes < l->store_value_bytes ? l->task_event_bytes
                                                               : l->store_value_bytes);
}

static void put_event(struct task_run *r, const struct event *ev)
{
    struct event less;
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, event_most(r));
    event_write(&w, ev);
    if (out.full) {
        less = without_texts(ev);
        buf_clear(&out);
        w = jw_to(&out);
        event_write(&w, &less);
    }
    if (out.full)
        LOG(LOG_WARN, "task",
            "an event was larger than the constant task_event_bytes and was dropped",
            LOG_Z("task", r->id), LOG_Z("kind", event_names[ev->kind]));
    else
        put(r, event_names[ev->kind], buf_str(&out));
}

static void put_piece(void *ctx, const struct event *ev)
{
    put_event(ctx, ev);
}

static void words_end(struct task_run *r)
{
    struct task_log *l = &r->log;

    if (!l->words.n)
        return;
    put_event(r, &(struct event){ .kind = l->words_kind,
                                  .message = str_of(l->message),
                                  .text = buf_str(&l->words) });
    buf_clear(&l->words);
}

static void flush(struct task_run *r)
{
    struct task_log *l = &r->log;
    void (*then)(struct task_run * r) = l->then;

    if (l->storing)
        return;
    words_end(r);
    timer_clear(r->op.loop, &l->timer);
    if (task_run_is_lost(r)) {
        l->n = 0;
        l->urgent = false;
    }
    if (l->n || l->urgent) {
        l->sent = l->v;
        l->sents = l->n;
        l->v = NULL;
        l->n = l->room = 0;
        l->filling = !l->filling;
        l->urgent = false;
        l->want = (struct store_step){ .what = STORE_TASK_UPDATE, .task = update_of(r) };
        send(r);
    } else if (then) {
        l->then = NULL;
        then(r);
    }
}

static void on_gathered(struct timer *t)
{
    struct task_run *r = run_of(t);

    r->log.urgent = true; /* sent when the request in flight has ended */
    flush(r);
}

static void goes_soon(struct task_run *r)
{
    struct task_log *l = &r->log;

    if (!timer_is_set(&l->timer))
        timer_set(r->op.loop, &l->timer, limits_of(r)->task_gather_ms, on_gathered);
}

static void goes(struct task_run *r, bool urgent)
{
    if (!urgent) {
        goes_soon(r);
        return;
    }
    r->log.urgent = true;
    flush(r);
}

void task_log_add(struct task_run *r, const char *kind, struct str body, bool urgent)
{
    if (task_run_is_lost(r))
        return;
    words_end(r);
    put(r, kind, body);
    goes(r, urgent);
}

static void add_words(struct task_run *r, const struct event *ev)
{
    struct task_log *l = &r->log;

    if (l->words.n && (ev->kind != l->words_kind || !str_eq(ev->message, str_of(l->message)) ||
                       l->words.n + ev->text.n > WORDS_MOST))
        words_end(r);
    l->words_kind = ev->kind;
    str_to_c(str_head(ev->message, sizeof(l->message) - 1), l->message, sizeof(l->message));
    if (!l->words.max)
        buf_init(&l->words, WORDS_MOST);
    if (ev->text.n > WORDS_MOST)
        put_event(r, ev);
    else
        buf_put(&l->words, ev->text);
    goes(r, false);
}

static bool is_progress(const struct event *ev)
{
    return ev->kind == EVENT_TOOL && ev->tool.status == CALLED_RUNNING &&
           (ev->tool.text.p || ev->tool.done.p);
}

void task_log_event(struct task_run *r, const struct event *ev)
{
    struct task_log *l = &r->log;

    if (task_run_is_lost(r))
        return;
    if (ev->kind == EVENT_TEXT || ev->kind == EVENT_THOUGHT) {
        add_words(r, ev);
        return;
    }
    if ((is_progress(ev) || ev->kind == EVENT_NOTICE) &&
        (int64_t)l->n >= limits_of(r)->task_watch_events)
        return;
    words_end(r);
    if (ev->kind == EVENT_ARTIFACT)
        task_pieces_split(ev, event_most(r), put_piece, r);
    else
        put_event(r, ev);
    goes(r, ev->kind == EVENT_ARTIFACT);
}

/* The only writer of r->state. */
bool task_log_state(struct task_run *r, enum task_state to, struct str text)
{
    struct arena *mem = &r->log.mem[r->log.filling];

    if (!task_may_become(r->state, to))
        return false;
    r->state = to;
    r->text = text.n ? arena_str(&r->mem, text) : STR_NONE;
    task_log_add(r, "status",
                 status_body(mem, to, text, to == TASK_FAILED && r->stop == TURN_REFUSED), true);
    return true;
}

void task_log_hurry(struct task_run *r)
{
    goes(r, true);
}

void task_log_flush(struct task_run *r, void (*then)(struct task_run *r))
{
    r->log.then = then;
    r->log.urgent |= r->log.words.n > 0;
    flush(r);
}

void task_log_stop(struct task_run *r)
{
    struct task_log *l = &r->log;

    if (!l->again)
        return;
    timer_clear(r->op.loop, &l->timer);
    l->again = l->storing = false;
    task_run_lose(r);
    flush(r);
}
