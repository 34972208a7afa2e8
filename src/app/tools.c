/*
 * tools.c - `trefoil tools` and `trefoil tools call NAME JSON`.
 *
 * What an MCP client of ours would see, and the same calls, from a terminal. Servers that do not
 * connect are remarked on stderr; the others work.
 */
#include "app/once.h"
#include "app/tool_find.h"
#include "base/auto.h"
#include "base/container.h"
#include "base/display.h"
#include "term/console.h"

#include <stdio.h>
#include <unistd.h>

enum { OUTPUT_MOST = 256 << 20 };

struct tools_args {
    bool yes;
};

/* ---- the list ------------------------------------------------------------------------------ */

static void write_tool(struct jw *w, const struct tool *t)
{
    jw_object(w);
    jw_kstr(w, "name", str_of(t->name));
    jw_kstr(w, "title", str_of(t->title));
    jw_kstr(w, "description", str_of(t->description));
    jw_kraw(w, "inputSchema", str_of(t->input_schema));
    jw_kraw(w, "outputSchema", str_of(t->output_schema));
    jw_kraw(w, "annotations", str_of(t->annotations));
    jw_kraw(w, "icons", str_of(t->icons));
    jw_kraw(w, "_meta", str_of(t->meta));
    jw_object_end(w);
}

static void put_line(struct buf *out, const struct tool *t)
{
    buf_printf(out, "%-32s ", t->name);
    show_summary(out, str_of(t->description ? t->description : ""));
    buf_putc(out, '\n');
}

static void print_list(const struct once *o)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    const struct tool *t;

    buf_init(&out, OUTPUT_MOST);
    if (o->app->opt.json)
        jw_array(&w);
    for (size_t i = 0; (t = offer_tool_at(&o->service.offer, i)); i++) {
        if (o->app->opt.json)
            write_tool(&w, t);
        else
            put_line(&out, t);
    }
    if (o->app->opt.json) {
        jw_array_end(&w);
        buf_putc(&out, '\n');
    }
    print_output(&out);
}

static int list(struct app *app)
{
    struct once o;

    if (!once_open(&o, app))
        return EXIT_FAILED;
    once_use(&o, app->project.config.limits.look_ms);
    tool_find_warn(&o);
    print_list(&o);
    once_close(&o);
    return EXIT_OK;
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

static void ask(struct caller *c, struct ask *ask)
{
    struct one_call *o = of_caller(c);

    if (ask->kind == ASK_PERMISSION && o->args->yes)
        asking_allow(ask);
    else
        asking_put(&o->console.asking, ask);
}

/* Progress is for eyes: nobody sees it in a pipe. */
static void on_progress(struct caller *c, const struct progress *p)
{
    AUTO_BUF out = { 0 };

    (void)c;
    if (!isatty(STDERR_FILENO))
        return;
    buf_init(&out, 4096);
    buf_printf(&out, STR_FMT "%s" STR_FMT " ", STR_ARG(p->done), p->total.p ? "/" : "",
               STR_ARG(p->total));
    show_text(&out, p->message);
    fprintf(stderr, STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static void on_log(struct caller *c, enum call_level level, struct str logger, struct str data)
{
    AUTO_BUF out = { 0 };

    (void)c;
    (void)logger;
    if (level < CALL_WARNING)
        return;
    buf_init(&out, 65536);
    show_text(&out, str_head(data, 8192));
    fprintf(stderr, STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static const struct caller_kind cli_kind = {
    .can = can_ask,
    .ask = ask,
    .progress = on_progress,
    .log = on_log,
};

/* ---- its result ---------------------------------------------------------------------------- */

/* The texts of the content, one below the other. */
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

/* A call of our own has no result object yet. */
static struct str own_result(struct one_call *o)
{
    const struct call *c = &o->call;
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &o->mem, OUTPUT_MOST);
    jw_object(&w);
    jw_plain_key(&w, STR("content"));
    jw_array(&w);
    if (c->content.n)
        jw_raw(&w, buf_str(&c->content));
    jw_array_end(&w);
    if (c->structured.n)
        jw_kraw(&w, "structuredContent", buf_str(&c->structured));
    if (c->is_error)
        jw_kbool(&w, "isError", true);
    jw_object_end(&w);
    return buf_str(&out);
}

static void print_result(struct one_call *o, struct str raw)
{
    struct json_opts opts = limits_json(&o->once.app->project.config.limits);
    AUTO_BUF out;
    struct json result;
    struct err e;

    buf_init(&out, OUTPUT_MOST);
    if (!json_read(&o->mem, raw, &opts, &result, &e)) {
        o->code = print_error(&e);
        return;
    }
    if (json_true(json_get(result, STR("isError"))))
        o->code = EXIT_FAILED;
    if (o->once.app->opt.json)
        buf_put(&out, raw);
    else
        put_texts(&o->mem, json_get(result, STR("content")), &out);
    if (o->once.app->opt.json)
        buf_putc(&out, '\n');
    print_output(&out);
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct one_call *o = ctx;
    struct err refused;

    (void)op;
    if (e) {
        o->code = print_error(e);
        if (e->code == ERR_DENIED)
            o->code = EXIT_DENIED;
    } else if (o->call.raw_error.p) {
        fail(&refused, ERR_INVALID, "refused: " STR_FMT, STR_ARG(str_head(o->call.raw_error, 200)));
        o->code = print_error(&refused);
    } else {
        print_result(o, o->call.raw_result.p ? o->call.raw_result : own_result(o));
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

/* ---- starting it --------------------------------------------------------------------------- */

/* Without one nobody is asked. */
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
                                 .name = "cli",
                                 .origin = o->self.origin,
                                 .principal = str_of(o->self.name) };
    o->begun = true;
    open_console(o);
    tool_run(t, &o->call, &o->once.service.offer.host, &o->caller, &o->mem, args, NULL, on_done, o);
    once_run(&o->once);
    close_console(o);
    return o->code;
}

static int call(struct app *app, const struct tools_args *given, int words, char **word)
{
    struct one_call *o;
    struct json args;
    int code;
    struct err e;

    o = ARENA_NEW(&app->project.mem, struct one_call);
    o->once.app = app;
    o->args = given;
    if (!tool_find_args(&o->mem, &app->project.config.limits, str_of(words > 1 ? word[1] : "{}"),
                        &args, &e)) {
        arena_fini(&o->mem);
        return print_usage_error("tools call: %s", e.text);
    }
    if (!once_open(&o->once, app)) {
        arena_fini(&o->mem);
        return EXIT_FAILED;
    }
    o->once.on_interrupt = on_interrupt;
    code = once_use_locks(&o->once) ? run_call(o, str_of(word[0]), args) : EXIT_FAILED;
    arena_fini(&o->mem); /* what it holds of the service goes first */
    once_close(&o->once);
    return code;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int run(struct app *app, const void *args, int words, char **word)
{
    if (words && str_eq(str_of(word[0]), STR("call")))
        return call(app, args, words - 1, word + 1);
    return list(app);
}

static const struct subcommand subcommands[] = {
    { "list", "", "List the built-in tools and those of all MCP servers", 0, 0, NULL },
    { "call", "NAME [JSON | -]",
      "Call a tool; its arguments are a JSON object, - reads it from stdin", 1, 2, "yes" },
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
    .run = run,
};
