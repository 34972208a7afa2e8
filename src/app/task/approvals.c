/*
 * approvals.c - `trefoil approvals`: lists the open questions of tasks, and answers them.
 *
 * The store has the questions, and the answers until the process that runs the task reads them. So
 * this verb works in another shell while that process runs.
 */
#include "app/task/approvals.h"

#include "app/task/task_find.h"
#include "app/task/tasks.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { ARGS_SHORT = 160, MESSAGE_SHORT = 4000 };

/* ---- texts ----------------------------------------------------------------------------------- */

static void put_wait(struct buf *out, int64_t ms)
{
    int64_t s = ms > 0 ? ms / 1000 : 0;

    if (s < 120)
        buf_printf(out, "%" PRId64 " s", s);
    else if (s < 7200)
        buf_printf(out, "%" PRId64 " min", s / 60);
    else
        buf_printf(out, "%" PRId64 " h", s / 3600);
}

static void put_cut(struct buf *out, struct str text, size_t most)
{
    struct str head = utf8_head(text, most);

    show_text(out, head);
    if (head.n < text.n)
        buf_put(out, STR("..."));
}

static void put_state(struct buf *out, const struct approval *a)
{
    if (!a->task->held)
        buf_put(out, STR("  (the task is not running; it asks again when it resumes)"));
    buf_putc(out, '\n');
}

static void put_options(struct buf *out, struct arena *mem, const struct approval *a)
{
    JSON_EACH(option, json_get(a->params, STR("options")))
    {
        buf_put(out, STR("option     "));
        show_text(out, json_str(mem, json_get(option, STR("id"))));
        buf_put(out, STR(": "));
        show_text(out, json_str(mem, json_get(option, STR("name"))));
        buf_putc(out, '\n');
    }
}

/* Write the message with each line indented by `blanks`. At most `most` bytes of it are written. */
static void put_message(struct buf *out, struct str message, const char *blanks, size_t most)
{
    struct str head = utf8_head(message, most), rest = head;

    while (rest.p) {
        buf_put(out, str_of(blanks));
        show_lines(out, str_cut(&rest, '\n'));
        buf_putc(out, '\n');
    }
    if (head.n < message.n)
        buf_printf(out, "%s... (%zu bytes more: " TREFOIL_NAME " approvals show)\n", blanks,
                   message.n - head.n);
}

/* Write a line about the question and its call, then the message. */
static void put_lines(struct buf *out, const struct approval *a, int64_t now)
{
    buf_put(out, id_short(a->task->id));
    buf_put(out, STR("  "));
    show_text(out, a->key);
    buf_put(out, STR("  waits "));
    put_wait(out, now - a->asked);
    buf_put(out, STR("  "));
    show_text(out, a->task->agent);
    buf_put(out, STR("  "));
    show_text(out, a->tool);
    buf_putc(out, ' ');
    put_cut(out, json_here(a->args) ? json_raw(a->args) : STR("{}"), ARGS_SHORT);
    put_state(out, a);
    put_message(out, a->message, "    ", MESSAGE_SHORT);
}

static void put_field(struct buf *out, const char *key, struct str value)
{
    if (!value.n)
        return;
    buf_printf(out, "%-10s ", key);
    show_text(out, value);
    buf_putc(out, '\n');
}

static void put_members(struct buf *out, struct arena *mem, const char *what, struct json v)
{
    JSON_MEMBERS(key, v)
    {
        struct json value = json_value(key);

        buf_printf(out, "%-10s ", what);
        show_text(out, json_str(mem, key));
        buf_put(out, STR(": "));
        show_text(out, json_type(value) == JSON_STRING ? json_str(mem, value) : json_raw(value));
        buf_putc(out, '\n');
    }
}

static void put_whole(struct buf *out, struct arena *mem, const struct approval *a, int64_t now)
{
    struct json form = json_get(json_get(a->params, STR("requestedSchema")), STR("properties"));

    put_field(out, "task", a->task->id);
    put_field(out, "key", a->key);
    put_field(out, "agent", a->task->agent);
    put_field(out, "asks for", a->kind);
    put_field(out, "tool", a->tool);
    /* the message of a permission contains the arguments */
    if (!str_eq(a->kind, str_of(ask_names[ASK_PERMISSION])))
        put_members(out, mem, "argument", a->args);
    put_field(out, "cut", a->cut ? STR("the arguments are too long to show") : STR_NONE);
    put_message(out, a->message, "", SIZE_MAX);
    put_field(out, "url", json_str(mem, json_get(a->params, STR("url"))));
    if (json_here(json_get(a->params, STR("options"))))
        put_options(out, mem, a);
    else
        put_members(out, mem, "value", form);
    buf_put(out, STR("waits      "));
    put_wait(out, now - a->asked);
    put_state(out, a);
    buf_putc(out, '\n');
}

/* ---- reading questions ----------------------------------------------------------------------- */

struct approvals_listing {
    struct app *app;
    struct app_list list;
    int64_t now;
    bool whole;
    size_t shown;      /* number of questions */
    const char *state; /* state of the task that was read last */
};

static void put_task(struct approvals_listing *l, struct arena *mem, const struct task_info *t)
{
    const struct limits *limits = &l->app->project.config.limits;
    struct approval_walk at = { 0 };
    struct approval a;

    l->state = task_state_names[t->state];
    if (l->list.json)
        approvals_write(&l->list.w, mem, limits, t, l->whole, l->now);
    for (; approval_next(&at, mem, limits, t, &a); l->shown++)
        if (l->whole && !l->list.json)
            put_whole(&l->list.out, mem, &a, l->now);
        else if (!l->list.json)
            put_lines(&l->list.out, &a, l->now);
}

static bool put_stored(void *ctx, const struct store_task *t)
{
    AUTO_ARENA mem = { 0 };
    struct task_info info = task_info_of(&mem, t);

    put_task(ctx, &mem, &info);
    return true;
}

static bool look_at_one(struct approvals_listing *l, struct store_handle *handle, struct str id,
                        struct err *e)
{
    struct task_look look;

    if (!task_look(&look, handle->port, id, INT64_MAX, e))
        return false;
    put_stored(l, &look.step[0].task);
    store_ask_fini(&look.ask);
    return true;
}

/* Report that no question is open. This is an error only if the user has named a task. */
static int tell_none(const struct approvals_listing *l, struct str id)
{
    struct err e;

    if (id.p) {
        fail(&e, ERR_NOT_FOUND, "task " STR_FMT " has no open question; its state is %s",
             STR_ARG(id), l->state);
        return print_error(&e);
    }
    if (!l->list.json && isatty(STDERR_FILENO))
        fputs("no task has an open question\n", stderr);
    return EXIT_OK;
}

/* List the questions of one task, or of all tasks (id STR_NONE). */
static int approvals_list(struct app *app, struct store_handle *handle, struct str id)
{
    struct approvals_listing l = { .app = app, .now = clock_wall_ms(), .whole = id.p != NULL };
    bool ok = true;
    struct err e;

    app_list_begin(&l.list, app);
    if (handle->port && id.p)
        ok = look_at_one(&l, handle, id, &e);
    else if (handle->port)
        ok = task_each(handle->port, &(struct store_task_page){ .only_asking = true }, put_stored,
                       &l, &e);
    app_list_end(&l.list, ok);
    if (!ok)
        return print_error(&e);
    return l.shown ? EXIT_OK : tell_none(&l, id);
}

/* ---- the verb -------------------------------------------------------------------------------- */

static const char *const acts[] = {
    [APPROVE_ALLOW] = "allow",
    [APPROVE_DENY] = "deny",
    [APPROVE_ANSWER] = "answer",
};

static int act_on_one(struct app *app, struct store_handle *handle,
                      const struct approvals_args *args, int words, char **word)
{
    bool to_show = str_eq(str_of(word[0]), STR("show"));
    struct str id;
    size_t act = 0;

    while (act < ARRAY_LEN(acts) && !str_eq(str_of(word[0]), str_of(acts[act])))
        act++;
    if (!task_find(app, handle, word[1], &id))
        return EXIT_FAILED;
    if (to_show)
        return approvals_list(app, handle, id);
    return approvals_answer(app, handle, id, (enum approvals_act)act, args, words - 2, word + 2);
}

static int approvals_dispatch(struct app *app, struct store_handle *handle, const void *args,
                              int words, char **word)
{
    if (!words || str_eq(str_of(word[0]), STR("list")))
        return approvals_list(app, handle, STR_NONE);
    return act_on_one(app, handle, args, words, word);
}

static int approvals_run(struct app *app, const void *args, int words, char **word)
{
    return store_handle_run(app, approvals_dispatch, args, words, word);
}

static const struct option options[] = {
    { "always", OPTION_FLAG, offsetof(struct approvals_args, always), NULL,
      "Also allow the same call later, for the rest of the task" },
    { "option", OPTION_TEXT, offsetof(struct approvals_args, option), "OPTION",
      "Choose this option of the question, for example allow_session" },
    { "reason", OPTION_TEXT, offsetof(struct approvals_args, reason), "TEXT",
      "Tell the agent why the call is denied" },
};

static const struct subcommand subcommands[] = {
    { "list", "", "List the open questions of all tasks", 0, 0, NULL },
    { "show", "ID", "Show the open questions of one task", 1, 1, NULL },
    { "allow", "ID [KEY]", "Allow the call that a task asks about", 1, 2, "always option" },
    { "deny", "ID [KEY]", "Deny the call that a task asks about", 1, 2, "reason option" },
    { "answer", "ID [KEY] JSON | NAME=VALUE...", "Answer a question that asks for values", 1,
      WORDS_ANY, NULL },
};

const struct verb verb_approvals = {
    .name = "approvals",
    .words = "[list | show | allow | deny | answer]",
    .summary = "List and answer the open questions of tasks",
    .more = "ID is the short or the full ID of a task. KEY selects one question if the task has\n"
            "several open questions. The command ends when the task has received the answer.\n"
            "If a question is answered twice, the first answer counts.\n",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct approvals_args),
    .run = approvals_run,
};
