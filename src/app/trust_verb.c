/*
 * trust_verb.c - `trefoil trust`: show what the project's files would start, and accept it.
 *
 * Asks on a terminal; without one --yes must say so.
 */
#include "app/trust_verb.h"
#include "app/app.h"
#include "app/show.h"
#include "app/trust.h"

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

static void put_waiting(struct jw *w, const struct config *c, const char *key, bool trusted)
{
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < c->servers.n; i++)
        if (c->servers.v[i].from_project && c->servers.v[i].trusted == trusted)
            jw_str(w, str_of(c->servers.v[i].name));
    jw_array_end(w);
}

/* How it is now; a sentence for people. */
static int say(const struct app *app, int code, const char *sentence)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, SHOW_MOST);
    if (!app->opt.json) {
        printf("%s\n", sentence);
        return code;
    }
    jw_object(&w);
    put_waiting(&w, &app->config, "trusted", true);
    put_waiting(&w, &app->config, "waiting", false);
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    return code;
}

/* Show all of the project's; returns how many, and how many of them wait. */
static size_t show_all(const struct app *app, size_t *waiting)
{
    const struct config *c = &app->config;
    size_t n = 0;

    *waiting = 0;
    for (size_t i = 0; i < c->servers.n; i++) {
        if (!c->servers.v[i].from_project)
            continue;
        if (!n++ && !app->opt.json)
            printf("the files of this project name these MCP servers:\n\n");
        if (!app->opt.json)
            show_server(&c->servers.v[i]);
        *waiting += !c->servers.v[i].trusted;
    }
    return n;
}

static bool ask(size_t waiting)
{
    char line[16] = "";

    printf("\nmay they be started (%zu new or changed)? [y/N] ", waiting);
    fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        return false;
    return line[0] == 'y' || line[0] == 'Y';
}

static int keep(struct app *app, bool trusted, const char *said)
{
    struct config *c = &app->config;
    struct err e;

    for (size_t i = 0; i < c->servers.n; i++)
        if (c->servers.v[i].from_project)
            c->servers.v[i].trusted = trusted;
    if (!trust_keep(&app->mem, app->root.path, &c->servers, &e))
        return app_fail(&e);
    return say(app, EXIT_OK, said);
}

int trust_run(struct app *app, const struct trust_args *a)
{
    size_t waiting, n;

    if (a->revoke)
        return keep(app, false, "nothing of this project is trusted any more");
    trust_mark(&app->mem, app->root.path, false, &app->config.servers, &app->config.notes);
    n = show_all(app, &waiting);
    if (!waiting)
        return say(app, EXIT_OK,
                   n ? "\nall of them are trusted"
                     : "the files of this project name no MCP server");
    if (!a->yes && (app->opt.json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
        return app_usage("trust: nobody is here to be asked; --yes accepts what is shown");
    if (!a->yes && !ask(waiting))
        return say(app, EXIT_FAILED, "nothing was accepted");
    return keep(app, true, "\naccepted; a change of an entry asks anew");
}

static int run(struct app *app, const void *args, int words, char **word)
{
    (void)words;
    (void)word;
    return trust_run(app, args);
}

static const struct option options[] = {
    { "yes", OPTION_FLAG, offsetof(struct trust_args, yes), NULL, "Accept without asking" },
    { "revoke", OPTION_FLAG, offsetof(struct trust_args, revoke), NULL,
      "Withdraw the trust in this project" },
};

const struct verb verb_trust = {
    .name = "trust",
    .words = "",
    .summary = "Show and accept the MCP servers that the project's files define",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct trust_args),
    .run = run,
};
