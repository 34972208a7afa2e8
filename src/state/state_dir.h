/*
 * state_dir.h - the state directory of a root, which contains all files that trefoil trusts.
 *
 *   <user state>/roots/<hash of the root's path>/
 *       root.json        identifies the root folder (root_id.h)
 *       trefoil.db       sessions, tasks, locks, approvals
 *       memory.json      the notes of the memory tool
 *       tool-definitions/   tool definitions of MCP servers from the last run (tool_cache.h)
 *       answers.json     remembered answers about tool calls (answer_file.h)
 *       audit.json       key, first and last entry of the audit log (store/audit_head.h)
 *       logs/            audit.jsonl; logs of sessions that cannot be written into the project
 *
 * <user state> is TREFOIL_STATE_DIR, else STATE_DIRECTORY (systemd), else $XDG_STATE_HOME/trefoil,
 * else ~/.local/state/trefoil. The state directory is never in the project. Files in the project
 * may come from a repository, so they are untrusted input: they must not start, grant or loosen
 * anything.
 *
 * Directories have mode 0700 and files 0600. Each directory below <user state> is opened without
 * following links and must belong to our user. A state directory on a network file system is
 * refused. If the folder at the root's path is not the folder that root.json describes, the old
 * state directory is renamed to <hash>.<random>, a new state directory is created, and a notice is
 * printed to stderr. `trefoil state adopt` restores the old state directory.
 *
 * A process that uses a state directory holds a shared flock on it. A process that moves or deletes
 * a state directory holds an exclusive flock on roots/ and on the directory.
 */
#ifndef STATE_STATE_DIR_H
#define STATE_STATE_DIR_H

#include "base/arena.h"
#include "core/state.h"

#include <limits.h>
#include <pthread.h>

enum { STATE_NAME = 17 }; /* size of the hexadecimal hash of a path, including the NUL */

/*
 * Compute a 64-bit hash of a path, which is the name of a root's state directory and of its
 * daemon's socket.
 */
void state_name_of(struct str path, char out[STATE_NAME]);

struct state_dir {
    struct state_port port; /* first */
    const char *root;       /* absolute path of the root, with links resolved */
    /* path of the directory, which may not exist; "": there is no user state */
    char path[PATH_MAX];
    pthread_mutex_t lock;
    int fd;    /* descriptor of the directory while this process uses it; else -1 */
    bool told; /* the user was told that a database in the project is ignored */
};

/* Initialize *s without opening anything. `root` must outlive it. */
void state_dir_init(struct state_dir *s, const char *root);

/*
 * Open the directory for use; create it if it is missing. The function may be called repeatedly,
 * from any thread. ERR_SYSTEM: a system call failed; ERR_DENIED: another user owns the directory,
 * or it is a link; ERR_INVALID: it is on a network file system.
 */
bool state_dir_open(struct state_dir *s, struct err *e);

/* Like state_dir_open, but creates nothing. ERR_NOT_FOUND: this root has no state directory. */
bool state_dir_find(struct state_dir *s, struct err *e);

/* Return the path of a file in the directory, such as STATE_DATABASE; in mem. */
const char *state_dir_file(const struct state_dir *s, struct arena *mem, const char *name);

#define STATE_DATABASE "trefoil.db"

/* ---- for the commands that list, move and delete states -------------------------------------- */

/*
 * Open <user state>/roots and lock it exclusively until the descriptor is closed. If roots/ is
 * missing, it is created if `make` is true; otherwise the function fails with ERR_NOT_FOUND. *path
 * is in mem, with links resolved.
 */
bool state_roots_open(struct arena *mem, bool make, int *out_fd, const char **path, struct err *e);

#endif
