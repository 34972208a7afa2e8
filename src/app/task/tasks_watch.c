/*
 * tasks_watch.c - `trefoil tasks watch`: the progress of a task, in any process; or of all tasks, a
 * line for each change.
 *
 * The process that runs a task stores each event before it reports it. So this verb polls the store
 * and shows new events, until the task has ended and all events were shown. Watching all tasks
 * never ends. Questions of a single task are shown to the person at the terminal, if there is one;
 * the first answer from any client is accepted.
 */
#include "app/task/task_asking.h"
#include "app/task/task_exit.h"
#include "app/task/task_find.h"
#include "app/task/task_screen.h"
#include "app/task/task_viewer.h"
#include "app/task/tasks.h"
#include "base/auto.h"
#include "base/container.h"
#include "web/task_json.h"

#include <signal.h>
#include <unistd.h>

struct watching {
    struct app *app;
    struct store_handle *handle;
    struct task_screen screen;
    /* shows what is new; false: the store cannot be read */
    bool (*look)(struct watching *w, struct err *e);
    struct task_remote remote;
    struct task_asking asking;
    struct str id;
    int64_t after;
    struct timer pause;
    bool due;         /* the store must be read again */
    bool interrupted; /* the user has pressed Ctrl-C */
    bool told_idle;   /* the user was told that no process runs the task */
    bool over;        /* the task has ended, and all events are shown */
    int code;
};

static void on_due(struct timer *t)
{
    struct watching *w = CONTAINER_OF(t, struct watching, pause);

    w->due = true;
    loop_stop(w->handle->loop);
}

static void on_gone(void *ctx)
{
    loop_stop(((struct watching *)ctx)->handle->loop);
}

/* Handle Ctrl-C. The second Ctrl-C exits without waiting. */
static void on_signal(int signum, void *ctx)
{
    struct watching *w = ctx;

    if (w->interrupted)
        _exit(128 + signum);
    w->interrupted = true;
    loop_stop(w->handle->loop);
}

/* The terminal was closed. That does not reject the open questions. */
static void on_lost(void *ctx)
{
    struct watching *w = ctx;

    task_asking_lose(&w->asking);
    task_screen_note(&w->screen,
                     STR("the terminal was closed; the questions of the task stay open"));
}

static bool is_left(const struct watching *w)
{
    return w->interrupted || w->screen.gone;
}

static void rest(struct watching *w)
{
    w->due = false;
    timer_set(w->handle->loop, &w->pause, w->app->project.config.limits.task_poll_ms, on_due);
    while (!w->due && !is_left(w))
        loop_run(w->handle->loop);
    timer_clear(w->handle->loop, &w->pause);
}

static void show_events(struct watching *w, const struct store_event_page *page)
{
    for (size_t i = 0; i < page->n; i++) {
        const struct store_event *ev = &page->v[i];

        task_screen_event(&w->screen, ev->seq, ev->at, ev->kind, ev->body);
        w->after = ev->seq;
    }
}

static void note_idle(struct watching *w, const struct store_task *t)
{
    if (t->in_use || t->final || w->told_idle)
        return;
    w->told_idle = true;
    task_screen_note(&w->screen, STR("the task is not running; it resumes when " TREFOIL_NAME
                                     " serve runs for this root"));
}

static bool look_at_one(struct watching *w, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct task_look l;
    const struct store_task *t = &l.step[0].task;
    struct task_info info;

    if (!task_look(&l, w->handle->port, w->id, w->after, e))
        return false;
    show_events(w, &l.step[1].events);
    note_idle(w, t);
    info = task_info_of(&mem, t);
    if (!l.step[1].events.more)
        task_asking_see(&w->asking, info.held ? info.asks : STR_NONE);
    w->due = l.step[1].events.more;
    w->over = task_state_final(info.state) && !l.step[1].events.more;
    w->code =
        task_exit_code(info.state, task_stop(&mem, &w->app->project.config.limits, info.result));
    store_ask_fini(&l.ask);
    return true;
}

static bool show_live(void *ctx, const struct store_task *t)
{
    struct watching *w = ctx;
    AUTO_ARENA mem = { 0 };
    enum task_state state = TASK_FAILED;

    task_state_named(t->state, &state);
    task_screen_feed(&w->screen, &(struct store_feed_event){
                                     .task = t->id,
                                     .agent = t->agent,
                                     .context = t->context,
                                     .event = { .seq = t->last_seq,
                                                .at = t->updated,
                                                .kind = STR("status"),
                                                .body = task_status_body(&mem, state, t->text) },
                                 });
    return true;
}

/*
 * Show new events of all tasks. If no number was given, first show the current state of all live
 * tasks.
 */
static bool look_at_all(struct watching *w, struct err *e)
{
    struct store_step step = {
        .what = STORE_TASK_FEED,
        .feed = { .after = w->after < 0 ? INT64_MAX : w->after },
    };
    struct store_ask ask = { .step = &step, .steps = 1 };
    bool ok = store_wait(w->handle->port, &ask, e);

    for (size_t i = 0; ok && i < step.feed.n; i++)
        task_screen_feed(&w->screen, &step.feed.v[i]);
    if (ok && w->after < 0)
        ok = task_each(w->handle->port, &(struct store_task_page){ .only_live = true }, show_live,
                       w, e);
    if (ok && step.feed.more)
        w->after = step.feed.v[step.feed.n - 1].n;
    else if (ok && w->after < step.feed.last)
        w->after = step.feed.last;
    w->due = ok && step.feed.more;
    store_ask_fini(&ask);
    return ok;
}

static int tasks_watch_follow(struct watching *w)
{
    struct err e;

    while (!w->over && !is_left(w)) {
        if (!w->look(w, &e)) {
            task_screen_note(&w->screen, str_of(e.text));
            return EXIT_FAILED;
        }
        if (!w->over && !w->due)
            rest(w);
    }
    return w->over ? w->code : w->interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
}

static int watch(struct app *app, struct store_handle *handle, struct watching *w, bool thoughts)
{
    struct err e;
    int code;

    w->app = app;
    w->handle = handle;
    if (!loop_on_signal(handle->loop, SIGINT, on_signal, w, &e) ||
        !loop_on_signal(handle->loop, SIGTERM, on_signal, w, &e) ||
        !task_screen_open(&w->screen, app, handle->loop, thoughts, on_gone, w, &e))
        return print_error(&e);
    task_remote_open(&w->remote, app, handle);
    if (w->id.p && task_asking_can(&w->screen)) {
        task_asking_open(&w->asking, &w->screen, w->remote.engine, w->id);
        w->screen.console.on_lost = on_lost;
        w->screen.console.lost_ctx = w;
    }
    code = tasks_watch_follow(w);
    task_asking_close(&w->asking);
    task_remote_close(&w->remote);
    return task_screen_close(&w->screen, w->interrupted) ? code : EXIT_FAILED;
}

int tasks_watch(struct app *app, struct store_handle *handle, struct str id, int64_t after,
                bool thoughts)
{
    struct watching *w = ARENA_NEW(&app->project.mem, struct watching);

    *w = (struct watching){ .look = look_at_one, .id = id, .after = after };
    return watch(app, handle, w, thoughts);
}

int tasks_watch_all(struct app *app, struct store_handle *handle, int64_t after)
{
    struct watching *w = ARENA_NEW(&app->project.mem, struct watching);

    *w = (struct watching){ .look = look_at_all, .after = after };
    return watch(app, handle, w, false);
}
