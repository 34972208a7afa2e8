#include "app/run.h"

#include "base/auto.h"
#include "base/container.h"

#include <stdio.h>

static struct run_screen *of_client(const struct work_client *c)
{
    return (struct run_screen *)(uintptr_t)CONTAINER_OF(c, const struct run_screen, client);
}

/* ---- output and questions -------------------------------------------------------------------- */

/* Report that the turn ended because the time of --timeout has passed. */
static void tell_late_end(struct run_screen *s)
{
    char text[80];
    struct event ev = { .kind = EVENT_END, .end = { .stop = TURN_TIME } };

    snprintf(text, sizeof(text), "--timeout of %s seconds has passed", s->args->timeout);
    ev.end.text = str_of(text);
    render_event(&s->render, &ev);
}

/*
 * Update `denied`, which affects the exit code. It is reset when a call that began after the denied
 * call has succeeded. The success of a call that was already running does not reset it: that call
 * may be an agent whose own call was denied.
 */
static void note_call(struct run_screen *s, const struct event_tool *tool)
{
    if (tool->status == CALLED_RUNNING && !tool->text.n && !tool->done.n)
        s->went_on = true;
    else if (tool->status == CALLED_DONE && s->went_on)
        s->denied = false;
}

static void on_event(struct work_client *c, const struct event *ev)
{
    struct run_screen *s = of_client(c);

    if (ev->kind == EVENT_TOOL)
        note_call(s, &ev->tool);
    s->ended = ev->kind == EVENT_END;
    if (ev->kind == EVENT_END && ev->end.stop == TURN_CANCELED && s->late)
        tell_late_end(s);
    else
        render_event(&s->render, ev);
}

/*
 * Can this kind of question be asked? A permission question always can: without a terminal it is
 * rejected, and s->denied is set.
 */
static bool on_can(const struct work_client *c, enum ask_kind kind)
{
    return kind == ASK_PERMISSION || (asking_can(kind) && console_can_ask(&of_client(c)->console));
}

static void on_ask(struct work_client *c, struct ask *ask)
{
    struct run_screen *s = of_client(c);

    if (ask->kind == ASK_PERMISSION && s->args->yes) {
        asking_allow(ask);
    } else if (console_can_ask(&s->console)) {
        asking_put(&s->console.asking, ask);
    } else {
        s->denied = true;
        s->went_on = false;
        ask_refuse(ask,
                   &(struct err){
                       ERR_DENIED,
                       "no terminal is available to ask for approval (--yes allows the call)" });
    }
}

static void on_below(struct work_client *c, struct str session, const struct event *ev)
{
    (void)session;
    render_below(&of_client(c)->render, ev);
}

static const struct work_client_kind client_kind = { on_event, on_can, on_ask, on_below };

/* ---- beginning and end ----------------------------------------------------------------------- */

/* With --json, print the first line, which names the session, agent and model. */
void run_screen_begins(struct run_screen *s, struct str session, struct str agent, struct str model)
{
    AUTO_BUF out = { 0 };
    struct jw w = jw_to(&out);

    s->kept = session.p != NULL;
    if (!s->app->opt.json)
        return;
    buf_init(&out, 1 << 16);
    jw_object(&w);
    jw_kstr(&w, "type", STR("begin"));
    jw_kstr(&w, "session", session);
    jw_kstr(&w, "agent", agent);
    jw_kstr(&w, "model", model);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    s->console.sink.put(&s->console.sink, RENDER_ANSWER, buf_str(&out));
}

static int over_code(const struct run_screen *s)
{
    return s->interrupted ? EXIT_INTERRUPTED : s->late ? EXIT_LIMIT : EXIT_FAILED;
}

int run_screen_early(struct run_screen *s)
{
    if (s->late)
        tell_late_end(s);
    return over_code(s);
}

int run_screen_done(struct run_screen *s, int code, bool canceled)
{
    if (s->interrupted && s->kept)
        render_note(&s->render,
                    STR("the session is stored; to resume it: " TREFOIL_NAME " run -c"));
    if (canceled && !s->ended) /* cancelled before the turn began */
        return run_screen_early(s);
    if (canceled)
        return over_code(s);
    return code == EXIT_OK && s->denied ? EXIT_DENIED : code;
}

/* ---- early end ------------------------------------------------------------------------------- */

static void on_gone(void *ctx)
{
    struct run_screen *s = ctx;

    s->gone = true;
    s->stop(s);
}

static void on_late(struct timer *t)
{
    struct run_screen *s = CONTAINER_OF(t, struct run_screen, deadline);

    s->late = true;
    s->stop(s);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void open_render(struct run_screen *s)
{
    struct render_opts opts = { .loop = s->loop,
                                .limits = &s->app->project.config.limits,
                                .sink = &s->console.sink,
                                .root = s->app->project.root.path,
                                .json = s->app->opt.json,
                                .thoughts = s->args->thoughts };

    console_set(&s->console, &opts);
    render_init(&s->render, &opts);
    s->console.render = &s->render;
    s->client.kind = &client_kind;
}

bool run_screen_open(struct run_screen *s, int64_t timeout_ms, struct err *e)
{
    if (!console_open(&s->console, s->loop, &s->app->project.config.limits, on_gone, s, e))
        return false;
    open_render(s);
    if (timeout_ms)
        timer_set(s->loop, &s->deadline, timeout_ms, on_late);
    render_wait(&s->render);
    return true;
}

static void on_closed(void *ctx)
{
    struct run_screen *s = ctx;

    s->closed = true;
    loop_stop(s->loop);
}

void run_screen_interrupt(struct run_screen *s)
{
    s->interrupted = true;
    if (s->leaving)
        console_close(&s->console, true, on_closed, s);
    else
        s->stop(s);
}

int run_screen_close(struct run_screen *s, int code)
{
    timer_clear(s->loop, &s->deadline);
    s->leaving = true;
    s->console.render = NULL;
    render_fini(&s->render);
    console_close(&s->console, s->gone, on_closed, s);
    while (!s->closed)
        loop_run(s->loop);
    if (s->console.gone) /* stdout has no reader any more */
        code = s->console.why.code == ERR_LIMIT ? print_error(&s->console.why) : EXIT_FAILED;
    return code;
}
