/* agents.c - `trefoil agents`: lists agents, shows one agent, and dispatches a task to an agent. */
#include "app/app.h"
#include "app/task/tasks.h"
#include "base/display.h"
#include "base/utf8.h"
#include "config/agent_files.h"
#include "config/prompt_files.h"
#include "config/skill_files.h"

#include <stdio.h>

enum { OUT_MOST = 64 << 20, DESCRIPTION_SHOWN = 80 };

struct agents_args {
    bool prompt, wait, detach, yes, ask, thoughts;
    const char *mode, *model, *max_turns, *budget;
};

static const struct option agents_options[] = {
    { "prompt", OPTION_FLAG, offsetof(struct agents_args, prompt), NULL,
      "Show only the system prompt that the model receives" },
    { "mode", OPTION_TEXT, offsetof(struct agents_args, mode), "MODE",
      "Run the agent read-only or read-write, within the agent's own rights" },
    { "model", OPTION_TEXT, offsetof(struct agents_args, model), "MODEL",
      "Use this MODEL, PROVIDER/MODEL or tier (model size: low, medium or high)" },
    { "max-turns", OPTION_TEXT, offsetof(struct agents_args, max_turns), "N",
      "Stop the task after N requests to the model" },
    { "budget", OPTION_TEXT, offsetof(struct agents_args, budget), "USD",
      "Stop the task when its cost reaches this amount" },
    { "yes", OPTION_FLAG, offsetof(struct agents_args, yes), NULL,
      "Allow every call that needs approval" },
    { "ask", OPTION_FLAG, offsetof(struct agents_args, ask), NULL,
      "If there is no terminal, leave questions open until `trefoil approvals` answers them" },
    { "thoughts", OPTION_FLAG, offsetof(struct agents_args, thoughts), NULL,
      "Show the model's thoughts" },
    { "wait", OPTION_FLAG, offsetof(struct agents_args, wait), NULL,
      "Wait until the task ends (default)" },
    { "detach", OPTION_FLAG, offsetof(struct agents_args, detach), NULL,
      "Give the task to the running `trefoil serve`, print its ID and exit" },
};

/* ---- JSON ------------------------------------------------------------------------------- */

static void put_short(struct jw *w, const struct agent_entry *a)
{
    const struct agent_def *d = &a->def;

    jw_kstr(w, "name", str_of(d->name));
    jw_kstr(w, "origin", str_of(d->origin));
    jw_kstr(w, "error", str_of(a->bad));
    if (a->bad)
        return;
    jw_kstr(w, "mode", str_of(agent_mode_name(d->mode)));
    jw_kstr(w, "model", d->model);
    jw_kstr(w, "tier", str_of(agent_tier_name(agent_def_tier(d))));
    jw_kstr(w, "description", d->description);
}

static void put_details(struct jw *w, const struct agent_def *d)
{
    if (!str_eq(str_of(d->title), str_of(d->name)))
        jw_kstr(w, "title", str_of(d->title));
    jw_kstr(w, "provider", d->provider);
    jw_kstr(w, "fallback_model", d->fallback_model);
    pick_strs_write(w, "allowed_tools", &d->allowed);
    pick_strs_write(w, "disallowed_tools", &d->disallowed);
    if (d->max_turns)
        jw_kint(w, "max_turns", d->max_turns);
    if (d->budget_usd > 0) {
        jw_plain_key(w, STR("budget"));
        jw_double(w, d->budget_usd);
    }
    jw_kstr(w, "effort", d->effort);
    jw_kstr(w, "output_format", d->output_format);
    jw_kstr(w, "approval_mode", d->approval_mode);
    if (d->isolate)
        jw_kbool(w, "isolate", true);
    pick_strs_write(w, "include_dirs", &d->include_dirs);
    pick_strs_write(w, "expose_tools", &d->expose);
    pick_strs_write(w, "private_tools", &d->hidden);
    jw_kstr(w, "folder", str_of(d->folder));
    jw_kstr(w, "script", str_of(d->script));
    jw_kstr(w, "preset", d->preset);
    pick_strs_write(w, "command", &d->command);
    pick_strs_write(w, "pass_env", &d->pass_env);
    jw_kstr(w, "persona", d->persona);
}

static void print_list_json(const struct agent_list *list)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, OUT_MOST);
    jw_array(&w);
    for (size_t i = 0; i < list->n; i++) {
        jw_object(&w);
        put_short(&w, &list->v[i]);
        jw_object_end(&w);
    }
    jw_array_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

/* ---- text ------------------------------------------------------------------------------- */

static void warn_all(struct app *app, const struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        if (notes->v[i].level <= LOG_WARN)
            fprintf(stderr, "warning: " STR_FMT "\n",
                    STR_ARG(shown_text(&app->project.mem, notes->v[i].text)));
}

static struct str first_line(struct arena *mem, struct str s)
{
    struct str line = str_trim(str_cut(&s, '\n')), head = utf8_head(line, DESCRIPTION_SHOWN);

    return shown_text(mem,
                      head.n < line.n ? arena_printf(mem, STR_FMT "...", STR_ARG(head)) : line);
}

/* Return the model or else the tier of the definition; "-" if it has neither. */
static struct str model_of(const struct agent_def *d)
{
    const char *tier = agent_tier_name(d->tier);

    return d->model.p ? d->model : tier ? str_of(tier) : STR("-");
}

static void print_list(struct app *app, const struct agent_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct agent_entry *a = &list->v[i];
        struct arena *mem = &app->project.mem;

        if (a->bad)
            printf("%-20s skipped: " STR_FMT "\n", shown_text(mem, str_of(a->def.name)).p,
                   STR_ARG(shown_text(mem, str_of(a->bad))));
        else
            printf("%-20s %-10s %-10s %s  " STR_FMT "\n", a->def.name, agent_mode_name(a->def.mode),
                   shown_text(mem, model_of(&a->def)).p, a->def.origin,
                   STR_ARG(first_line(mem, a->def.description)));
    }
}

static void print_line(struct app *app, const char *key, struct str value)
{
    if (value.p)
        printf("%-17s " STR_FMT "\n", key, STR_ARG(shown_text(&app->project.mem, value)));
}

static void print_strs(struct app *app, const char *key, const struct pick_strs *list)
{
    struct str all = STR("");

    if (!list->set)
        return;
    for (size_t i = 0; i < list->n; i++)
        all = arena_printf(&app->project.mem, STR_FMT "%s" STR_FMT, STR_ARG(all), i ? ", " : "",
                           STR_ARG(list->v[i]));
    print_line(app, key, list->n ? all : STR("none"));
}

static void print_definition(struct app *app, const struct agent_def *d)
{
    print_line(app, "name", str_of(d->name));
    print_line(app, "origin", str_of(d->origin));
    print_line(app, "description", d->description);
    print_line(app, "mode", str_of(agent_mode_name(d->mode)));
    print_line(app, "tier", str_of(agent_tier_name(agent_def_tier(d))));
    print_line(app, "model", d->model);
    print_line(app, "provider", d->provider);
    print_line(app, "fallback_model", d->fallback_model);
    print_strs(app, "allowed_tools", &d->allowed);
    print_strs(app, "disallowed_tools", &d->disallowed);
    if (d->max_turns)
        printf("%-17s %lld\n", "max_turns", (long long)d->max_turns);
    if (d->budget_usd > 0)
        printf("%-17s %g\n", "budget", d->budget_usd);
    print_line(app, "effort", d->effort);
    print_line(app, "output_format", d->output_format);
    print_line(app, "approval_mode", d->approval_mode);
    print_line(app, "isolate", d->isolate ? STR("true") : STR_NONE);
    print_strs(app, "include_dirs", &d->include_dirs);
    print_strs(app, "expose_tools", &d->expose);
    print_strs(app, "private_tools", &d->hidden);
    print_line(app, "folder", str_of(d->folder));
    print_line(app, "script", str_of(d->script));
    print_line(app, "preset", d->preset);
    print_strs(app, "command", &d->command);
    print_strs(app, "pass_env", &d->pass_env);
    for (size_t i = 0; i < d->envs; i++)
        print_line(app, "env", str_of(d->env[i].name));
    printf("%-17s %zu bytes; --prompt shows it with rules and instructions\n", "persona",
           d->persona.n);
}

/* ---- the verb --------------------------------------------------------------------------- */

static int list_agents(struct app *app)
{
    struct agent_list list;
    struct notes notes = { 0 };

    agents_load(&app->project.mem, app->project.root.path, &app->project.config, &notes, &list);
    agents_add_default(&app->project.mem, &list);
    if (app->opt.json)
        print_list_json(&list);
    else
        print_list(app, &list);
    warn_all(app, &notes);
    return EXIT_OK;
}

static void print_prompt(struct app *app, struct str prompt)
{
    AUTO_BUF out = { 0 };
    struct jw w = jw_to(&out);

    if (!app->opt.json) {
        printf(STR_FMT "\n", STR_ARG(prompt));
        return;
    }
    buf_init(&out, OUT_MOST);
    jw_object(&w);
    jw_kstr(&w, "prompt", prompt);
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

/*
 * Describe the entries of the definition that have no effect, and the reason. NULL: all entries
 * have an effect.
 */
static const char *inert_of(struct app *app, const struct agent_list *list, const char *name)
{
    for (size_t i = 0; i < list->claims; i++) {
        const struct agent_entry *a = &list->claim[i];

        if (!a->def.trusted && str_eq(str_of(a->def.name), str_of(name)))
            return arena_printf(&app->project.mem,
                                "%s: %s; not trusted; run `trefoil trust` to accept it",
                                a->def.origin, a->loosens)
                .p;
    }
    return NULL;
}

static void print_definition_json(const struct agent_def *d, const char *inert)
{
    const struct agent_entry entry = { .def = *d };
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, OUT_MOST);
    jw_object(&w);
    put_short(&w, &entry);
    put_details(&w, d);
    jw_kstr(&w, "inert", str_of(inert));
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

/* Return the system prompt of the agent, for a model of the provider in its definition. */
static struct str prompt_of(struct app *app, const struct agent_def *def, struct notes *notes)
{
    struct skill_list skills;
    const struct prompt_opts opts = { .root = app->project.root.path,
                                      .limits = &app->project.config.limits,
                                      .provider = def->provider,
                                      .skills = &skills };

    skills_load(&app->project.mem, app->project.root.path, &app->project.config.limits, notes,
                &skills);
    return prompt_of_agent(&app->project.mem, &opts, def, notes);
}

static int show_agent(struct app *app, const char *name, bool prompt)
{
    struct agent_list list;
    const struct agent_def *def;
    struct notes notes = { 0 };
    struct err e;

    agents_load(&app->project.mem, app->project.root.path, &app->project.config, NULL, &list);
    if (!agents_find(&list, str_of(name), &def, &e))
        return print_error_given(&e);
    if (prompt) {
        print_prompt(app, prompt_of(app, def, &notes));
        warn_all(app, &notes);
    } else if (app->opt.json) {
        print_definition_json(def, inert_of(app, &list, name));
    } else {
        print_definition(app, def);
        print_line(app, "inert", str_of(inert_of(app, &list, name)));
    }
    return EXIT_OK;
}

/* ---- dispatch --------------------------------------------------------------------------- */

static bool read_usd(struct app *app, const char *text, double *out)
{
    struct json_opts opts = limits_json(&app->project.config.limits);
    struct json v;
    struct err e;

    return json_read(&app->project.mem, str_of(text), &opts, &v, &e) && json_double(v, out) &&
           *out >= 0 && *out <= AGENT_BUDGET_MOST;
}

static bool read_spec(struct app *app, const struct agents_args *a, struct task_spec *spec,
                      struct err *e)
{
    enum agent_mode mode = AGENT_READ_WRITE;
    uint64_t turns = 0;

    if (a->mode && !agent_mode_named(str_of(a->mode), &mode))
        return fail(e, ERR_INVALID, "--mode %.40s: expected read-only or read-write", a->mode);
    if (a->max_turns && !str_uint(str_of(a->max_turns), 1, AGENT_TURNS_MOST, &turns))
        return fail(e, ERR_INVALID, "--max-turns %.40s: expected a number from 1 to %d",
                    a->max_turns, AGENT_TURNS_MOST);
    if (a->budget && !read_usd(app, a->budget, &spec->budget_usd))
        return fail(e, ERR_INVALID, "--budget %.40s: expected 0 to %d US dollars", a->budget,
                    AGENT_BUDGET_MOST);
    if (!blocks_say_something(spec->prompt) ||
        utf8_valid(spec->prompt.v->text) < spec->prompt.v->text.n)
        return fail(e, ERR_INVALID, "the task is empty or is not UTF-8 text");
    spec->read_only = mode == AGENT_READ_ONLY;
    spec->max_turns = (int64_t)turns;
    return true;
}

static int dispatch(struct app *app, const struct agents_args *a, const char *name,
                    const char *text)
{
    struct principal self = principal_self(ORIGIN_TERMINAL);
    struct task_dispatch d = { .spec = { .agent = str_of(name),
                                         .prompt = blocks_text(&app->project.mem, str_of(text)),
                                         .model = str_of(a->model),
                                         .budget_usd = -1,
                                         .owner = str_of(self.name),
                                         .origin = self.origin,
                                         .caller = origin_rows[ORIGIN_TERMINAL].caller },
                               .yes = a->yes,
                               .ask = a->ask,
                               .thoughts = a->thoughts };
    struct err e;

    if (!read_spec(app, a, &d.spec, &e))
        return print_usage_error("agents dispatch: %s", e.text);
    if (a->detach && (a->wait || a->yes || a->ask || a->thoughts))
        return print_usage_error(
            "agents dispatch: --detach cannot be combined with --wait, --yes, --ask or --thoughts");
    return a->detach ? tasks_detach(app, &d.spec) : tasks_dispatch(app, &d);
}

static int agents_run(struct app *app, const void *args, int words, char **word)
{
    const struct agents_args *a = args;

    if (words && str_eq(str_of(word[0]), STR("show")))
        return show_agent(app, word[1], a->prompt);
    if (words && str_eq(str_of(word[0]), STR("dispatch")))
        return dispatch(app, a, word[1], word[2]);
    return list_agents(app);
}

static const struct subcommand subcommands[] = {
    { "list", "", "List the agents", 0, 0, NULL },
    { "show", "NAME", "Show the definition of an agent", 1, 1, "prompt" },
    { "dispatch", "NAME TASK", "Start a task and follow it until it ends", 2, 2,
      "mode model max-turns budget yes ask thoughts wait detach" },
};

const struct verb verb_agents = {
    .name = "agents",
    .words = "[list | show | dispatch]",
    .summary = "List and show agents, or start a task for an agent",
    .more = "A dispatched task is stored (see: trefoil tasks). Ctrl-C cancels the task. The exit\n"
            "codes are those of `trefoil run`.\n",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = agents_options,
    .options = ARRAY_LEN(agents_options),
    .args_size = sizeof(struct agents_args),
    .run = agents_run,
};
