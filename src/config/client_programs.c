#include "config/client_programs.h"

#include "base/err.h"
#include "config/editor_snippets.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- entries -------------------------------------------------------------------------------- */

static void put_args(struct jw *w, const char *const *args)
{
    for (size_t i = 0; args[i]; i++)
        jw_str(w, str_of(args[i]));
}

/* "command" and "args", as most programs have them. */
static void write_command(struct jw *w, const struct client_launch *l)
{
    jw_kstr(w, "command", str_of(l->program));
    jw_plain_key(w, STR("args"));
    jw_array(w);
    put_args(w, l->args);
    jw_array_end(w);
}

static void write_typed_command(struct jw *w, const struct client_launch *l)
{
    jw_kstr(w, "type", STR("stdio"));
    write_command(w, l);
}

static void write_command_and_env(struct jw *w, const struct client_launch *l)
{
    write_command(w, l);
    jw_kraw(w, "env", STR("{}"));
}

static void write_url(struct jw *w, const char *url)
{
    jw_kstr(w, "url", str_of(url));
}

static void write_typed_url(struct jw *w, const char *url)
{
    jw_kstr(w, "type", STR("http"));
    write_url(w, url);
}

/* Zed: "custom" is an agent that Zed does not install itself. */
static void write_zed_agent(struct jw *w, const struct client_launch *l)
{
    jw_kstr(w, "type", STR("custom"));
    write_command_and_env(w, l);
}

/* opencode: one list for the program and its arguments. */
static void write_opencode_command(struct jw *w, const struct client_launch *l)
{
    jw_kstr(w, "type", STR("local"));
    jw_plain_key(w, STR("command"));
    jw_array(w);
    jw_str(w, str_of(l->program));
    put_args(w, l->args);
    jw_array_end(w);
    jw_kbool(w, "enabled", true);
}

static void write_opencode_url(struct jw *w, const char *url)
{
    jw_kstr(w, "type", STR("remote"));
    write_url(w, url);
    jw_kbool(w, "enabled", true);
}

/* goose: the first members are the same for all kinds of extensions. */
static void begin_goose(struct jw *w, const char *type)
{
    jw_kbool(w, "enabled", true);
    jw_kstr(w, "type", str_of(type));
    jw_kstr(w, "name", STR("trefoil"));
    jw_kstr(w, "description", STR("Agents and tools of trefoil"));
}

static void end_goose(struct jw *w)
{
    jw_kraw(w, "envs", STR("{}"));
    jw_kraw(w, "timeout", STR("300"));
}

static void write_goose_command(struct jw *w, const struct client_launch *l)
{
    begin_goose(w, "stdio");
    jw_kstr(w, "cmd", str_of(l->program));
    jw_plain_key(w, STR("args"));
    jw_array(w);
    put_args(w, l->args);
    jw_array_end(w);
    end_goose(w);
}

static void write_goose_url(struct jw *w, const char *url)
{
    begin_goose(w, "streamable_http");
    jw_kstr(w, "uri", str_of(url));
    end_goose(w);
}

/* ---- programs ------------------------------------------------------------------------------- */

static const struct client_program clients[] = {
    { "claude", CLIENT_MCP, ".mcp.json", NULL, "mcpServers", json_edit_put, write_typed_command,
      write_typed_url, "Claude Code asks for your approval when it starts in this folder", NULL },
    { "claude-desktop", CLIENT_MCP, NULL, "$CONFIG/Claude/claude_desktop_config.json", "mcpServers",
      json_edit_put, write_command_and_env, NULL, "restart Claude Desktop to use it", NULL },
    { "codex", CLIENT_MCP, NULL, "$CODEX/config.toml", "mcp_servers", toml_edit_put, write_command,
      write_url, NULL, NULL },
    { "cursor", CLIENT_MCP, ".cursor/mcp.json", "~/.cursor/mcp.json", "mcpServers", json_edit_put,
      write_command, write_url, NULL, NULL },
    { "emacs", CLIENT_ACP, NULL, NULL, NULL, NULL, NULL, NULL,
      "add this to your Emacs configuration; it needs the package agent-shell", emacs_snippet },
    { "gemini", CLIENT_MCP, ".gemini/settings.json", "~/.gemini/settings.json", "mcpServers",
      json_edit_put, write_command, write_typed_url,
      "Gemini CLI uses MCP servers in trusted folders only", NULL },
    { "goose", CLIENT_MCP, NULL, "$CONFIG/goose/config.yaml", "extensions", yaml_edit_put,
      write_goose_command, write_goose_url, NULL, NULL },
    { "jetbrains", CLIENT_ACP, NULL, "~/.jetbrains/acp.json", "agent_servers", json_edit_put,
      write_command_and_env, NULL, "choose trefoil in the AI Chat of your IDE", NULL },
    { "neovim", CLIENT_ACP, NULL, NULL, NULL, NULL, NULL, NULL,
      "add one of these to your Neovim configuration; they need the plugin that they name",
      neovim_snippet },
    { "opencode", CLIENT_MCP, "opencode.json|opencode.jsonc",
      "$CONFIG/opencode/opencode.json|$CONFIG/opencode/opencode.jsonc", "mcp", json_edit_put,
      write_opencode_command, write_opencode_url, NULL, NULL },
    { "vscode", CLIENT_MCP, ".vscode/mcp.json", "$CONFIG/Code/User/mcp.json", "servers",
      json_edit_put, write_typed_command, write_typed_url, NULL, NULL },
    { "zed", CLIENT_ACP, NULL, "$CONFIG/zed/settings.json", "agent_servers", json_edit_put,
      write_zed_agent, NULL, "start a new thread with trefoil in the Agent Panel of Zed", NULL },
    { "zed", CLIENT_MCP, ".zed/settings.json", "$CONFIG/zed/settings.json", "context_servers",
      json_edit_put, write_command_and_env, write_url, NULL, NULL },
};

const struct client_program *client_program_at(size_t i)
{
    return i < ARRAY_LEN(clients) ? &clients[i] : NULL;
}

const struct client_program *client_program_named(const char *name, enum client_role role)
{
    for (size_t i = 0; i < ARRAY_LEN(clients); i++)
        if (str_eq(str_of(name), str_of(clients[i].name)) &&
            (role == CLIENT_ANY || role == clients[i].role))
            return &clients[i];
    return NULL;
}

bool client_role_named(struct str name, enum client_role *role)
{
    *role = str_eq(name, STR("acp"))   ? CLIENT_ACP
            : str_eq(name, STR("mcp")) ? CLIENT_MCP
                                       : CLIENT_ANY;
    return *role != CLIENT_ANY;
}

/* ---- paths ---------------------------------------------------------------------------------- */

static const struct {
    struct str word;
    const char *variable; /* says where it is; NULL: HOME alone does */
    const char *below;    /* else it is here, below the home folder */
} places[] = {
    { STR("~/"), NULL, "" },
    { STR("$CONFIG/"), "XDG_CONFIG_HOME", ".config/" },
    { STR("$CODEX/"), "CODEX_HOME", ".codex/" },
};

static const char *one_path(struct arena *mem, struct str path, const char *folder)
{
    const char *home = getenv("HOME"), *base;

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        if (!str_starts(path, places[i].word))
            continue;
        path = str_skip(path, places[i].word.n);
        base = places[i].variable ? getenv(places[i].variable) : NULL;
        if (base && *base)
            return arena_printf(mem, "%s/" STR_FMT, base, STR_ARG(path)).p;
        return home && *home
                   ? arena_printf(mem, "%s/%s" STR_FMT, home, places[i].below, STR_ARG(path)).p
                   : NULL;
    }
    return arena_printf(mem, "%s/" STR_FMT, folder, STR_ARG(path)).p;
}

const char *client_path(struct arena *mem, const char *path, const char *folder)
{
    struct str rest = str_of(path);
    const char *first = NULL;

    while (rest.p) {
        const char *one = one_path(mem, str_cut(&rest, '|'), folder);

        if (!first)
            first = one;
        if (one && access(one, F_OK) == 0)
            return one;
    }
    return first;
}
