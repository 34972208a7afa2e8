/*
 * protected_path.h - files of a root that control trefoil itself, and the logs of sessions.
 *
 * Tools that change files do not touch .trefoil/; definitions of agents and skills, trefoil.toml
 * and .mcp.json only after a person has approved that very call, whatever permission is in force.
 * Otherwise an agent could rewrite its own definition. The guard checks the paths of a call
 * (guard_protected), and the tool checks again the file that it has opened (tool/beneath.h), so
 * that neither a link nor a race can redirect it.
 *
 * The comparison ignores case: some file systems do.
 */
#ifndef CORE_GUARD_PROTECTED_PATH_H
#define CORE_GUARD_PROTECTED_PATH_H

#include "core/guard/guard_check.h"
#include "core/tool/call.h"

/*
 * May a tool write to a path below the root, without "..": GUARD_ALLOW, GUARD_ASK or GUARD_DENY.
 * `removes`: the tool deletes or moves, so the folders above protected files count, too. Pure.
 */
enum guard_says protected_path(struct str below, bool removes);

/* Does it lie in .trefoil/logs, or is it that folder? Pure. */
bool protected_log(struct str below);

/* The strictest verdict of protected_path on the paths of a call, links resolved. */
enum guard_says guard_protected(const struct host *host, const struct tool *tool, struct json args);

/* Does a tool of this kind change files? */
bool tool_kind_writes(enum tool_kind kind);
/* ... and take away what is below a folder? */
bool tool_kind_removes(enum tool_kind kind);

#endif
