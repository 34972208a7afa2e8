/*
 * foreign_servers.h - reads MCP servers from the configuration files of other programs. The names
 * below can be listed in `import`; "by default" means that the file is read if there is no
 * `import`.
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
 * Files are read leniently: JSON may have comments, and an entry that cannot be used is skipped
 * with a note about the reason. Entries that would start trefoil itself (`trefoil connect` writes
 * such entries) are skipped, too.
 */
#ifndef CONFIG_FOREIGN_SERVERS_H
#define CONFIG_FOREIGN_SERVERS_H

#include "config/server_read.h"

/* Is `name` one of the names above? If not, *e has the position of `import`. */
bool foreign_check(struct json import, struct str name, struct err *e);

/*
 * List the paths of all these files, including files that do not exist. Returns the number of
 * paths, which is at most `most`.
 */
size_t foreign_paths(struct arena *mem, const char *root, const char **out, size_t most);

/*
 * Read the files that `import` lists (absent: the defaults). Servers from files in the project are
 * added to `project`, servers from the user's files to `user`. If `asked_by_project` is true,
 * `import` is from a file of the project, so even the user's servers need trust. ERR_INVALID: two
 * files in the project, or two files of the user, define different servers with the same name.
 */
bool foreign_read(const struct server_reader *base, const struct pick_strs *import,
                  bool asked_by_project, struct server_list *project, struct server_list *user,
                  struct err *e);

/*
 * Read the servers of one file; a missing file has no servers. The servers are under the key `map`;
 * if `map` is NULL, under any of mcpServers, servers and context_servers. The end of the file name
 * determines the format: .toml, .yaml, or else JSON.
 */
bool foreign_read_file(const struct server_reader *r, const char *path, const char *map,
                       struct server_list *out, struct err *e);

#endif
