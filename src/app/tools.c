/*
 * tools.c - `trefoil tools` and `trefoil tools call NAME JSON`.
 *
 * Lists the tools that an MCP client would see, and calls them from a terminal. Servers that cannot
 * be connected are reported on stderr; the others can be used.
 */
#include "app/daemon_work.h"
#include "app/short_service.h"
#include "app/tool_find.h"
#include "base/auto.h"
#include "base/container.h"
#include "base/display.h"
#include "runtime/service_tools.h"
#include "term/console.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { OUTPUT_MOST = 256 << 20 };

struct tools_args {
    bool yes;
};

/* ---- the list ------------------------------------------------------------------------------ */

static void put_line(struct buf *out, struct arena *mem, struct json tool)
{
    buf_printf(out, "%-32s ", arena_cstr(mem, json_str(mem, json_get(tool, STR("name")))));
    show_summary(out, json_str(mem, json_get(tool, STR("description"))));
    buf_putc(out, '\n');
}

/* Print a list {"tools":[...],"unavailable":[...]} from this process or from the daemon. */
static int print_list(struct app *app, struct json list)
{
    struct arena *mem = &app->project.mem;
    struct json tools = json_get(list, STR("tools"));
    AUTO_BUF out;

    buf_init(&out, OUTPUT_MOST);
    JSON_EACH(why, json_get(list, STR("unavailable")))
    {
        struct err e;

        fail(&e, ERR_CLOSED, STR_FMT, STR_ARG(json_str(mem, why)));
        print_error(&e);
    }
    if (app->opt.json) {
        buf_put(&out, json_raw(tools));
        buf_putc(&out, '\n');
    } else {
        JSON_EACH(tool, tools)
        {
            put_line(&out, mem, tool);
        }
    }
    print_output(&out);
    return EXIT_OK;
}

static bool read_own_list(struct once *o, struct json *out, struct err *e)
{
    struct arena *mem = &o->app->project.mem;
    struct json_opts opts = limits_json(&o->app->project.config.limits);
    struct buf text;
    struct jw w = jw_to(&text);

    opts.max_values = UINT32_MAX;
    buf_init_in(&text, mem, OUTPUT_MOST);
    service_tools_write(&w, &o->service);
    return json_read(mem, buf_str(&text), &opts, out, e);
}

static int list_own(struct app *app)
{
    struct once o;
    struct json list;
    struct err e;
    int code;

    if (!once_open(&o, app))
        return EXIT_FAILED;
    once_use(&o, app->project.config.limits.look_ms);
    code = read_own_list(&o, &list, &e) ? print_list(app, list) : print_error(&e);
    once_note_changes(&o);
    once_close(&o);
    return code;
}

static int list_tools(struct app *app)
{
    struct daemon_answer a;

    if (!app->opt.log_level &&
        daemon_ask(&app->project, "GET", "/api/tools", STR_NONE, app->project.config.limits.look_ms,
                   &a) == DAEMON_ANSWERED &&
        a.status == 200)
        return print_list(app, a.body);
    return list_own(app);
}

/* ---- one call ------------------------------------------------------------------------------ */

struct one_call {
    struct once once;
    const struct tools_args *args;
    struct console console; /* open while asks is set */
    bool asks;              /* a person is at the terminal */
    struct arena mem;
    struct principal self;
    struct caller caller;
    struct call call;
    bool begun;
    int code;
};

static struct one_call *of_caller(const struct caller *c)
{
    return (struct one_call *)(uintptr_t)CONTAINER_OF(c, const struct one_call, caller);
}

static bool can_ask(const struct caller *c, enum ask_kind kind)
{
    const struct one_call *o = of_caller(c);

    return (kind == ASK_PERMISSION && o->args->yes) || (asking_can(kind) && o->asks);
}

static void tools_ask(struct caller *c, struct ask *ask)
{
    struct one_call *o = of_caller(c);

    if (ask->kind == ASK_PERMISSION && o->args->yes)
        asking_allow(ask);
    else
        asking_put(&o->console.asking, ask);
}

/* Print progress. It is for people, so it is not written to a pipe. */
static void print_progress(const struct progress *p)
{
    AUTO_BUF out = { 0 };

    if (!isatty(STDERR_FILENO))
        return;
    buf_init(&out, 4096);
    buf_printf(&out, STR_FMT "%s" STR_FMT " ", STR_ARG(p->done), p->total.p ? "/" : "",
               STR_ARG(p->total));
    show_text(&out, p->message);
    fprintf(stderr, STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static void print_log(int64_t level, struct str data)
{
    AUTO_BUF out = { 0 };

    if (level < CALL_WARNING)
        return;
    buf_init(&out, 65536);
    show_text(&out, str_head(data, 8192));
    fprintf(stderr, STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static void on_progress(struct caller *c, const struct progress *p)
{
    (void)c;
    print_progress(p);
}

static void on_log(struct caller *c, enum call_level level, struct str logger, struct str data)
{
    (void)c;
    (void)logger;
    print_log(level, data);
}

static const struct caller_kind cli_kind = {
    .can = can_ask,
    .ask = tools_ask,
    .progress = on_progress,
    .log = on_log,
};

/* ---- the result of a call ------------------------------------------------------------------ */

/* Write the texts of the content, each on a new line. */
static void put_texts(struct arena *mem, struct json content, struct buf *out)
{
    JSON_EACH(block, content)
    {
        struct str text = json_str(mem, json_get(block, STR("text")));

        if (json_is(json_get(block, STR("type")), STR("text")))
            buf_put(out, text);
        else
            buf_put(out, json_raw(block));
        if (!out->n || out->p[out->n - 1] != '\n')
            buf_putc(out, '\n');
    }
}

/* Print the result of the call. Returns the exit code. */
static int print_result(struct app *app, struct arena *mem, struct json result)
{
    AUTO_BUF out;

    buf_init(&out, OUTPUT_MOST);
    if (app->opt.json) {
        buf_put(&out, json_raw(result));
        buf_putc(&out, '\n');
    } else {
        put_texts(mem, json_get(result, STR("content")), &out);
    }
    print_output(&out);
    return json_true(json_get(result, STR("isError"))) ? EXIT_FAILED : EXIT_OK;
}

static int print_failure(const struct err *e)
{
    int code = print_error(e);

    return e->code == ERR_DENIED ? EXIT_DENIED : code;
}

static int print_own_result(struct one_call *o)
{
    struct json_opts opts = limits_json(&o->once.app->project.config.limits);
    struct json result;
    struct err e;

    if (!json_read(&o->mem, service_call_result(&o->call, OUTPUT_MOST), &opts, &result, &e))
        return print_error(&e);
    return print_result(o->once.app, &o->mem, result);
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct one_call *o = ctx;
    struct err refused;

    (void)op;
    if (e) {
        o->code = print_failure(e);
    } else if (o->call.raw_error.p) {
        fail(&refused, ERR_INVALID, "refused: " STR_FMT, STR_ARG(str_head(o->call.raw_error, 200)));
        o->code = print_error(&refused);
    } else {
        o->code = print_own_result(o);
    }
    o->begun = false;
    loop_stop(o->once.loop);
}

static void on_interrupt(struct once *once)
{
    struct one_call *o = CONTAINER_OF(once, struct one_call, once);

    if (o->begun)
        op_cancel(&o->call.op);
    else
        loop_stop(once->loop);
}

/* ---- starting a call ----------------------------------------------------------------------- */

/* Open the console, if a person can be asked. */
static void open_console(struct one_call *o)
{
    struct err e;

    o->asks =
        console_could_ask() && console_open(&o->console, o->once.loop,
                                            &o->once.app->project.config.limits, NULL, NULL, &e);
}

static void on_console_closed(void *ctx)
{
    struct one_call *o = ctx;

    o->asks = false;
    loop_stop(o->once.loop);
}

static void close_console(struct one_call *o)
{
    if (!o->asks)
        return;
    console_close(&o->console, false, on_console_closed, o);
    while (o->asks)
        once_run(&o->once);
}

static int run_call(struct one_call *o, struct str name, struct json args)
{
    struct err e;
    const struct tool *t = tool_find(&o->once, name, &e);

    if (!t)
        return o->once.interrupted ? EXIT_FAILED : print_error_given(&e);
    o->self = principal_self(ORIGIN_TERMINAL);
    o->caller = (struct caller){ .kind = &cli_kind,
                                 .name = origin_rows[ORIGIN_TERMINAL].caller,
                                 .origin = o->self.origin,
                                 .principal = str_of(o->self.name) };
    o->begun = true;
    open_console(o);
    tool_run(t, &o->call, &o->once.service.offer.host, &o->caller, &o->mem, args, NULL, on_done, o);
    once_run(&o->once);
    close_console(o);
    return o->code;
}

static int call_here(struct app *app, const struct tools_args *given, struct str name,
                     struct json args)
{
    struct one_call *o = ARENA_NEW(&app->project.mem, struct one_call);
    int code;

    o->args = given;
    if (!once_open(&o->once, app))
        return EXIT_FAILED;
    o->once.on_interrupt = on_interrupt;
    code = once_use_locks(&o->once) ? run_call(o, name, args) : EXIT_FAILED;
    once_note_changes(&o->once);
    arena_fini(&o->mem); /* memory with data of the service is freed before the service */
    once_close(&o->once);
    return code;
}

/* ---- a call by the daemon ------------------------------------------------------------------- */

struct remote_call {
    struct daemon_work work;
    const struct tools_args *args;
    struct console console; /* open while asks is set */
    bool asks;              /* a person is at the terminal */
    bool interrupted;
    int code;
};

static struct remote_call *call_of_work(struct daemon_work *w)
{
    return CONTAINER_OF(w, struct remote_call, work);
}

static void show_progress(struct arena *mem, struct json p)
{
    struct json total = json_get(p, STR("total"));

    print_progress(&(struct progress){
        .done = json_str(mem, json_get(p, STR("done"))),
        .total = json_here(total) ? json_str(mem, total) : STR_NONE,
        .message = json_str(mem, json_get(p, STR("message"))),
    });
}

/* Print the failure. If the tool does not exist, the exit code is that of a wrong command line. */
static int show_failure(const struct work_message *m)
{
    struct err e;

    fail(&e, err_code_named(m->failed), STR_FMT, STR_ARG(m->text));
    return e.code == ERR_NOT_FOUND ? print_error_given(&e) : print_failure(&e);
}

static void show_note(struct str text)
{
    struct err e;

    fail(&e, ERR_CLOSED, STR_FMT, STR_ARG(text));
    print_error(&e);
}

static void on_call_message(struct daemon_work *w, struct arena *mem, const struct work_message *m)
{
    struct remote_call *c = call_of_work(w);

    if (json_here(m->result))
        c->code = print_result(w->app, mem, m->result);
    else if (m->failed.p)
        c->code = show_failure(m);
    else if (json_here(m->progress))
        show_progress(mem, m->progress);
    else if (m->log >= 0)
        print_log(m->log, m->text);
    else if (m->note.p)
        show_note(m->note);
    else if (m->canceled)
        c->code = EXIT_FAILED;
}

static void on_call_ask(struct daemon_work *w, struct ask *ask)
{
    struct remote_call *c = call_of_work(w);

    if (c->asks && asking_can(ask->kind))
        asking_put(&c->console.asking, ask);
    else
        ask_refuse(ask, &(struct err){ ERR_DENIED, "no one is available to answer" });
}

static void on_call_broken(struct daemon_work *w, const struct err *e)
{
    call_of_work(w)->code = print_error(e);
}

static const struct daemon_work_kind call_work_kind = { on_call_message, on_call_ask,
                                                        on_call_broken };

static void on_call_signal(int signum, void *ctx)
{
    struct remote_call *c = ctx;

    if (c->interrupted)
        _exit(128 + signum);
    c->interrupted = true;
    daemon_work_cancel(&c->work);
}

static void on_call_console_closed(void *ctx)
{
    struct remote_call *c = ctx;

    c->asks = false;
    loop_stop(c->work.loop);
}

static int show_call(struct remote_call *c)
{
    const struct limits *limits = &c->work.app->project.config.limits;
    struct err e;

    c->asks =
        console_could_ask() && console_open(&c->console, c->work.loop, limits, NULL, NULL, &e);
    if (!loop_on_signal(c->work.loop, SIGINT, on_call_signal, c, &e) ||
        !loop_on_signal(c->work.loop, SIGTERM, on_call_signal, c, &e))
        print_error(&e);
    daemon_work_wait(&c->work);
    if (c->asks)
        console_close(&c->console, false, on_call_console_closed, c);
    while (c->asks)
        loop_run(c->work.loop);
    return c->code;
}

static struct str write_call(struct app *app, const struct tools_args *given, struct str name,
                             struct json args)
{
    struct buf body;
    struct jw w = jw_to(&body);

    buf_init_in(&body, &app->project.mem, (size_t)app->project.config.limits.message_bytes - 1);
    jw_object(&w);
    jw_kstr(&w, "name", name);
    jw_kraw(&w, "arguments", json_raw(args));
    jw_kbool(&w, "person", console_could_ask());
    jw_kbool(&w, "yes", given->yes);
    jw_object_end(&w);
    return body.full ? STR_NONE : buf_str(&body);
}

/* Let the daemon run the call. False: there is no daemon that accepts it. */
static bool call_by_daemon(struct app *app, const struct tools_args *given, struct str name,
                           struct json args, int *out_code)
{
    struct remote_call *c = ARENA_NEW(&app->project.mem, struct remote_call);
    struct str body = write_call(app, given, name, args);
    bool accepted;

    if (attach_is_forbidden() || app->opt.log_level || !body.p)
        return false;
    c->args = given;
    c->work = (struct daemon_work){ .kind = &call_work_kind,
                                    .app = app,
                                    .loop = loop_new(LOOP_REAL_CLOCK) };
    accepted = daemon_work_start(&c->work, "/api/tools/call", body);
    if (accepted)
        *out_code = show_call(c);
    loop_free(c->work.loop);
    return accepted;
}

static int call_tool(struct app *app, const struct tools_args *given, int words, char **word)
{
    struct str name = str_of(word[0]);
    struct json args;
    int code;
    struct err e;

    if (!tool_find_args(&app->project.mem, &app->project.config.limits,
                        str_of(words > 1 ? word[1] : "{}"), &args, &e))
        return print_usage_error("tools call: %s", e.text);
    return call_by_daemon(app, given, name, args, &code) ? code : call_here(app, given, name, args);
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int run_tools(struct app *app, const void *args, int words, char **word)
{
    if (words && str_eq(str_of(word[0]), STR("call")))
        return call_tool(app, args, words - 1, word + 1);
    return list_tools(app);
}

static const struct subcommand subcommands[] = {
    { "list", "", "List the built-in tools and the tools of all MCP servers", 0, 0, NULL },
    { "call", "NAME [JSON | -]",
      "Call a tool. The arguments are a JSON object; - reads the object from stdin", 1, 2, "yes" },
};

static const struct option options[] = {
    { "yes", OPTION_FLAG, offsetof(struct tools_args, yes), NULL,
      "Allow the call if it needs approval" },
};

const struct verb verb_tools = {
    .name = "tools",
    .words = "[list | call]",
    .summary = "List the tools of trefoil and of its MCP servers, or call one",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct tools_args),
    .run = run_tools,
};
