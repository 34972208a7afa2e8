/*
 * chat_events.c - the client of the agent: shows its events to the user, and asks its questions.
 *
 * While a question is open, the renderer is paused, and the line editor reads the answer instead of
 * the next line.
 */
#include "app/chat/chat.h"

#include "base/container.h"

/* ---- events -------------------------------------------------------------------------------- */

static struct chat *of_client(struct work_client *client)
{
    return CONTAINER_OF(client, struct chat, client);
}

static void on_event(struct work_client *client, const struct event *ev)
{
    struct chat *c = of_client(client);

    if (ev->kind == EVENT_USAGE)
        c->usage = ev->usage;
    if (ev->kind == EVENT_PLAN) {
        buf_clear(&c->plan);
        buf_put(&c->plan, ev->plan);
    }
    if (c->turn.session) /* otherwise the event is from the history of a session */
        render_event(&c->render, ev);
}

static void on_event_below(struct work_client *client, struct str session, const struct event *ev)
{
    (void)session;
    render_below(&of_client(client)->render, ev);
}

static bool can_ask(const struct work_client *client, enum ask_kind kind)
{
    return CONTAINER_OF(client, const struct chat, client)->edit.terminal && asking_can(kind);
}

static void chat_client_ask(struct work_client *client, struct ask *a)
{
    asking_put(&of_client(client)->asking, a);
}

const struct work_client_kind chat_client_kind = {
    .event = on_event, .can = can_ask, .ask = chat_client_ask, .below = on_event_below
};

/* ---- questions ----------------------------------------------------------------------------- */

static struct chat *of_asking(struct asking *a)
{
    return CONTAINER_OF(a, struct chat, asking);
}

static void chat_client_hold(struct chat *c, bool on)
{
    if (on && !c->held)
        render_hold(&c->render);
    if (!on && c->held)
        render_release(&c->render);
    c->held = on;
}

static void got_answer(struct chat *c, struct str line)
{
    c->wanted = false;
    asking_line(&c->asking, line);
    chat_client_hold(c, c->wanted);
}

static void on_answer(void *ctx, struct str text)
{
    got_answer(ctx, text.p ? text : STR(""));
}

static void on_no_answer(void *ctx)
{
    got_answer(ctx, STR_NONE);
}

/* Ctrl-C at a question cancels the turn, which also withdraws the question. */
static void on_answer_interrupt(void *ctx)
{
    struct chat *c = ctx;

    c->interrupts++;
    op_cancel(c->busy);
}

static const struct line_answer question_answer = { on_answer, on_no_answer, on_answer_interrupt };

static void show_question(struct asking *a, struct str lines)
{
    struct chat *c = of_asking(a);

    chat_client_hold(c, true);
    c->console.sink.put(&c->console.sink, RENDER_ASIDE, lines);
}

static void want_answer(struct asking *a, struct str prompt)
{
    struct chat *c = of_asking(a);

    chat_client_hold(c, true);
    c->wanted = true;
    line_edit_ask(&c->edit, prompt, true, &question_answer, c);
}

static void unwant_answer(struct asking *a)
{
    struct chat *c = of_asking(a);

    line_edit_cancel(&c->edit);
    c->wanted = false;
    chat_client_hold(c, false);
}

const struct asking_kind chat_asking_kind = { show_question, want_answer, unwant_answer };
