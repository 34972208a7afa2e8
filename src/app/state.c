/* state.c - `trefoil state`: lists, adopts and deletes the state directories of the user. */
#include "app/app.h"
#include "app/state_import.h"
#include "base/clock.h"
#include "base/display.h"
#include "state/state_list.h"

#include <inttypes.h>
#include <stdio.h>

struct state_args {
    bool dry_run;
};

/* ---- list ----------------------------------------------------------------------------------- */

static void put_json(struct jw *w, const struct state_entry *s, const struct app *app)
{
    char time[CLOCK_TEXT];

    clock_text(s->used, time);
    jw_object(w);
    jw_kstr(w, "id", str_of(s->name));
    jw_kstr(w, "status", str_of(state_status_name(s->status)));
    jw_kstr(w, "root", s->id.path);
    jw_kbool(w, "this_root",
             s->status == STATE_USABLE && str_eq(s->id.path, str_of(app->project.root.path)));
    jw_kbool(w, "in_use", s->in_use);
    jw_kint(w, "bytes", s->bytes);
    jw_kstr(w, "used", str_of(time));
    jw_kstr(w, "path", str_of(s->path));
    jw_object_end(w);
}

static void put_line(struct buf *out, const struct state_entry *s)
{
    char time[CLOCK_TEXT];

    clock_text(s->used, time);
    buf_printf(out, "%-25s  %-8s  %.10s  %10" PRId64 " bytes  ", s->name,
               state_status_name(s->status), time, s->bytes);
    show_text(out, s->id.path.p ? s->id.path : STR("?"));
    buf_put(out, s->in_use ? STR("  (in use)\n") : STR("\n"));
}

static int state_verb_list(struct app *app, struct state_list *l, int words, char **word)
{
    struct app_list list;

    (void)words;
    (void)word;
    app_list_begin(&list, app);
    for (size_t i = 0; i < l->n; i++)
        if (list.json)
            put_json(&list.w, &l->v[i], app);
        else
            put_line(&list.out, &l->v[i]);
    app_list_end(&list, true);
    return EXIT_OK;
}

/* ---- adopt, delete -------------------------------------------------------------------------- */

static int state_verb_adopt(struct app *app, struct state_list *l, int words, char **word)
{
    const char *aside;
    struct state_entry *s;
    struct err e;

    if (!state_list_find(l, words ? word[0] : NULL, app->project.root.path, &s, &e))
        return print_error_given(&e);
    if (!state_adopt(l, &app->project.mem, s, app->project.root.path, &aside, &e))
        return print_error(&e);
    if (aside)
        print_notice("the previous state of this root is kept as %s", aside);
    return app_done(app, "adopted", s->name, s->path);
}

static int delete_all(struct app *app, struct state_list *l, int words, char **word)
{
    int code = EXIT_OK;
    struct state_entry *s;
    struct err e;

    for (int i = 0; i < words; i++)
        if (!state_list_find(l, word[i], app->project.root.path, &s, &e))
            code = print_error_given(&e);
        else if (!state_delete(l, s, &e))
            code = print_error(&e);
        else
            app_done(app, "deleted", s->name, s->path);
    return code;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int print_path(const struct app *app)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    struct err e;

    if (!app->project.state.path[0]) {
        fail(&e, ERR_NOT_FOUND, "no state directory: neither XDG_STATE_HOME nor HOME is set");
        return print_error(&e);
    }
    buf_init(&out, 64 << 10);
    if (app->opt.json) {
        jw_object(&w);
        jw_kstr(&w, "path", str_of(app->project.state.path));
        jw_object_end(&w);
    } else {
        buf_put(&out, str_of(app->project.state.path));
    }
    buf_putc(&out, '\n');
    print_output(&out);
    return EXIT_OK;
}

static const struct state_action {
    const char *name;
    int (*run)(struct app *app, struct state_list *l, int words, char **word);
} actions[] = { { "list", state_verb_list },
                { "adopt", state_verb_adopt },
                { "delete", delete_all } };

static int state_run(struct app *app, const void *args, int words, char **word)
{
    struct str what = words ? str_of(word[0]) : STR("list");
    const struct state_args *a = args;
    struct state_list l;
    int code = EXIT_USAGE;
    struct err e;

    if (str_eq(what, STR("path")))
        return print_path(app);
    if (str_eq(what, STR("import")))
        return state_import(app, words > 1 ? word[1] : NULL, a->dry_run);
    if (!state_list_open(&l, &app->project.mem, &e))
        return print_error(&e);
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        if (str_eq(what, str_of(actions[i].name)))
            code = actions[i].run(app, &l, words ? words - 1 : 0, word + (words ? 1 : 0));
    state_list_close(&l);
    return code;
}

static const struct option options[] = {
    { "dry-run", OPTION_FLAG, offsetof(struct state_args, dry_run), NULL,
      "Show what FILE contains, but import nothing" },
};

static const struct subcommand subcommands[] = {
    { "list", "", "List the state directories of all roots", 0, 0, NULL },
    { "path", "", "Print the state directory of this root", 0, 0, NULL },
    { "adopt", "[ID]", "Use the state of another folder for this root", 0, 1, NULL },
    { "delete", "ID...", "Delete state directories", 1, WORDS_ANY, NULL },
    { "import", "[FILE]",
      "Import the conversations of FILE (default: .trefoil/trefoil.db of the root)", 0, 1,
      "dry-run" },
};

const struct verb verb_state = {
    .name = "state",
    .words = "[list | path | adopt | delete | import]",
    .summary = "Show and manage the stored state of each root",
    .more =
        "Sessions, tasks, locks, approvals, notes and the audit log of a root are kept in a "
        "directory of\n"
        "the user, never in the project. A folder that replaces another one at the same path\n"
        "starts with fresh state; `adopt` without an ID restores the previous state of the path.\n"
        "`import` copies conversations only: rights, approvals, locks, tasks and notes are not\n"
        "imported.\n",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct state_args),
    .run = state_run,
};
