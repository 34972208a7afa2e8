/*
 * sandbox_policy.h - the user's settings of the kernel sandbox ([sandbox]), and the profiles that
 * child processes get from these settings.
 *
 * struct host points to a policy. The guard decides which profile the programs of a call run in
 * (guard/guard_sandbox.h); MCP servers run in the profile of their entry (server_spec.h).
 */
#ifndef CORE_SANDBOX_POLICY_H
#define CORE_SANDBOX_POLICY_H

#include "base/arena.h"
#include "loop/sandbox_profile.h"

/* Lives as long as the program. Zeroed: commands run without a sandbox. */
struct sandbox_policy {
    enum sandbox_kind standard; /* profile of commands: read-only, workspace, network or off */
    /* run programs even if the kernel cannot enforce all of a profile */
    bool best_effort;
    /* [guard] mode is read-only: no MCP server may write the root folder */
    bool read_only;
    const uint16_t *connect; /* TCP ports that profiles with a network may connect to */
    size_t connects;
    /* trefoil's own files, which programs cannot see; ends with NULL. NULL: no files */
    const char *const *hidden;
    /* what the kernel supports; NULL: find out (sandbox_support) */
    const struct sandbox_probe *probe;
};

/*
 * Rank a profile: the more it allows, the larger the result. The order of the profiles that
 * commands can have is read-only, workspace, network, off.
 */
int sandbox_freedom(enum sandbox_kind kind);

/*
 * Can the kernel enforce the profile? If not, *e names the missing feature. The first call blocks
 * for some milliseconds.
 */
bool sandbox_policy_enforces(const struct sandbox_policy *p, enum sandbox_kind kind, struct err *e);

/*
 * Can the kernel enforce the part of a profile that concerns files? The program may still be able
 * to connect to more ports than the profile allows. If not, *e names the missing feature.
 */
bool sandbox_policy_confines_files(const struct sandbox_policy *p, struct err *e);

/*
 * Return a profile of this kind with the settings of the policy. The profile borrows the settings.
 */
struct sandbox_profile sandbox_policy_profile(const struct sandbox_policy *p,
                                              enum sandbox_kind kind, const char *root);

#endif
