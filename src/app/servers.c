/*
 * servers.c - `trefoil servers [list]|test|add|remove|enable|disable|approve`.
 *
 * Edits trefoil.toml in the root, or the user's config.toml with --user, or the file of --config.
 * What the user types here needs no further trust: an entry added is accepted, and one that was
 * accepted stays so when it is switched.
 */
#include "app/servers.h"

#include "app/server_edit.h"
#include "app/trust.h"
#include "base/file.h"

#include <stdio.h>

/* ---- the file --------------------------------------------------------------------------- */

struct target {
    struct server_edit edit;
    bool project; /* its entries need trust */
};

static bool open_target(struct app *app, const struct servers_args *a, struct target *t,
                        struct err *e)
{
    const char *user = root_user_config(&app->mem), *file = app->opt.config;

    if (a->user && !user)
        return fail(e, ERR_NOT_FOUND, "--user: neither XDG_CONFIG_HOME nor HOME is set");
    if (!file)
        file = a->user ? user : arena_printf(&app->mem, "%s/trefoil.toml", app->root.path).p;
    *t = (struct target){ .edit = { &app->mem, app->root.path, &app->config.limits, file, STR("") },
                          .project = !app->opt.config && !a->user };
    return file_read(&app->mem, file, (size_t)app->config.limits.config_bytes, &t->edit.text, e) ||
           e->code == ERR_NOT_FOUND;
}

static bool write_target(struct app *app, const struct target *t, struct str text, struct err *e)
{
    if (text.n > (size_t)app->config.limits.config_bytes)
        return fail(e, ERR_LIMIT, "%s would have %zu bytes; at most %lld are read", t->edit.file,
                    text.n, (long long)app->config.limits.config_bytes);
    return root_make_parent(&app->mem, t->edit.file, e) &&
           file_write(t->edit.file, text, t->project ? 0644 : 0600, e);
}

/* Read everything again as any verb would, and keep the trust of `name` as said. */
static bool keep_trust(struct app *app, const struct target *t, const char *name, bool trusted,
                       struct err *e)
{
    struct config now;
    struct server_spec *s;

    if (!t->project)
        return true;
    if (!config_load(&app->mem, &app->root, NULL, false, &now, e))
        return false;
    s = server_list_find(&now.servers, name);
    if (s)
        s->trusted = trusted;
    return trust_keep(&app->mem, app->root.path, &now.servers, e);
}

static int finish(struct app *app, const struct target *t, const char *name, struct str text,
                  bool trusted, const char *said)
{
    struct err e;

    if (!write_target(app, t, text, &e))
        return app_fail(&e);
    if (!keep_trust(app, t, name, trusted, &e)) {
        fail_in(&e, "%s was written, but", t->edit.file);
        return app_fail(&e);
    }
    return app_done(app, said, name, t->edit.file);
}

/* Say where it is instead, if it is anywhere. */
static int fail_elsewhere(struct app *app, const char *name, struct err *e)
{
    const struct server_spec *s = server_list_find(&app->config.servers, name);

    if (e->code == ERR_NOT_FOUND && s)
        return app_usage("%s; it stands in %s%s", e->text, s->origin,
                         strstr(s->origin, ".json:") ? ", a file of another program"
                         : s->from_project           ? ""
                                                     : ": use --user");
    return app_fail(e);
}

/* ---- add -------------------------------------------------------------------------------- */

/* NAME=VALUE, or NAME alone for a variable of ours. */
static bool split_env(const char *text, struct server_pair *out, struct err *e)
{
    struct str rest = str_of(text);

    out->name = str_cut(&rest, '=');
    out->value = rest;
    return out->name.n || fail(e, ERR_INVALID, "--env needs NAME=VALUE or NAME");
}

/* Name: value. */
static bool split_header(const char *text, struct server_pair *out, struct err *e)
{
    struct str rest = str_of(text);

    out->name = str_trim(str_cut(&rest, ':'));
    out->value = str_trim(rest);
    return (out->name.n && rest.p) || fail(e, ERR_INVALID, "--header needs \"Name: value\"");
}

static bool split_all(struct arena *mem, const struct option_list *list,
                      bool (*split)(const char *, struct server_pair *, struct err *),
                      const struct server_pair **out, struct err *e)
{
    struct server_pair *p = ARENA_ARRAY(mem, struct server_pair, list->n);

    for (size_t i = 0; i < list->n; i++)
        if (!split(list->v[i], &p[i], e))
            return false;
    *out = p;
    return true;
}

static bool what_to_add(struct app *app, const struct servers_args *a, int words, char **word,
                        struct server_new *n, struct err *e)
{
    const char **argv = ARENA_ARRAY(&app->mem, const char *, (size_t)words + 1);

    if (words < 1 || (words > 1) == (a->url != NULL))
        return fail(e, ERR_INVALID,
                    "expected NAME --url URL [--header \"N: V\"]... or NAME -- COMMAND ARGS...");
    if (!server_name_check(str_of(word[0]), e))
        return false;
    if (a->url && a->env.n)
        return fail(e, ERR_INVALID, "--env is for a command, not for a URL");
    if (!a->url && a->header.n)
        return fail(e, ERR_INVALID, "--header is for a URL, not for a command");
    for (int i = 1; i < words; i++)
        argv[i - 1] = word[i];
    *n = (struct server_new){ .name = word[0],
                              .argv = a->url ? NULL : argv,
                              .url = a->url,
                              .envs = a->env.n,
                              .headers = a->header.n };
    return split_all(&app->mem, &a->env, split_env, &n->env, e) &&
           split_all(&app->mem, &a->header, split_header, &n->header, e);
}

static int add(struct app *app, const struct servers_args *a, int words, char **word)
{
    const struct server_spec *old;
    struct server_new n;
    struct target t;
    struct str text;
    struct err e;
    int code;

    if (!what_to_add(app, a, words, word, &n, &e))
        return app_usage("servers add: %s", e.text);
    old = server_list_find(&app->config.servers, n.name);
    if (old)
        return app_usage("servers add: %s is there already, in %s", n.name, old->origin);
    if (!open_target(app, a, &t, &e) || !server_edit_add(&t.edit, &n, &text, &e))
        return app_fail(&e);
    code = finish(app, &t, n.name, text, true, "added");
    if (code == EXIT_OK && !app->opt.json)
        printf("does it work? " TREFOIL_NAME " servers test %s\n", n.name);
    return code;
}

/* ---- remove, enable, disable ------------------------------------------------------------ */

static int remove_one(struct app *app, const struct servers_args *a, int words, char **word)
{
    struct target t;
    struct str text;
    struct err e;

    if (words != 1)
        return app_usage("servers remove: expected NAME");
    if (!open_target(app, a, &t, &e))
        return app_fail(&e);
    if (!server_edit_remove(&t.edit, word[0], &text, &e))
        return fail_elsewhere(app, word[0], &e);
    return finish(app, &t, word[0], text, false, "removed");
}

static bool accepted_now(struct app *app, const char *name)
{
    const struct server_spec *s = server_list_find(&app->config.servers, name);

    trust_mark(&app->mem, app->root.path, false, &app->config.servers, &app->config.notes);
    return s && s->trusted;
}

static int set(struct app *app, const struct servers_args *a, const char *name, bool on)
{
    const char *said = on ? "enabled" : "disabled";
    struct target t;
    struct str text;
    struct err e;

    if (!open_target(app, a, &t, &e))
        return app_fail(&e);
    if (!server_edit_switch(&t.edit, name, on, &text, &e))
        return fail_elsewhere(app, name, &e);
    if (str_eq(text, t.edit.text))
        return app_done(app, on ? "already enabled:" : "already disabled:", name, t.edit.file);
    return finish(app, &t, name, text, accepted_now(app, name), said);
}

static int enable(struct app *app, const struct servers_args *a, int words, char **word)
{
    return words == 1 ? set(app, a, word[0], true) : app_usage("servers enable: expected NAME");
}

static int disable(struct app *app, const struct servers_args *a, int words, char **word)
{
    return words == 1 ? set(app, a, word[0], false) : app_usage("servers disable: expected NAME");
}

static int approve(struct app *app, const struct servers_args *a, int words, char **word)
{
    if (words)
        return app_usage("servers approve: unexpected word %.40s", word[0]);
    return trust_run(app, &a->trust);
}

/* ---- the verb --------------------------------------------------------------------------- */

static const struct {
    const char *word;
    servers_fn *run;
} rows[] = {
    { "list", servers_list }, { "test", servers_test }, { "add", add },
    { "remove", remove_one }, { "enable", enable },     { "disable", disable },
    { "approve", approve },
};

static int run(struct app *app, const void *args, int words, char **word)
{
    struct str list = STR("");

    if (!words)
        return servers_list(app, args, 0, word);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (str_eq(str_of(word[0]), str_of(rows[i].word)))
            return rows[i].run(app, args, words - 1, word + 1);
        list = arena_printf(&app->mem, STR_FMT "%s%s", STR_ARG(list), i ? ", " : "", rows[i].word);
    }
    return app_usage("servers: expected " STR_FMT, STR_ARG(list));
}

static const struct option options[] = {
    { "url", OPTION_TEXT, offsetof(struct servers_args, url), "URL",
      "add: reach it over HTTP instead of starting a command" },
    { "header", OPTION_LIST, offsetof(struct servers_args, header), "HEADER",
      "add: \"Name: value\" to send; may be given several times" },
    { "env", OPTION_LIST, offsetof(struct servers_args, env), "VARIABLE",
      "add: NAME=VALUE for the command, or NAME to pass yours; several times" },
    { "user", OPTION_FLAG, offsetof(struct servers_args, user), NULL,
      "edit your own config.toml instead of the project's trefoil.toml" },
    { "yes", OPTION_FLAG, offsetof(struct servers_args, trust.yes), NULL,
      "approve: accept without asking" },
    { "revoke", OPTION_FLAG, offsetof(struct servers_args, trust.revoke), NULL,
      "approve: trust nothing of this project any more" },
};

const struct verb verb_servers = {
    .name = "servers",
    .words = "[list] | test NAME | add NAME (--url URL | -- COMMAND ARGS...) | remove NAME | "
             "enable NAME | "
             "disable NAME | approve",
    .summary = "list, test, add, remove and switch the MCP servers that trefoil uses",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct servers_args),
    .run = run,
};
