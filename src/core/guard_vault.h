/*
 * guard_vault.h - the scratch folder that stays writable in read-only mode.
 */
#ifndef CORE_GUARD_VAULT_H
#define CORE_GUARD_VAULT_H

#include "core/call.h"

/*
 * Does every path among the arguments of a writing tool lie inside <root>/.vault/, and is there
 * one? Those that a symbolic link would lead elsewhere do not.
 */
bool guard_in_vault(const struct host *host, struct json args);

#endif
