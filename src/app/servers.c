/*
 * servers.c - `trefoil servers [list]|test|add|remove|enable|disable|approve`.
 *
 * Edits trefoil.toml in the root, or the user's config.toml with --user, or the file of --config.
 * The user need not confirm these changes with `trefoil trust`: an added entry is accepted, and an
 * accepted entry stays accepted when it is enabled or disabled.
 */
#include "app/servers.h"

#include "app/commands.h"
#include "base/nearest.h"
#include "config/server_edit.h"
#include "config/trust.h"
#include "loop/file.h"
#include "state/pin_file.h"

#include <stdio.h>

#define PROJECT_FILE "trefoil.toml"

/* ---- the file --------------------------------------------------------------------------- */

struct target {
    struct server_edit edit;
    bool project; /* the file belongs to the project, so its entries need trust */
};

static bool open_target(struct app *app, const struct servers_args *a, struct target *t,
                        struct err *e)
{
    const char *user = root_user_config(&app->project.mem), *file = app->opt.config;

    if (a->user && !user)
        return fail(
            e, ERR_NOT_FOUND,
            "--user: there is no config.toml, because XDG_CONFIG_HOME and HOME are not set");
    if (!file)
        file = a->user
                   ? user
                   : arena_printf(&app->project.mem, "%s/" PROJECT_FILE, app->project.root.path).p;
    *t = (struct target){ .edit = { &app->project.mem, app->project.root.path,
                                    &app->project.config.limits, file, STR("") },
                          .project = !app->opt.config && !a->user };
    return file_read(&app->project.mem, file, (size_t)app->project.config.limits.config_bytes,
                     &t->edit.text, e) ||
           e->code == ERR_NOT_FOUND;
}

static bool write_target(struct app *app, const struct target *t, struct str text, struct err *e)
{
    if (text.n > (size_t)app->project.config.limits.config_bytes)
        return fail(e, ERR_LIMIT, "%s would have %zu bytes; at most %lld are read", t->edit.file,
                    text.n, (long long)app->project.config.limits.config_bytes);
    if (t->project) /* in a cloned repository, the file may be a link that leads anywhere */
        return file_write_beneath(app->project.root.path, PROJECT_FILE, text, 0644, e);
    return file_make_parent(&app->project.mem, t->edit.file, e) &&
           file_write(t->edit.file, text, 0600, e);
}

/* Read the configuration again, and store whether the server `name` is trusted. */
static bool keep_trust(struct app *app, const struct target *t, const char *name, bool trusted,
                       struct err *e)
{
    struct config now;
    struct server_spec *s;

    if (!t->project)
        return true;
    if (!config_load(&app->project.mem, &app->project.root, NULL, false, &now, e))
        return false;
    s = server_list_find(&now.servers, name);
    if (s)
        s->trusted = trusted;
    return trust_keep(&app->project.mem, app->project.root.path, &now.servers, e);
}

static int servers_finish(struct app *app, const struct target *t, const char *name,
                          struct str text, bool trusted, const char *said)
{
    struct err e;

    if (!write_target(app, t, text, &e))
        return print_error(&e);
    if (!keep_trust(app, t, name, trusted, &e)) {
        fail_in(&e, "%s was written, but", t->edit.file);
        return print_error(&e);
    }
    return app_done(app, said, name, t->edit.file);
}

int servers_unknown(const struct app *app, const char *text, const char *name)
{
    struct nearest n = nearest_to(str_of(name));

    for (size_t i = 0; i < app->project.config.servers.n; i++)
        nearest_try(&n, str_of(app->project.config.servers.v[i].name));
    return print_usage_error("%s%s", text,
                             n.best.p ? nearest_hint(&n)
                                      : "; list all servers with: " TREFOIL_NAME " servers");
}

/* Print the error. If the server is defined in another file, name that file. */
static int fail_elsewhere(struct app *app, const char *name, struct err *e)
{
    const struct server_spec *s = server_list_find(&app->project.config.servers, name);

    if (e->code != ERR_NOT_FOUND)
        return print_error(e);
    if (!s)
        return servers_unknown(app, e->text, name);
    return print_usage_error("%s; it is defined in %s%s", e->text, s->origin,
                             strstr(s->origin, ".json:") ? ", a file of another program"
                             : s->from_project           ? ""
                                                         : ": use --user");
}

/* ---- add -------------------------------------------------------------------------------- */

/* Without any file A2A is on; the new file must not turn it off. */
static void keep_a2a_on(const struct app *app, struct server_edit *edit)
{
    const struct a2a_config *a = &app->project.config.a2a;

    if (!edit->text.n && a->on && !a->set)
        edit->text = STR("[a2a]\nenabled = true\n");
}

static int servers_verb_add(struct app *app, const struct servers_args *a, int words, char **word)
{
    const struct server_spec *old;
    struct server_new n;
    struct target t;
    struct str text;
    struct err e;
    int code;

    if (!servers_read_new(&app->project.mem, a, words, word, &n, &e))
        return command_usage(
            &app->project.mem,
            (struct command){ &verb_servers, subcommand_named(&verb_servers, "add") }, "%s",
            e.text);
    old = server_list_find(&app->project.config.servers, n.name);
    if (old)
        return print_usage_error("servers add: a server named %s already exists in %s", n.name,
                                 old->origin);
    if (!open_target(app, a, &t, &e))
        return print_error(&e);
    keep_a2a_on(app, &t.edit);
    if (!server_edit_add(&t.edit, &n, &text, &e))
        return print_error(&e);
    code = servers_finish(app, &t, n.name, text, true, "added");
    if (code == EXIT_OK && !app->opt.json)
        printf("test it with: " TREFOIL_NAME " servers test %s\n", n.name);
    return code;
}

/* ---- remove, enable, disable ------------------------------------------------------------ */

/*
 * Forget the pins of a removed server, because a later server of the same name is a different
 * server.
 */
static void forget_pins(struct app *app, const char *name)
{
    struct pin_file file = { .server = name };
    struct err e;

    if (!state_dir_find(&app->project.state, &e))
        return;
    file.state = app->project.state.path;
    if (!pin_file_forget(&file, &e))
        print_error(&e);
}

static int remove_one(struct app *app, const struct servers_args *a, int words, char **word)
{
    struct target t;
    struct str text;
    struct err e;

    (void)words;
    if (!open_target(app, a, &t, &e))
        return print_error(&e);
    if (!server_edit_remove(&t.edit, word[0], &text, &e))
        return fail_elsewhere(app, word[0], &e);
    forget_pins(app, word[0]);
    return servers_finish(app, &t, word[0], text, false, "removed");
}

static bool accepted_now(struct app *app, const char *name)
{
    const struct server_spec *s = server_list_find(&app->project.config.servers, name);

    trust_mark(&app->project.mem, app->project.root.path, false, &app->project.config.servers,
               &app->project.config.notes);
    return s && s->trusted;
}

static int servers_set(struct app *app, const struct servers_args *a, const char *name, bool on)
{
    const char *said = on ? "enabled" : "disabled";
    struct target t;
    struct str text;
    struct err e;

    if (!open_target(app, a, &t, &e))
        return print_error(&e);
    if (!server_edit_switch(&t.edit, name, on, &text, &e))
        return fail_elsewhere(app, name, &e);
    if (str_eq(text, t.edit.text))
        return app_done(app, on ? "already enabled:" : "already disabled:", name, t.edit.file);
    return servers_finish(app, &t, name, text, accepted_now(app, name), said);
}

static int enable(struct app *app, const struct servers_args *a, int words, char **word)
{
    (void)words;
    return servers_set(app, a, word[0], true);
}

static int disable(struct app *app, const struct servers_args *a, int words, char **word)
{
    (void)words;
    return servers_set(app, a, word[0], false);
}

static int approve(struct app *app, const struct servers_args *a, int words, char **word)
{
    return words ? servers_approve_tools(app, a, words, word) : trust_run(app, &a->trust);
}

/* ---- the verb --------------------------------------------------------------------------- */

static const struct subcommand subcommands[] = {
    { "list", "", "List the servers with their state, tool count and memory use", 0, 0, NULL },
    { "test", "NAME", "Connect to a server step by step and list its tools", 1, 1, NULL },
    { "add", "NAME URL | NAME -- COMMAND [ARG...]", "Add a server by its URL or its command", 1,
      WORDS_ANY, "url transport header env user" },
    { "remove", "NAME", "Remove a server from its file", 1, 1, "user" },
    { "enable", "NAME", "Enable a server", 1, 1, "user" },
    { "disable", "NAME", "Disable a server without removing it", 1, 1, "user" },
    { "approve", "[NAME [TOOL]]",
      "Accept the changed tools of server NAME. Without NAME, trust the servers of this project", 0,
      2, "yes revoke" },
};

static servers_fn *const runs[] = { servers_list, servers_test, servers_verb_add, remove_one,
                                    enable,       disable,      approve };

static int servers_run(struct app *app, const void *args, int words, char **word)
{
    size_t i = 0;

    while (words && !str_eq(str_of(word[0]), str_of(subcommands[i].name)))
        i++;
    return runs[i](app, args, words ? words - 1 : 0, word + (words > 0));
}

static const struct option options[] = {
    { "url", OPTION_TEXT, offsetof(struct servers_args, url), "URL",
      "Connect to this URL, instead of the argument URL" },
    { "t,transport", OPTION_TEXT, offsetof(struct servers_args, transport), "KIND",
      "Connect with this transport: auto (default), http or sse" },
    { "H,header", OPTION_LIST, offsetof(struct servers_args, header), "HEADER",
      "Send this HTTP header (\"Name: value\"); may be repeated" },
    { "e,env", OPTION_LIST, offsetof(struct servers_args, env), "VARIABLE",
      "Set the variable NAME to VALUE, or pass on your own variable NAME; may be repeated" },
    { "user", OPTION_FLAG, offsetof(struct servers_args, user), NULL,
      "Edit your own config.toml instead of the project's trefoil.toml" },
    { "yes", OPTION_FLAG, offsetof(struct servers_args, trust.yes), NULL, "Accept without asking" },
    { "revoke", OPTION_FLAG, offsetof(struct servers_args, trust.revoke), NULL,
      "Stop trusting this project" },
};

const struct verb verb_servers = {
    .name = "servers",
    .words = "[list | test | add | remove | enable | disable | approve]",
    .summary = "List, test, add and remove MCP servers",
    .sub = subcommands,
    .subs = ARRAY_LEN(subcommands),
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct servers_args),
    .run = servers_run,
};
