#include "app/connect_gemini.h"

#include "config/agent_files.h"
#include "config/client_programs.h"
#include "config/gemini_agents.h"
#include "loop/file.h"

#include <stdio.h>

enum { FILE_MOST = 1 << 20 };

/* What is being written, and where. */
struct gemini_job {
    struct app *app;
    const struct connect_gemini *c;
    const char *home; /* the folder that contains .gemini; NULL: the root */
    struct str base;  /* the URL of the server */
    const char *card;
    size_t written;
};

static struct arena *mem_of(const struct gemini_job *g)
{
    return &g->app->project.mem;
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *path_of(const struct gemini_job *g, const char *name)
{
    const char *folder = g->home ? g->home : g->app->project.root.path;

    return arena_printf(mem_of(g), "%s/.gemini/%s", folder, name).p;
}

/* A missing file is an empty one. Files of a project are not followed through links. */
static bool read_file(const struct gemini_job *g, const char *name, struct str *out, struct err *e)
{
    const char *below = arena_printf(mem_of(g), ".gemini/%s", name).p;

    *out = STR("");
    if (g->home ? file_read(mem_of(g), path_of(g, name), FILE_MOST, out, e)
                : file_read_beneath(mem_of(g), g->app->project.root.path, below, FILE_MOST, out,
                                    NULL, e))
        return true;
    return e->code == ERR_NOT_FOUND;
}

static bool write_file(struct gemini_job *g, const char *name, struct str text, struct err *e)
{
    const char *below = arena_printf(mem_of(g), ".gemini/%s", name).p;

    g->written++;
    if (!g->home)
        return file_write_beneath(g->app->project.root.path, below, text, 0644, e);
    return file_make_parent(mem_of(g), path_of(g, name), e) &&
           file_write(path_of(g, name), text, 0644, e);
}

static bool put_file(struct gemini_job *g, const char *name, struct str text, struct err *e)
{
    if (g->c->print) {
        printf("# %s\n" STR_FMT "\n", path_of(g, name), STR_ARG(text));
        return true;
    }
    if (!write_file(g, name, text, e))
        return false;
    app_done(g->app, "wrote", name, path_of(g, name));
    return true;
}

/* ---- agents ---------------------------------------------------------------------------------- */

static bool put_agent(struct gemini_job *g, const struct agent_def *def, struct err *e)
{
    struct arena *mem = mem_of(g);
    struct str name = gemini_agent_name(mem, str_of(def->name)), old, text;
    const char *file = arena_printf(mem, "agents/" STR_FMT ".md", STR_ARG(name)).p;
    struct str url =
        arena_printf(mem, STR_FMT STR_FMT "/%s/.well-known/%s", STR_ARG(g->base),
                     STR_ARG(g->app->project.config.a2a.listen_path), def->name, g->card);

    text = gemini_agent_file(mem, name, url, def->description);
    if (!read_file(g, file, &old, e))
        return false;
    if (str_eq(old, text) && !g->c->print)
        return app_done(g->app, "already present:", file, path_of(g, file)) == EXIT_OK;
    if (old.n && !gemini_agent_is_ours(old) && !g->c->force && !g->c->print)
        return fail(e, ERR_DENIED, "%s was not written by " TREFOIL_NAME "; --force replaces it",
                    path_of(g, file));
    return put_file(g, file, text, e);
}

static bool put_agents(struct gemini_job *g, struct err *e)
{
    struct project *p = &g->app->project;
    struct agent_list list;

    agents_load(&p->mem, p->root.path, &p->config, NULL, &list);
    agents_add_default(&p->mem, &list);
    for (size_t i = 0; i < list.n; i++)
        if (!list.v[i].bad && !put_agent(g, &list.v[i].def, e))
            return false;
    return true;
}

static bool put_settings(struct gemini_job *g, struct err *e)
{
    enum entry_change how = ENTRY_SAME;
    struct str old, text = STR("");

    if (!read_file(g, "settings.json", &old, e) ||
        !gemini_settings_put(mem_of(g), path_of(g, "settings.json"), old, !g->c->off, &how, &text,
                             e))
        return false;
    return how == ENTRY_SAME || put_file(g, "settings.json", text, e);
}

/* ---- the server ------------------------------------------------------------------------------ */

/* "127.0.0.1:8733" -> http://localhost:8733, as clients on this machine reach it. */
static bool find_base(struct gemini_job *g, struct err *e)
{
    const struct config *config = &g->app->project.config;
    struct str listen = config->listen;
    size_t colon = listen.n;

    while (colon && listen.p[colon - 1] != ':')
        colon--;
    g->base = g->c->url ? str_of(g->c->url) : config->a2a.public_url;
    while (str_ends(g->base, STR("/")))
        g->base.n--;
    if (g->base.n && !str_starts(g->base, STR("http://")) && !str_starts(g->base, STR("https://")))
        return fail(e, ERR_INVALID, "--http needs a URL such as http://localhost:8733");
    if (g->base.n)
        return true;
    if (!colon || str_starts(listen, STR("unix:")))
        return fail(e, ERR_INVALID,
                    "[serve] listen is no TCP address; use --http URL with the URL of the server");
    g->base =
        arena_printf(mem_of(g), "http://localhost:" STR_FMT, STR_ARG(str_skip(listen, colon)));
    return true;
}

static bool find_place(struct gemini_job *g, struct err *e)
{
    struct arena *mem = mem_of(g);

    g->card = g->c->card ? g->c->card : "agent.json";
    if (!str_eq(str_of(g->card), STR("agent.json")) &&
        !str_eq(str_of(g->card), STR("agent-card.json")))
        return fail(e, ERR_INVALID, "--card %.40s: expected agent.json or agent-card.json",
                    g->card);
    if (!g->c->user)
        return true;
    g->home = client_path(mem, "~/", g->app->project.root.path);
    return g->home || fail(e, ERR_INVALID, "HOME is not set");
}

int connect_gemini_run(struct app *app, const struct connect_gemini *c)
{
    struct gemini_job g = { .app = app, .c = c };
    struct err e;

    if (!find_place(&g, &e) || !find_base(&g, &e))
        return print_usage_error("connect: %s", e.text);
    if ((!c->off && !put_agents(&g, &e)) || !put_settings(&g, &e))
        return print_error(&e);
    if (!c->off && !app->project.config.a2a.on)
        print_notice("A2A is off, so `" TREFOIL_NAME " serve` does not serve these agents: %s",
                     app->project.config.a2a.why);
    return EXIT_OK;
}
