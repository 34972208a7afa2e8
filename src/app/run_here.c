/*
 * run_here.c - run a prompt in this process.
 *
 * Each step runs the loop until the step is done: connect the servers, open the runtime, run the
 * job. Then everything is closed in the opposite order.
 */
#include "app/run.h"
#include "app/short_service.h"
#include "base/container.h"

struct run_here {
    struct once once;
    struct run_screen screen;
    struct runtime shop;
    struct run_job job;
    bool busy; /* the job is running */
    bool step_done;
    int code;
};

static void on_step(void *ctx)
{
    struct run_here *r = ctx;

    r->step_done = true;
    loop_stop(r->once.loop);
}

static void wait_step(struct run_here *r)
{
    while (!r->step_done)
        loop_run(r->once.loop);
    r->step_done = false;
}

/* ---- the job --------------------------------------------------------------------------------- */

static struct run_here *of_job(struct run_job *j)
{
    return CONTAINER_OF(j, struct run_here, job);
}

static void on_begins(struct run_job *j, struct str session, struct str agent, struct str model)
{
    run_screen_begins(&of_job(j)->screen, session, agent, model);
}

static void on_turns(struct run_job *j)
{
    render_wait(&of_job(j)->screen.render);
}

static void on_note(struct run_job *j, struct str text)
{
    render_note(&of_job(j)->screen.render, text);
}

static void on_done(struct run_job *j, int code, bool canceled)
{
    struct run_here *r = of_job(j);

    r->code = run_screen_done(&r->screen, code, canceled);
    on_step(r);
}

static const struct run_job_kind job_kind = { on_begins, on_turns, on_note, on_done };

static void run_here_stop(struct run_screen *s)
{
    struct run_here *r = CONTAINER_OF(s, struct run_here, screen);

    if (r->busy)
        run_job_cancel(&r->job);
    else
        loop_stop(r->once.loop);
}

static void on_interrupt(struct once *o)
{
    run_screen_interrupt(&CONTAINER_OF(o, struct run_here, once)->screen);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void run_here_work(struct run_here *r, const struct run_want *want)
{
    r->job = (struct run_job){ .kind = &job_kind,
                               .shop = &r->shop,
                               .root = r->screen.app->project.root.path,
                               .client = &r->screen.client,
                               .want = want };
    r->busy = true;
    run_job_start(&r->job);
    wait_step(r);
    r->busy = false;
}

static int in_runtime(struct run_here *r, const struct run_want *want)
{
    struct app *app = r->screen.app;
    struct err e;

    if (!runtime_open(&r->shop, &r->once.service, &app->project.mem, &app->project.config,
                      !want->no_save, &e)) {
        render_note(&r->screen.render, str_of(e.text));
        render_note(&r->screen.render, STR("to run without the store, use --no-save"));
        return EXIT_FAILED;
    }
    runtime_use(&r->shop, &app->project.config);
    run_here_work(r, want);
    runtime_close(&r->shop, on_step, r);
    wait_step(r);
    return r->code;
}

static int on_screen(struct run_here *r, const struct run_want *want, int64_t timeout_ms)
{
    struct err e;

    if (!run_screen_open(&r->screen, timeout_ms, &e))
        return print_error(&e);
    once_use(&r->once, r->once.app->project.config.limits.gather_ms);
    return run_screen_close(&r->screen, run_screen_over(&r->screen) ? run_screen_early(&r->screen)
                                                                    : in_runtime(r, want));
}

int run_here(struct app *app, const struct run_args *args, const struct run_want *want,
             int64_t timeout_ms)
{
    struct run_here *r = ARENA_NEW(&app->project.mem, struct run_here);
    int code;

    if (!once_open(&r->once, app))
        return EXIT_FAILED;
    r->once.on_interrupt = on_interrupt;
    r->screen = (struct run_screen){
        .app = app, .loop = r->once.loop, .args = args, .stop = run_here_stop
    };
    code = on_screen(r, want, timeout_ms);
    once_note_changes(&r->once);
    once_close(&r->once);
    return code;
}
