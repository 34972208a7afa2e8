/*
 * run.c - `trefoil run PROMPT`: one prompt, worked on until the agent has answered.
 *
 * Step by step, each on the loop until it is done: connect the servers, open the workshop, find or
 * make the session, go on with a turn that was broken off, then the prompt; then all of it is closed
 * in the opposite order. An interrupt cancels the turn that is under way and the steps after it.
 */
#include "app/console.h"
#include "app/once.h"
#include "app/session_find.h"
#include "app/session_log.h"
#include "app/workshop.h"
#include "base/container.h"
#include "base/file.h"
#include "base/utf8.h"
#include "core/turn.h"

#include <stdio.h>

enum { TIMEOUT_MOST = 604800 };

struct run_args {
    const char *agent, *session, *model, *mode, *timeout;
    bool last, yes, no_save, thoughts;
};

struct run {
    struct once once;
    struct app *app;
    const struct run_args *args;
    int64_t timeout_ms; /* 0: none */
    struct str text;    /* the prompt; STR_NONE: none was given */

    struct console console;
    struct render render;
    struct work_client client; /* around the render: it can ask */
    struct session_log log;
    struct workshop shop;
    struct agent *agent;
    struct session session;
    struct session_opening opening;
    struct turn turn;
    struct timer deadline;

    bool busy;    /* the turn is under way */
    bool leaving; /* the console closes */
    bool late;    /* --timeout has passed */
    bool denied;  /* nobody was there to allow the last call that asked */
    bool gone;    /* nobody reads what we print */
    bool step_done;
    bool failed; /* the step, for this reason: */
    struct err why;
    int code;
};

/* ---- steps on the loop ----------------------------------------------------------------------- */

static void on_step(void *who)
{
    struct run *r = who;

    r->step_done = true;
    loop_stop(r->once.loop);
}

static void on_step_op(struct op *op, const struct err *e, void *who)
{
    struct run *r = who;

    (void)op;
    r->failed = e != NULL;
    if (e)
        r->why = *e;
    on_step(r);
}

static void wait_step(struct run *r)
{
    while (!r->step_done)
        loop_run(r->once.loop);
    r->step_done = false;
}

static bool is_over(const struct run *r)
{
    return r->once.interrupted || r->late || r->gone;
}

/* Of a run that is over before its turn has said so. */
static int over_code(const struct run *r)
{
    return r->once.interrupted ? EXIT_INTERRUPTED : r->late ? EXIT_LIMIT : EXIT_FAILED;
}

static void stop_turn(struct run *r)
{
    if (r->busy)
        op_cancel(&r->turn.op);
    else
        loop_stop(r->once.loop);
}

static void on_interrupt(struct once *o)
{
    struct run *r = CONTAINER_OF(o, struct run, once);

    if (r->leaving)
        console_close(&r->console, true, on_step, r);
    else
        stop_turn(r);
}

static void on_gone(void *who)
{
    struct run *r = who;

    r->gone = true;
    stop_turn(r);
}

static void on_late(struct timer *t)
{
    struct run *r = CONTAINER_OF(t, struct run, deadline);

    r->late = true;
    stop_turn(r);
}

/* ---- what happens, and who is asked ---------------------------------------------------------- */

static struct run *of_client(const struct work_client *c)
{
    return (struct run *)(uintptr_t)CONTAINER_OF(c, const struct run, client);
}

/* A turn that we cancelled because of --timeout ended for want of time. */
static void tell_late_end(struct run *r)
{
    char text[80];
    struct event ev = { .kind = EVENT_END, .end = { .stop = TURN_TIME } };

    snprintf(text, sizeof(text), "--timeout of %s seconds has passed", r->args->timeout);
    ev.end.text = str_of(text);
    render_event(&r->render, &ev);
}

static void on_event(struct work_client *c, const struct event *ev)
{
    struct run *r = of_client(c);

    if (ev->kind == EVENT_TOOL && ev->tool.status == CALLED_DONE)
        r->denied = false;
    if (ev->kind == EVENT_END && ev->end.stop == TURN_CANCELED && r->late)
        tell_late_end(r);
    else
        render_event(&r->render, ev);
}

/* A permission can be asked for always: without a terminal the answer is no, and is remembered. */
static bool on_can(const struct work_client *c, enum ask_kind kind)
{
    const struct run *r = of_client(c);

    return kind == ASK_PERMISSION || (asking_can(kind) && console_can_ask(&r->console));
}

static void allow(struct ask *ask)
{
    struct json_opts opts = limits_json(ask->call->host->limits);
    struct json yes;
    struct err e;

    if (json_read(ask->call->mem, STR("{\"action\":\"accept\"}"), &opts, &yes, &e))
        ask_answer(ask, yes);
    else
        ask_refuse(ask, &e);
}

static void on_ask(struct work_client *c, struct ask *ask)
{
    struct run *r = of_client(c);

    if (ask->kind == ASK_PERMISSION && r->args->yes) {
        allow(ask);
    } else if (console_can_ask(&r->console)) {
        asking_put(&r->console.asking, ask);
    } else {
        r->denied = true;
        ask_refuse(ask, &(struct err){ ERR_DENIED, "nobody is at a terminal to allow it" });
    }
}

static void on_below(struct work_client *c, struct str session, const struct event *ev)
{
    (void)session;
    render_below(&of_client(c)->render, ev);
}

static const struct work_client_kind client_kind = { on_event, on_can, on_ask, on_below };

/* ---- the session ----------------------------------------------------------------------------- */

static bool is_kept(const struct run *r)
{
    return !r->args->no_save;
}

/* Which session to go on with: *id and *agent; STR_NONE: a new one, the agent of the options. */
static bool choose_session(struct run *r, struct str *id, struct str *agent, struct err *e)
{
    struct store_session found;

    *id = STR_NONE;
    *agent = r->args->agent ? str_of(r->args->agent) : STR_NONE;
    if (!r->args->session && !r->args->last)
        return true;
    if (!(r->args->session ? session_named(r->shop.world.store, &r->app->mem,
                                           str_of(r->args->session), &found, e)
                           : session_last(r->shop.world.store, &r->app->mem, *agent, &found, e)))
        return false;
    *id = found.id;
    if (!agent->p)
        *agent = found.agent;
    return true;
}

static bool take_agent(struct run *r, struct str name, struct err *e)
{
    struct agent_desk *desk = desk_port(r->shop.desk);
    struct agent_want want = { .name = name, .model = str_of(r->args->model) };

    r->agent = desk->kind->take(desk, &want, e);
    if (!r->agent)
        return false;
    if (r->args->mode && !str_eq(str_of(r->args->mode), STR("read-only")) &&
        guard_is_read_only(&r->agent->scope))
        return fail(e, ERR_DENIED, "the agent %s is read-only by its definition",
                    r->agent->def->name);
    return true;
}

static bool open_session(struct run *r, struct err *e)
{
    struct session_opts opts = {
        .read_only = r->args->mode && str_eq(str_of(r->args->mode), STR("read-only")),
        .keep_nothing = r->args->no_save,
    };
    struct str agent;

    if (!choose_session(r, &opts.id, &agent, e) || !take_agent(r, agent, e))
        return false;
    opts.agent = r->agent;
    session_open(&r->session, &r->opening, &r->shop.world, &opts, NULL, on_step_op, r);
    wait_step(r);
    if (r->failed)
        *e = r->why;
    return !r->failed;
}

static void open_log(struct run *r)
{
    const char *state = arena_printf(&r->app->mem, "%s/.trefoil", r->app->root.path).p;

    if (is_kept(r))
        session_log_open(&r->log, r->once.loop, &r->app->config.limits, state, r->session.id,
                         &r->client);
}

/* With --json the first line says what everything is about. */
static void tell_beginning(struct run *r)
{
    AUTO_BUF out = { 0 };
    struct jw w = jw_to(&out);

    if (!r->app->opt.json)
        return;
    buf_init(&out, 1 << 16);
    jw_object(&w);
    jw_kstr(&w, "type", STR("begin"));
    if (is_kept(r))
        jw_kstr(&w, "session", str_of(r->session.id));
    jw_kstr(&w, "agent", str_of(r->agent->def->name));
    jw_kstr(&w, "model", r->agent->model.name);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    r->console.sink.put(&r->console.sink, RENDER_ANSWER, buf_str(&out));
}

/* ---- turns ----------------------------------------------------------------------------------- */

static int end_code(const struct run *r)
{
    switch (r->turn.stop) {
    case TURN_END: return r->denied ? EXIT_DENIED : EXIT_OK;
    case TURN_LENGTH:
    case TURN_REQUESTS:
    case TURN_BUDGET:
    case TURN_TOKENS:
    case TURN_TIME:
    case TURN_CONTEXT:
    case TURN_STUCK: return EXIT_LIMIT;
    case TURN_REFUSED: return EXIT_REFUSED;
    case TURN_CANCELED: return over_code(r);
    case TURN_FAILED:
    case TURN_STOPS: break;
    }
    return EXIT_FAILED;
}

/* Work on a prompt, or with NULL on the turn that was broken off. */
static void work(struct run *r, const struct turn_prompt *prompt)
{
    struct work_client *client = r->log.open ? &r->log.client : &r->client;

    r->turn = (struct turn){ 0 };
    r->busy = true;
    render_wait(&r->render);
    if (prompt)
        session_log_note(&r->log, &(struct event){ .kind = EVENT_PROMPT, .block = prompt->block });
    if (prompt)
        turn_start(&r->turn, &r->session, client, prompt, NULL, on_step_op, r);
    else
        turn_resume(&r->turn, &r->session, client, NULL, on_step_op, r);
    wait_step(r);
    r->busy = false;
    r->code = r->failed ? EXIT_FAILED : end_code(r);
    if (r->failed)
        render_note(&r->render, str_of(r->why.text));
}

static void work_all(struct run *r)
{
    struct block block = { .kind = BLOCK_TEXT, .text = r->text };

    if (!r->text.p && !r->session.broken_off) {
        render_note(&r->render, STR("the last turn of this session ended: give a prompt"));
        r->code = EXIT_USAGE;
        return;
    }
    if (r->session.broken_off)
        work(r, NULL);
    if (r->text.p && !r->failed && is_over(r))
        r->code = over_code(r);
    else if (r->text.p && !r->failed)
        work(r, &(struct turn_prompt){ .block = &block, .blocks = 1 });
    if (r->once.interrupted && is_kept(r))
        render_note(&r->render, STR("what was said is kept; to go on: " TREFOIL_NAME " run -c"));
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void open_render(struct run *r)
{
    struct render_opts opts = { .loop = r->once.loop,
                                .limits = &r->app->config.limits,
                                .sink = &r->console.sink,
                                .root = r->app->root.path,
                                .json = r->app->opt.json,
                                .thoughts = r->args->thoughts };

    console_set(&r->console, &opts);
    render_init(&r->render, &opts);
    r->console.render = &r->render;
    r->client.kind = &client_kind;
}

static void close_session(struct run *r)
{
    session_close(&r->session, on_step, r);
    wait_step(r);
    session_log_close(&r->log, on_step, r);
    wait_step(r);
}

static int in_session(struct run *r)
{
    struct err e;

    if (!open_session(r, &e)) {
        render_note(&r->render, str_of(e.text));
        return e.code == ERR_NOT_FOUND || e.code == ERR_INVALID ? EXIT_USAGE : EXIT_FAILED;
    }
    open_log(r);
    tell_beginning(r);
    work_all(r);
    close_session(r);
    return r->code;
}

static int in_workshop(struct run *r)
{
    struct err e;
    int code;

    if (!workshop_open(&r->shop, &r->once.service, &r->app->mem, &r->app->config, &r->app->root,
                       is_kept(r), &e)) {
        render_note(&r->render, str_of(e.text));
        render_note(&r->render, STR("--no-save works without a store"));
        return EXIT_FAILED;
    }
    workshop_use(&r->shop, &r->app->config);
    code = in_session(r);
    agent_drop(r->agent);
    workshop_close(&r->shop, on_step, r);
    wait_step(r);
    return code;
}

static int in_console(struct run *r)
{
    int code;

    open_render(r);
    if (r->timeout_ms)
        timer_set(r->once.loop, &r->deadline, r->timeout_ms, on_late);
    render_wait(&r->render);
    once_connect(&r->once, NULL);
    if (r->late)
        tell_late_end(r);
    code = is_over(r) ? over_code(r) : in_workshop(r);
    timer_clear(r->once.loop, &r->deadline);
    r->leaving = true;
    r->console.render = NULL;
    render_fini(&r->render);
    console_close(&r->console, r->gone, on_step, r);
    wait_step(r);
    if (r->console.gone) /* one that just left is told nothing */
        code = r->console.why.code == ERR_LIMIT ? app_fail(&r->console.why) : EXIT_FAILED;
    return code;
}

static int go(struct run *r)
{
    struct err e;
    int code;

    if (!once_open(&r->once, r->app))
        return EXIT_FAILED;
    r->once.on_interrupt = on_interrupt;
    if (console_open(&r->console, r->once.loop, &r->app->config.limits, on_gone, r, &e))
        code = in_console(r);
    else
        code = app_fail(&e);
    once_close(&r->once);
    return code;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* The words with a space between them; "-" stands for stdin. */
static bool join_words(struct run *r, int words, char **word, struct err *e)
{
    size_t most = (size_t)r->app->config.limits.message_bytes;
    struct buf all;
    struct str in;

    if (!words)
        return true;
    buf_init_in(&all, &r->app->mem, most);
    for (int i = 0; i < words; i++) {
        bool is_stdin = str_eq(str_of(word[i]), STR("-"));

        if (is_stdin && !file_read_stdin(&r->app->mem, most, &in, e))
            return false;
        if (all.n)
            buf_put(&all, is_stdin ? STR("\n\n") : STR(" "));
        buf_put(&all, is_stdin ? in : str_of(word[i]));
    }
    if (all.full)
        return fail(e, ERR_LIMIT, "the prompt has more than %zu bytes", most);
    r->text = buf_str(&all);
    if (!str_trim(r->text).n)
        return fail(e, ERR_INVALID, "the prompt is empty");
    if (utf8_valid(r->text) < r->text.n)
        return fail(e, ERR_INVALID, "the prompt is no UTF-8 text, from byte %zu on",
                    utf8_valid(r->text));
    return true;
}

static bool check(struct run *r, struct err *e)
{
    const struct run_args *a = r->args;
    uint64_t seconds;

    if (a->mode && !str_eq(str_of(a->mode), STR("read-only")) &&
        !str_eq(str_of(a->mode), STR("read-write")))
        return fail(e, ERR_INVALID, "--mode %.40s: accepted are read-only, read-write", a->mode);
    if (a->no_save && (a->last || a->session))
        return fail(e, ERR_INVALID, "--no-save has no session to go on with");
    if (a->last && a->session)
        return fail(e, ERR_INVALID, "--continue and --session exclude each other");
    if (!a->timeout)
        return true;
    if (!str_uint(str_of(a->timeout), 1, TIMEOUT_MOST, &seconds))
        return fail(e, ERR_INVALID, "--timeout %.40s: a number of seconds from 1 to %d is expected",
                    a->timeout, TIMEOUT_MOST);
    r->timeout_ms = (int64_t)seconds * 1000;
    return true;
}

static int run(struct app *app, const void *args, int words, char **word)
{
    struct run *r = ARENA_NEW(&app->mem, struct run);
    struct err e;

    r->app = app;
    r->args = args;
    if (!check(r, &e) || !join_words(r, words, word, &e))
        return app_usage("run: %s", e.text);
    if (!r->text.p && !r->args->last && !r->args->session)
        return app_usage("run: expected a prompt, or - to read it from stdin");
    return go(r);
}

static const struct option options[] = {
    { "a,agent", OPTION_TEXT, offsetof(struct run_args, agent), "NAME", "which agent works" },
    { "c,continue", OPTION_FLAG, offsetof(struct run_args, last), NULL,
      "go on with the last session (of that agent)" },
    { "session", OPTION_TEXT, offsetof(struct run_args, session), "ID",
      "go on with this session; the beginning of its id is enough" },
    { "model", OPTION_TEXT, offsetof(struct run_args, model), "MODEL",
      "a model, PROVIDER/MODEL, or low, medium or high" },
    { "mode", OPTION_TEXT, offsetof(struct run_args, mode), "MODE",
      "read-only or read-write; never more than the agent may" },
    { "yes", OPTION_FLAG, offsetof(struct run_args, yes), NULL,
      "allow every call that would be asked for" },
    { "no-save", OPTION_FLAG, offsetof(struct run_args, no_save), NULL, "keep nothing" },
    { "timeout", OPTION_TEXT, offsetof(struct run_args, timeout), "SECONDS",
      "stop after that time" },
    { "thoughts", OPTION_FLAG, offsetof(struct run_args, thoughts), NULL,
      "show what the model thinks" },
};

const struct verb verb_run = {
    .name = "run",
    .words = "[-a NAME] [-c] PROMPT... | -",
    .summary = "have an agent work on a prompt; - reads it from stdin",
    .more =
        "The answer goes to stdout, calls of tools and notices to stderr; with --json every\n"
        "event is a line of stdout. Ctrl-C ends the turn and keeps what was said; twice leaves\n"
        "at once. Exit codes:\n"
        "  0  the agent has answered\n"
        "  1  it failed: the model, the store\n"
        "  2  the command line or the configuration is wrong\n"
        "  3  the last thing it wanted to do needed a permission, and nobody could be asked\n"
        "  4  a limit ended it: length, requests, budget, tokens, time, context, stuck\n"
        "  5  the model refused\n"
        "  130  interrupted\n",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct run_args),
    .run = run,
};
