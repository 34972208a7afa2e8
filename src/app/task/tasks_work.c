/*
 * tasks_work.c - the verbs about tasks that need agents in this process: `agents dispatch` and
 * `tasks cancel`.
 *
 * A dispatched task runs in the daemon or, without one, in this process. This process shows the
 * task like `run` shows a turn, and exits when it has ended. Each step runs the loop until the step
 * is done: connect the servers, open the runtime, create the task, follow it. Then everything is
 * closed in the opposite order. An interrupt cancels the task, which then ends like any other.
 *
 * Questions of the task are shown to the person at the terminal. Without a terminal, questions are
 * rejected with a notice, approved (--yes), or wait until another client answers (--ask). Other
 * clients may always answer, so the open questions are read again when one was opened or closed.
 */
#include "app/short_service.h"
#include "app/task/task_asking.h"
#include "app/task/task_exit.h"
#include "app/task/task_screen.h"
#include "app/task/tasks.h"
#include "base/auto.h"
#include "base/container.h"
#include "daemon/daemon_http_client.h"
#include "runtime/runtime.h"
#include "store/store.h"
#include "web/task_json.h"

#include <stdio.h>

struct task_command {
    struct once once;
    struct app *app;
    struct task_screen screen;
    struct runtime shop; /* runs the task, unless the daemon runs it */
    /* the engine of the runtime, or one that only reads tasks and uses `world` */
    struct task_engine *engine;
    struct session_world world;
    const struct task_dispatch *what; /* the task to dispatch; NULL: cancel a task */
    struct str id;                    /* id of the task */
    int64_t fence;                    /* fencing token for `tasks work`; 0: another subcommand */

    struct task_ask ask; /* the request of the current step */
    struct task_watch watch;
    struct task_asking asking;
    struct task_ask look; /* reads the open questions while the task is followed */
    bool looking, look_again;
    struct task_ask cancel; /* cancels the task while it is followed */
    bool canceling;         /* `cancel` is running */
    bool created;
    bool denied; /* a call needed approval, and no one was available to approve it */
    bool leaving;
    bool step_done;
    bool failed; /* the step failed, for the reason `why` */
    struct err why;
};

/* ---- steps on the loop ----------------------------------------------------------------------- */

static void on_step(void *ctx)
{
    struct task_command *j = ctx;

    j->step_done = true;
    loop_stop(j->once.loop);
}

static void on_step_op(struct op *op, const struct err *e, void *ctx)
{
    struct task_command *j = ctx;

    (void)op;
    j->failed = e != NULL;
    if (e)
        j->why = *e;
    on_step(j);
}

static void wait_step(struct task_command *j)
{
    while (!j->step_done)
        loop_run(j->once.loop);
    j->step_done = false;
}

/* ---- stopping -------------------------------------------------------------------------------- */

static void on_canceled(struct op *op, const struct err *e, void *ctx)
{
    struct task_command *j = ctx;

    (void)op;
    (void)e; /* the error is ignored: the task may have ended already */
    j->canceling = false;
    task_ask_fini(&j->cancel);
    loop_stop(j->once.loop);
}

/* Cancel the task. If that is not possible or already running, stop waiting instead. */
static void tasks_work_stop(struct task_command *j)
{
    if (!j->created || j->canceling || j->leaving) {
        loop_stop(j->once.loop);
        return;
    }
    j->canceling = true;
    j->cancel = (struct task_ask){ .id = j->id };
    task_cancel(j->engine, &j->cancel, NULL, on_canceled, j);
}

static void on_interrupt(struct once *o)
{
    tasks_work_stop(CONTAINER_OF(o, struct task_command, once));
}

static void on_gone(void *ctx)
{
    tasks_work_stop(ctx);
}

static bool is_over(const struct task_command *j)
{
    return j->once.interrupted || j->screen.gone;
}

/* ---- questions ------------------------------------------------------------------------------- */

struct task_reply {
    struct task_ask ask;
    struct arena mem;
};

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct task_reply *r = ctx;

    (void)op;
    (void)e; /* another client answered first, or the task has ended */
    task_ask_fini(&r->ask);
    arena_fini(&r->mem);
}

static void tasks_work_answer(struct task_command *j, struct str key, bool yes)
{
    struct task_reply *r = ARENA_NEW(&j->app->project.mem, struct task_reply);
    struct json_opts opts = limits_json(&j->app->project.config.limits);
    struct str text = yes ? STR("{\"action\":\"accept\"}") : STR("{\"action\":\"decline\"}");
    struct json v;
    struct err e;

    if (!json_read(&r->mem, text, &opts, &v, &e))
        return;
    r->ask.id = j->id;
    r->ask.by = principal_self(ORIGIN_TERMINAL);
    r->ask.unseen = true; /* --yes approves the whole call in advance */
    task_answer(j->engine, &r->ask, arena_str(&r->mem, key), v, NULL, on_answered, r);
}

static void tasks_work_look(struct task_command *j);

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct task_command *j = ctx;

    (void)op;
    j->looking = false;
    if (!e && !j->leaving)
        task_asking_see(&j->asking, j->look.info.asks);
    task_ask_fini(&j->look);
    if (j->look_again && !j->leaving)
        tasks_work_look(j);
    loop_stop(j->once.loop);
}

static void tasks_work_look(struct task_command *j)
{
    j->look_again = j->looking;
    if (j->looking)
        return;
    j->looking = true;
    j->look = (struct task_ask){ .id = j->id };
    task_get(j->engine, &j->look, NULL, on_looked, j);
}

static void on_question(struct task_command *j, const struct event_ask *ask)
{
    bool yes = j->what->yes && ask->kind == ASK_PERMISSION;

    if (!yes && j->asking.screen) {
        tasks_work_look(j);
    } else if (!yes && j->what->ask) {
        task_screen_note(&j->screen, arena_printf(&j->app->project.mem,
                                                  "the task waits for an answer: " TREFOIL_NAME
                                                  " approvals allow|deny|answer " STR_FMT,
                                                  STR_ARG(j->id)));
    } else {
        j->denied |= !yes;
        tasks_work_answer(j, ask->key, yes);
        if (!yes)
            task_screen_note(&j->screen,
                             STR("no one is available to answer; the question is declined"));
    }
}

/* Was the question closed because its time limit has passed without an answer? */
static bool is_given_up(struct arena *mem, struct json body)
{
    return json_is(json_get(body, STR("by")), STR("nobody")) &&
           json_str(mem, json_get(body, STR("text"))).n;
}

static void on_asked(struct task_command *j, struct str kind, struct str body)
{
    struct json_opts opts = limits_json(&j->app->project.config.limits);
    AUTO_ARENA mem = { 0 };
    struct event ev;
    struct json v;
    struct err e;

    if (!json_read(&mem, body, &opts, &v, &e))
        return;
    if (str_eq(kind, STR("answered"))) {
        j->denied |= is_given_up(&mem, v);
        tasks_work_look(j);
    } else if (event_read(&mem, v, &ev, &e) && ev.ask.open) {
        on_question(j, &ev.ask);
    }
}

/* ---- following ------------------------------------------------------------------------------- */

static bool on_event(struct task_watch *w, int64_t seq, int64_t at, struct str kind,
                     struct str body)
{
    struct task_command *j = CONTAINER_OF(w, struct task_command, watch);

    task_screen_event(&j->screen, seq, at, kind, body);
    if (str_eq(kind, STR("ask")) || str_eq(kind, STR("answered")))
        on_asked(j, kind, body);
    return true;
}

/* Follow the task until it ends. If this process is too slow, it resumes from its last event. */
static void tasks_work_follow(struct task_command *j)
{
    int64_t after = 0;

    do {
        j->watch = (struct task_watch){ .id = j->id, .after = after, .event = on_event };
        task_watch(j->engine, &j->watch, NULL, on_step_op, j);
        wait_step(j);
        after = j->watch.after;
    } while (j->failed && j->why.code == ERR_LIMIT);
    while (j->canceling)
        loop_run(j->once.loop);
}

static void stop_asking(struct task_command *j)
{
    task_asking_close(&j->asking);
    j->look_again = false;
    while (j->looking)
        loop_run(j->once.loop);
}

static int outcome(struct task_command *j)
{
    const struct task_info *t = &j->ask.info;
    struct str why = task_stop(&j->app->project.mem, &j->app->project.config.limits, t->result);

    if (j->once.interrupted && t->state == TASK_CANCELED)
        return EXIT_INTERRUPTED;
    if (j->denied && t->state == TASK_COMPLETED)
        return EXIT_DENIED;
    return task_exit_code(t->state, why);
}

static int tell_failure(struct task_command *j)
{
    task_screen_note(&j->screen, str_of(j->why.text));
    return j->why.code == ERR_NOT_FOUND || j->why.code == ERR_INVALID ? EXIT_USAGE : EXIT_FAILED;
}

/* Show a task that was created in this process or by the daemon. */
static int show_task(struct task_command *j, struct str agent)
{
    int code;

    j->created = true;
    task_screen_begin(&j->screen, j->id, agent);
    if (task_asking_can(&j->screen)) {
        task_asking_open(&j->asking, &j->screen, j->engine, j->id);
        j->asking.here = true;
    }
    if (is_over(j))
        tasks_work_stop(j);
    tasks_work_follow(j);
    stop_asking(j);
    task_ask_fini(&j->ask);
    j->ask = (struct task_ask){ .id = j->id };
    task_get(j->engine, &j->ask, NULL, on_step_op, j);
    wait_step(j);
    code = j->failed ? tell_failure(j) : outcome(j);
    j->leaving = true;
    return code;
}

static int dispatch_here(struct task_command *j)
{
    task_create(j->engine, &j->ask, &j->what->spec, NULL, on_step_op, j);
    wait_step(j);
    if (j->failed)
        return tell_failure(j);
    j->id = arena_str(&j->app->project.mem, j->ask.info.id);
    return show_task(j, arena_str(&j->app->project.mem, j->ask.info.agent));
}

static int cancel(struct task_command *j)
{
    j->ask.id = j->id;
    task_cancel(j->engine, &j->ask, NULL, on_step_op, j);
    wait_step(j);
    if (j->failed) {
        print_error(&j->why);
        return EXIT_FAILED;
    }
    return app_done(j->app, "cancelled", arena_cstr(&j->app->project.mem, j->id),
                    j->app->project.root.path);
}

static void on_taken(void *ctx, const struct err *e)
{
    on_step_op(NULL, e, ctx);
}

/* Work on a task for the parent process, which reads the outcome from the store. */
static int work_on(struct task_command *j)
{
    task_take_over(j->engine, j->id, j->fence, on_taken, j);
    wait_step(j);
    if (j->failed)
        return print_error(&j->why);
    j->ask.id = j->id;
    task_wait(j->engine, &j->ask, NULL, on_step_op, j);
    wait_step(j);
    return j->failed ? print_error(&j->why) : EXIT_OK;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static int in_runtime(struct task_command *j)
{
    struct err e;
    int code;

    if (!runtime_open(&j->shop, &j->once.service, &j->app->project.mem, &j->app->project.config,
                      true, &e))
        return print_error(&e);
    runtime_use(&j->shop, &j->app->project.config);
    j->engine = j->shop.tasks;
    code = j->what ? dispatch_here(j) : j->fence ? work_on(j) : cancel(j);
    task_ask_fini(&j->ask);
    runtime_close(&j->shop, on_step, j);
    wait_step(j);
    return code;
}

/* ---- by the daemon --------------------------------------------------------------------------- */

static struct str dispatch_body(struct app *app, const struct task_spec *spec)
{
    struct buf body;
    struct jw w = jw_to(&body);

    buf_init_in(&body, &app->project.mem, (size_t)app->project.config.limits.message_bytes - 1);
    jw_object(&w);
    jw_kstr(&w, "task", spec->prompt.v->text);
    jw_kstr(&w, "agent", spec->agent);
    jw_kstr(&w, "model", spec->model);
    jw_kstr(&w, "mode", spec->read_only ? STR("read-only") : STR_NONE);
    if (spec->max_turns)
        jw_kint(&w, "max_turns", spec->max_turns);
    if (spec->budget_usd >= 0) {
        jw_plain_key(&w, STR("budget_usd"));
        jw_double(&w, spec->budget_usd);
    }
    jw_object_end(&w);
    return body.full ? STR_NONE : buf_str(&body);
}

static enum daemon_outcome dispatch_to_daemon(struct app *app, const struct task_spec *spec,
                                              struct daemon_answer *out, struct err *e)
{
    struct str body = dispatch_body(app, spec);
    enum daemon_outcome outcome = DAEMON_ABSENT;

    if (body.p && !app->opt.log_level)
        outcome = daemon_ask(&app->project, "POST", "/api/dispatch", body,
                             app->project.config.limits.attach_ms, out);
    if (outcome == DAEMON_LOST)
        daemon_lost(out->pid, e);
    else if (outcome == DAEMON_ANSWERED && out->status != 201)
        daemon_answer_error(&app->project, out, e);
    else
        e->code = ERR_NONE;
    return outcome;
}

static void on_engine_closed(void *ctx)
{
    on_step(ctx);
}

/* Follow a task that the daemon runs, by reading the store. */
static int follow_daemon(struct task_command *j, const struct daemon_answer *a)
{
    struct arena *mem = &j->app->project.mem;
    int code;

    if (!once_use_locks(&j->once) || !j->once.store)
        return EXIT_FAILED;
    j->world = (struct session_world){ .loop = j->once.loop,
                                       .limits = &j->app->project.config.limits,
                                       .store = store_port(j->once.store) };
    j->engine = task_engine_new(&(struct task_engine_opts){ .world = &j->world });
    j->id = json_str(mem, json_get(a->body, STR("id")));
    code = show_task(j, json_str(mem, json_get(a->body, STR("agent"))));
    task_ask_fini(&j->ask);
    task_engine_close(j->engine, on_engine_closed, j);
    wait_step(j);
    return code;
}

/* Dispatch the task to the daemon. False: there is no daemon that accepts it. */
static bool by_daemon(struct task_command *j, int *out_code)
{
    struct daemon_answer a = { 0 };

    if (dispatch_to_daemon(j->app, &j->what->spec, &a, &j->why) == DAEMON_ABSENT)
        return false;
    *out_code = j->why.code ? tell_failure(j) : follow_daemon(j, &a);
    return true;
}

int tasks_detach(struct app *app, const struct task_spec *spec)
{
    struct daemon_answer a = { 0 };
    struct err e;

    if (dispatch_to_daemon(app, spec, &a, &e) == DAEMON_ABSENT)
        fail(&e, ERR_CLOSED,
             "agents dispatch --detach needs a running daemon; start one with: " TREFOIL_NAME
             " serve");
    if (e.code)
        return e.code == ERR_NOT_FOUND || e.code == ERR_INVALID ? print_error_given(&e)
                                                                : print_error(&e);
    printf(STR_FMT "\n",
           STR_ARG(app->opt.json ? json_raw(a.body)
                                 : json_str(&app->project.mem, json_get(a.body, STR("id")))));
    return EXIT_OK;
}

/*
 * Let the daemon cancel the task. False: no daemon has cancelled it, so the caller does that in
 * this process.
 */
static bool cancel_by_daemon(struct app *app, struct str id)
{
    struct str path = arena_printf(&app->project.mem, "/api/tasks/" STR_FMT "/cancel", STR_ARG(id));
    struct daemon_answer a;

    return !app->opt.log_level &&
           daemon_ask(&app->project, "POST", path.p, STR("{}"),
                      app->project.config.limits.attach_ms, &a) == DAEMON_ANSWERED &&
           a.status == 200;
}

/* ---- on the screen --------------------------------------------------------------------------- */

static int work_here(struct task_command *j)
{
    once_use(&j->once, j->app->project.config.limits.gather_ms);
    return !is_over(j) ? in_runtime(j) : j->once.interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
}

static int on_screen(struct task_command *j)
{
    struct err e;
    int code;

    if (!task_screen_open(&j->screen, j->app, j->once.loop, j->what->thoughts, on_gone, j, &e))
        return print_error(&e);
    if (!j->app->opt.json)
        render_wait(&j->screen.render);
    if (!by_daemon(j, &code))
        code = work_here(j);
    return task_screen_close(&j->screen, false) ? code : EXIT_FAILED;
}

static int tasks_work_begin(struct app *app, const struct task_dispatch *what, struct str id,
                            int64_t fence)
{
    struct task_command *j = ARENA_NEW(&app->project.mem, struct task_command);
    int code;

    *j = (struct task_command){ .app = app, .what = what, .id = id, .fence = fence };
    if (!once_open(&j->once, app))
        return EXIT_FAILED;
    j->once.on_interrupt = on_interrupt;
    if (fence)
        once_use(&j->once, j->once.app->project.config.limits.gather_ms);
    code = what ? on_screen(j) : in_runtime(j);
    once_note_changes(&j->once);
    once_close(&j->once);
    return code;
}

int tasks_dispatch(struct app *app, const struct task_dispatch *what)
{
    return tasks_work_begin(app, what, STR_NONE, 0);
}

int tasks_cancel(struct app *app, struct str id)
{
    if (cancel_by_daemon(app, id))
        return app_done(app, "cancelled", arena_cstr(&app->project.mem, id),
                        app->project.root.path);
    return tasks_work_begin(app, NULL, id, 0);
}

int tasks_work_on(struct app *app, struct str id, int64_t fence)
{
    return tasks_work_begin(app, NULL, id, fence);
}
