#include "app/task/task_screen.h"

#include "base/auto.h"
#include "base/display.h"
#include "base/utf8.h"
#include "web/task_json.h"

/* maximum number of bytes of one word in a line */
enum { SHOWN = 200 };

/* ---- the console ----------------------------------------------------------------------------- */

static void on_console_gone(void *ctx)
{
    struct task_screen *s = ctx;

    s->gone = true;
    if (s->on_gone)
        s->on_gone(s->ctx);
}

bool task_screen_open(struct task_screen *s, struct app *app, struct loop *loop, bool thoughts,
                      void (*on_gone)(void *ctx), void *ctx, struct err *e)
{
    struct render_opts opts = { .loop = loop,
                                .limits = &app->project.config.limits,
                                .sink = &s->console.sink,
                                .root = app->project.root.path,
                                .thoughts = thoughts };

    *s = (struct task_screen){ .app = app, .loop = loop, .on_gone = on_gone, .ctx = ctx };
    if (!console_open(&s->console, loop, &app->project.config.limits, on_console_gone, s, e))
        return false;
    console_set(&s->console, &opts);
    opts.spin &= !app->opt.json;
    render_init(&s->render, &opts);
    s->console.render = &s->render;
    return true;
}

static void on_closed(void *ctx)
{
    struct task_screen *s = ctx;

    s->closed = true;
    loop_stop(s->loop);
}

bool task_screen_close(struct task_screen *s, bool now)
{
    s->console.render = NULL;
    render_fini(&s->render);
    console_close(&s->console, now || s->gone, on_closed, s);
    while (!s->closed)
        loop_run(s->loop);
    if (s->console.gone && s->console.why.code == ERR_LIMIT)
        print_error(&s->console.why);
    return !s->console.gone;
}

void task_screen_note(struct task_screen *s, struct str text)
{
    render_note(&s->render, text);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void put_line(struct task_screen *s, struct buf *line)
{
    buf_putc(line, '\n');
    if (!line->full)
        s->console.sink.put(&s->console.sink, RENDER_ANSWER, buf_str(line));
    else
        task_screen_note(s, STR("an event was too large and is not shown"));
}

static void put_json(struct task_screen *s, int64_t seq, int64_t at, struct str kind,
                     struct str body)
{
    AUTO_BUF line;
    struct jw w = jw_to(&line);

    buf_init(&line, (size_t)s->app->project.config.limits.output_backlog_bytes);
    task_event_write(&w, seq, at, kind, body);
    put_line(s, &line);
}

void task_screen_begin(struct task_screen *s, struct str id, struct str agent)
{
    AUTO_BUF line;
    struct jw w = jw_to(&line);

    buf_init(&line, 1 << 16);
    if (!s->app->opt.json) {
        buf_printf(&line, "task " STR_FMT " of the agent " STR_FMT, STR_ARG(id), STR_ARG(agent));
        render_event(&s->render, &(struct event){ .kind = EVENT_NOTICE,
                                                  .notice = { NOTICE_RESUMED, buf_str(&line) } });
        return;
    }
    jw_object(&w);
    jw_kstr(&w, "type", STR("begin"));
    jw_kstr(&w, "task", id);
    jw_kstr(&w, "agent", agent);
    jw_object_end(&w);
    put_line(s, &line);
}

/* ---- for people ------------------------------------------------------------------------------ */

/* Report the end of the task like the end of a turn. */
static void put_end(struct task_screen *s, struct str text)
{
    struct event ev = { .kind = EVENT_END, .end = { .stop = TURN_FAILED, .text = text } };

    if (s->state == TASK_COMPLETED)
        ev.end.stop = TURN_END;
    else if (s->state == TASK_CANCELED)
        ev.end.stop = TURN_CANCELED;
    render_event(&s->render, &ev);
}

static void put_status(struct task_screen *s, struct str text)
{
    switch (s->state) {
    case TASK_SUBMITTED:
    case TASK_WORKING: render_wait(&s->render); break;
    case TASK_INPUT_REQUIRED:
    case TASK_AUTH_REQUIRED:
        if (!s->asks)
            task_screen_note(s, text.n ? text : STR("the task waits for an answer"));
        break;
    case TASK_COMPLETED:
    case TASK_FAILED:
    case TASK_CANCELED:
    case TASK_REJECTED: put_end(s, text); break;
    case TASK_STATES: break;
    }
}

/*
 * Show an event. Events about closed questions are omitted, because the event "answered" reports
 * these for all processes.
 */
static void put_event(struct task_screen *s, struct arena *mem, struct json body)
{
    struct event ev;
    struct err e;

    if (event_read(mem, body, &ev, &e) && (ev.kind != EVENT_ASK || ev.ask.open))
        render_event(&s->render, &ev);
}

void task_screen_event(struct task_screen *s, int64_t seq, int64_t at, struct str kind,
                       struct str body)
{
    struct json_opts opts = limits_json(&s->app->project.config.limits);
    AUTO_ARENA mem = { 0 };
    bool is_status = str_eq(kind, STR("status")), json = s->app->opt.json;
    struct json v;
    struct err e;

    if (json)
        put_json(s, seq, at, kind, body);
    if (!json_read(&mem, body, &opts, &v, &e))
        return;
    if (is_status)
        task_state_named(json_str(&mem, json_get(v, STR("state"))), &s->state);
    if (json)
        return;
    if (is_status)
        put_status(s, json_str(&mem, json_get(v, STR("text"))));
    else if (str_eq(kind, STR("answered")))
        render_release(&s->render);
    else
        put_event(s, &mem, v);
}

/* ---- all tasks ------------------------------------------------------------------------------- */

/* Write a summary of an event: the members that exist in events of its kind. */
static void put_about(struct task_screen *s, struct buf *line, struct str json)
{
    static const char *const members[] = { "state", "name", "key", "text" };
    struct json_opts opts = limits_json(&s->app->project.config.limits);
    AUTO_ARENA mem = { 0 };
    struct json v;
    struct err e;

    if (!json_read(&mem, json, &opts, &v, &e))
        return;
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        struct str word = json_str(&mem, json_get(v, str_of(members[i])));

        if (!word.n)
            continue;
        buf_putc(line, ' ');
        show_text(line, utf8_head(word, SHOWN));
    }
}

void task_screen_feed(struct task_screen *s, const struct store_feed_event *ev)
{
    AUTO_BUF line;
    struct jw w = jw_to(&line);

    buf_init(&line, (size_t)s->app->project.config.limits.output_backlog_bytes);
    if (s->app->opt.json) {
        task_feed_write(&w, ev);
    } else {
        show_text(&line, ev->task);
        buf_put(&line, STR("  "));
        show_text(&line, ev->agent);
        buf_put(&line, STR("  "));
        show_text(&line, ev->event.kind);
        put_about(s, &line, ev->event.body);
    }
    put_line(s, &line);
}
