/*
 * sandbox_read.h - reads [sandbox], the settings for the sandbox of commands and MCP servers.
 *
 *   default   read-only, workspace (default), network or off: the profile of commands
 *   connect   TCP ports, besides 80 and 443, for profiles with a network
 *   mode      required (default): a command that the kernel cannot confine needs approval;
 *             best-effort: it runs, with a notice
 *
 * A project can only make these settings stricter. Settings that would be looser are reported.
 */
#ifndef CONFIG_SANDBOX_READ_H
#define CONFIG_SANDBOX_READ_H

#include "base/arena.h"
#include "base/json.h"
#include "loop/sandbox_profile.h"

struct sandbox_setup {
    enum sandbox_kind standard;
    bool best_effort;
    uint16_t *connect;
    size_t connects;
};

enum sandbox_key { SANDBOX_KEY_DEFAULT, SANDBOX_KEY_CONNECT, SANDBOX_KEY_MODE, SANDBOX_KEYS };

extern const char *const sandbox_keys[SANDBOX_KEYS];

/*
 * Read `table`, which may be missing, into *to. A key that is absent does not change *to. If
 * `from_project` is true, a looser value does not change *to either, and loosens[key] is set.
 */
bool sandbox_read(struct arena *mem, struct json table, bool from_project, struct sandbox_setup *to,
                  bool loosens[SANDBOX_KEYS], struct err *e);

#endif
