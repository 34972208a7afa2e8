/*
 * script.c - play the events of a rule one after the other, each from the loop.
 *
 *   NEXT ──> NEXT ──> ...      an event was reported; the next follows at once or after its delay
 *     │ ▲
 *     ▼ │
 *   ASKING                     a question is open
 *   WAITING                    until it is cancelled
 *   OVER                       the turn is settled
 *
 * Cancelling ends NEXT and WAITING at once, and ASKING after its question is withdrawn.
 */
#include "provider/script.h"

#include "base/buf.h"
#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/session/turn.h"

#include <assert.h>

enum play_state { PLAY_NEXT, PLAY_ASKING, PLAY_WAITING, PLAY_OVER, PLAY_STATES };

struct script_play {
    struct agent_prompt *prompt;
    const struct script *script;
    const struct script_rule *rule;
    enum play_state state;
    size_t next;  /* event of the rule */
    size_t piece; /* next piece of that event */
    bool delayed; /* the delay before that event has passed */
    struct timer timer;
    struct turn_question question;
    bool asked;
    /* the last answer: the content of a form, raw, or the id of an option; STR_NONE: none */
    struct str answer;
    struct arena mem;
};

static const char *const play_names[PLAY_STATES] = { "next", "asking", "waiting", "over" };

#define TO(state) (1u << PLAY_##state)

static const unsigned play_next[PLAY_STATES] = {
    [PLAY_NEXT] = TO(NEXT) | TO(ASKING) | TO(WAITING) | TO(OVER),
    [PLAY_ASKING] = TO(NEXT) | TO(OVER),
    [PLAY_WAITING] = TO(OVER),
};

static void play_go(struct script_play *y, enum play_state to)
{
    assert(play_next[y->state] & (1u << to));
    LOG(LOG_TRACE, "script", "state", LOG_Z("from", play_names[y->state]),
        LOG_Z("to", play_names[to]));
    y->state = to;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void play_end(struct script_play *y, enum turn_stop stop, struct str why)
{
    struct agent_prompt *p = y->prompt;

    play_go(y, PLAY_OVER);
    timer_clear(p->op.loop, &y->timer);
    p->stop = stop;
    if (why.n)
        fail(&p->why, ERR_INVALID, STR_FMT, STR_ARG(utf8_head(why, 200)));
    if (!p->op.settled)
        op_ok(&p->op);
}

static void play_cancel(struct agent_prompt *p)
{
    struct script_play *y = p->work;

    if (y->state == PLAY_NEXT || y->state == PLAY_WAITING)
        play_end(y, TURN_CANCELED, STR_NONE);
}

static void play_release(struct agent_prompt *p)
{
    struct script_play *y = p->work;

    timer_clear(p->op.loop, &y->timer);
    p->conversation->data = NULL;
    if (y->asked)
        turn_question_fini(&y->question);
    arena_fini(&y->mem);
    mem_free(y);
}

/* ---- questions ------------------------------------------------------------------------------- */

static void play_step(struct timer *t);

static void play_on(struct script_play *y)
{
    play_go(y, PLAY_NEXT);
    timer_set(y->prompt->op.loop, &y->timer, 0, play_step);
}

/* Keep the answer for the texts of the script. Returns whether it is a yes. */
static bool keep_answer(struct script_play *y)
{
    const struct turn_question *q = &y->question;
    struct json content = json_get(q->answer, STR("content"));
    bool accepted = json_is(json_get(q->answer, STR("action")), STR("accept"));

    if (q->kind == ASK_PERMISSION) {
        y->answer = arena_maybe(&y->mem, q->option);
        return q->allows;
    }
    if (accepted && json_here(content))
        y->answer = arena_str(&y->mem, json_raw(content));
    return accepted;
}

/* The client's protocol stores its message with the answer (task_answer). */
static bool asks_again(struct script_play *y, const struct script_event *ev)
{
    struct json message = json_get(json_get(y->question.answer, STR("client")), STR("message"));
    struct str id = json_str(&y->mem, json_get(message, STR("messageId")));

    return ev->until.n && !str_starts(id, ev->until);
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct script_play *y = ctx;
    const struct script_event *ev = &y->rule->event[y->next - 1];
    struct event said = { .kind = EVENT_TEXT, .text = ev->refused };

    (void)op;
    if (y->prompt->op.settled)
        return;
    if (y->prompt->op.canceled) {
        play_end(y, TURN_CANCELED, STR_NONE);
        return;
    }
    if (!e && asks_again(y, ev))
        y->next--;
    if ((!e && keep_answer(y)) || !ev->refused.p) {
        play_on(y);
        return;
    }
    turn_event(y->prompt->turn, &said);
    play_end(y, TURN_END, STR_NONE);
}

static void play_ask(struct script_play *y, const struct script_event *ev)
{
    if (y->asked)
        turn_question_fini(&y->question);
    y->asked = true;
    y->question = (struct turn_question){
        .id = ev->event.tool.id,
        .kind = ev->type == SCRIPT_FORM ? ASK_FORM : ASK_PERMISSION,
        .params = ev->params,
        .about = &ev->event.tool,
    };
    play_go(y, PLAY_ASKING);
    turn_ask(&y->question, y->prompt->turn, "script", on_answer, y);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Piece i of n, on whole characters. */
static struct str piece_of(struct str text, size_t i, size_t n)
{
    struct str from = utf8_head(text, text.n * i / n), to = utf8_head(text, text.n * (i + 1) / n);

    return str_skip(i + 1 == n ? text : to, from.n);
}

/* Replace {answer} with the answer to the last question. */
static struct str with_answer(struct script_play *y, struct str text)
{
    static const char mark[] = "{answer}";
    ptrdiff_t at = str_find(text, str_of(mark));

    if (at < 0)
        return text;
    return arena_printf(&y->mem, STR_FMT STR_FMT STR_FMT, STR_ARG(str_head(text, (size_t)at)),
                        STR_ARG(y->answer.p ? y->answer : STR("none")),
                        STR_ARG(str_skip(text, (size_t)at + sizeof(mark) - 1)));
}

static void play_words(struct script_play *y, const struct script_event *ev)
{
    struct event told = ev->event;

    told.text = piece_of(with_answer(y, told.text), y->piece++, (size_t)ev->pieces);
    if (y->piece < (size_t)ev->pieces)
        y->next--; /* repeat the event */
    else
        y->piece = 0;
    turn_event(y->prompt->turn, &told);
    play_on(y);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void play_event(struct script_play *y, const struct script_event *ev)
{
    switch (ev->type) {
    case SCRIPT_TEXT:
    case SCRIPT_THOUGHT: play_words(y, ev); return;
    case SCRIPT_TOOL:
    case SCRIPT_PLAN:
    case SCRIPT_ARTIFACT:
    case SCRIPT_USAGE:
    case SCRIPT_NOTICE: turn_event(y->prompt->turn, &ev->event); break;
    case SCRIPT_PERMISSION:
    case SCRIPT_FORM: play_ask(y, ev); return;
    case SCRIPT_DELAY: break;
    case SCRIPT_WAIT: play_go(y, PLAY_WAITING); return;
    case SCRIPT_END: play_end(y, ev->stop, ev->failure); return;
    case SCRIPT_TYPES: break;
    }
    play_on(y);
}

static void play_step(struct timer *t)
{
    struct script_play *y = CONTAINER_OF(t, struct script_play, timer);
    const struct script_event *ev = y->rule->event + y->next;

    if (y->prompt->op.settled)
        return;
    if (y->next >= y->rule->events) {
        play_end(y, TURN_END, STR_NONE);
        return;
    }
    if (ev->delay_ms && !y->delayed) {
        y->delayed = true;
        timer_set(y->prompt->op.loop, &y->timer, ev->delay_ms, play_step);
        return;
    }
    y->delayed = false;
    y->next++;
    play_event(y, ev);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static struct script_play *play_new(struct agent_prompt *p)
{
    struct script_play *y = MEM_NEW(struct script_play);

    y->prompt = p;
    y->script = turn_agent(p->turn)->own;
    p->work = y;
    p->cancel = play_cancel;
    p->release = play_release;
    p->conversation->data = y;
    return y;
}

static void play_rule(struct script_play *y, struct str id, struct str text)
{
    y->rule = script_find(y->script, id, str_trim(text));
    if (y->prompt->op.canceled)
        play_end(y, TURN_CANCELED, STR_NONE);
    else if (y->rule)
        play_on(y);
    else
        play_end(y, TURN_FAILED, STR("no rule of the script matches the prompt"));
}

static struct str text_of(const struct block *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (b[i].kind == BLOCK_TEXT && !b[i].uri.p)
            return b[i].text;
    return STR("");
}

static void script_prompt(struct agent_prompt *p)
{
    play_rule(play_new(p), p->message.n ? p->message : p->id, text_of(p->block, p->blocks));
}

/* ---- resuming -------------------------------------------------------------------------------- */

static struct str script_save(const struct conversation *c, struct arena *mem)
{
    const struct script_play *y = c->data;
    size_t event;

    if (!y || !y->rule)
        return STR("{}");
    event = y->state == PLAY_ASKING ? y->next - 1 : y->next; /* a question is asked again */
    return arena_printf(mem, "{\"turn\":\"%s\",\"rule\":%zu,\"event\":%zu}", y->prompt->turn->id,
                        (size_t)(y->rule - y->script->rule), event);
}

/* The stored position of the turn. False: unknown, or the script has changed. */
static bool read_position(struct script_play *y)
{
    const struct json_opts opts = { .max_depth = 4, .max_values = 16 };
    struct str saved = history_state(y->prompt->turn->session->history);
    int64_t rule, event;
    struct json v;
    struct err e;

    if (!saved.n || !json_read(&y->mem, saved, &opts, &v, &e) ||
        !json_is(json_get(v, STR("turn")), str_of(y->prompt->turn->id)) ||
        !json_int(json_get(v, STR("rule")), &rule) ||
        !json_int(json_get(v, STR("event")), &event) || (size_t)rule >= y->script->rules)
        return false;
    y->rule = &y->script->rule[rule];
    y->next = (size_t)event;
    return true;
}

/* The last prompt; of a task: without the preface. */
static struct str last_prompt(struct history *h)
{
    size_t n;
    const struct message *m = history_messages(h, &n);

    while (n && m[n - 1].role != ROLE_USER)
        n--;
    return n && m[n - 1].blocks ? m[n - 1].block[m[n - 1].blocks - 1].text : STR("");
}

static void script_resume(struct agent_prompt *p)
{
    struct script_play *y = play_new(p);

    if (p->op.canceled)
        play_end(y, TURN_CANCELED, STR_NONE);
    else if (read_position(y))
        play_on(y);
    else
        play_rule(y, STR_NONE, last_prompt(p->turn->session->history));
}

const struct agent_kind script_agent_kind = {
    .name = "script",
    .prompt = script_prompt,
    .resume = script_resume,
    .save = script_save,
};
