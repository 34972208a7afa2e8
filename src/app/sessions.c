/* sessions.c - `trefoil sessions`: list, show, export, fork and delete stored conversations. */
#include "app/session_export.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/display.h"
#include "base/id.h"
#include "core/principal.h"
#include "core/session/session.h"
#include "core/session/session_read.h"
#include "loop/file.h"
#include "runtime/session_find.h"
#include "state/agent_homes.h"
#include "state/log_files.h"
#include "term/render.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST_SHORT = 20, EXPORT_MOST = 1 << 30 };

struct sessions_args {
    bool all, thoughts;
    const char *format, *agent, *cwd, *limit, *cursor;
};

/* ---- the list -------------------------------------------------------------------------------- */

struct session_listing {
    struct app *app;
    struct store_step step;
    struct jw w;
    struct buf out;
    int64_t left;    /* number of rows still to list; 0 with `all`: no limit */
    bool all, paged; /* paged: one page was requested, which ends with a cursor */
};

static void put_line(struct session_listing *l, const struct store_session *s)
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

static void list_put(struct session_listing *l, const struct store_session *s)
{
    if (!l->app->opt.json) {
        put_line(l, s);
        return;
    }
    jw_object(&l->w);
    session_write(&l->w, s);
    jw_object_end(&l->w);
}

/* Read the rows that the options select, page by page. */
static bool list_read(struct session_listing *l, struct store_port *port, struct err *e)
{
    struct store_session_page *p = &l->step.sessions;
    bool ok;

    do {
        struct store_ask ask = { .step = &l->step, .steps = 1 };

        p->most = l->all ? 0 : l->left;
        ok = store_wait(port, &ask, e);
        for (size_t i = 0; ok && i < p->n; i++)
            list_put(l, &p->v[i]);
        l->left -= ok ? (int64_t)p->n : 0;
        store_ask_fini(&ask);
    } while (ok && p->more && (l->all || l->left > 0));
    return ok;
}

/*
 * Begin the JSON. A whole list is an array. A single page is an object that also contains the next
 * cursor.
 */
static void list_begin(struct session_listing *l)
{
    l->w = jw_to(&l->out);
    if (!l->app->opt.json)
        return;
    if (l->paged) {
        jw_object(&l->w);
        jw_key(&l->w, STR("sessions"));
    }
    jw_array(&l->w);
}

static void list_end(struct session_listing *l)
{
    char cursor[SESSION_CURSOR_TEXT] = "";
    bool more = l->step.sessions.more;

    if (more)
        session_cursor_write(l->step.sessions.cursor, cursor);
    if (l->app->opt.json) {
        jw_array_end(&l->w);
        if (l->paged && more)
            jw_kstr(&l->w, "next_cursor", str_of(cursor));
        if (l->paged)
            jw_object_end(&l->w);
        buf_putc(&l->out, '\n');
    }
    print_output(&l->out);
    if (more && l->paged)
        fprintf(stderr, "next page: --cursor %s\n", cursor);
    else if (more)
        fprintf(stderr, "older sessions: " TREFOIL_NAME " sessions --all\n");
}

static bool list_read_limit(struct session_listing *l, const char *text, struct err *e)
{
    int64_t most = l->app->project.config.limits.store_page_items;
    uint64_t n = LIST_SHORT;

    if (text && !str_uint(str_of(text), 1, (uint64_t)most, &n))
        return fail(e, ERR_INVALID,
                    "sessions list: --limit must be a number from 1 to %lld, not \"%.40s\"",
                    (long long)most, text);
    l->left = (int64_t)n;
    return true;
}

/*
 * Return the folder in the form in which sessions store it: absolute, without links. If the folder
 * does not exist, returns it as typed.
 */
static struct str list_folder(struct app *app, const char *cwd)
{
    char real[PATH_MAX];

    return arena_str(&app->project.mem, str_of(realpath(cwd, real) ? real : cwd));
}

static bool list_read_args(struct session_listing *l, const struct sessions_args *args,
                           struct err *e)
{
    struct store_session_page *p = &l->step.sessions;

    l->paged = args->limit || args->cursor;
    l->all = args->all;
    if (l->all && l->paged)
        return fail(e, ERR_INVALID,
                    "sessions list: --all cannot be combined with --limit or --cursor");
    if (args->agent)
        p->agent = str_of(args->agent);
    if (args->cwd)
        p->cwd = list_folder(l->app, args->cwd);
    return list_read_limit(l, args->limit, e) &&
           (!args->cursor || session_cursor_read(str_of(args->cursor), &p->cursor, e));
}

static int sessions_list(struct app *app, struct store_handle *handle,
                         const struct sessions_args *args)
{
    struct session_listing l = { .app = app, .step = { .what = STORE_SESSIONS } };
    bool ok;
    struct err e;

    if (!list_read_args(&l, args, &e))
        return print_usage_error("%s", e.text);
    buf_init(&l.out, EXPORT_MOST);
    list_begin(&l);
    ok = !handle->port || list_read(&l, handle->port, &e);
    if (ok)
        list_end(&l);
    buf_fini(&l.out);
    return ok ? EXIT_OK : print_error(&e);
}

/* ---- one ------------------------------------------------------------------------------------- */

/*
 * Write to stdout. Errors are ignored: if the reader closes the pipe early, that is not a failure.
 */
static void put_stdout(struct render_sink *sink, enum render_side side, struct str bytes)
{
    (void)sink;
    (void)side;
    fwrite(bytes.p, 1, bytes.n, stdout);
}

static int sessions_show(struct app *app, struct store_handle *handle,
                         const struct sessions_args *args, const struct store_session *s)
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
        fail(&e, ERR_INVALID, "%.150s already exists", file);
        return print_error(&e);
    }
    if (!file_write(file, buf_str(out), 0600, &e))
        return print_error(&e);
    return app_done(app, "exported", arena_cstr(&app->project.mem, s->id), file);
}

static int sessions_export(struct app *app, struct store_handle *handle,
                           const struct sessions_args *args, const struct store_session *s,
                           const char *file)
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
        return print_usage_error("sessions export: --format must be jsonl or markdown");
    return ok ? write_export(app, s, &out, file) : print_error(&e);
}

static int fork_one(struct app *app, struct store_handle *handle, const struct store_session *s)
{
    struct principal self = principal_self(ORIGIN_TERMINAL);
    struct op_wait wait = { .loop = handle->loop };
    struct session_forking f = { 0 };
    struct err e;
    bool ok = session_check_owner(s, str_of(self.name), &e);

    if (ok) {
        session_fork(&f, handle->port, STORE_POWER, s->id, str_of(self.name), NULL, op_wait_done,
                     &wait);
        ok = op_wait(&wait, &e);
        store_ask_fini(&f.ask);
    }
    if (!ok)
        return print_error(&e);
    if (app->opt.json)
        printf("{\"id\":\"%s\",\"from\":\"" STR_FMT "\",\"records\":%lld}\n", f.id, STR_ARG(s->id),
               (long long)f.step.fork.last_seq);
    else
        printf("%s\n", f.id);
    return EXIT_OK;
}

static int sessions_delete(struct app *app, struct store_handle *handle,
                           const struct store_session *s)
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
    agent_home_delete(app->project.state.path, id);
    return app_done(app, "deleted", id, app->project.root.path);
}

/* ---- the verb -------------------------------------------------------------------------------- */

/*
 * Find a session by its id or the beginning of its id. On failure, prints the reason and returns
 * false.
 */
static bool sessions_find(struct app *app, struct store_handle *handle, const char *id,
                          struct store_session *out)
{
    struct err e;

    if (handle->port && session_named(handle->port, &app->project.mem, str_of(id), out, &e))
        return true;
    if (!handle->port)
        fail(&e, ERR_NOT_FOUND, "there is no session %.80s: no sessions are stored", id);
    print_error(&e);
    return false;
}

static int delete_all(struct app *app, struct store_handle *handle, int words, char **word)
{
    struct store_session s;
    int code = EXIT_OK;

    for (int i = 0; i < words; i++)
        if (!sessions_find(app, handle, word[i], &s) || sessions_delete(app, handle, &s) != EXIT_OK)
            code = EXIT_FAILED;
    return code;
}

static int sessions_act(struct app *app, struct store_handle *handle, const void *args, int words,
                        char **word)
{
    struct str what = words ? str_of(word[0]) : STR("list");
    struct store_session s;

    if (str_eq(what, STR("list")))
        return sessions_list(app, handle, args);
    if (str_eq(what, STR("delete")))
        return delete_all(app, handle, words - 1, word + 1);
    if (!sessions_find(app, handle, word[1], &s))
        return EXIT_FAILED;
    if (str_eq(what, STR("show")))
        return sessions_show(app, handle, args, &s);
    if (str_eq(what, STR("fork")))
        return fork_one(app, handle, &s);
    return sessions_export(app, handle, args, &s, words == 3 ? word[2] : NULL);
}

static int sessions_run(struct app *app, const void *args, int words, char **word)
{
    return store_handle_run(app, sessions_act, args, words, word);
}

static const struct option options[] = {
    { "all", OPTION_FLAG, offsetof(struct sessions_args, all), NULL,
      "List all sessions, not only the last 20" },
    { "agent", OPTION_TEXT, offsetof(struct sessions_args, agent), "NAME",
      "List only sessions of this agent" },
    { "cwd", OPTION_TEXT, offsetof(struct sessions_args, cwd), "DIR",
      "List only sessions with this working folder" },
    { "limit", OPTION_TEXT, offsetof(struct sessions_args, limit), "N",
      "List one page of at most N sessions" },
    { "cursor", OPTION_TEXT, offsetof(struct sessions_args, cursor), "CURSOR",
      "List the page after CURSOR, which the previous page printed" },
    { "format", OPTION_TEXT, offsetof(struct sessions_args, format), "FORMAT",
      "Write jsonl (every record as stored; default) or markdown" },
    { "thoughts", OPTION_FLAG, offsetof(struct sessions_args, thoughts), NULL,
      "Show the model's thoughts" },
};

static const struct subcommand subcommands[] = {
    { "list", "", "List sessions", 0, 0, "all agent cwd limit cursor" },
    { "show", "ID", "Show the conversation of a session", 1, 1, "thoughts" },
    { "export", "ID [FILE]", "Write a session to FILE or to stdout", 1, 2, "format thoughts" },
    { "fork", "ID", "Copy a session up to its last finished turn, and print the new ID", 1, 1,
      NULL },
    { "delete", "ID...", "Delete sessions and their logs", 1, WORDS_ANY, NULL },
};

const struct verb verb_sessions = {
    .name = "sessions",
    .words = "[list | show | export | fork | delete]",
    .summary = "List, show, export, fork and delete stored conversations",
    .more = "ID is the short ID that `trefoil sessions` lists, a full ID, or the beginning of a "
            "full ID.\n",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct sessions_args),
    .run = sessions_run,
};
