/*
 * run_in_daemon.c - runs a prompt in the daemon of the root (daemon_work.h). The screen is in this
 * process, the job in the daemon.
 */
#include "app/daemon_work.h"
#include "app/run.h"
#include "base/container.h"

#include <signal.h>
#include <unistd.h>

struct attached_run {
    struct run_screen screen;
    struct daemon_work work;
    int code;
};

static struct attached_run *run_of_work(struct daemon_work *w)
{
    return CONTAINER_OF(w, struct attached_run, work);
}

/* ---- messages of the daemon ------------------------------------------------------------------ */

static void show_begin(struct attached_run *r, struct arena *mem, struct json b)
{
    struct json session = json_get(b, STR("session"));

    run_screen_begins(&r->screen, json_here(session) ? json_str(mem, session) : STR_NONE,
                      json_str(mem, json_get(b, STR("agent"))),
                      json_str(mem, json_get(b, STR("model"))));
}

static void show_event(struct attached_run *r, struct arena *mem, const struct work_message *m)
{
    struct work_client *c = &r->screen.client;
    struct event ev;
    struct err e;

    if (!event_read(mem, m->event, &ev, &e))
        render_note(&r->screen.render, str_of(e.text));
    else if (m->below.p)
        c->kind->below(c, m->below, &ev);
    else
        c->kind->event(c, &ev);
}

static void show_end(struct attached_run *r, const struct work_message *m)
{
    if (m->canceled && !run_screen_over(&r->screen))
        render_note(&r->screen.render, STR("the daemon is shutting down and has stopped the turn"));
    r->code = run_screen_done(&r->screen, (int)m->done, m->canceled);
}

static void on_run_message(struct daemon_work *w, struct arena *mem, const struct work_message *m)
{
    struct attached_run *r = run_of_work(w);

    if (json_here(m->event))
        show_event(r, mem, m);
    else if (json_here(m->begins))
        show_begin(r, mem, m->begins);
    else if (m->turns)
        render_wait(&r->screen.render);
    else if (m->note.p)
        render_note(&r->screen.render, m->note);
    else if (m->done >= 0)
        show_end(r, m);
}

static void on_run_ask(struct daemon_work *w, struct ask *ask)
{
    struct work_client *c = &run_of_work(w)->screen.client;

    if (c->kind->can(c, ask->kind))
        c->kind->ask(c, ask);
    else
        ask_refuse(ask, &(struct err){ ERR_DENIED, "no one is available to answer" });
}

static void on_run_broken(struct daemon_work *w, const struct err *e)
{
    struct attached_run *r = run_of_work(w);

    render_note(&r->screen.render, str_of(e->text));
    r->code = EXIT_FAILED;
}

static const struct daemon_work_kind run_work_kind = { on_run_message, on_run_ask, on_run_broken };

/* ---- start and end --------------------------------------------------------------------------- */

static void stop_run(struct run_screen *s)
{
    daemon_work_cancel(&CONTAINER_OF(s, struct attached_run, screen)->work);
}

/*
 * Handle SIGINT or SIGTERM. After the second signal, this process exits at once; the connection
 * closes, so the daemon cancels the turn.
 */
static void on_run_signal(int signum, void *ctx)
{
    struct attached_run *r = ctx;

    if (r->screen.interrupted)
        _exit(128 + signum);
    run_screen_interrupt(&r->screen);
}

static int show_run(struct attached_run *r, int64_t timeout_ms)
{
    struct err e;

    if (!run_screen_open(&r->screen, timeout_ms, &e)) {
        daemon_request_close(&r->work.request);
        r->work.ended = true;
        daemon_work_wait(&r->work);
        return print_error(&e);
    }
    if (!loop_on_signal(r->screen.loop, SIGTERM, on_run_signal, r, &e) ||
        !loop_on_signal(r->screen.loop, SIGINT, on_run_signal, r, &e)) {
        render_note(&r->screen.render, str_of(e.text));
        daemon_work_cancel(&r->work);
    }
    daemon_work_wait(&r->work);
    return run_screen_close(&r->screen, r->code);
}

/* Write the request. False: it is larger than the daemon accepts. */
static bool write_request(struct app *app, const struct run_want *want, struct str *out)
{
    struct buf b;
    struct jw w = jw_to(&b);

    buf_init_in(&b, &app->project.mem, (size_t)app->project.config.limits.message_bytes - 1);
    run_want_write(&w, want, console_could_ask());
    *out = buf_str(&b);
    return !b.full;
}

bool run_attached(struct app *app, const struct run_args *args, const struct run_want *want,
                  int64_t timeout_ms, int *out_code)
{
    struct attached_run *r = ARENA_NEW(&app->project.mem, struct attached_run);
    struct str request;
    bool accepted;

    if (args->no_attach || attach_is_forbidden() || app->opt.log_level ||
        !write_request(app, want, &request))
        return false;
    r->work = (struct daemon_work){ .kind = &run_work_kind,
                                    .app = app,
                                    .loop = loop_new(LOOP_REAL_CLOCK) };
    r->screen =
        (struct run_screen){ .app = app, .loop = r->work.loop, .args = args, .stop = stop_run };
    accepted = daemon_work_start(&r->work, "/api/run", request);
    if (accepted)
        *out_code = show_run(r, timeout_ms);
    loop_free(r->work.loop);
    return accepted;
}
