/* render.c - turn events into lines; render_write.c writes them. */
#include "term/render_parts.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/display.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    WHY_MOST = 200,
    PLAN_VALUES = 10000,
};

bool render_colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return !(no && *no) && term && *term && !str_eq(str_of(term), STR("dumb"));
}

/* ---- text ---------------------------------------------------------------------------------- */

/* A part of another message begins on a line of its own. */
static void separate(struct render *r, const struct event *ev, bool thinking)
{
    struct str id = str_head(ev->message, sizeof(r->message) - 1);

    if (r->thinking && !thinking && r->opt.together)
        render_end_line(r, RENDER_ASIDE);
    if (!str_eq(str_of(r->message), id)) {
        render_end_line(r, RENDER_ANSWER);
        str_to_c(id, r->message, sizeof(r->message));
    }
    r->thinking = thinking;
}

static void on_text(struct render *r, const struct event *ev)
{
    separate(r, ev, false);
    if (!r->opt.answer_shown) {
        render_put(r, RENDER_ANSWER, ev->text);
        return;
    }
    render_line_new(r);
    show_lines(&r->line, ev->text);
    render_put(r, RENDER_ANSWER, buf_str(&r->line));
    buf_trim(&r->line, RENDER_LINE_KEPT);
}

/* Each piece is painted by itself: whatever comes between them has its own colour. */
static void on_thought(struct render *r, const struct event *ev)
{
    if (!r->opt.thoughts)
        return;
    if (r->opt.together && !r->thinking)
        render_end_line(r, RENDER_ANSWER);
    r->thinking = true;
    render_line_new(r);
    show_lines(&r->line, ev->text);
    render_put_painted(r, DIM, buf_str(&r->line));
    buf_trim(&r->line, RENDER_LINE_KEPT);
}

/* What was asked, each line behind a mark. */
static void on_prompt(struct render *r, const struct event *ev)
{
    struct str rest = ev->block->kind == BLOCK_TEXT ? str_trim(ev->block->text) : STR_NONE;

    render_end_line(r, RENDER_ANSWER);
    if (ev->block->kind == BLOCK_MEDIA)
        rest = ev->block->type.n ? ev->block->type : STR("media");
    while (rest.p)
        render_put_line(r, BOLD, "> ", str_cut(&rest, '\n'));
}

/* ---- tools --------------------------------------------------------------------------------- */

static void put_outcome(struct render *r, const struct event_tool *t, const struct render_run *run)
{
    struct str text = str_trim(t->text);
    struct str line = str_cut(&text, '\n'), first = utf8_head(line, WHY_MOST);

    if (t->status == CALLED_DONE) {
        buf_put(&r->line, STR(" ... done"));
    } else if (t->status == CALLED_CANCELED) {
        buf_put(&r->line, STR(" ... cancelled"));
    } else {
        buf_put(&r->line, first.n ? STR(" ... failed: ") : STR(" ... failed"));
        show_text(&r->line, first);
        buf_put(&r->line, first.n < line.n ? STR("...") : STR(""));
    }
    if (run)
        buf_printf(&r->line, " %lld ms", (long long)(loop_now(r->opt.loop) - run->begun));
}

static void on_ended(struct render *r, const struct event_tool *t)
{
    struct render_run **at = render_run_find(r, t->id);
    bool failed = t->status != CALLED_DONE;

    render_line_new(r);
    render_paint(r, failed ? RED : GREEN);
    buf_put(&r->line, r->below ? STR("  * ") : STR("* "));
    render_paint(r, PLAIN);
    if (*at)
        buf_put(&r->line, buf_str(&(*at)->label));
    else
        render_tool_label(&r->line, t->name, t->path, t->args, r->opt.root);
    render_paint(r, failed ? RED : DIM);
    put_outcome(r, t, failed || !r->working ? NULL : *at); /* history knows no times */
    render_line_end(r);
    if (*at)
        render_run_drop(at);
}

static void on_tool(struct render *r, const struct event_tool *t)
{
    switch (t->status) {
    case CALLED_PENDING:
    case CALLED_RUNNING:
        if (r->opt.together) /* so that the spinner can tell of it */
            render_end_line(r, RENDER_ANSWER);
        render_run_note(r, t);
        break;
    case CALLED_DONE:
    case CALLED_FAILED:
    case CALLED_CANCELED: on_ended(r, t); break;
    case CALLED_STATES: break;
    }
}

/* ---- the others ---------------------------------------------------------------------------- */

static const char *step_mark(struct json status)
{
    if (json_is(status, STR("completed")))
        return "  [x] ";
    return json_is(status, STR("in_progress")) ? "  [>] " : "  [ ] ";
}

static void on_plan(struct render *r, struct str plan)
{
    AUTO_ARENA mem = { 0 };
    struct json_opts opts = { .max_depth = 64, .max_values = PLAN_VALUES };
    struct json steps;
    struct err e;

    if (!json_read(&mem, plan, &opts, &steps, &e) || !json_count(steps))
        return;
    render_put_line(r, PLAIN, "plan:", STR(""));
    JSON_EACH(step, steps)
    render_put_line(r, PLAIN, step_mark(json_get(step, STR("status"))),
                    json_str(&mem, json_get(step, STR("content"))));
}

static void on_notice(struct render *r, const struct event_notice *n)
{
    switch (n->kind) {
    case NOTICE_RETRY:
    case NOTICE_FALLBACK:
    case NOTICE_COMPACTING:
    case NOTICE_RESUMED: render_put_line(r, DIM, "- ", n->text); break;
    case NOTICE_COMPACTED: /* the text is the summary, which is for the model */
        render_put_line(r, DIM, "- ", STR("the conversation so far was summarized"));
        break;
    case NOTICE_COMPACT_FAILED:
    case NOTICE_WARNING: render_put_line(r, YELLOW, "! ", n->text); break;
    case NOTICE_KINDS: break;
    }
}

/* Told when it is whole. */
static void on_artifact(struct render *r, const struct event_artifact *a)
{
    if (!a->last)
        return;
    render_line_new(r);
    render_paint(r, GREEN);
    buf_put(&r->line, STR("+ "));
    render_paint(r, PLAIN);
    show_text(&r->line, a->name.n ? a->name : a->id);
    if (a->part.n && a->part.v->type.n) {
        buf_put(&r->line, STR(" ("));
        show_text(&r->line, a->part.v->type);
        buf_put(&r->line, STR(")"));
    }
    render_line_end(r);
}

static void on_ask(struct render *r, const struct event_ask *a)
{
    if (a->open)
        render_hold(r);
    else
        render_release(r);
}

static void on_end(struct render *r, const struct event_end *end)
{
    AUTO_BUF text = { 0 };

    r->working = false;
    r->asking = 0;
    render_stop_waiting(r);
    render_runs_drop(r);
    render_end_line(r, RENDER_ANSWER);
    render_end_line(r, RENDER_ASIDE);
    r->message[0] = '\0';
    if (end->stop == TURN_END)
        return;
    buf_init(&text, render_line_most(r));
    buf_put(&text, str_of(turn_stop_names[end->stop]));
    if (end->text.n)
        buf_put(&text, STR(": "));
    buf_put(&text, end->text);
    render_put_line(r, RED, "= ", buf_str(&text));
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_json(struct render *r, const struct event *ev)
{
    struct jw w = jw_to(render_line_new(r));
    struct event cut = { .kind = EVENT_NOTICE,
                         .notice = { NOTICE_WARNING,
                                     STR("an event was too large and is not shown") } };

    event_write(&w, ev);
    if (r->line.full) {
        w = jw_to(render_line_new(r));
        event_write(&w, &cut);
    }
    buf_putc(&r->line, '\n');
    render_put(r, RENDER_ANSWER, buf_str(&r->line));
    buf_trim(&r->line, RENDER_LINE_KEPT);
}

/* ---- public -------------------------------------------------------------------------------- */

void render_event(struct render *r, const struct event *ev)
{
    if (r->opt.json) {
        put_json(r, ev);
        return;
    }
    switch (ev->kind) {
    case EVENT_PROMPT: on_prompt(r, ev); break;
    case EVENT_TEXT: on_text(r, ev); break;
    case EVENT_THOUGHT: on_thought(r, ev); break;
    case EVENT_TOOL: on_tool(r, &ev->tool); break;
    case EVENT_PLAN: on_plan(r, ev->plan); break;
    case EVENT_ASK: on_ask(r, &ev->ask); break;
    case EVENT_ARTIFACT: on_artifact(r, &ev->artifact); break;
    case EVENT_NOTICE: on_notice(r, &ev->notice); break;
    case EVENT_END: on_end(r, &ev->end); break;
    case EVENT_USAGE:
    case EVENT_SESSION:
    case EVENT_KINDS: break;
    }
}

void render_below(struct render *r, const struct event *ev)
{
    if (ev->kind != EVENT_TOOL || r->opt.json)
        return;
    r->below = true;
    on_tool(r, &ev->tool);
    r->below = false;
}

static void client_event(struct work_client *c, const struct event *ev)
{
    render_event(CONTAINER_OF(c, struct render, client), ev);
}

static bool client_can(const struct work_client *c, enum ask_kind kind)
{
    (void)c;
    (void)kind;
    return false;
}

static void client_ask(struct work_client *c, struct ask *ask)
{
    (void)c;
    ask_refuse(ask, &(struct err){ ERR_DENIED, "no one is available to answer" });
}

static void client_below(struct work_client *c, struct str session, const struct event *ev)
{
    (void)session;
    render_below(CONTAINER_OF(c, struct render, client), ev);
}

static const struct work_client_kind render_kind = { client_event, client_can, client_ask,
                                                     client_below };

void render_init(struct render *r, const struct render_opts *opts)
{
    *r = (struct render){ .client = { &render_kind }, .opt = *opts };
    buf_init(&r->line, render_line_most(r)); /* what is longer is cut, and said so */
}

void render_fini(struct render *r)
{
    timer_clear(r->opt.loop, &r->tick);
    render_runs_drop(r);
    buf_fini(&r->line);
}

void render_wait(struct render *r)
{
    r->working = !r->opt.json;
    render_begin_waiting(r);
}

void render_hold(struct render *r)
{
    r->asking++;
    render_stop_waiting(r);
    if (r->opt.together)
        render_end_line(r, RENDER_ANSWER);
    render_end_line(r, RENDER_ASIDE);
}

void render_release(struct render *r)
{
    if (r->asking && !--r->asking)
        render_begin_waiting(r);
}

void render_note(struct render *r, struct str text)
{
    render_put_line(r, YELLOW, "! ", text);
}
