/*
 * init.c - `trefoil init`: creates the first files of a project.
 *
 * The files are created in the root (state/root.h) or, if there is none, in the working folder.
 * Existing files are not changed.
 */
#include "app/app.h"
#include "loop/file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char toml_text[] =
    "# trefoil.toml - the configuration of trefoil for this folder. Every key is optional.\n"
    "# `trefoil config check` checks it; `trefoil config limits` lists the limits.\n"
    "\n"
    "[serve]\n"
    "# listen = \"127.0.0.1:8733\"\n"
    "# api_key = \"env:TREFOIL_API_KEY\"  # required to accept connections from other machines\n"
    "\n"
    "# Other agents reach the agents of this folder over A2A. Without this key, A2A is off.\n"
    "[a2a]\n"
    "enabled = true\n"
    "\n"
    "[log]\n"
    "# level = \"warn\"                   # error, warn, info, debug, trace\n"
    "\n"
    "# Commands run in a sandbox: they can write only in this folder and have no network. A call\n"
    "# that leaves the sandbox needs approval. This file can only make the sandbox and the\n"
    "# permissions stricter.\n"
    "[sandbox]\n"
    "# default = \"read-only\"            # commands can write only in .vault/\n"
    "\n"
    "[guard.permission]\n"
    "# execute = \"ask\"                  # ask for every command, even inside the sandbox\n"
    "# delete = \"ask\"                   # file_delete\n"
    "# edit = \"ask\"                     # file_write, file_edit\n"
    "# fetch = \"deny\"                   # web_fetch; by default it needs approval\n"
    "\n"
    "# An MCP server whose tools all agents may use. `trefoil trust` accepts it.\n"
    "# [[mcp.servers]]\n"
    "# name = \"files\"\n"
    "# command = [\"npx\", \"-y\", \"@modelcontextprotocol/server-filesystem\", \".\"]\n"
    "# allowed_tools = [\"read_file\", \"list_directory\"]\n"
    "\n"
    "# Agents are Markdown files in .trefoil/agents; a small agent can be defined here.\n"
    "# [[agents]]\n"
    "# name = \"reviewer\"\n"
    "# description = \"Reviews a change and reports problems\"\n"
    "# mode = \"read-only\"\n"
    "# persona = \"You review changes. Name the file and the line.\"\n";

static const char agent_text[] =
    "---\n"
    "name: helper\n"
    "description: Answers questions about this project and makes small changes\n"
    "# tier: medium           # low, medium, high; or model: NAME\n"
    "# mode: read-only        # reads everything, writes only in .vault\n"
    "# tools: [file_read, grep, \"Bash(git diff:*)\"]   # default: all tools\n"
    "# max_turns: 50\n"
    "---\n"
    "You help with the project in this folder. Read the files before you answer, name the files\n"
    "you refer to, change only what the user asked for, and report what you did.\n";

static const char ignore_text[] = "# Logs that trefoil writes.\n"
                                  "logs/\n";

static const struct init_file {
    const char *path, *text;
} files[] = {
    { "trefoil.toml", toml_text },
    { ".trefoil/agents/helper.md", agent_text },
    { ".trefoil/.gitignore", ignore_text },
};

/*
 * Create a file. *made is false if the path exists already. A link to a missing file counts as
 * existing, and its target is not created.
 */
static bool init_make(struct app *app, const struct init_file *f, const char *path, bool *made,
                      struct err *e)
{
    struct stat st;

    *made = false;
    if (lstat(path, &st) == 0)
        return true;
    if (errno != ENOENT && errno != ENOTDIR)
        return fail_sys(e, "look at %s", path);
    if (!file_write_beneath(app->project.root.path, f->path, str_of(f->text), 0644, e))
        return false;
    *made = true;
    return true;
}

static void init_say(struct jw *w, const struct app *app, const char *path, bool made)
{
    if (!app->opt.json) {
        printf("%s %s\n", made ? "wrote" : "kept ", path);
        return;
    }
    jw_object(w);
    jw_kstr(w, "file", str_of(path));
    jw_kbool(w, "written", made);
    jw_object_end(w);
}

static int init_run(struct app *app, const void *args, int words, char **word)
{
    AUTO_BUF out = { 0 };
    struct jw w = jw_to(&out);
    struct err e;

    (void)args;
    (void)words;
    (void)word;
    buf_init(&out, 1 << 16);
    jw_array(&w);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        const char *path =
            arena_printf(&app->project.mem, "%s/%s", app->project.root.path, files[i].path).p;
        bool made;

        if (!init_make(app, &files[i], path, &made, &e))
            return print_error(&e);
        init_say(&w, app, path, made);
    }
    jw_array_end(&w);
    if (app->opt.json)
        printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    else
        printf(
            "next: `trefoil agents` lists the agents, `trefoil doctor` checks the installation\n");
    return EXIT_OK;
}

const struct verb verb_init = {
    .name = "init",
    .words = "",
    .summary = "Create a trefoil.toml and a first agent; existing files are kept",
    .run = init_run,
};
