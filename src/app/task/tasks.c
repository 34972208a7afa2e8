/*
 * tasks.c - `trefoil tasks`: lists and shows the tasks of all clients, and their results.
 *
 * All subcommands except cancel only read the store, so they work whether or not another process is
 * running the tasks.
 */
#include "app/task/tasks.h"

#include "app/task/task_find.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/display.h"
#include "core/task/task_pieces.h"
#include "web/task_json.h"

#include <inttypes.h>
#include <stdio.h>

enum { LIST_SHORT = 20, OUT_MOST = 1 << 30 };

struct tasks_args {
    bool all, live, thoughts;
    const char *after, *agent;
};

/* ---- the list -------------------------------------------------------------------------------- */

struct tasks_listing {
    struct app_list list;
    size_t n, most;
};

/* Return the state for people. It includes the number of calls whose outcome is unknown. */
static const char *shown_state(struct arena *mem, const struct task_info *t)
{
    const char *state = task_state_names[t->state];
    int64_t n = task_interrupted(t);

    return n ? arena_printf(mem, "%s, %" PRId64 " interrupted", state, n).p : state;
}

static void put_line(struct tasks_listing *l, const struct task_info *t)
{
    AUTO_ARENA mem = { 0 };
    char time[CLOCK_TEXT];

    clock_text(t->created, time);
    buf_put(&l->list.out, id_short(t->id));
    buf_printf(&l->list.out, "  %.10s %.5s  %-14s  ", time, time + 11, shown_state(&mem, t));
    show_text(&l->list.out, t->agent);
    buf_put(&l->list.out, STR("  "));
    show_summary(&l->list.out, t->asked);
    buf_putc(&l->list.out, '\n');
}

static bool list_one(void *ctx, const struct store_task *stored)
{
    struct tasks_listing *l = ctx;
    AUTO_ARENA mem = { 0 };
    struct task_info t;

    if (l->n++ == l->most)
        return false;
    t = task_info_of(&mem, stored);
    if (l->list.json)
        task_write(&l->list.w, &t, false);
    else
        put_line(l, &t);
    return true;
}

static int tasks_list(struct app *app, struct store_handle *handle, const struct tasks_args *args)
{
    struct tasks_listing l = { .most = args->all ? SIZE_MAX : LIST_SHORT };
    struct store_task_page filter = { .agent = args->agent ? str_of(args->agent) : STR_NONE,
                                      .only_live = args->live };
    bool ok = true;
    struct err e;

    app_list_begin(&l.list, app);
    if (handle->port)
        ok = task_each(handle->port, &filter, list_one, &l, &e);
    app_list_end(&l.list, true);
    if (ok && l.n > l.most)
        fprintf(stderr, "older tasks: " TREFOIL_NAME " tasks --all\n");
    return ok ? EXIT_OK : print_error(&e);
}

/* ---- one task -------------------------------------------------------------------------------- */

bool task_look(struct task_look *l, struct store_port *port, struct str id, int64_t after,
               struct err *e)
{
    *l = (struct task_look){
        .step = { { .what = STORE_TASK_LOAD, .task = { .id = id } },
                  { .what = STORE_TASK_EVENTS, .events = { .session = id, .after = after } } },
    };
    l->ask.step = l->step;
    l->ask.steps = ARRAY_LEN(l->step);
    if (store_wait(port, &l->ask, e))
        return true;
    store_ask_fini(&l->ask);
    return false;
}

static void put_text(struct buf *out, const char *key, struct str value)
{
    if (!value.n)
        return;
    buf_printf(out, "%-10s ", key);
    show_text(out, value);
    buf_putc(out, '\n');
}

static void put_time(struct buf *out, const char *key, int64_t ms)
{
    char text[CLOCK_TEXT];

    if (!ms)
        return;
    clock_text(ms, text);
    put_text(out, key, str_of(text));
}

static void put_asks(struct app *app, struct buf *out, const struct task_info *t)
{
    struct json_opts opts = limits_json(&app->project.config.limits);
    struct json asks, what;
    struct err e;

    if (!t->asks.p || !json_read(&app->project.mem, t->asks, &opts, &asks, &e))
        return;
    JSON_MEMBERS(key, asks)
    {
        what = json_get(json_get(json_value(key), STR("params")), STR("message"));
        put_text(out, "asks", json_str(&app->project.mem, what));
    }
}

static void put_task(struct app *app, struct buf *out, const struct task_info *t)
{
    struct str answer = task_response(&app->project.mem, &app->project.config.limits, t->result);

    put_text(out, "id", t->id);
    put_text(out, "agent", t->agent);
    put_text(out, "state", str_of(shown_state(&app->project.mem, t)));
    put_text(out, "text", t->text);
    put_text(out, "task", t->asked);
    put_text(out, "context", t->context);
    put_text(out, "session", t->session);
    put_text(out, "model", t->model);
    put_text(out, "mode", t->mode);
    put_text(out, "reason", t->mode_reason);
    put_text(out, "owner", t->owner);
    put_time(out, "created", t->created);
    put_time(out, "updated", t->updated);
    put_time(out, "ended", t->ended);
    buf_printf(out, "%-10s %" PRId64 "\n", "events", t->last_seq);
    put_asks(app, out, t);
    if (!answer.n)
        return;
    buf_putc(out, '\n');
    show_lines(out, answer);
    buf_putc(out, '\n');
}

static bool read_artifacts(struct app *app, struct store_port *port, struct task_info *t,
                           struct err *e)
{
    const struct limits *limits = &app->project.config.limits;
    struct artifact_set made = { .mem = &app->project.mem, .most = (size_t)limits->artifact_bytes };
    int64_t after = 0;
    bool ok, more = true;

    while (more) {
        struct store_step step = task_pieces_step(t->id, after);
        struct store_ask ask = { .step = &step, .steps = 1 };

        ok = store_wait(port, &ask, e);
        if (ok)
            after = task_pieces_add(&made, limits, &step.events, after);
        more = ok && step.events.more;
        store_ask_fini(&ask);
        if (!ok)
            return false;
    }
    t->artifacts = task_pieces_json(&made);
    return true;
}

static int tasks_show(struct app *app, struct store_handle *handle, struct str id)
{
    struct task_look l;
    struct task_info t;
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    struct err e;

    buf_init(&out, OUT_MOST);
    if (!task_look(&l, handle->port, id, INT64_MAX, &e))
        return print_error(&e);
    t = task_info_of(&app->project.mem, &l.step[0].task);
    if (app->opt.json && !read_artifacts(app, handle->port, &t, &e)) {
        store_ask_fini(&l.ask);
        return print_error(&e);
    }
    if (app->opt.json) {
        task_write(&w, &t, true);
        buf_putc(&out, '\n');
    } else {
        put_task(app, &out, &t);
    }
    print_output(&out);
    store_ask_fini(&l.ask);
    return EXIT_OK;
}

/* ---- events of a task ------------------------------------------------------------------------ */

static bool read_after(const struct tasks_args *args, int64_t *after)
{
    uint64_t n = 0;

    if (args->after && !str_uint(str_of(args->after), 0, INT64_MAX, &n))
        return false;
    *after = (int64_t)n;
    return true;
}

static void put_events(const struct store_event_page *page)
{
    AUTO_BUF out;

    buf_init(&out, OUT_MOST);
    for (size_t i = 0; i < page->n; i++) {
        const struct store_event *ev = &page->v[i];
        struct jw w = jw_to(&out);

        task_event_write(&w, ev->seq, ev->at, ev->kind, ev->body);
        buf_putc(&out, '\n');
    }
    print_output(&out);
}

/* Print the events page by page, because a long task has many events. */
static int events(struct store_handle *handle, struct str id, int64_t after)
{
    struct task_look l;
    bool more;
    struct err e;

    do {
        if (!task_look(&l, handle->port, id, after, &e))
            return print_error(&e);
        put_events(&l.step[1].events);
        more = l.step[1].events.more && l.step[1].events.n;
        if (more)
            after = l.step[1].events.v[l.step[1].events.n - 1].seq;
        store_ask_fini(&l.ask);
    } while (more);
    return EXIT_OK;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int bad_after(const struct tasks_args *args)
{
    return print_usage_error("tasks: --after %.40s: expected the number of an event", args->after);
}

static int act_on_one(struct app *app, struct store_handle *handle, const struct tasks_args *args,
                      struct str what, const char *word)
{
    bool to_show = str_eq(what, STR("show")), to_watch = str_eq(what, STR("watch")),
         to_tell = str_eq(what, STR("events"));
    int64_t after;
    struct str id;

    if (!read_after(args, &after))
        return bad_after(args);
    if (!task_find(app, handle, word, &id))
        return EXIT_FAILED;
    if (to_show)
        return tasks_show(app, handle, id);
    if (to_tell)
        return events(handle, id, after);
    return to_watch ? tasks_watch(app, handle, id, after, args->thoughts) : tasks_cancel(app, id);
}

static int watch_all(struct app *app, struct store_handle *handle, const struct tasks_args *args)
{
    int64_t after;
    struct err e;

    if (!read_after(args, &after))
        return bad_after(args);
    if (handle->port)
        return tasks_watch_all(app, handle, args->after ? after : -1);
    fail(&e, ERR_NOT_FOUND, "there are no tasks to watch: nothing is stored for this root yet");
    return print_error(&e);
}

static int tasks_act(struct app *app, struct store_handle *handle, const void *args, int words,
                     char **word)
{
    struct str what = words ? str_of(word[0]) : STR("list");

    if (str_eq(what, STR("list")))
        return tasks_list(app, handle, args);
    if (str_eq(what, STR("watch")) && words == 1)
        return watch_all(app, handle, args);
    return act_on_one(app, handle, args, what, word[1]);
}

/* Run `tasks work`, which trefoil itself uses to run an isolated task (task_child.h). */
static int tasks_verb_work(struct app *app, char **word)
{
    uint64_t fence;

    if (!str_uint(str_of(word[1]), 1, INT64_MAX, &fence))
        return print_usage_error("tasks work: expected ID and FENCE");
    return tasks_work_on(app, str_of(word[0]), (int64_t)fence);
}

static int tasks_run(struct app *app, const void *args, int words, char **word)
{
    if (words && str_eq(str_of(word[0]), STR("work")))
        return tasks_verb_work(app, word + 1);
    return store_handle_run(app, tasks_act, args, words, word);
}

static const struct option options[] = {
    { "all", OPTION_FLAG, offsetof(struct tasks_args, all), NULL,
      "List all tasks, not only the last 20" },
    { "live", OPTION_FLAG, offsetof(struct tasks_args, live), NULL,
      "List only tasks that have not ended" },
    { "agent", OPTION_TEXT, offsetof(struct tasks_args, agent), "NAME",
      "List only tasks of this agent" },
    { "after", OPTION_TEXT, offsetof(struct tasks_args, after), "N",
      "Skip the events up to this number" },
    { "thoughts", OPTION_FLAG, offsetof(struct tasks_args, thoughts), NULL,
      "Show the model's thoughts" },
};

static const struct subcommand subcommands[] = {
    { "list", "", "List tasks", 0, 0, "all live agent" },
    { "show", "ID", "Show one task and its result", 1, 1, NULL },
    { "watch", "[ID]", "Follow task ID until it ends; without ID, follow all tasks", 0, 1,
      "after thoughts" },
    { "events", "ID", "Print the events of a task, one JSON object per line", 1, 1, "after" },
    { "cancel", "ID", "Cancel a task", 1, 1, NULL },
    { "work", "ID FENCE", NULL, 2, 2, NULL },
};

const struct verb verb_tasks = {
    .name = "tasks",
    .words = "[list | show | watch | events | cancel]",
    .summary = "List, show, follow and cancel tasks of agents",
    .more = "ID is the short ID that `trefoil tasks` lists, a full ID, or the beginning of a full "
            "ID. `watch ID` "
            "ends when the\n"
            "task ends and has the exit codes of `run`. Ctrl-C stops watching, not the task.\n",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct tasks_args),
    .run = tasks_run,
};
