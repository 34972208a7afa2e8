/*
 * guard_read_only.h - the scratch folder that stays writable in read-only mode.
 *
 * The guard refuses early the paths that it can see. The tool enforces the limit: it opens
 * the path beneath the root without following any link (tool/beneath.h), so that no change
 * between the check and the open can redirect it.
 */
#ifndef CORE_GUARD_GUARD_READ_ONLY_H
#define CORE_GUARD_GUARD_READ_ONLY_H

#include "core/tool/call.h"

/* Does a path below the root, without ".." (path_below.h), name something inside .vault/? */
bool vault_holds(struct str below);

/*
 * Does every path among the arguments of a writing tool lie inside <root>/.vault/, and is there
 * one? A path with a symbolic link in it does not.
 */
bool guard_in_vault(const struct host *host, struct json args);

#endif
