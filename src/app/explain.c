/*
 * explain.c - `trefoil explain TOOL JSON`: would this call be allowed, and which check decides?
 *
 * Runs the same checks on the same facts as for a real call, but runs no tool, does not count
 * against the rate limit, and records nothing.
 */
#include "app/short_service.h"
#include "app/store_handle.h"
#include "app/tool_find.h"
#include "base/display.h"
#include "config/agent_files.h"
#include "core/guard/taint_label.h"
#include "runtime/session_find.h"
#include "tool/tools.h"

#include <stdio.h>

enum { OUTPUT_MOST = 1 << 16 };

struct explain_args {
    const char *agent, *mode, *origin, *session;
};

struct explain {
    struct once once;
    struct arena mem;
    const struct explain_args *args;
    /* scope: includes the mode of --mode; agent: the scope of --agent */
    struct guard_scope scope, agent;
    struct principal self;
    struct caller caller;
    const char *shown; /* a description of the caller for people */
    struct guard_verdict verdict;
    struct store_session found; /* session of --session */
    struct history *history;    /* history of --session; NULL: no session was given */
};

/* ---- the label ------------------------------------------------------------------------------- */

/* Describe where a source of the label was read, for people. In x->mem. */
static struct str origin_of(struct explain *x, struct str source)
{
    int64_t seq = 0;
    struct str tool = history_taint_origin(x->history, source, &seq);

    return tool.p ? arena_printf(&x->mem, "result of " STR_FMT " (record %lld)", STR_ARG(tool),
                                 (long long)seq)
                  : STR("a prompt, or the caller of the agent");
}

static void write_taint(struct jw *w, struct explain *x)
{
    struct str label = x->caller.taint, source;

    jw_plain_key(w, STR("taint"));
    jw_array(w);
    while (taint_next(&label, &source)) {
        jw_object(w);
        jw_kstr(w, "source", source);
        jw_kstr(w, "origin", origin_of(x, source));
        jw_kbool(w, "suspicious", taint_is_suspicious(source));
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void put_taint(struct buf *out, struct explain *x)
{
    struct str label = x->caller.taint, source;
    char shown[TAINT_SHOWN];

    while (taint_next(&label, &source)) {
        buf_printf(out, "  untrusted   %s: ", taint_shown(source, shown));
        show_text(out, origin_of(x, source));
        buf_putc(out, '\n');
    }
}

/* ---- printing ------------------------------------------------------------------------------ */

/* Return what decided the verdict. NULL: all checks allow the call. */
static const char *decided_by(const struct guard_verdict *v)
{
    if (v->answered != GUARD_ASK)
        return "a remembered answer";
    return v->by < GUARD_ROWS ? guard_row_names[v->by] : NULL;
}

static void write_json(struct jw *w, struct explain *x, const struct tool *t)
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
    if (v->sandbox.runs)
        jw_kstr(w, "sandbox", str_of(sandbox_kind_name(v->sandbox.kind)));
    if (x->history)
        write_taint(w, x);
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

static void write_text(struct buf *out, struct explain *x, const struct tool *t)
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
    if (v->sandbox.runs)
        buf_printf(out, "  profile     %s\n", sandbox_kind_name(v->sandbox.kind));
    if (x->history)
        put_taint(out, x);
    for (size_t i = 0; i < GUARD_ROWS; i++) {
        buf_printf(out, "  %-11s %-6s ", guard_row_names[i], guard_says_names[v->row[i].says]);
        show_text(out, str_of(v->row[i].why));
        buf_putc(out, '\n');
    }
}

static void explain_print(struct explain *x, const struct tool *t)
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

/* Choose an agent as the caller, with the rights of its definition only. */
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

/*
 * Choose a task as the caller. The task engine's own scope restricts tasks in addition to the
 * scopes of the caller.
 */
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
    return fail(
        e, ERR_INVALID,
        "--origin %.40s: expected stdio, socket, http, key, run, chat, acp, terminal or task",
        word);
}

static bool find_session(struct explain *x, struct store_handle *handle, struct err *e)
{
    struct app *app = x->once.app;
    struct str id = str_of(x->args->session);

    if (!handle->port)
        return fail(e, ERR_NOT_FOUND, "there is no session " STR_FMT, STR_ARG(str_head(id, 40)));
    if (!session_named(handle->port, &x->mem, id, &x->found, e))
        return false;
    x->history = store_handle_history(handle, &app->project.config.limits, &x->mem, x->found.id, e);
    return x->history != NULL;
}

/*
 * Choose the agent of the session as the caller, with the untrusted data that the history of the
 * session contains.
 */
static bool choose_session(struct explain *x, struct err *e)
{
    struct store_handle handle;
    bool ok;

    if (!store_handle_open(&handle, x->once.app))
        return fail(e, ERR_SYSTEM, "cannot open the database");
    ok = find_session(x, &handle, e);
    if (handle.port)
        store_handle_close(&handle);
    if (ok)
        x->caller.taint = history_taint(x->history);
    return ok && choose_agent(x, arena_cstr(&x->mem, x->found.agent), e);
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
    if (a->session)
        return choose_session(x, e);
    return a->agent ? choose_agent(x, a->agent, e)
                    : choose_origin(x, a->origin ? a->origin : "stdio", e);
}

/*
 * Find the tool. Private tools are found, too, because `explain` must show that they are not
 * offered.
 */
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
        history_free(x->history);
    }
    arena_fini(&x->mem);
    return code;
}

static const struct option options[] = {
    { "agent", OPTION_TEXT, offsetof(struct explain_args, agent), "NAME",
      "Check a call by this agent" },
    { "session", OPTION_TEXT, offsetof(struct explain_args, session), "ID",
      "Check a call by the agent of this session, and show which untrusted data it has read" },
    { "mode", OPTION_TEXT, offsetof(struct explain_args, mode), "MODE",
      "Check the call in this mode: read-write or read-only" },
    { "origin", OPTION_TEXT, offsetof(struct explain_args, origin), "WAY",
      "Check a call that arrives in this WAY (default: stdio)" },
};

const struct verb verb_explain = {
    .name = "explain",
    .words = "TOOL [JSON | -]",
    .summary = "Show why a tool call would be allowed, need approval or be denied",
    .more =
        "The arguments of the call are a JSON object; - reads it from stdin. Without --agent and "
        "--origin\nthe caller is a client of `trefoil mcp --scope tools`. Exit code 3 means "
        "denied.\n\n"
        "WAY:\n"
        "  stdio                MCP over stdin and stdout\n"
        "  socket               HTTP over the Unix socket\n"
        "  key                  HTTP with an API key\n"
        "  http                 HTTP over TCP without a key\n"
        "  run, chat            the command of that name\n"
        "  terminal             any other command, such as tools call\n"
        "  acp                  an editor over ACP\n"
        "  task                 a call in a task\n",
    .least = 1,
    .most = 2,
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct explain_args),
    .run = explain_run,
};
