/*
 * foreign_servers.h - MCP servers from the files of other programs.
 *
 *   mcp.json        .mcp.json in the root               (Claude Code)   by default
 *   cursor          .cursor/mcp.json in the root        (Cursor)        by default
 *   vscode          .vscode/mcp.json in the root        (VS Code)       by default
 *   zed             .zed/settings.json in the root      (Zed)           by default
 *   gemini          .gemini/settings.json in the root   (Gemini CLI)
 *   opencode        opencode.json in the root           (opencode)
 *   cursor-user     ~/.cursor/mcp.json
 *   gemini-user     ~/.gemini/settings.json
 *   opencode-user   ~/.config/opencode/opencode.json
 *   claude-desktop  ~/.config/Claude/claude_desktop_config.json
 *   claude          ~/.claude.json, its top-level servers
 *   codex           ~/.codex/config.toml
 *   goose           ~/.config/goose/config.yaml
 *
 * Read leniently, JSON with comments: an entry that cannot be used is skipped with a note that
 * says why, and the others work. Entries that would start trefoil itself (`trefoil connect`
 * writes such) are skipped too.
 */
#ifndef CONFIG_FOREIGN_SERVERS_H
#define CONFIG_FOREIGN_SERVERS_H

#include "config/server_read.h"

/* Is it one of the names above? Else an error at `import`. */
bool foreign_check(struct json import, struct str name, struct err *e);

/* Where all of them would be; returns how many, at most `most`. */
size_t foreign_paths(struct arena *mem, const char *root, const char **out, size_t most);

/*
 * Add the servers of the files that `import` names (absent: the defaults), those of the project to
 * one list and those of the user to the other. `asked_by_project`: a file of the project named
 * them, so that even the user's servers need trust. ERR_INVALID when two files of one kind have
 * different servers under one name.
 */
bool foreign_read(const struct server_reader *base, const struct pick_strs *import,
                  bool asked_by_project, struct server_list *project, struct server_list *user,
                  struct err *e);

/*
 * The same for one file; a missing file has no servers. They are under the key `map`, or if that is
 * NULL under any of mcpServers, servers and context_servers. The name of the file determines its
 * format: .toml, .yaml, or else JSON.
 */
bool foreign_read_file(const struct server_reader *r, const char *path, const char *map,
                       struct server_list *out, struct err *e);

#endif
