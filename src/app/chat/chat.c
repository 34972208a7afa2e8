/*
 * chat.c - `trefoil chat`: a conversation at a terminal, line by line.
 *
 * All output is written by the console, so that input, output of the agent and output of chat
 * appear in order. The first Ctrl-C cancels the running work. If the user presses Ctrl-C again
 * before the work has ended, the chat closes. The third Ctrl-C ends the process at once.
 */
#include "app/chat/chat.h"

#include "base/auto.h"
#include "base/container.h"
#include "runtime/service.h"
#include "term/terminal_mode.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { EXIT_BY_SIGNAL = 128, PLAN_MOST = 1 << 20 };

/* ---- printing ------------------------------------------------------------------------------ */

static void chat_verb_say(struct chat *c, enum render_side side, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

static void chat_verb_say(struct chat *c, enum render_side side, const char *fmt, va_list ap)
{
    va_list again;
    AUTO_BUF out;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    buf_init(&out, (size_t)n + 1);
    vsnprintf(buf_reserve(&out, (size_t)n + 1), (size_t)n + 1, fmt, ap);
    buf_added(&out, (size_t)n);
    c->console.sink.put(&c->console.sink, side, buf_str(&out));
}

void chat_say(struct chat *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    chat_verb_say(c, c->app->opt.json ? RENDER_ASIDE : RENDER_ANSWER, fmt, ap);
    va_end(ap);
}

void chat_note(struct chat *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    chat_verb_say(c, RENDER_ASIDE, fmt, ap);
    va_end(ap);
}

void chat_complain(struct chat *c, const struct err *e)
{
    render_note(&c->render, str_of(e->text));
}

static void put_typed(void *ctx, struct str bytes)
{
    struct chat *c = ctx;

    c->console.sink.put(&c->console.sink, RENDER_ANSWER, bytes);
}

/* ---- closing ------------------------------------------------------------------------------- */

/*
 * Exit without closing anything. The keepers kill the child processes, and the next process that
 * opens the session repairs it.
 */
static void exit_now(int code)
{
    term_close();
    _exit(code);
}

static void on_too_late(struct timer *t)
{
    exit_now(CONTAINER_OF(t, struct chat, deadline)->code);
}

static void on_console_closed(void *ctx)
{
    struct chat *c = ctx;

    loop_stop(c->loop);
}

static void on_shop_closed(void *ctx)
{
    struct chat *c = ctx;

    if (!c->has_console) {
        loop_stop(c->loop);
        return;
    }
    render_fini(&c->render);
    console_close(&c->console, false, on_console_closed, c);
}

static void on_servers_left(void *ctx, bool in_time)
{
    struct chat *c = ctx;

    if (!in_time)
        exit_now(c->code);
    if (c->has_shop)
        runtime_close(&c->shop, on_shop_closed, c);
    else
        on_shop_closed(c);
}

static void on_session_closed(void *ctx)
{
    struct chat *c = ctx;

    if (c->has_shop)
        runtime_leave_servers(&c->shop);
    service_leave_servers(&c->service, on_servers_left, c);
}

static void on_edit_closed(void *ctx)
{
    struct chat *c = ctx;

    if (c->here)
        chat_leave_seat(c, c->here, on_session_closed);
    else
        on_session_closed(c);
}

/*
 * Begin to exit; nothing is running. The terminal is restored first, because the user waits for it.
 */
static void leave_now(struct chat *c)
{
    c->state = CHAT_LEAVING;
    if (c->has_edit)
        line_edit_close(&c->edit, on_edit_closed, c);
    else
        on_edit_closed(c);
}

void chat_leave(struct chat *c)
{
    if (c->leave || c->state == CHAT_LEAVING)
        return;
    c->leave = true;
    timer_set(c->loop, &c->deadline, c->service.limits->shutdown_ms, on_too_late);
    if (c->state != CHAT_BUSY)
        leave_now(c);
    else if (c->busy)
        op_cancel(c->busy);
}

/* ---- input --------------------------------------------------------------------------------- */

static void on_line(void *ctx, struct str text);

static void on_leave(void *ctx)
{
    chat_leave(ctx);
}

static const struct line_answer prompt_answer = { .text = on_line, .leave = on_leave };

void chat_begin(struct chat *c, struct op *op)
{
    c->state = CHAT_BUSY;
    c->busy = op;
    c->interrupts = 0;
}

void chat_done(struct chat *c)
{
    c->busy = NULL;
    if (c->leave) {
        leave_now(c);
        return;
    }
    c->state = CHAT_READY;
    line_edit_ask(&c->edit, STR("> "), false, &prompt_answer, c);
}

/* ---- turns --------------------------------------------------------------------------------- */

static void on_turn(struct op *op, const struct err *e, void *ctx)
{
    struct chat *c = ctx;

    (void)op;
    c->turn.session = NULL;
    if (e) { /* the store failed; the session can be opened again */
        chat_complain(c, e);
        chat_note(c, "To resume this session: " TREFOIL_NAME " chat --session %s\n",
                  c->session->id);
        c->code = EXIT_FAILED;
        chat_leave(c);
    } else if (!c->edit.terminal) {
        c->code = c->turn.stop == TURN_FAILED     ? EXIT_FAILED
                  : c->turn.stop == TURN_NO_MODEL ? EXIT_USAGE
                                                  : EXIT_OK;
    }
    chat_done(c);
}

static void begin_turn(struct chat *c)
{
    c->turn = (struct turn){ 0 };
    chat_begin(c, &c->turn.op);
    render_wait(&c->render);
}

/*
 * Return the client for turns: the log, which forwards events, or the chat itself if there is no
 * log.
 */
static struct work_client *listener(struct chat *c)
{
    return c->here->log.open ? &c->here->log.client : &c->client;
}

static void start_turn(struct chat *c, struct str text)
{
    struct block *block = ARENA_NEW(&c->mem, struct block);
    struct turn_prompt prompt = { .block = block, .blocks = 1 };

    *block = (struct block){ .kind = BLOCK_TEXT, .text = arena_str(&c->mem, text) };
    begin_turn(c);
    turn_start(&c->turn, c->session, listener(c), &prompt, NULL, on_turn, c);
}

void chat_resume(struct chat *c)
{
    begin_turn(c);
    turn_resume(&c->turn, c->session, listener(c), NULL, on_turn, c);
}

void chat_compact(struct chat *c)
{
    begin_turn(c);
    turn_compact(&c->turn, c->session, listener(c), NULL, on_turn, c);
}

/* Handle a line of input. After an empty line, the chat asks for the next line. */
static void on_line(void *ctx, struct str text)
{
    struct chat *c = ctx;

    arena_reset(&c->mem);
    c->state = CHAT_BUSY;
    c->busy = NULL;
    if (!str_trim(text).n)
        chat_done(c);
    else if (!chat_command(c, text))
        start_turn(c, text);
}

/* ---- signals ------------------------------------------------------------------------------- */

static void on_interrupt(int signum, void *ctx)
{
    struct chat *c = ctx;

    if (c->leave || c->state == CHAT_LEAVING)
        exit_now(EXIT_BY_SIGNAL + signum);
    if (c->state == CHAT_BUSY && c->busy && c->interrupts++ == 0) {
        op_cancel(c->busy);
        return;
    }
    if (c->state != CHAT_BUSY)
        c->code = EXIT_BY_SIGNAL + signum;
    chat_leave(c);
}

static void on_end(int signum, void *ctx)
{
    struct chat *c = ctx;

    if (c->leave)
        exit_now(EXIT_BY_SIGNAL + signum);
    c->code = EXIT_BY_SIGNAL + signum;
    chat_leave(c);
}

/* The reader of our output has closed it. */
static void on_gone(void *ctx)
{
    struct chat *c = ctx;

    c->code = EXIT_FAILED;
    chat_leave(c);
}

/* ---- opening ------------------------------------------------------------------------------- */

static void on_gathered(struct op *op, const struct err *e, void *ctx)
{
    struct chat *c = ctx;

    (void)op;
    c->busy = NULL;
    if (e && !c->leave) {
        c->code = EXIT_BY_SIGNAL + SIGINT;
        chat_leave(c);
    }
    if (c->leave)
        chat_done(c);
    else
        chat_first(c);
}

/*
 * Connect the servers, then open the first session. Servers that take too long are connected later.
 */
static void chat_start(struct chat *c)
{
    service_expect_servers(&c->service, &c->app->project.config);
    service_use(&c->service, &c->app->project.config);
    runtime_use(&c->shop, &c->app->project.config);
    if (!c->service.readiness.open) {
        chat_begin(c, NULL);
        chat_first(c);
        return;
    }
    chat_begin(c, &c->readiness.op);
    readiness_wait(&c->service.readiness, &c->readiness, c->loop, c->service.limits, NULL,
                   on_gathered, c);
}

static void open_render(struct chat *c)
{
    struct render_opts opts = { .loop = c->loop,
                                .limits = c->service.limits,
                                .sink = &c->console.sink,
                                .root = c->app->project.root.path,
                                .json = c->app->opt.json,
                                .thoughts = true };

    console_set(&c->console, &opts);
    render_init(&c->render, &opts);
}

/*
 * Return the path of the history file. NULL: the user has no home folder, so there is no history.
 */
static const char *history_path(struct chat *c)
{
    const char *folder = root_user_state_path(&c->app->project.mem);

    return folder ? arena_printf(&c->app->project.mem, "%s/chat_history", folder).p : NULL;
}

static bool open_edit(struct chat *c, struct err *e)
{
    const struct line_edit_opts opts = { .loop = c->loop,
                                         .limits = c->service.limits,
                                         .history = history_path(c),
                                         .complete = chat_complete,
                                         .put = put_typed,
                                         .ctx = c };

    return line_edit_open(&c->edit, &opts, e);
}

static bool open_signals(struct chat *c, struct err *e)
{
    return loop_on_signal(c->loop, SIGINT, on_interrupt, c, e) &&
           loop_on_signal(c->loop, SIGTERM, on_end, c, e) &&
           loop_on_signal(c->loop, SIGHUP, on_end, c, e);
}

static bool open_shop(struct chat *c, struct err *e)
{
    struct app *app = c->app;

    return runtime_open(&c->shop, &c->service, &app->project.mem, &app->project.config, c->keeps,
                        e);
}

static bool open_console(struct chat *c, struct err *e)
{
    if (!console_open(&c->console, c->loop, c->service.limits, on_gone, c, e))
        return false;
    open_render(c);
    return true;
}

/* Open all parts, in order. The has_ members record which parts must be closed later. */
static bool open_all(struct chat *c, struct err *e)
{
    service_use_guard(&c->service, &c->app->project.config);
    service_use_state(&c->service, c->keeps ? &c->app->project.state.port : NULL);
    service_open_audit(&c->service, &c->app->project.config);
    c->has_shop = open_signals(c, e) && open_shop(c, e);
    c->has_console = c->has_shop && open_console(c, e);
    c->has_edit = c->has_console && open_edit(c, e);
    return c->has_edit;
}

static int converse(struct chat *c)
{
    struct err e;

    if (open_all(c, &e)) {
        chat_start(c);
    } else {
        c->code = print_error(&e);
        leave_now(c);
    }
    loop_run(c->loop);
    return c->code;
}

static bool check_args(const struct chat_args *a)
{
    enum agent_mode mode;

    if (a->last && a->session)
        print_usage_error("chat: --continue and --session cannot be combined");
    else if (a->mode && !agent_mode_named(str_of(a->mode), &mode))
        print_usage_error("chat: --mode %.40s: expected read-only or read-write", a->mode);
    else
        return true;
    return false;
}

static int chat_run(struct app *app, const void *args, int words, char **word)
{
    struct chat *c = ARENA_NEW(&app->project.mem, struct chat);
    int code;
    struct err e;

    (void)words;
    (void)word;
    if (!check_args(args))
        return EXIT_USAGE;
    if (!project_open_state(&app->project, &c->keeps))
        return EXIT_FAILED;
    if (!app->opt.log_level) /* the verb shows failures itself */
        log_setup(LOG_ERROR, app->project.config.log_json);
    c->app = app;
    c->args = args;
    c->client.kind = &chat_client_kind;
    c->asking.kind = &chat_asking_kind;
    c->loop = loop_new(LOOP_REAL_CLOCK);
    buf_init(&c->plan, PLAN_MOST);
    if (!service_open(&c->service, c->loop, &app->project.config.limits, app->project.root.path,
                      &e))
        return print_error(&e);
    code = converse(c);
    service_close(&c->service);
    loop_free(c->loop);
    arena_fini(&c->mem);
    buf_fini(&c->plan);
    return code;
}

static const struct option options[] = {
    { "a,agent", OPTION_TEXT, offsetof(struct chat_args, agent), "NAME", "Use this agent" },
    { "c,continue", OPTION_FLAG, offsetof(struct chat_args, last), NULL,
      "Resume the last session" },
    { "session", OPTION_TEXT, offsetof(struct chat_args, session), "ID",
      "Resume this session; the short ID is enough" },
    { "model", OPTION_TEXT, offsetof(struct chat_args, model), "MODEL",
      "Use this MODEL, PROVIDER/MODEL or tier (model size: low, medium or high)" },
    { "mode", OPTION_TEXT, offsetof(struct chat_args, mode), "MODE",
      "Run the agent read-only or read-write, within the agent's own rights" },
};

const struct verb verb_chat = {
    .name = "chat",
    .words = "",
    .summary = "Chat with an agent at the terminal",
    .more = "/help in the chat lists its commands. If stdin is a pipe, each of its lines is a "
            "prompt, and stdout\n"
            "has only the answers.\n",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct chat_args),
    .run = chat_run,
};
