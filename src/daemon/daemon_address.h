/*
 * daemon_address.h - the socket of the daemon of a root, and what both sides compare first.
 *
 * The daemon listens on a Unix socket, $XDG_RUNTIME_DIR/trefoil/<hash of the root>.sock; without that
 * variable, on a file of the same name in the user's state folder. Each side checks that the other
 * side is a process of the same user. The first byte selects the protocol:
 *
 *   {      `mcp` passes its stdin and stdout. It sends one line of JSON and waits for one line:
 *
 *            {"trefoil":4,"version":"0.1.0","digest":"...","scope":"agents","framing":"auto"}
 *            {"ok":true}  or  {"error":"SENTENCE"}
 *
 *          With "agent":"NAME" it is the server of that agent. The descriptors come with the line
 *          (SCM_RIGHTS); after "ok" and a line feed of the client, the daemon reads and writes them
 *          (attached_mcp.h). A client that sends no descriptors speaks MCP over the socket.
 *
 *   other  HTTP/1.1: the routes of the TCP port, and those for the operator (operator_api.h). No key
 *          is needed. Verbs send the header fields below; where they differ, the answer is 409.
 *
 * A client that is refused, or gets no answer in time, works in its own process.
 */
#ifndef DAEMON_DAEMON_ADDRESS_H
#define DAEMON_DAEMON_ADDRESS_H

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
#define DAEMON_ROOT_FIELD "Trefoil-Root"     /* daemon_root_digest */
#define DAEMON_CONFIG_FIELD "Trefoil-Config" /* daemon_config_digest */
#define DAEMON_KEYS_FIELD "Trefoil-Keys"     /* daemon_key_digests, with commas between them */

/* The socket of the root; `make`: also the folder it is in. In project->mem. */
bool daemon_socket_path(struct project *project, bool make, const char **out, struct err *e);

/*
 * A digest of the settings that a command and its daemon must share: the root (its path and the
 * identity of the folder), its state directory, the file of --config, the user's config.toml,
 * --trust and TREFOIL_PROVIDER. Other variables, such as keys, are those of the daemon.
 */
struct str daemon_root_digest(struct project *project);

/*
 * A short digest of the configuration files as they are now, and of the limits in force. It differs
 * from the daemon's if the daemon has not loaded these files yet or has other limits.
 */
void daemon_config_digest(const struct project *project, char out[DAEMON_DIGEST]);

/*
 * Digests of the keys and addresses of models that this process has, each as "NAME=digest": those
 * of the environment and of [providers]. A daemon must have the same value under that name; it may
 * have more. In mem. ERR_LIMIT: there are more than DAEMON_KEYS.
 */
bool daemon_key_digests(struct arena *mem, const struct config *c, struct pick_strs *out,
                        struct err *e);

/* Connect, without waiting. The descriptor does not block; -1: no process of our user listens. */
int daemon_connect(const char *path, int *out_pid);

#endif
