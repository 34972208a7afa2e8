/*
 * connect.c - `trefoil connect PROGRAM`: make an editor or agent start trefoil as its MCP server.
 *
 * One row per program: where its file is and what an entry looks like there.
 */
#include "app/app.h"
#include "app/json_edit.h"
#include "app/values.h"
#include "base/file.h"
#include "base/nearest.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ENTRY_MOST = 1 << 16 };

struct connect_args {
    const char *http;
    bool print, user, force;
};

static const struct program {
    const char *name;
    const char *project; /* its file in the root; NULL: it has none */
    const char *user;    /* its file in the home folder; NULL: not for us to edit */
    const char *map;     /* the member that holds the servers */
    bool typed;          /* an entry says its type */
    bool env;            /* an entry has env, even if empty */
    bool remote;         /* takes a URL */
} programs[] = {
    { "claude", ".mcp.json", NULL, "mcpServers", true, false, true },
    { "claude-desktop", NULL, "~/.config/Claude/claude_desktop_config.json", "mcpServers", false,
      true, false },
    { "cursor", ".cursor/mcp.json", "~/.cursor/mcp.json", "mcpServers", false, false, true },
    { "vscode", ".vscode/mcp.json", "~/.config/Code/User/mcp.json", "servers", true, false, true },
};

static const struct program *find_program(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(programs); i++)
        if (str_eq(str_of(name), str_of(programs[i].name)))
            return &programs[i];
    return NULL;
}

static int unknown_program(const char *name)
{
    struct nearest n = nearest_to(str_of(name));

    for (size_t i = 0; i < ARRAY_LEN(programs); i++)
        nearest_try(&n, str_of(programs[i].name));
    return app_usage("connect: unknown client \"%.40s\"%s", name,
                     n.best.p ? nearest_hint(&n)
                              : "; accepted are: claude, claude-desktop, cursor, vscode");
}

static bool own_path(struct arena *mem, const char **out, struct err *e)
{
    char *path = arena_alloc(mem, PATH_MAX);
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (n < 0)
        return fail_sys(e, "where this program is");
    path[n] = 0;
    *out = path;
    return true;
}

static void put_stdio(struct jw *w, const struct program *p, const char *self, const char *root)
{
    const char *const args[] = { "mcp", "--scope", "all", "--root", root };

    if (p->typed)
        jw_kstr(w, "type", STR("stdio"));
    jw_kstr(w, "command", str_of(self));
    jw_plain_key(w, STR("args"));
    jw_array(w);
    for (size_t i = 0; i < ARRAY_LEN(args); i++)
        jw_str(w, str_of(args[i]));
    jw_array_end(w);
    if (p->env)
        jw_kraw(w, "env", STR("{}"));
}

static bool make_entry(struct app *app, const struct program *p, const char *url, struct str *out,
                       struct err *e)
{
    struct buf b;
    struct jw w = jw_to(&b);
    const char *self = NULL;

    buf_init_in(&b, &app->mem, ENTRY_MOST);
    if (!own_path(&app->mem, &self, e))
        return false;
    jw_object(&w);
    if (url) {
        if (p->typed)
            jw_kstr(&w, "type", STR("http"));
        jw_kstr(&w, "url", str_of(url));
    } else {
        put_stdio(&w, p, self, app->root.path);
    }
    jw_object_end(&w);
    *out = buf_str(&b);
    return true;
}

static bool choose_file(struct app *app, const struct program *p, const struct connect_args *a,
                        const char **out, struct err *e)
{
    bool user = a->user || !p->project;

    if (user && !p->user)
        return fail(e, ERR_INVALID, "%s: only the file of a project can be written; leave --user",
                    p->name);
    if (user && !getenv("HOME"))
        return fail(e, ERR_NOT_FOUND, "HOME is not set");
    *out = value_path(&app->mem, str_of(user ? p->user : p->project), app->root.path);
    return true;
}

static bool read_old(struct app *app, const char *file, struct str *out, struct err *e)
{
    *out = STR("");
    return file_read(&app->mem, file, (size_t)app->config.limits.config_bytes, out, e) ||
           e->code == ERR_NOT_FOUND;
}

static int put(struct app *app, const struct program *p, const struct connect_args *a,
               struct str entry)
{
    struct json_edit_put edit = {
        .map = str_of(p->map), .name = STR(TREFOIL_NAME), .value = entry, .replace = a->force
    };
    enum json_edit how = JSON_EDIT_SAME;
    struct str text = STR("");
    struct err e;

    if (!choose_file(app, p, a, &edit.file, &e))
        return app_usage("connect: %s", e.text);
    if (!read_old(app, edit.file, &edit.text, &e) ||
        !json_edit_put(&app->mem, &edit, &how, &text, &e))
        return app_fail(&e);
    if (how == JSON_EDIT_SAME)
        return app_done(app, "already there:", TREFOIL_NAME, edit.file);
    if (how == JSON_EDIT_DIFFERS) {
        fail(&e, ERR_DENIED, "%s has another entry " TREFOIL_NAME "; --force replaces it",
             edit.file);
        return app_fail(&e);
    }
    if (!root_make_parent(&app->mem, edit.file, &e) || !file_write(edit.file, text, 0644, &e))
        return app_fail(&e);
    return app_done(app, "wrote", TREFOIL_NAME, edit.file);
}

/* The whole file as it would be if there were none. */
static int print(struct app *app, const struct program *p, struct str entry)
{
    const struct json_edit_put edit = { .file = p->name,
                                        .text = STR(""),
                                        .map = str_of(p->map),
                                        .name = STR(TREFOIL_NAME),
                                        .value = entry };
    enum json_edit how;
    struct str text = STR("");
    struct err e;

    if (!json_edit_put(&app->mem, &edit, &how, &text, &e))
        return app_fail(&e);
    printf(STR_FMT, STR_ARG(text));
    return EXIT_OK;
}

static int run(struct app *app, const void *args, int words, char **word)
{
    const struct connect_args *a = args;
    const struct program *p = find_program(word[0]);
    struct str entry;
    struct err e;

    (void)words;
    if (!p)
        return unknown_program(word[0]);
    if (a->http && !p->remote)
        return app_usage("connect: %s takes no URL from its file, only a command", p->name);
    if (a->http && !str_starts(str_of(a->http), STR("http://")) &&
        !str_starts(str_of(a->http), STR("https://")))
        return app_usage("connect: --http needs a URL such as http://127.0.0.1:8733/mcp");
    if (!make_entry(app, p, a->http, &entry, &e))
        return app_fail(&e);
    return a->print ? print(app, p, entry) : put(app, p, a, entry);
}

static const struct option options[] = {
    { "print", OPTION_FLAG, offsetof(struct connect_args, print), NULL,
      "print the configuration, write nothing" },
    { "http", OPTION_TEXT, offsetof(struct connect_args, http), "URL",
      "use a running `trefoil serve` instead of starting a program" },
    { "user", OPTION_FLAG, offsetof(struct connect_args, user), NULL,
      "for all your projects instead of this one" },
    { "force", OPTION_FLAG, offsetof(struct connect_args, force), NULL,
      "replace an entry of that name that differs" },
};

const struct verb verb_connect = {
    .name = "connect",
    .words = "CLIENT",
    .least = 1,
    .most = 1,
    .summary = "make another program use trefoil as its MCP server",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct connect_args),
    .run = run,
};
