/*
 * daemon_address.h - where the daemon of a root is found, and what is said at its door.
 *
 * The door is a Unix socket, $XDG_RUNTIME_DIR/trefoil/<hash of the root>.sock, or, where that
 * variable is not set, a file of the same name in the user's state folder. Both sides check that
 * the other one is of the same user.
 *
 * Who comes in says one line of JSON and waits for one line:
 *
 *   {"trefoil":3,"version":"0.1.0","digest":"...","face":"mcp","scope":"agents","framing":"auto"}
 *   {"ok":true}  or  {"error":"SENTENCE"}
 *
 * Two faces:
 *
 *   mcp   with "agent":"NAME" it is the server of that agent. With the line come the descriptors of
 *         stdin and stdout (SCM_RIGHTS); when a line feed follows "ok", the daemon reads and writes
 *         them from then on (attached_mcp.h). Who comes without them speaks through the socket
 *   run   with "config" and "keys", which must agree too (below). After "ok" lines are exchanged as
 *         attached_run_lines.h says
 *
 * Who is refused, or gets no answer in time, works in its own process.
 */
#ifndef DAEMON_DAEMON_ADDRESS_H
#define DAEMON_DAEMON_ADDRESS_H

#include "config/project.h"

enum {
    DAEMON_PROTOCOL = 3,
    DAEMON_LINE = 4096, /* longest line at the door, either way */
    DAEMON_DIGEST = 17,
    DAEMON_KEYS = 32,
};

struct daemon_hello {
    int64_t trefoil;
    struct str version, digest, face, scope, agent, framing;
    struct str config;     /* of run: daemon_config_digest */
    struct pick_strs keys; /* of run: daemon_key_digests */
};

/* The socket of the root; `make`: also the folder it is in. In project->mem. */
bool daemon_socket_path(struct project *project, bool make, const char **out, struct err *e);

/*
 * What the work of a process depends on beside the files of its root, as a few letters: the root
 * (its path and which folder that is), its state directory, the file of --config, the user's config.toml, --trust and TREFOIL_PROVIDER. Other variables,
 * keys for instance, are the daemon's.
 */
struct str daemon_root_digest(struct project *project);

/*
 * The files of the configuration as they are now, and the limits in force, as a few letters: a
 * daemon that has not loaded them yet, or was started with other limits, would work differently.
 */
void daemon_config_digest(const struct project *project, char out[DAEMON_DIGEST]);

/*
 * Keys and addresses of models that this process has, each as "NAME=letters": those of the
 * environment and of [providers]. A daemon must have the same under that name; what we do not have
 * is the daemon's. In mem. ERR_LIMIT: there are more than DAEMON_KEYS.
 */
bool daemon_key_digests(struct arena *mem, const struct config *c, struct pick_strs *out,
                        struct err *e);

/* Connect, without waiting. The descriptor does not block; -1: nobody of our user is there. */
int daemon_connect(const char *path, int *out_pid);

#endif
