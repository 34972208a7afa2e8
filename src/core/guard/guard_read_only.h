/*
 * guard_read_only.h - what a read-only agent may do: the check "mode" of the guard.
 *
 * An agent is read-only if its own scope or any parent of that scope has mode = "read-only".
 *
 *   tool                                              in read-only mode
 *   built-in, reads, searches, thinks or fetches      allowed
 *   built-in, edits, deletes or moves files           allowed inside <root>/.vault/, else denied
 *   built-in, runs commands                           denied, unless the tool is marked read_only,
 *                                                     or [guard] readonly_shell names the command
 *                                                     and the sandbox profile read-only is enforced
 *   of an MCP server, declares readOnlyHint           allowed
 *   of an MCP server, any other                       needs approval
 *
 * The other checks apply as always. If the [mcp] mode of an endpoint is read-only, its clients may
 * do even less: they are offered only the built-in tools that look, search or think (guard_offers),
 * and agents that work for them cannot fetch (runtime/service.c).
 *
 * The guard checks the paths in the arguments, so that it can refuse a call early. The tool
 * enforces the rule (call->vault_only): it opens the path beneath the root without following any
 * link (tool/file/beneath.h), so that a change between the check and the open cannot redirect it.
 */
#ifndef CORE_GUARD_GUARD_READ_ONLY_H
#define CORE_GUARD_GUARD_READ_ONLY_H

#include "core/guard/guard_check_parts.h"
#include "core/tool/call.h"

/* Is this scope or one of its parents read-only? */
bool guard_is_read_only(const struct guard_scope *s);

/*
 * Return the outermost scope that is read-only: a parent, or the scope itself. NULL: all are
 * read-write.
 */
const struct guard_scope *guard_read_only_by(const struct guard_scope *s);

/* Run the check GUARD_MODE. The check uses f->in_vault. */
void guard_check_mode(const struct guard_facts *f, struct guard_check_finding *to);

/* Is a path below the root (without "..", see path_below.h) inside .vault/? */
bool vault_holds(struct str below);

/*
 * Do the arguments of a writing tool contain at least one path, and are all paths inside
 * <root>/.vault/? A path that contains a symbolic link counts as outside.
 */
bool guard_in_vault(const struct host *host, struct json args);

#endif
