/*
 * protected_path.h - files of a root that control trefoil or other programs, and the logs of
 * sessions.
 *
 * Tools cannot change files in .trefoil/, except definitions of agents and skills. A call that
 * changes such a definition, trefoil.toml or .mcp.json always needs approval, regardless of
 * permissions. Otherwise an agent could rewrite its own definition. The same holds for files of git,
 * editors, shells and other agents, which run commands that these files name: otherwise an agent
 * could leave the sandbox through them. Commands cannot write these files, either
 * (sandbox/root_paths.c). The guard checks the paths in
 * the arguments (guard_protected). The tool checks the file that it has opened
 * (tool/file/beneath.h), so that neither a link nor a race can redirect the call to another file.
 *
 * Paths are compared without regard to case, because some file systems ignore case.
 */
#ifndef CORE_GUARD_PROTECTED_PATH_H
#define CORE_GUARD_PROTECTED_PATH_H

#include "core/guard/guard_check.h"
#include "core/tool/call.h"

/*
 * May a tool write to this path below the root (without "..")? Returns GUARD_ALLOW, GUARD_ASK or
 * GUARD_DENY. `removes`: the tool deletes or moves files, so folders that contain protected files
 * are protected, too. Pure.
 */
enum guard_says protected_path(struct str below, bool removes);

/* Is the path .trefoil/logs, or inside it? Pure. */
bool protected_log(struct str below);

/*
 * Return the strictest verdict of protected_path about the paths of a call, after resolving links.
 */
enum guard_says guard_protected(const struct host *host, const struct tool *tool, struct json args);

/* Does a tool of this kind change files? */
bool tool_kind_writes(enum tool_kind kind);
/* Does a tool of this kind delete or move files? */
bool tool_kind_removes(enum tool_kind kind);

#endif
