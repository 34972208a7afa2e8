/*
 * connect.c - `trefoil connect CLIENT`: make an editor or agent start trefoil as its MCP server or
 * as its ACP agent.
 *
 * An ACP agent is always registered for the user, without a root: the client names the folder of
 * each session. An MCP entry in a file of the project contains the root. A file of the user is for all projects, so
 * its entry contains a root only if --root was given. Otherwise trefoil finds the root from the
 * folder in which the client starts it.
 *
 * The user's files are written through symbolic links, because dotfile managers use links. Files
 * below the root are not, because a cloned repository may contain links that lead anywhere.
 */
#include "app/connect_gemini.h"
#include "base/nearest.h"
#include "config/client_programs.h"
#include "loop/file.h"
#include "runtime/service_view.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRY_MOST = 1 << 16, ARGS_MOST = 8 };

struct connect_args {
    const char *http, *scope, *as, *agent, *card;
    bool print, user, force, agents, no_agents;
};

/* The data of one run of the verb. */
struct connecting {
    struct app *app;
    const struct connect_args *args;
    const struct client_program *client;
    bool user;        /* edit the user's file, not the project's file */
    const char *file; /* path of the file */
    struct str entry; /* the entry as JSON */
};

static int unknown_client(struct arena *mem, const char *name)
{
    struct nearest n = nearest_to(str_of(name));
    struct str list = STR("");
    const struct client_program *c;

    for (size_t i = 0; (c = client_program_at(i)); i++) {
        if (client_program_named(c->name, CLIENT_ANY) != c)
            continue; /* the second role of a program */
        nearest_try(&n, str_of(c->name));
        list = arena_printf(mem, STR_FMT "%s%s", STR_ARG(list),
                            i ? ", " : "; supported clients: ", c->name);
    }
    return print_usage_error("connect: unknown client \"%.40s\"%s", name,
                             n.best.p ? nearest_hint(&n) : list.p);
}

/* ---- the entry ------------------------------------------------------------------------------ */

static bool own_path(struct arena *mem, const char **out, struct err *e)
{
    char *path = arena_alloc(mem, PATH_MAX);
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (n < 0)
        return fail_sys(e, "cannot find the path of this program");
    path[n] = 0;
    *out = path;
    return true;
}

static void add_arg(const char **args, size_t *n, const char *name, const char *value)
{
    args[(*n)++] = name;
    args[(*n)++] = value;
}

/* The arguments with which the client starts trefoil, ended by NULL. */
static void choose_args(const struct connecting *c, const char *args[ARGS_MOST])
{
    size_t n = 0;

    args[n++] = c->client->role == CLIENT_ACP ? "acp" : "mcp";
    if (c->args->agent)
        add_arg(args, &n, "--agent", c->args->agent);
    if (c->args->scope)
        add_arg(args, &n, "--scope", c->args->scope);
    if (c->client->role == CLIENT_MCP && (!c->user || c->app->opt.root))
        add_arg(args, &n, "--root", c->app->project.root.path);
    args[n] = NULL;
}

static bool choose_launch(const struct connecting *c, const char *args[ARGS_MOST],
                          struct client_launch *launch, struct err *e)
{
    choose_args(c, args);
    launch->args = args;
    return own_path(&c->app->project.mem, &launch->program, e);
}

static bool make_entry(struct connecting *c, struct err *e)
{
    const char *args[ARGS_MOST];
    struct client_launch launch;
    struct buf b;
    struct jw w = jw_to(&b);

    buf_init_in(&b, &c->app->project.mem, ENTRY_MOST);
    if (!choose_launch(c, args, &launch, e))
        return false;
    jw_object(&w);
    if (c->args->http)
        c->client->write_http(&w, c->args->http);
    else
        c->client->write_stdio(&w, &launch);
    jw_object_end(&w);
    c->entry = buf_str(&b);
    return true;
}

/* ---- the file ------------------------------------------------------------------------------- */

static bool choose_file(struct connecting *c, struct err *e)
{
    const struct client_program *p = c->client;

    c->user = c->args->user || !p->project;
    if (c->user && !p->user)
        return fail(e, ERR_INVALID,
                    "trefoil cannot edit the user-wide configuration of %s; run: claude mcp add "
                    "--scope user trefoil "
                    "-- trefoil mcp",
                    p->name);
    if (!c->user && str_eq(str_of(c->app->project.root.from), STR("user state")))
        return fail(e, ERR_INVALID, "this folder is not a project; use --user or --root DIR");
    c->file = client_path(&c->app->project.mem, c->user ? p->user : p->project,
                          c->app->project.root.path);
    return c->file || fail(e, ERR_INVALID, "HOME is not set");
}

/* Return the path of a project's file, relative to the root. */
static const char *below_root(const struct connecting *c)
{
    return c->file + strlen(c->app->project.root.path) + 1;
}

/*
 * Fail if the file is a link to a missing file: file_write() would replace the link with a file,
 * and the user's dotfile manager would no longer manage that file.
 */
static bool check_link(const char *file, struct err *e)
{
    struct stat st;

    if (lstat(file, &st) == 0 && S_ISLNK(st.st_mode) && stat(file, &st) < 0)
        return fail(e, ERR_INVALID, "%s is a symbolic link to a file that does not exist", file);
    return true;
}

static bool read_file(const struct connecting *c, struct str *out, struct err *e)
{
    struct arena *mem = &c->app->project.mem;
    size_t most = (size_t)c->app->project.config.limits.config_bytes;

    *out = STR("");
    if (c->user && !check_link(c->file, e))
        return false;
    return (c->user ? file_read(mem, c->file, most, out, e)
                    : file_read_beneath(mem, c->app->project.root.path, below_root(c), most, out,
                                        NULL, e)) ||
           e->code == ERR_NOT_FOUND;
}

static bool write_file(const struct connecting *c, struct str text, struct err *e)
{
    if (!c->user)
        return file_write_beneath(c->app->project.root.path, below_root(c), text, 0644, e);
    return file_make_parent(&c->app->project.mem, c->file, e) && file_write(c->file, text, 0644, e);
}

/* ---- the verb ------------------------------------------------------------------------------- */

static void print_hints(const struct connecting *c)
{
    if (c->app->opt.json)
        return;
    if (c->client->hint)
        printf("%s\n", c->client->hint);
    if (c->client->role == CLIENT_MCP && c->user && !c->args->http && !c->app->opt.root)
        printf("trefoil serves the folder in which %s starts it; --root DIR sets a fixed folder\n",
               c->client->name);
}

static int fail_edit(const struct connecting *c, const struct err *e)
{
    print_error(e);
    fprintf(stderr,
            "nothing was written; to add the entry by hand, see: " TREFOIL_NAME
            " connect %s --print\n",
            c->client->name);
    return EXIT_FAILED;
}

static struct entry_put entry_of(const struct connecting *c, struct str text)
{
    return (struct entry_put){ .file = c->file,
                               .text = text,
                               .map = str_of(c->client->map),
                               .name = STR(TREFOIL_NAME),
                               .value = c->entry,
                               .replace = c->args->force };
}

static int connect_put(struct connecting *c)
{
    enum entry_change how = ENTRY_SAME;
    struct entry_put edit;
    struct str old, text = STR("");
    struct err e;

    if (!read_file(c, &old, &e))
        return print_error(&e);
    edit = entry_of(c, old);
    if (!c->client->put(&c->app->project.mem, &edit, &how, &text, &e))
        return fail_edit(c, &e);
    if (how == ENTRY_SAME)
        return app_done(c->app, "already present:", TREFOIL_NAME, c->file);
    if (how == ENTRY_DIFFERS) {
        fail(&e, ERR_DENIED, "%s has a different entry " TREFOIL_NAME "; --force replaces it",
             c->file);
        return print_error(&e);
    }
    if (!write_file(c, text, &e))
        return print_error(&e);
    app_done(c->app, "wrote", TREFOIL_NAME, c->file);
    print_hints(c);
    return EXIT_OK;
}

/* Print the whole file, as the verb would write it if no file existed. */
static int connect_print(struct connecting *c)
{
    const struct entry_put edit = entry_of(c, STR(""));
    enum entry_change how;
    struct str text = STR("");
    struct err e;

    if (!c->client->put(&c->app->project.mem, &edit, &how, &text, &e))
        return print_error(&e);
    printf(STR_FMT, STR_ARG(text));
    fflush(stdout);
    fprintf(stderr, "add this entry to %s\n", c->file);
    return EXIT_OK;
}

/* The code for an editor whose configuration trefoil cannot edit. */
static int connect_snippet(struct connecting *c)
{
    const char *args[ARGS_MOST];
    struct client_launch launch;
    struct buf b;
    struct err e;

    if (!choose_launch(c, args, &launch, &e))
        return print_error(&e);
    buf_init_in(&b, &c->app->project.mem, ENTRY_MOST);
    c->client->snippet(&b, &launch);
    printf(STR_FMT, STR_ARG(buf_str(&b)));
    fflush(stdout);
    fprintf(stderr, "%s\n", c->client->hint);
    return EXIT_OK;
}

/* Options that only one of the two roles takes. */
static bool check_role_args(const struct connecting *c, struct err *e)
{
    const struct connect_args *a = c->args;

    if (c->client->role == CLIENT_MCP && a->agent)
        return fail(e, ERR_INVALID, "--agent is only for a client that starts trefoil as an agent");
    if (c->client->role == CLIENT_ACP && (a->http || a->scope))
        return fail(e, ERR_INVALID,
                    "%s starts trefoil as an agent; --http and --scope are only for "
                    "MCP servers",
                    c->client->name);
    if (c->client->role == CLIENT_ACP && c->app->opt.root)
        return fail(e, ERR_INVALID,
                    "--root cannot be used here: %s names the folder of each session",
                    c->client->name);
    return true;
}

static bool check_args(const struct connecting *c, struct err *e)
{
    const struct connect_args *a = c->args;
    enum service_scope scope;

    if (!check_role_args(c, e))
        return false;
    if (a->http && !c->client->write_http)
        return fail(e, ERR_INVALID, "%s does not support a URL in its file, only a command",
                    c->client->name);
    if (a->http && !str_starts(str_of(a->http), STR("http://")) &&
        !str_starts(str_of(a->http), STR("https://")))
        return fail(e, ERR_INVALID, "--http needs a URL such as http://127.0.0.1:8733/mcp");
    if (a->http && a->scope)
        return fail(e, ERR_INVALID,
                    "--scope cannot be combined with --http: a URL always offers everything");
    if (a->scope && !service_scope_named(str_of(a->scope), &scope))
        return fail(e, ERR_INVALID, "--scope %.40s: expected agents, tools or all", a->scope);
    return true;
}

static bool choose_client(struct connecting *c, const char *name, struct err *e)
{
    enum client_role role = CLIENT_ANY;

    if (c->args->as && !client_role_named(str_of(c->args->as), &role))
        return fail(e, ERR_INVALID, "--as %.40s: expected acp or mcp", c->args->as);
    c->client = client_program_named(name, role);
    return c->client || fail(e, ERR_INVALID, "%s cannot start trefoil as %s", name,
                             role == CLIENT_ACP ? "an ACP agent" : "an MCP server");
}

static int connect_agents(struct app *app, const struct connect_args *a, const char *client)
{
    const struct connect_gemini c = { .url = a->http,
                                      .card = a->card,
                                      .user = a->user,
                                      .print = a->print,
                                      .force = a->force,
                                      .off = a->no_agents };

    if (!str_eq(str_of(client), STR("gemini")))
        return print_usage_error("connect: only gemini has --agents, --no-agents and --card");
    if (a->scope || (a->card && !a->agents) || (a->agents && a->no_agents))
        return print_usage_error("connect: --agents cannot be combined with --scope or "
                                 "--no-agents, and --card needs --agents");
    return connect_gemini_run(app, &c);
}

static int connect_run(struct app *app, const void *args, int words, char **word)
{
    const struct connect_args *a = args;
    struct connecting c = { .app = app, .args = args };
    struct err e;

    (void)words;
    if (!client_program_named(word[0], CLIENT_ANY))
        return unknown_client(&app->project.mem, word[0]);
    if (a->agents || a->no_agents || a->card)
        return connect_agents(app, a, word[0]);
    if (!choose_client(&c, word[0], &e) || !check_args(&c, &e))
        return print_usage_error("connect: %s", e.text);
    if (!c.client->put)
        return connect_snippet(&c);
    if (!choose_file(&c, &e))
        return print_usage_error("connect: %s", e.text);
    if (!make_entry(&c, &e))
        return print_error(&e);
    return c.args->print ? connect_print(&c) : connect_put(&c);
}

static const struct option options[] = {
    { "print", OPTION_FLAG, offsetof(struct connect_args, print), NULL,
      "Print the entry for the client's file, but write nothing" },
    { "user", OPTION_FLAG, offsetof(struct connect_args, user), NULL,
      "Write the client's file for all your projects instead of its file for this project" },
    { "as", OPTION_TEXT, offsetof(struct connect_args, as), "ROLE",
      "Register trefoil as an ACP agent (acp) or as an MCP server (mcp), if CLIENT can use both" },
    { "agent", OPTION_TEXT, offsetof(struct connect_args, agent), "NAME",
      "As an ACP agent: the agent with which new sessions begin" },
    { "scope", OPTION_TEXT, offsetof(struct connect_args, scope), "WHAT",
      "Offer agents (default), tools, or all" },
    { "http", OPTION_TEXT, offsetof(struct connect_args, http), "URL",
      "Make the client use a running `trefoil serve` at URL instead of starting a process" },
    { "force", OPTION_FLAG, offsetof(struct connect_args, force), NULL,
      "Replace an existing trefoil entry that differs" },
    { "agents", OPTION_FLAG, offsetof(struct connect_args, agents), NULL,
      "gemini: write .gemini/agents/NAME.md for each agent that `trefoil serve` offers over A2A" },
    { "no-agents", OPTION_FLAG, offsetof(struct connect_args, no_agents), NULL,
      "gemini: turn remote agents off in its settings" },
    { "card", OPTION_TEXT, offsetof(struct connect_args, card), "FILE",
      "gemini: name this card of the agents: agent.json (default) or agent-card.json" },
};

const struct verb verb_connect = {
    .name = "connect",
    .words = "CLIENT",
    .summary = "Register trefoil as an agent or MCP server in an editor or another agent program",
    .more = "As an ACP agent: CLIENT is emacs, jetbrains, neovim or zed.\n"
            "As an MCP server: CLIENT is claude, claude-desktop, codex, cursor, gemini, goose, "
            "opencode,\n"
            "vscode or, with --as mcp, zed.\n"
            "The entry is merged into the client's own file; comments and other keys are kept. For "
            "emacs\n"
            "and neovim trefoil prints code that you add to your configuration.\n",
    .least = 1,
    .most = 1,
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct connect_args),
    .run = connect_run,
};
