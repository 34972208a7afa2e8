/* config.c - `trefoil config check` and `trefoil config limits`. */
#include "app/app.h"
#include "base/display.h"
#include "config/agent_files.h"
#include "config/prompt_files.h"
#include "config/skill_files.h"

#include <stdio.h>

enum { CHECK_MOST = 64 << 20 };

static const char *state_of(const struct server_spec *s)
{
    if (!s->enabled)
        return "disabled";
    return s->trusted ? "ready" : "not trusted; run trefoil trust";
}

static bool worth_saying(const struct note *n)
{
    return n->level <= LOG_INFO;
}

static void put_servers(struct jw *w, const struct config *c)
{
    jw_plain_key(w, STR("servers"));
    jw_array(w);
    for (size_t i = 0; i < c->servers.n; i++) {
        const struct server_spec *s = &c->servers.v[i];

        jw_object(w);
        jw_kstr(w, "name", str_of(s->name));
        jw_kstr(w, "origin", str_of(s->origin));
        jw_kstr(w, "transport", str_of(server_transport_name(s->transport)));
        jw_kstr(w, "shown", s->shown);
        jw_kbool(w, "enabled", s->enabled);
        jw_kbool(w, "trusted", s->trusted);
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void put_agents(struct jw *w, const struct agent_list *agents)
{
    jw_plain_key(w, STR("agents"));
    jw_array(w);
    for (size_t i = 0; i < agents->n; i++) {
        jw_object(w);
        jw_kstr(w, "name", str_of(agents->v[i].def.name));
        jw_kstr(w, "origin", str_of(agents->v[i].def.origin));
        jw_kstr(w, "error", str_of(agents->v[i].bad));
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void put_check(struct jw *w, const struct app *app, const struct agent_list *agents, bool ok)
{
    const struct config *c = &app->project.config;

    jw_object(w);
    jw_kbool(w, "ok", ok);
    jw_kstr(w, "root", str_of(app->project.root.path));
    jw_plain_key(w, STR("files"));
    jw_array(w);
    for (size_t i = 0; i < c->file_count; i++)
        jw_str(w, str_of(c->files[i]));
    jw_array_end(w);
    jw_plain_key(w, STR("a2a"));
    jw_object(w);
    jw_kbool(w, "enabled", c->a2a.on);
    jw_kstr(w, "why", str_of(c->a2a.why));
    jw_object_end(w);
    put_servers(w, c);
    put_agents(w, agents);
    jw_plain_key(w, STR("warnings"));
    jw_array(w);
    for (size_t i = 0; i < c->notes.n; i++)
        if (worth_saying(&c->notes.v[i]))
            jw_str(w, c->notes.v[i].text);
    jw_array_end(w);
    jw_object_end(w);
}

static void print_check(struct app *app, const struct agent_list *agents)
{
    const struct config *c = &app->project.config;

    printf("root %s (%s)\n", app->project.root.path, app->project.root.from);
    for (size_t i = 0; i < c->file_count; i++)
        printf("ok   %s\n", c->files[i]);
    if (!c->file_count)
        printf("ok   no configuration file: all defaults\n");
    printf("a2a  %s (%s)\n", c->a2a.on ? "on" : "off", c->a2a.why);
    for (size_t i = 0; i < c->servers.n; i++) {
        const struct server_spec *s = &c->servers.v[i];

        printf("server %s (%s, %s): " STR_FMT "; %s\n", s->name, s->origin,
               server_transport_name(s->transport), STR_ARG(s->shown), state_of(s));
    }
    for (size_t i = 0; i < agents->n; i++)
        printf("agent %s (%s): %s\n",
               shown_text(&app->project.mem, str_of(agents->v[i].def.name)).p,
               agents->v[i].def.origin, agents->v[i].bad ? "skipped" : "ready");
    for (size_t i = 0; i < c->notes.n; i++)
        if (worth_saying(&c->notes.v[i]))
            printf("warn " STR_FMT "\n",
                   STR_ARG(shown_text(&app->project.mem, c->notes.v[i].text)));
}

/*
 * The configuration files were checked when they were loaded. This function also reads the files
 * that other verbs read only when they need them: agents, skills, rules and instructions. If a
 * definition is skipped, the check fails.
 */
static int config_check(struct app *app)
{
    struct config *c = &app->project.config;
    struct agent_list agents;
    struct skill_list skills;
    struct prompt_parts parts;
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    bool ok = true;

    agents_load(&app->project.mem, app->project.root.path, c, &c->notes, &agents);
    skills_load(&app->project.mem, app->project.root.path, &c->limits, &c->notes, &skills);
    prompt_files_load(&app->project.mem, app->project.root.path, &c->limits, STR_NONE, &c->notes,
                      &parts);
    for (size_t i = 0; i < agents.n; i++)
        ok &= !agents.v[i].bad;
    buf_init(&out, CHECK_MOST);
    if (app->opt.json) {
        put_check(&w, app, &agents, ok);
        printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    } else {
        print_check(app, &agents);
    }
    return ok ? EXIT_OK : EXIT_USAGE;
}

static void print_limits_json(const struct limits *l)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 1 << 16);
    jw_object(&w);
    for (size_t i = 0; i < limit_count; i++)
        jw_kint(&w, limit_rows[i].name, limits_get(l, &limit_rows[i]));
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

struct config_args {
    bool all; /* also list the limits for tests and unusual machines */
};

static int limits(struct app *app, const struct config_args *args)
{
    if (app->opt.json) {
        print_limits_json(&app->project.config.limits);
        return EXIT_OK;
    }
    for (size_t i = 0; i < limit_count; i++) {
        const struct limit_row *r = &limit_rows[i];

        if (r->tuning && !args->all)
            continue;
        printf("%-24s %10lld %-5s %s\n", r->name,
               (long long)limits_get(&app->project.config.limits, r), r->unit, r->what);
    }
    return EXIT_OK;
}

static int config_run(struct app *app, const void *args, int words, char **word)
{
    (void)words;
    return str_eq(str_of(word[0]), STR("check")) ? config_check(app) : limits(app, args);
}

static const struct subcommand subcommands[] = {
    { "check", "", "Check the configuration and show its servers and agents", 0, 0, NULL },
    { "limits", "", "List the limits and their values", 0, 0, "all" },
};

static const struct option options[] = {
    { "all", OPTION_FLAG, offsetof(struct config_args, all), NULL,
      "Also list limits that only tests and unusual machines need" },
};

const struct verb verb_config = {
    .name = "config",
    .words = "check | limits",
    .summary = "Check the configuration; list the limits",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .needs_subcommand = true,
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct config_args),
    .run = config_run,
};
