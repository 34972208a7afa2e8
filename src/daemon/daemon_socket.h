/*
 * daemon_socket.h - the socket of the daemon of a root, and the data that a client and the daemon
 * compare before they work together.
 *
 * The daemon listens on the Unix socket $XDG_RUNTIME_DIR/trefoil/<hash of the root>.sock. If
 * XDG_RUNTIME_DIR is not set, the socket is in the user's state folder. Each side checks that the
 * other side is a process of the same user. The first byte that a client sends selects the
 * protocol:
 *
 *   {      `mcp` hands over its stdin and stdout. It sends one line of JSON and waits for one line:
 *
 *            {"trefoil":4,"version":"0.1.0","digest":"...","scope":"agents","framing":"auto"}
 *            {"ok":true}  or  {"error":"SENTENCE"}
 *
 *          "agent":"NAME" requests the MCP server of that agent. The line carries the descriptors
 *          (SCM_RIGHTS). After "ok", the client sends a line feed, and the daemon begins to use the
 *          descriptors (serve_attached.h). A client that passes none speaks MCP over the socket.
 *
 *   other  HTTP/1.1: the routes of the TCP port, and those for the operator (operator_api.h). No
 *          key is needed. Verbs send the header fields below; if they differ from the daemon's
 *          values, the response is 409.
 *
 * A client that is refused, or gets no answer in time, does the work in its own process.
 */
#ifndef DAEMON_DAEMON_SOCKET_H
#define DAEMON_DAEMON_SOCKET_H

#include "config/project.h"

enum {
    DAEMON_PROTOCOL = 4,
    DAEMON_LINE = 4096, /* longest line of a hello or its answer */
    DAEMON_DIGEST = 17,
    DAEMON_KEYS = 32,
};

struct daemon_hello {
    int64_t trefoil;
    struct str version, digest, scope, agent, framing;
};

/* Header fields of a request by a verb. */
#define DAEMON_VERSION_FIELD "Trefoil-Version"
#define DAEMON_ROOT_FIELD "Trefoil-Root"     /* result of daemon_root_digest */
#define DAEMON_CONFIG_FIELD "Trefoil-Config" /* result of daemon_config_digest */
/* results of daemon_key_digests, separated by commas */
#define DAEMON_KEYS_FIELD "Trefoil-Keys"

/*
 * Get the path of the root's socket, in project->mem. If `make` is true, create the folder that
 * contains the socket.
 */
bool daemon_socket_path(struct project *project, bool make, const char **out, struct err *e);

/*
 * Compute a digest of the settings that a command and its daemon must share: the root (its path and
 * the identity of the folder), its state directory, the file of --config, the user's config.toml,
 * --trust and TREFOIL_PROVIDER. For other environment variables, such as keys, the daemon uses its
 * own values.
 */
struct str daemon_root_digest(struct project *project);

/*
 * Compute a short digest of the current content of the configuration files and of the current
 * limits. The digest differs from the daemon's digest if the daemon has not loaded these files yet
 * or has other limits.
 */
void daemon_config_digest(const struct project *project, char out[DAEMON_DIGEST]);

/*
 * Compute digests of the keys and addresses of model providers that this process has, from the
 * environment and from [providers], each as "NAME=digest"; in mem. The daemon must have the same
 * values under these names, and may have more names. ERR_LIMIT: there are more than DAEMON_KEYS.
 */
bool daemon_key_digests(struct arena *mem, const struct config *c, struct pick_strs *out,
                        struct err *e);

/*
 * Connect without waiting. Returns a non-blocking descriptor, or -1 if no process of our user
 * listens.
 */
int daemon_connect(const char *path, int *out_pid);

#endif
