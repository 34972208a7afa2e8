/*
 * render.c - events to lines.
 *
 * Invariants: a side is `open` while its last byte was not a line feed. The spinner is on the
 * screen only while aside is not open, and everything that writes erases it first (begin_write).
 */
#include "app/render.h"

#include "app/show.h"
#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    LINE_KEPT = 1 << 16,
    SPIN_AFTER_MS = 300,
    SPIN_EVERY_MS = 100,
    WHY_MOST = 200,
    COLUMNS = 80,
    PLAN_VALUES = 10000,
};

/* A call that has not ended. */
struct render_run {
    struct render_run *next;
    struct buf id, label;
    int64_t begun;
};

enum paint { PLAIN, DIM, RED, GREEN, YELLOW, BOLD };

static const char *const paints[] = { "\x1b[0m",  "\x1b[2m",  "\x1b[31m",
                                      "\x1b[32m", "\x1b[33m", "\x1b[1m" };

bool render_colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return !(no && *no) && term && *term && !str_eq(str_of(term), STR("dumb"));
}

/* No line is longer than what may wait for a reader. */
static size_t line_most(const struct render *r)
{
    return (size_t)r->opt.limits->output_backlog_bytes;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void put_raw(struct render *r, enum render_side side, struct str bytes)
{
    if (bytes.n)
        r->opt.sink->put(r->opt.sink, side, bytes);
}

static void erase_spinner(struct render *r)
{
    if (r->spinning)
        put_raw(r, RENDER_ASIDE, STR("\r\x1b[K"));
    r->spinning = false;
}

static void on_tick(struct timer *t);

/* From now on nothing is printed, until something is. */
static void begin_waiting(struct render *r)
{
    if (!r->opt.spin || !r->working || r->asking)
        return;
    r->since = loop_now(r->opt.loop);
    timer_set(r->opt.loop, &r->tick, SPIN_AFTER_MS, on_tick);
}

static void put(struct render *r, enum render_side side, struct str bytes)
{
    if (!bytes.n)
        return;
    erase_spinner(r);
    put_raw(r, side, bytes);
    r->open[side] = bytes.p[bytes.n - 1] != '\n';
    if (r->opt.together)
        r->open[!side] = r->open[side];
    begin_waiting(r);
}

/* The side is at the beginning of a line. */
static void end_line(struct render *r, enum render_side side)
{
    if (r->open[side])
        put(r, side, STR("\n"));
}

static void paint(struct render *r, enum paint p)
{
    if (r->opt.colour)
        buf_put(&r->line, str_of(paints[p]));
}

/* Begin a line of our own; flush_line writes it aside. */
static struct buf *new_line(struct render *r)
{
    buf_clear(&r->line);
    return &r->line;
}

static void flush_line(struct render *r)
{
    bool cut = r->line.full;

    if (r->opt.together)
        end_line(r, RENDER_ANSWER);
    end_line(r, RENDER_ASIDE);
    paint(r, PLAIN);
    put(r, RENDER_ASIDE, buf_str(&r->line));
    put(r, RENDER_ASIDE, cut ? STR(" (cut)\n") : STR("\n"));
    buf_trim(&r->line, LINE_KEPT);
}

/* A mark in front, then a sentence. */
static void put_line(struct render *r, enum paint p, const char *mark, struct str text)
{
    new_line(r);
    paint(r, p);
    buf_put(&r->line, str_of(mark));
    show_lines(&r->line, str_trim(text));
    flush_line(r);
}

/* ---- what runs ----------------------------------------------------------------------------- */

static struct render_run **find_run(struct render *r, struct str id)
{
    struct render_run **at = &r->runs;

    while (*at && !str_eq(buf_str(&(*at)->id), id))
        at = &(*at)->next;
    return at;
}

static void drop_run(struct render_run **at)
{
    struct render_run *gone = *at;

    *at = gone->next;
    buf_fini(&gone->id);
    buf_fini(&gone->label);
    mem_free(gone);
}

static void drop_runs(struct render *r)
{
    while (r->runs)
        drop_run(&r->runs);
}

/* Also again, when its arguments are known. */
static void note_run(struct render *r, const struct event_tool *t)
{
    struct render_run **at = find_run(r, t->id);

    if (!*at) {
        *at = MEM_NEW(struct render_run);
        buf_init(&(*at)->id, t->id.n + 1);
        buf_put(&(*at)->id, t->id);
        buf_init(&(*at)->label, 4096);
        (*at)->begun = loop_now(r->opt.loop);
    }
    if (t->status == CALLED_RUNNING && !t->text.p && !t->done.p)
        (*at)->begun = loop_now(r->opt.loop);
    if ((*at)->label.n && !t->args.n && !t->path.n)
        return;
    buf_clear(&(*at)->label);
    render_tool_label(&(*at)->label, t->name, t->path, t->args, r->opt.root);
}

/* ---- the spinner --------------------------------------------------------------------------- */

/* As much of a text as is not wider than that, when all that is not ASCII is two columns wide. */
static struct str fit(struct str s, size_t columns)
{
    size_t wide = 0, n = 0;

    while (n < s.n) {
        bool begins = ((unsigned char)s.p[n] & 0xc0) != 0x80;

        wide += !begins ? 0 : (unsigned char)s.p[n] < 0x80 ? 1 : 2;
        if (begins && wide > columns)
            break;
        n++;
    }
    return str_head(s, n);
}

static void draw_spinner(struct render *r)
{
    static const char frames[] = "-\\|/";
    size_t columns = (size_t)(r->opt.columns > 8 ? r->opt.columns : COLUMNS);
    char left[48];
    AUTO_BUF out;
    int n = snprintf(left, sizeof(left), "%c %lld s", frames[r->frame++ % 4],
                     (long long)(loop_now(r->opt.loop) - r->since) / 1000);

    buf_init(&out, 8192);
    buf_put(&out, STR("\r\x1b[K"));
    if (r->opt.colour)
        buf_put(&out, str_of(paints[DIM]));
    buf_put(&out, (struct str){ left, (size_t)n });
    if (r->runs && columns > (size_t)n + 4) {
        buf_put(&out, STR("  "));
        buf_put(&out, fit(buf_str(&r->runs->label), columns - (size_t)n - 4));
    }
    if (r->opt.colour)
        buf_put(&out, str_of(paints[PLAIN]));
    put_raw(r, RENDER_ASIDE, buf_str(&out));
    r->spinning = true;
}

static void on_tick(struct timer *t)
{
    struct render *r = CONTAINER_OF(t, struct render, tick);

    if (!r->open[RENDER_ASIDE])
        draw_spinner(r);
    timer_set(r->opt.loop, &r->tick, SPIN_EVERY_MS, on_tick);
}

static void stop_waiting(struct render *r)
{
    timer_clear(r->opt.loop, &r->tick);
    erase_spinner(r);
}

/* ---- text ---------------------------------------------------------------------------------- */

/* A part of another message begins on a line of its own. */
static void separate(struct render *r, const struct event *ev, bool thinking)
{
    struct str id = str_head(ev->message, sizeof(r->message) - 1);

    if (r->thinking && !thinking && r->opt.together)
        end_line(r, RENDER_ASIDE);
    if (!str_eq(str_of(r->message), id)) {
        end_line(r, RENDER_ANSWER);
        str_to_c(id, r->message, sizeof(r->message));
    }
    r->thinking = thinking;
}

static void on_text(struct render *r, const struct event *ev)
{
    separate(r, ev, false);
    if (!r->opt.answer_shown) {
        put(r, RENDER_ANSWER, ev->text);
        return;
    }
    new_line(r);
    show_lines(&r->line, ev->text);
    put(r, RENDER_ANSWER, buf_str(&r->line));
    buf_trim(&r->line, LINE_KEPT);
}

/* Each piece is painted by itself: whatever comes between them has its own colour. */
static void on_thought(struct render *r, const struct event *ev)
{
    if (!r->opt.thoughts)
        return;
    if (r->opt.together && !r->thinking)
        end_line(r, RENDER_ANSWER);
    r->thinking = true;
    new_line(r);
    show_lines(&r->line, ev->text);
    erase_spinner(r);
    if (r->opt.colour)
        put_raw(r, RENDER_ASIDE, str_of(paints[DIM]));
    put(r, RENDER_ASIDE, buf_str(&r->line));
    if (r->opt.colour)
        put_raw(r, RENDER_ASIDE, str_of(paints[PLAIN]));
    buf_trim(&r->line, LINE_KEPT);
}

/* What was asked, each line behind a mark. */
static void on_prompt(struct render *r, const struct event *ev)
{
    struct str rest = ev->block->kind == BLOCK_TEXT ? str_trim(ev->block->text) : STR_NONE;

    end_line(r, RENDER_ANSWER);
    if (ev->block->kind == BLOCK_MEDIA)
        rest = ev->block->type.n ? ev->block->type : STR("media");
    while (rest.p)
        put_line(r, BOLD, "> ", str_cut(&rest, '\n'));
}

/* ---- tools --------------------------------------------------------------------------------- */

static void put_outcome(struct render *r, const struct event_tool *t, const struct render_run *run)
{
    struct str text = str_trim(t->text);
    struct str first = str_head(str_cut(&text, '\n'), WHY_MOST);

    if (t->status == CALLED_DONE) {
        buf_put(&r->line, STR(" ... done"));
    } else if (t->status == CALLED_CANCELED) {
        buf_put(&r->line, STR(" ... canceled"));
    } else {
        buf_put(&r->line, first.n ? STR(" ... failed: ") : STR(" ... failed"));
        show_text(&r->line, first);
    }
    if (run)
        buf_printf(&r->line, " %lld ms", (long long)(loop_now(r->opt.loop) - run->begun));
}

static void on_ended(struct render *r, const struct event_tool *t)
{
    struct render_run **at = find_run(r, t->id);
    bool failed = t->status != CALLED_DONE;

    new_line(r);
    paint(r, failed ? RED : GREEN);
    buf_put(&r->line, r->below ? STR("  * ") : STR("* "));
    paint(r, PLAIN);
    if (*at)
        buf_put(&r->line, buf_str(&(*at)->label));
    else
        render_tool_label(&r->line, t->name, t->path, t->args, r->opt.root);
    paint(r, failed ? RED : DIM);
    put_outcome(r, t, failed || !r->working ? NULL : *at); /* history knows no times */
    flush_line(r);
    if (*at)
        drop_run(at);
}

static void on_tool(struct render *r, const struct event_tool *t)
{
    switch (t->status) {
    case CALLED_PENDING:
    case CALLED_RUNNING:
        if (r->opt.together) /* so that the spinner can tell of it */
            end_line(r, RENDER_ANSWER);
        note_run(r, t);
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
    put_line(r, PLAIN, "plan:", STR(""));
    JSON_EACH(step, steps)
    put_line(r, PLAIN, step_mark(json_get(step, STR("status"))),
             json_str(&mem, json_get(step, STR("content"))));
}

static void on_notice(struct render *r, const struct event_notice *n)
{
    switch (n->kind) {
    case NOTICE_RETRY:
    case NOTICE_FALLBACK:
    case NOTICE_COMPACTING:
    case NOTICE_RESUMED: put_line(r, DIM, "- ", n->text); break;
    case NOTICE_COMPACTED: /* the text is the summary, which is for the model */
        put_line(r, DIM, "- ", STR("the conversation so far was summed up"));
        break;
    case NOTICE_COMPACT_FAILED:
    case NOTICE_WARNING: put_line(r, YELLOW, "! ", n->text); break;
    case NOTICE_KINDS: break;
    }
}

/* Told when it is whole. */
static void on_artifact(struct render *r, const struct event_artifact *a)
{
    if (!a->last)
        return;
    new_line(r);
    paint(r, GREEN);
    buf_put(&r->line, STR("+ "));
    paint(r, PLAIN);
    show_text(&r->line, a->name.n ? a->name : a->id);
    if (a->type.n) {
        buf_put(&r->line, STR(" ("));
        show_text(&r->line, a->type);
        buf_put(&r->line, STR(")"));
    }
    flush_line(r);
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
    stop_waiting(r);
    drop_runs(r);
    end_line(r, RENDER_ANSWER);
    end_line(r, RENDER_ASIDE);
    r->message[0] = '\0';
    if (end->stop == TURN_END)
        return;
    buf_init(&text, line_most(r));
    buf_put(&text, str_of(turn_stop_names[end->stop]));
    if (end->text.n)
        buf_put(&text, STR(": "));
    buf_put(&text, end->text);
    put_line(r, RED, "= ", buf_str(&text));
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_json(struct render *r, const struct event *ev)
{
    struct jw w = jw_to(new_line(r));
    struct event cut = { .kind = EVENT_NOTICE,
                         .notice = { NOTICE_WARNING,
                                     STR("an event that is too large was left out") } };

    event_write(&w, ev);
    if (r->line.full) {
        w = jw_to(new_line(r));
        event_write(&w, &cut);
    }
    buf_putc(&r->line, '\n');
    put(r, RENDER_ANSWER, buf_str(&r->line));
    buf_trim(&r->line, LINE_KEPT);
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
    ask_refuse(ask, &(struct err){ ERR_DENIED, "nobody is there to answer" });
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
    buf_init(&r->line, line_most(r)); /* what is longer is cut, and said so */
}

void render_fini(struct render *r)
{
    timer_clear(r->opt.loop, &r->tick);
    drop_runs(r);
    buf_fini(&r->line);
}

void render_wait(struct render *r)
{
    r->working = !r->opt.json;
    begin_waiting(r);
}

void render_hold(struct render *r)
{
    r->asking++;
    stop_waiting(r);
    if (r->opt.together)
        end_line(r, RENDER_ANSWER);
    end_line(r, RENDER_ASIDE);
}

void render_release(struct render *r)
{
    if (r->asking && !--r->asking)
        begin_waiting(r);
}

void render_note(struct render *r, struct str text)
{
    put_line(r, YELLOW, "! ", text);
}
