/*
 * protected_path.h - files of a root that control trefoil itself, and the logs of sessions.
 *
 * Tools never change files in .trefoil/, except definitions of agents and skills. These,
 * trefoil.toml and .mcp.json need approval of each call, regardless of permissions. Otherwise an
 * agent could rewrite its own definition. The guard checks the paths of a call (guard_protected),
 * and the tool checks the file that it has opened (tool/beneath.h), so that neither a link nor a
 * race can redirect it.
 *
 * The comparison ignores case, because some file systems do.
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

/* Is the path .trefoil/logs, or inside it? Pure. */
bool protected_log(struct str below);

/* The strictest verdict of protected_path on the paths of a call, links resolved. */
enum guard_says guard_protected(const struct host *host, const struct tool *tool, struct json args);

/* Does a tool of this kind change files? */
bool tool_kind_writes(enum tool_kind kind);
/* Does a tool of this kind delete or move files? */
bool tool_kind_removes(enum tool_kind kind);

#endif
