/*
 * trust.c - `trefoil trust`: shows which servers the project's files would start and which of its
 * agents would loosen the configuration, and lets the user accept them.
 *
 * The verb asks at a terminal. Without a terminal, the option --yes is required.
 */
#include "app/trust.h"
#include "app/app.h"
#include "base/display.h"
#include "config/agent_files.h"
#include "config/trust.h"

#include <stdio.h>
#include <unistd.h>

enum { SHOW_MOST = 1 << 20 };

static void put_names(struct buf *out, const struct server_spec *s)
{
    if (s->envs + s->passes + s->headers == 0)
        return;
    buf_put(out, s->transport == SERVER_STDIO ? STR("\n    env    ") : STR("\n    headers"));
    for (size_t i = 0; i < s->passes; i++) {
        buf_putc(out, ' ');
        show_text(out, s->pass[i]);
        buf_put(out, STR(" (yours)"));
    }
    for (size_t i = 0; i < s->envs; i++) {
        buf_putc(out, ' ');
        show_text(out, s->env[i].name);
    }
    for (size_t i = 0; i < s->headers; i++) {
        buf_putc(out, ' ');
        show_text(out, s->header[i].name);
    }
}

static void show_server(const struct server_spec *s)
{
    AUTO_BUF out;

    buf_init(&out, SHOW_MOST);
    buf_printf(&out, "  %s  (%s)%s\n    %s ", s->name, s->origin, s->trusted ? ", trusted" : "",
               s->transport == SERVER_STDIO ? "runs   " : "connects to");
    buf_put(&out, s->shown);
    if (s->cwd) {
        buf_put(&out, STR("\n    in      "));
        show_text(&out, str_of(s->cwd));
    }
    put_names(&out, s);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static void show_agent(const struct agent_entry *a)
{
    AUTO_BUF out;

    buf_init(&out, SHOW_MOST);
    buf_printf(&out, "  %s  (%s)%s\n    loosens ", a->def.name, a->def.origin,
               a->def.trusted ? ", trusted" : "");
    show_text(&out, str_of(a->loosens));
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static bool is_accepted(const struct config *c, struct str rule)
{
    for (size_t i = 0; i < c->guard.rules.n; i++)
        if (str_eq(c->guard.rules.v[i], rule))
            return true;
    return false;
}

/*
 * Show the project's rules. Returns their number, and adds the number of rules that are not
 * accepted to *waiting.
 */
static size_t show_rules(const struct app *app, size_t *waiting)
{
    const struct config *c = &app->project.config;
    const struct pick_strs *rules = &c->project_rules;

    for (size_t i = 0; i < rules->n; i++) {
        bool accepted = is_accepted(c, rules->v[i]);
        AUTO_BUF out;

        *waiting += !accepted;
        if (app->opt.json)
            continue;
        buf_init(&out, SHOW_MOST);
        show_text(&out, rules->v[i]);
        printf("%s  " STR_FMT "%s\n",
               i ? "" : "these rules of this project allow calls without approval:\n\n",
               STR_ARG(buf_str(&out)), accepted ? ", trusted" : "");
    }
    return rules->n;
}

static void put_rules(struct jw *w, const struct config *c, const char *key, bool accepted)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < c->project_rules.n; i++)
        if (is_accepted(c, c->project_rules.v[i]) == accepted)
            jw_str(w, c->project_rules.v[i]);
    jw_array_end(w);
}

static void put_servers(struct jw *w, const struct config *c, const char *key, bool trusted)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < c->servers.n; i++)
        if (c->servers.v[i].from_project && c->servers.v[i].trusted == trusted)
            jw_str(w, str_of(c->servers.v[i].name));
    jw_array_end(w);
}

static void put_agents(struct jw *w, const struct agent_list *l, const char *key, bool trusted)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < l->claims; i++)
        if (l->claim[i].def.trusted == trusted)
            jw_str(w, str_of(l->claim[i].def.name));
    jw_array_end(w);
}

/* Print the sentence or, with --json, the current trust. Returns `code`. */
static int trust_say(const struct app *app, const struct agent_list *agents, int code,
                     const char *sentence)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, SHOW_MOST);
    if (!app->opt.json) {
        printf("%s\n", sentence);
        return code;
    }
    jw_object(&w);
    put_servers(&w, &app->project.config, "trusted", true);
    put_servers(&w, &app->project.config, "waiting", false);
    put_agents(&w, agents, "trusted_agents", true);
    put_agents(&w, agents, "waiting_agents", false);
    put_rules(&w, &app->project.config, "trusted_rules", true);
    put_rules(&w, &app->project.config, "waiting_rules", false);
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    return code;
}

/*
 * Show the project's servers. Returns their number, and adds the number of servers that are not
 * accepted to *waiting.
 */
static size_t show_servers(const struct app *app, size_t *waiting)
{
    const struct config *c = &app->project.config;
    size_t n = 0;

    for (size_t i = 0; i < c->servers.n; i++) {
        if (!c->servers.v[i].from_project)
            continue;
        if (!n++ && !app->opt.json)
            printf("the files of this project define these MCP servers:\n"
                   "\n");
        if (!app->opt.json)
            show_server(&c->servers.v[i]);
        *waiting += !c->servers.v[i].trusted;
    }
    return n;
}

/* The same for the project's agents that would loosen the configuration. */
static size_t show_agents(const struct app *app, const struct agent_list *l, size_t *waiting)
{
    for (size_t i = 0; i < l->claims; i++) {
        if (!i && !app->opt.json)
            printf("these agents of this project would loosen your configuration:\n"
                   "\n");
        if (!app->opt.json)
            show_agent(&l->claim[i]);
        *waiting += !l->claim[i].def.trusted;
    }
    return l->claims;
}

static bool trust_ask(size_t waiting)
{
    char line[16] = "";

    printf("\n"
           "trust all of them (%zu new or changed)? [y/N] ",
           waiting);
    fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        return false;
    return line[0] == 'y' || line[0] == 'Y';
}

static bool keep_agents(struct app *app, struct agent_list *l, bool trusted, struct err *e)
{
    struct pick_strs hashes = { .v = ARENA_ARRAY(&app->project.mem, struct str, l->claims) };

    for (size_t i = 0; i < l->claims; i++) {
        l->claim[i].def.trusted = trusted;
        if (trusted &&
            !trust_hash_agent(&app->project.mem, &l->claim[i].def, &hashes.v[hashes.n++], e))
            return false;
    }
    return trust_keep_agents(&app->project.mem, app->project.root.path, &hashes, e);
}

static bool keep_rules(struct app *app, bool trusted, struct err *e)
{
    struct config *c = &app->project.config;
    const struct pick_strs none = { 0 };

    if (trusted)
        c->guard.rules = c->project_rules;
    else
        c->guard.rules = none;
    return trust_keep_rules(&app->project.mem, app->project.root.path,
                            trusted ? &c->project_rules : &none, e);
}

static int trust_verb_keep(struct app *app, struct agent_list *agents, bool trusted,
                           const char *said)
{
    struct config *c = &app->project.config;
    struct err e;

    for (size_t i = 0; i < c->servers.n; i++)
        if (c->servers.v[i].from_project)
            c->servers.v[i].trusted = trusted;
    if (!trust_keep(&app->project.mem, app->project.root.path, &c->servers, &e) ||
        !keep_agents(app, agents, trusted, &e) || !keep_rules(app, trusted, &e))
        return print_error(&e);
    return trust_say(app, agents, EXIT_OK, said);
}

int trust_run(struct app *app, const struct trust_args *a)
{
    size_t waiting = 0, n;
    struct agent_list agents;

    app->project.config.trust = false; /* only stored trust counts here, not --trust */
    agents_load(&app->project.mem, app->project.root.path, &app->project.config, NULL, &agents);
    if (a->revoke)
        return trust_verb_keep(app, &agents, false, "this project is no longer trusted");
    trust_mark(&app->project.mem, app->project.root.path, false, &app->project.config.servers,
               &app->project.config.notes);
    n = show_servers(app, &waiting);
    n += show_agents(app, &agents, &waiting);
    n += show_rules(app, &waiting);
    if (!waiting)
        return trust_say(app, &agents, EXIT_OK,
                         n ? "\nall of them are trusted"
                           : "the files of this project define no MCP server and no agent that "
                             "loosens your configuration");
    if (!a->yes && (app->opt.json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
        return print_usage_error(
            "trust: cannot ask for confirmation without a terminal or with --json; --yes accepts "
            "what is shown");
    if (!a->yes && !trust_ask(waiting))
        return trust_say(app, &agents, EXIT_FAILED, "nothing was accepted");
    return trust_verb_keep(app, &agents, true,
                           "\n"
                           "accepted; an entry that changes must be accepted again");
}

static int trust_verb_run(struct app *app, const void *args, int words, char **word)
{
    if (words && str_eq(str_of(word[0]), STR("answers")))
        return trust_answers(app);
    if (words && str_eq(str_of(word[0]), STR("forget")))
        return trust_forget(app, words - 1, word + 1);
    return trust_run(app, args);
}

static const struct subcommand subcommands[] = {
    { "accept", "", "Show what this project would start or allow, and ask whether to trust it", 0,
      0, "yes revoke" },
    { "answers", "", "List the remembered answers to approval questions of this project", 0, 0,
      NULL },
    { "forget", "ID... | all", "Forget these answers, so that such calls need approval again", 1,
      WORDS_ANY, NULL },
};

static const struct option options[] = {
    { "yes", OPTION_FLAG, offsetof(struct trust_args, yes), NULL, "Accept without asking" },
    { "revoke", OPTION_FLAG, offsetof(struct trust_args, revoke), NULL,
      "Stop trusting this project" },
};

const struct verb verb_trust = {
    .name = "trust",
    .words = "[accept | answers | forget]",
    .summary = "Show and trust the servers, agents and rules that this project defines",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct trust_args),
    .run = trust_verb_run,
};
