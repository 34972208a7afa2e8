/*
 * guard_read_only.h - what a read-only agent may do: the check "mode" of the guard.
 *
 * An agent is read-only if its own scope, or any scope that it works for, has mode = "read-only".
 *
 *   tool                                              in read-only mode
 *   built-in, reads, searches, thinks or fetches      allowed
 *   built-in, edits, deletes or moves files           allowed inside <root>/.vault/, else denied
 *   built-in, runs commands                           denied, unless the tool is marked read_only
 *   of an MCP server, declares readOnlyHint           allowed
 *   of an MCP server, any other                       needs approval
 *
 * The other checks apply as always. Clients of an endpoint whose [mcp] mode is read-only get less:
 * they are offered only the built-in tools that look, search or think (guard_offers), and even the
 * agents that work for them cannot fetch (runtime/service.c).
 *
 * The guard refuses early the paths that it can see. The tool enforces the limit (call->vault_only):
 * it opens the path beneath the root without following any link (tool/beneath.h), so that no change
 * between the check and the open can redirect it.
 */
#ifndef CORE_GUARD_GUARD_READ_ONLY_H
#define CORE_GUARD_GUARD_READ_ONLY_H

#include "core/guard/guard_check_parts.h"
#include "core/tool/call.h"

/* Read-only by this scope or one it belongs to. */
bool guard_is_read_only(const struct guard_scope *s);

/* The outermost scope by which it is read-only; NULL: it is read-write. */
const struct guard_scope *guard_read_only_by(const struct guard_scope *s);

/* The row GUARD_MODE of the checks. Uses f->in_vault. */
void guard_check_mode(const struct guard_facts *f, struct guard_check_finding *to);

/* Does a path below the root, without ".." (path_below.h), name something inside .vault/? */
bool vault_holds(struct str below);

/*
 * Does every path among the arguments of a writing tool lie inside <root>/.vault/, and is there
 * one? A path with a symbolic link in it does not.
 */
bool guard_in_vault(const struct host *host, struct json args);

#endif
