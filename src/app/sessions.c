/* sessions.c - `trefoil sessions`: list, show, export and delete what is stored of conversations. */
#include "app/session_export.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/display.h"
#include "base/id.h"
#include "loop/file.h"
#include "runtime/session_find.h"
#include "state/log_files.h"
#include "term/render.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST_SHORT = 20, EXPORT_MOST = 1 << 30 };

struct sessions_args {
    bool all, thoughts;
    const char *format;
};

/* ---- the list -------------------------------------------------------------------------------- */

struct listing {
    const struct app *app;
    struct jw w;
    struct buf out;
    size_t n, most;
};

static void put_line(struct listing *l, const struct store_session *s)
{
    char time[CLOCK_TEXT];

    clock_text(s->updated, time);
    buf_put(&l->out, id_short(s->id));
    buf_printf(&l->out, "  %.10s %.5s  ", time, time + 11);
    show_text(&l->out, s->agent);
    buf_put(&l->out, s->in_use ? STR("  (open)  ") : STR("  "));
    show_summary(&l->out, s->title);
    buf_putc(&l->out, '\n');
}

static bool list_one(void *ctx, const struct store_session *s)
{
    struct listing *l = ctx;

    if (l->n++ == l->most)
        return false;
    if (!l->app->opt.json) {
        put_line(l, s);
        return true;
    }
    jw_object(&l->w);
    session_write(&l->w, s);
    jw_object_end(&l->w);
    return true;
}

static int list(struct app *app, struct store_handle *handle, const struct sessions_args *args)
{
    struct listing l = { .app = app, .most = args->all ? SIZE_MAX : LIST_SHORT };
    bool ok = true;
    struct err e;

    buf_init(&l.out, EXPORT_MOST);
    l.w = jw_to(&l.out);
    if (app->opt.json)
        jw_array(&l.w);
    if (handle->port)
        ok = session_each(handle->port, list_one, &l, &e);
    if (app->opt.json) {
        jw_array_end(&l.w);
        buf_putc(&l.out, '\n');
    }
    print_output(&l.out);
    buf_fini(&l.out);
    if (ok && l.n > l.most)
        fprintf(stderr, "older ones: " TREFOIL_NAME " sessions --all\n");
    return ok ? EXIT_OK : print_error(&e);
}

/* ---- one ------------------------------------------------------------------------------------- */

/* Reading from a pipe that is closed early is no failure of ours. */
static void put_stdout(struct render_sink *sink, enum render_side side, struct str bytes)
{
    (void)sink;
    (void)side;
    fwrite(bytes.p, 1, bytes.n, stdout);
}

static int show(struct app *app, struct store_handle *handle, const struct sessions_args *args,
                const struct store_session *s)
{
    struct render_sink sink = { put_stdout };
    bool terminal = isatty(STDOUT_FILENO);
    struct render_opts opts = { .loop = handle->loop,
                                .limits = &app->project.config.limits,
                                .sink = &sink,
                                .root = app->project.root.path,
                                .json = app->opt.json,
                                .thoughts = args->thoughts,
                                .answer_shown = terminal,
                                .together = true,
                                .colour = terminal && render_colours() };
    struct render r;
    struct err e;
    struct history *h =
        store_handle_history(handle, &app->project.config.limits, &app->project.mem, s->id, &e);

    if (!h)
        return print_error(&e);
    render_init(&r, &opts);
    history_tell(h, &r.client, NULL, NULL);
    render_fini(&r);
    history_free(h);
    fflush(stdout);
    return EXIT_OK;
}

static int write_export(struct app *app, const struct store_session *s, const struct buf *out,
                        const char *file)
{
    struct stat st;
    struct err e;

    if (!file || str_eq(str_of(file), STR("-"))) {
        print_output(out);
        return EXIT_OK;
    }
    if (lstat(file, &st) == 0) {
        fail(&e, ERR_INVALID, "%.150s is there already", file);
        return print_error(&e);
    }
    if (!file_write(file, buf_str(out), 0600, &e))
        return print_error(&e);
    return app_done(app, "exported", arena_cstr(&app->project.mem, s->id), file);
}

static int export(struct app *app, struct store_handle *handle, const struct sessions_args *args,
                  const struct store_session *s, const char *file)
{
    struct str format = args->format ? str_of(args->format) : STR("jsonl");
    AUTO_BUF out;
    bool ok;
    struct err e;

    buf_init(&out, EXPORT_MOST);
    if (str_eq(format, STR("jsonl")))
        ok = session_export_jsonl(handle, s, &out, &e);
    else if (str_eq(format, STR("markdown")))
        ok = session_export_markdown(handle, &app->project.config.limits, s, &out, &e);
    else
        return print_usage_error("sessions export: --format is jsonl or markdown");
    return ok ? write_export(app, s, &out, file) : print_error(&e);
}

static int delete (struct app *app, struct store_handle *handle, const struct store_session *s)
{
    struct store_step step = { .what = STORE_SESSION_DELETE, .session = { .id = s->id } };
    struct store_ask ask = { .step = &step, .steps = 1 };
    const char *id = arena_cstr(&app->project.mem, s->id);
    struct err e;
    bool ok = store_wait(handle->port, &ask, &e);

    store_ask_fini(&ask);
    if (!ok)
        return print_error(&e);
    log_files_delete(app->project.root.path, app->project.state.path, id);
    return app_done(app, "deleted", id, app->project.root.path);
}

/* ---- the verb -------------------------------------------------------------------------------- */

/* The session of an id, or of its beginning; false with the reason said. */
static bool find(struct app *app, struct store_handle *handle, const char *id,
                 struct store_session *out)
{
    struct err e;

    if (handle->port && session_named(handle->port, &app->project.mem, str_of(id), out, &e))
        return true;
    if (!handle->port)
        fail(&e, ERR_NOT_FOUND, "there is no session %.80s: nothing is kept here", id);
    print_error(&e);
    return false;
}

static int delete_all(struct app *app, struct store_handle *handle, int words, char **word)
{
    struct store_session s;
    int code = EXIT_OK;

    for (int i = 0; i < words; i++)
        if (!find(app, handle, word[i], &s) || delete (app, handle, &s) != EXIT_OK)
            code = EXIT_FAILED;
    return code;
}

static int act(struct app *app, struct store_handle *handle, const struct sessions_args *args,
               int words, char **word)
{
    struct str what = words ? str_of(word[0]) : STR("list");
    struct store_session s;

    if (str_eq(what, STR("list")))
        return list(app, handle, args);
    if (str_eq(what, STR("delete")))
        return delete_all(app, handle, words - 1, word + 1);
    if (!find(app, handle, word[1], &s))
        return EXIT_FAILED;
    if (str_eq(what, STR("show")))
        return show(app, handle, args, &s);
    return export(app, handle, args, &s, words == 3 ? word[2] : NULL);
}

static int run(struct app *app, const void *args, int words, char **word)
{
    struct store_handle handle;
    int code;

    if (!store_handle_open(&handle, app))
        return EXIT_FAILED;
    code = act(app, &handle, args, words, word);
    store_handle_close(&handle);
    return code;
}

static const struct option options[] = {
    { "all", OPTION_FLAG, offsetof(struct sessions_args, all), NULL,
      "List all sessions, not only the last 20" },
    { "format", OPTION_TEXT, offsetof(struct sessions_args, format), "FORMAT",
      "jsonl (default: every record, as stored) or markdown" },
    { "thoughts", OPTION_FLAG, offsetof(struct sessions_args, thoughts), NULL,
      "Show the model's thoughts" },
};

static const struct subcommand subcommands[] = {
    { "list", "", "List sessions", 0, 0, "all" },
    { "show", "ID", "Show the conversation of a session", 1, 1, "thoughts" },
    { "export", "ID [FILE]", "Write a session to FILE or to stdout", 1, 2, "format thoughts" },
    { "delete", "ID...", "Delete sessions and their logs", 1, WORDS_ANY, NULL },
};

const struct verb verb_sessions = {
    .name = "sessions",
    .words = "[list | show | export | delete]",
    .summary = "List, show, export and delete stored conversations",
    .more = "An ID is the short one of the list, a whole one, or the beginning of one.\n",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct sessions_args),
    .run = run,
};
