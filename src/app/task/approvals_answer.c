/* approvals_answer.c - `trefoil approvals allow, deny, answer`: answers a question of a task. */
#include "app/task/approvals.h"

#include "app/task/task_viewer.h"
#include "app/task/tasks.h"
#include "base/auto.h"
#include "base/display.h"
#include "term/form_input.h"
#include "web/task_json.h"

#include <stdio.h>

enum { ANSWER_MOST = 1 << 20 };

struct approval_answering {
    struct app *app;
    struct store_handle *handle;
    struct task_remote remote;
    struct task_info task; /* in app->project.mem */
    struct approval what;
    struct task_ask ask;
    struct json answer;
    struct timer patience; /* reports that the task has not received the answer yet */
    bool done;
    struct err err;
};

/* ---- choosing the question ------------------------------------------------------------------- */

static bool approvals_answer_look(struct approval_answering *a, struct str id, struct err *e)
{
    struct task_look l;

    if (!task_look(&l, a->handle->port, id, INT64_MAX, e))
        return false;
    a->task = task_info_of(&a->app->project.mem, &l.step[0].task);
    store_ask_fini(&l.ask);
    return true;
}

/* Choose the question with this key; `key` NULL: the only open question. */
static bool choose(struct approval_answering *a, const char *key, struct err *e)
{
    struct approval_walk at = { 0 };
    struct approval one;
    size_t n = 0;

    while (approval_next(&at, &a->app->project.mem, &a->app->project.config.limits, &a->task, &one))
        if (!key || str_eq(one.key, str_of(key))) {
            a->what = one;
            n++;
        }
    if (n == 1)
        return true;
    if (n > 1)
        return fail(
            e, ERR_INVALID,
            "task " STR_FMT
            " has several open questions; give the KEY of one (see: trefoil approvals show)",
            STR_ARG(a->task.id));
    if (key)
        return fail(e, ERR_NOT_FOUND, "task " STR_FMT " has no open question %.40s",
                    STR_ARG(a->task.id), key);
    return fail(e, ERR_NOT_FOUND, "task " STR_FMT " has no open question; its state is %s",
                STR_ARG(a->task.id), task_state_names[a->task.state]);
}

/* ---- writing the answer ---------------------------------------------------------------------- */

static struct json properties(const struct approval_answering *a)
{
    return json_get(json_get(a->what.params, STR("requestedSchema")), STR("properties"));
}

static bool write_pair(struct approval_answering *a, struct jw *w, struct str pair, struct err *e)
{
    struct str name = str_cut(&pair, '=');

    JSON_MEMBERS(key, properties(a))
    {
        if (!json_is(key, name))
            continue;
        return form_write(w, &a->app->project.mem, key, pair) ||
               fail(e, ERR_INVALID, STR_FMT ": invalid value " STR_FMT "; expected " STR_FMT,
                    STR_ARG(str_head(name, 80)), STR_ARG(str_head(pair, 40)),
                    STR_ARG(str_head(json_raw(json_value(key)), 200)));
    }
    return fail(e, ERR_INVALID,
                "the question has no field " STR_FMT " (see: trefoil approvals show)",
                STR_ARG(str_head(name, 80)));
}

/* Write the values of a form, which are given as one JSON object or as NAME=VALUE words. */
static bool write_values(struct approval_answering *a, struct jw *w, int words, char **word,
                         struct err *e)
{
    struct json_opts opts = limits_json(&a->app->project.config.limits);
    struct json v;

    if (words == 1 && word[0][0] == '{') {
        if (!json_read(&a->app->project.mem, str_of(word[0]), &opts, &v, e))
            return false;
        jw_raw(w, json_raw(v));
        return true;
    }
    jw_object(w);
    for (int i = 0; i < words; i++)
        if (!write_pair(a, w, str_of(word[i]), e))
            return false;
    jw_object_end(w);
    return true;
}

static bool write_allow(struct approval_answering *a, struct jw *w,
                        const struct approvals_args *args, struct err *e)
{
    if (str_eq(a->what.kind, str_of(ask_names[ASK_FORM])) && json_count(properties(a)))
        return fail(e, ERR_INVALID,
                    "the question asks for values; use: trefoil approvals answer " STR_FMT
                    " name=value",
                    STR_ARG(a->task.id));
    if (args->always && args->option)
        return fail(e, ERR_INVALID, "--always and --option cannot be combined");
    if (args->always && !json_here(json_get(properties(a), STR("always"))))
        return fail(e, ERR_INVALID, "only this one call can be allowed; --always is not available");
    jw_kraw(w, "content", args->always ? STR("{\"always\":true}") : STR("{}"));
    return true;
}

static bool write_answer(struct approval_answering *a, enum approvals_act act,
                         const struct approvals_args *args, int words, char **word, struct err *e)
{
    struct json_opts opts = limits_json(&a->app->project.config.limits);
    struct buf out;
    struct jw w = jw_to(&out);
    bool ok = true;

    buf_init_in(&out, &a->app->project.mem, ANSWER_MOST);
    jw_object(&w);
    jw_kstr(&w, "action", act == APPROVE_DENY ? STR("decline") : STR("accept"));
    jw_kstr(&w, "option", str_of(args->option));
    if (act == APPROVE_DENY) {
        jw_kstr(&w, "reason", str_of(args->reason));
    } else if (act == APPROVE_ALLOW) {
        ok = write_allow(a, &w, args, e);
    } else {
        jw_plain_key(&w, STR("content"));
        ok = write_values(a, &w, words, word, e);
    }
    jw_object_end(&w);
    return ok && json_read(&a->app->project.mem, buf_str(&out), &opts, &a->answer, e);
}

/* ---- sending the answer ---------------------------------------------------------------------- */

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct approval_answering *a = ctx;

    (void)op;
    a->done = true;
    a->err = e ? *e : (struct err){ 0 };
    loop_stop(a->handle->loop);
}

/*
 * The task has not received the answer yet, because its process is slow or polls the store rarely.
 */
static void on_slow(struct timer *t)
{
    (void)t;
    fputs("stored; waiting for the task to receive it\n", stderr);
}

static void approvals_answer_give(struct approval_answering *a)
{
    task_remote_open(&a->remote, a->app, a->handle);
    a->ask.by = principal_self(ORIGIN_TERMINAL);
    a->ask.id = a->task.id;
    task_answer(a->remote.engine, &a->ask, a->what.key, a->answer, NULL, on_answered, a);
    timer_set(a->handle->loop, &a->patience, 2 * a->app->project.config.limits.task_look_ms,
              on_slow);
    while (!a->done)
        loop_run(a->handle->loop);
    timer_clear(a->handle->loop, &a->patience);
}

static void approvals_answer_tell(struct approval_answering *a, enum approvals_act act)
{
    static const char *const done[] = { "allowed", "denied", "answered" };
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, (size_t)a->app->project.config.limits.output_backlog_bytes);
    if (a->app->opt.json) {
        task_write(&w, &a->ask.info, true);
    } else {
        buf_printf(&out, "%s ", done[act]);
        show_text(&out, a->what.key);
        buf_printf(&out, " of task " STR_FMT "; its state is %s", STR_ARG(a->task.id),
                   task_state_names[a->ask.info.state]);
    }
    buf_putc(&out, '\n');
    print_output(&out);
}

/* Is the word a key? A word that begins with { or contains = is a value. */
static bool is_key(const char *word)
{
    return word[0] != '{' && str_find_byte(str_of(word), '=') < 0;
}

int approvals_answer(struct app *app, struct store_handle *handle, struct str id,
                     enum approvals_act act, const struct approvals_args *args, int words,
                     char **word)
{
    struct approval_answering *a = ARENA_NEW(&app->project.mem, struct approval_answering);
    const char *key = words && is_key(word[0]) ? word[0] : NULL;
    int values = words - (key != NULL);
    struct err e;

    *a = (struct approval_answering){ .app = app, .handle = handle };
    if ((act == APPROVE_ANSWER) != (values > 0))
        return print_usage_error(act == APPROVE_ANSWER
                                     ? "approvals answer: expected JSON or name=value"
                                     : "approvals: allow and deny take only ID and KEY");
    if (!approvals_answer_look(a, id, &e) || !choose(a, key, &e))
        return e.code == ERR_INVALID ? print_usage_error("%s", e.text) : print_error(&e);
    if (!write_answer(a, act, args, values, word + (key != NULL), &e))
        return print_usage_error("%s", e.text);
    approvals_answer_give(a);
    if (a->err.code)
        print_error(&a->err);
    else
        approvals_answer_tell(a, act);
    task_ask_fini(&a->ask);
    task_remote_close(&a->remote);
    return a->err.code == ERR_INVALID ? EXIT_USAGE : a->err.code ? EXIT_FAILED : EXIT_OK;
}
