/*
 * explain.c - `trefoil explain TOOL JSON`: would this call be allowed, and which check decides?
 *
 * The same checks on the same facts as for a real call, with nothing run, spent or recorded.
 */
#include "app/once.h"
#include "app/tool_find.h"
#include "base/display.h"
#include "config/agent_files.h"
#include "tool/tools.h"

#include <stdio.h>

enum { OUTPUT_MOST = 1 << 16 };

struct explain_args {
    const char *agent, *mode, *origin;
};

struct explain {
    struct once once;
    struct arena mem;
    const struct explain_args *args;
    struct guard_scope scope, agent; /* with what --mode says; of --agent */
    struct principal self;
    struct caller caller;
    const char *shown; /* the caller, for people */
    struct guard_verdict verdict;
};

/* ---- printing ------------------------------------------------------------------------------ */

/* NULL: all checks allow it. */
static const char *decided_by(const struct guard_verdict *v)
{
    if (v->answered != GUARD_ASK)
        return "a remembered answer";
    return v->by < GUARD_ROWS ? guard_row_names[v->by] : NULL;
}

static void write_json(struct jw *w, const struct explain *x, const struct tool *t)
{
    const struct guard_verdict *v = &x->verdict;

    jw_object(w);
    jw_kstr(w, "tool", str_of(t->name));
    jw_kstr(w, "kind", str_of(guard_kind_names[t->kind]));
    jw_kstr(w, "caller", str_of(x->caller.name));
    jw_kstr(w, "origin", str_of(origin_rows[x->caller.origin].name));
    jw_kstr(w, "scope", str_of(x->scope.parent->name));
    jw_kstr(w, "verdict", str_of(guard_says_names[v->says]));
    jw_kstr(w, "by", str_of(decided_by(v)));
    if (v->answered != GUARD_ASK)
        jw_kstr(w, "answer", str_of(v->answer));
    jw_plain_key(w, STR("checks"));
    jw_array(w);
    for (size_t i = 0; i < GUARD_ROWS; i++) {
        jw_object(w);
        jw_kstr(w, "check", str_of(guard_row_names[i]));
        jw_kstr(w, "verdict", str_of(guard_says_names[v->row[i].says]));
        jw_kstr(w, "why", str_of(v->row[i].why));
        jw_object_end(w);
    }
    jw_array_end(w);
    jw_object_end(w);
    buf_putc(w->out, '\n');
}

static void write_text(struct buf *out, const struct explain *x, const struct tool *t)
{
    const struct guard_verdict *v = &x->verdict;

    const char *by = decided_by(v);

    buf_printf(out, "%s (%s), called by %s: %s%s%s\n", t->name, guard_kind_names[t->kind], x->shown,
               guard_says_names[v->says], by ? ", by " : "", by ? by : "");
    if (v->answered != GUARD_ASK)
        buf_printf(out,
                   "  answer      %-6s given for this project; `" TREFOIL_NAME
                   " trust forget %s` revokes it\n",
                   guard_says_names[v->answered], v->answer);
    for (size_t i = 0; i < GUARD_ROWS; i++) {
        buf_printf(out, "  %-11s %-6s ", guard_row_names[i], guard_says_names[v->row[i].says]);
        show_text(out, str_of(v->row[i].why));
        buf_putc(out, '\n');
    }
}

static void explain_print(const struct explain *x, const struct tool *t)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, OUTPUT_MOST);
    if (x->once.app->opt.json)
        write_json(&w, x, t);
    else
        write_text(&out, x, t);
    print_output(&out);
}

/* ---- the caller ------------------------------------------------------------------------------ */

/* A standalone agent: the rights of its definition, for any caller. */
static bool choose_agent(struct explain *x, const char *name, struct err *e)
{
    const struct app *app = x->once.app;
    const struct agent_def *def;
    struct agent_list all;

    agents_load(&x->mem, app->project.root.path, &app->project.config, NULL, &all);
    if (!agents_find(&all, str_of(name), &def, e))
        return false;
    x->agent = guard_scope_of_agent(def, &x->once.service.guard.own);
    x->scope.parent = &x->agent;
    x->caller.name = x->shown = def->name;
    return true;
}

/* The task engine adds its own scope to those of the caller that started the task. */
static void choose_task(struct explain *x)
{
    x->caller.name = origin_rows[x->caller.origin].caller;
    x->shown = "a task";
    x->scope.parent = &x->once.service.guard.tasks;
}

static bool choose_origin(struct explain *x, const char *word, struct err *e)
{
    if (str_eq(str_of(word), STR("task"))) {
        choose_task(x);
        return true;
    }
    for (size_t i = 0; i < ORIGINS; i++) {
        const struct origin_row *row = &origin_rows[i];

        if (!row->word || !str_eq(str_of(word), str_of(row->word)))
            continue;
        x->caller.origin = (enum origin)i;
        x->caller.name = row->caller;
        x->shown = row->shown;
        x->scope.parent = guard_face(&x->once.service.guard, x->caller.origin);
        return true;
    }
    return fail(e, ERR_INVALID,
                "--origin %.40s: expected stdio, socket, http, key, run, chat, terminal or task",
                word);
}

static bool choose_caller(struct explain *x, struct err *e)
{
    const struct explain_args *a = x->args;

    x->scope = (struct guard_scope){ .name = "--mode" };
    x->self = principal_self(ORIGIN_TERMINAL);
    x->caller = (struct caller){ .kind = &caller_nobody,
                                 .origin = x->self.origin,
                                 .principal = str_of(x->self.name),
                                 .scope = &x->scope };
    if (a->mode && !agent_mode_named(str_of(a->mode), &x->scope.mode))
        return fail(e, ERR_INVALID, "--mode %.40s: expected read-write or read-only", a->mode);
    return a->agent ? choose_agent(x, a->agent, e)
                    : choose_origin(x, a->origin ? a->origin : "stdio", e);
}

/* A private tool is offered to no client, and `explain` must show that. */
static const struct tool *explain_find(struct explain *x, struct str name, struct err *e)
{
    for (size_t i = 0; i < builtin_tool_count; i++)
        if (str_eq(name, str_of(builtin_tools[i]->name)) ||
            (builtin_tools[i]->other_name && str_eq(name, str_of(builtin_tools[i]->other_name))))
            return builtin_tools[i];
    for (size_t i = 0; i < client_tool_count; i++)
        if (str_eq(name, str_of(client_tools[i]->name)))
            return client_tools[i];
    return tool_find(&x->once, name, e);
}

static int explain(struct explain *x, struct str name, struct json args)
{
    struct service *s = &x->once.service;
    const struct tool *t;
    struct err e;

    service_expose(s, &x->once.app->project.config);
    if (!choose_caller(x, &e))
        return print_error_given(&e);
    t = explain_find(x, name, &e);
    if (!t)
        return print_error_given(&e);
    guard_look(&s->guard, &s->offer.host, &x->caller, t, args, &x->verdict);
    explain_print(x, t);
    return x->verdict.says == GUARD_DENY ? EXIT_DENIED : EXIT_OK;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int explain_run(struct app *app, const void *args, int words, char **word)
{
    struct explain *x = ARENA_NEW(&app->project.mem, struct explain);
    struct json given;
    int code;
    struct err e;

    x->args = args;
    if (!tool_find_args(&x->mem, &app->project.config.limits, str_of(words > 1 ? word[1] : "{}"),
                        &given, &e))
        code = print_usage_error("explain: %s", e.text);
    else if (!once_open(&x->once, app))
        code = EXIT_FAILED;
    else {
        code = explain(x, str_of(word[0]), given);
        once_close(&x->once);
    }
    arena_fini(&x->mem);
    return code;
}

static const struct option options[] = {
    { "agent", OPTION_TEXT, offsetof(struct explain_args, agent), "NAME",
      "Check a call by this agent" },
    { "mode", OPTION_TEXT, offsetof(struct explain_args, mode), "MODE",
      "Check it in this mode: read-write or read-only" },
    { "origin", OPTION_TEXT, offsetof(struct explain_args, origin), "WAY",
      "Check a call that arrives by stdio (default), socket, http, key, run, chat, terminal\n"
      "or task" },
};

const struct verb verb_explain = {
    .name = "explain",
    .words = "TOOL [JSON | -]",
    .summary = "Show why a tool call would be allowed, need approval or be denied",
    .more =
        "The arguments of the call are a JSON object; - reads it from stdin. Without --agent and "
        "--origin\nthe caller is a client of `trefoil mcp --scope tools`. Exit code 3 means "
        "denied.\n",
    .least = 1,
    .most = 2,
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct explain_args),
    .run = explain_run,
};
