/*
 * door.h - where the daemon of a root is found, and what is said at its door.
 *
 * The door is a Unix socket, $XDG_RUNTIME_DIR/trefoil/<hash of the root>.sock, or, where that
 * variable is not set, a file of the same name in the user's state folder. Both sides check that
 * the other one is of the same user.
 *
 * Who comes in says one line of JSON and waits for one line:
 *
 *   {"trefoil":2,"version":"0.1.0","digest":"...","face":"mcp","scope":"agents","framing":"auto"}
 *   {"ok":true}  or  {"error":"SENTENCE"}
 *
 * With "agent":"NAME" it is the server of that agent. With the line come the descriptors of stdin
 * and stdout (SCM_RIGHTS), which the daemon reads and writes from then on; what follows "ok" is in
 * mcp_guest.h. Who comes without them speaks through the socket. Who is refused, or gets no answer in time, works in its own process.
 */
#ifndef APP_DOOR_H
#define APP_DOOR_H

#include "app/app.h"

enum {
    DOOR_PROTOCOL = 2,
    DOOR_LINE = 4096, /* longest line at the door, either way */
};

struct door_hello {
    int64_t trefoil;
    struct str version, digest, face, scope, agent, framing;
};

/* The socket of the root; `make`: also the folder it is in. In app->mem. */
bool door_path(struct app *app, bool make, const char **out, struct err *e);

/*
 * What the work of a process depends on beside the files of its root, as a few letters: the root,
 * the file of --config, the user's config.toml, --trust and TREFOIL_PROVIDER. Other variables,
 * keys for instance, are the daemon's.
 */
struct str door_digest(struct app *app);

/* Connect, without waiting. The descriptor does not block; -1: nobody of our user is there. */
int door_knock(const char *path, int *out_pid);

#endif
