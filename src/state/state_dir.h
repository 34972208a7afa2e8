/*
 * state_dir.h - the state directory of a root: everything that trefoil trusts.
 *
 *   <user state>/roots/<hash of the root's path>/
 *       root.json        the folder that it belongs to (root_id.h)
 *       trefoil.db       sessions, tasks, locks, approvals
 *       memory.json      the notes of the memory tool
 *       tool-definitions/   of MCP servers, from the last run (tool_cache.h)
 *       answers.json     answers about calls that hold for the project (answer_file.h)
 *       audit.json       the key of the audit log, where it begins and ends (store/audit_head.h)
 *       logs/            audit.jsonl; logs of sessions that cannot be written into the project
 *
 * <user state> is TREFOIL_STATE_DIR, else STATE_DIRECTORY (systemd), else $XDG_STATE_HOME/trefoil,
 * else ~/.local/state/trefoil. None of it is in the project: files that a repository can contain
 * are input, and must not start, grant or loosen anything.
 *
 * Directories are 0700 and files 0600. Each directory below <user state> is opened without following
 * links and must belong to us. A network file system is refused. When the folder at the root's path
 * is not the one that root.json describes, the old state is renamed to <hash>.<random> and a new
 * one begins, with a notice on stderr; `trefoil state adopt` restores the old one.
 *
 * A process that uses a state directory holds a shared flock on it. A process that moves or deletes
 * one holds an exclusive flock on roots/, and on the directory itself.
 */
#ifndef STATE_STATE_DIR_H
#define STATE_STATE_DIR_H

#include "base/arena.h"
#include "core/state.h"

#include <limits.h>
#include <pthread.h>

enum { STATE_NAME = 17 }; /* of the hash of a path, NUL included */

/* 64 bits of a text, in hexadecimal: the name of the state of a root, and of its daemon's socket. */
void state_name_of(struct str path, char out[STATE_NAME]);

struct state_dir {
    struct state_port port; /* first */
    const char *root;       /* absolute, links resolved */
    char path[PATH_MAX];    /* where it is or would be; "": there is no user state */
    pthread_mutex_t lock;
    int fd;    /* of the directory while we use it; -1 */
    bool told; /* that a database in the project is ignored */
};

/* Opens nothing. root outlives it. */
void state_dir_init(struct state_dir *s, const char *root);
void state_dir_fini(struct state_dir *s);

/*
 * Create it if it is missing, and use it. May be called again, from any thread. The reasons that it
 * cannot be used: ERR_SYSTEM (a path and the name of the errno), ERR_DENIED (another owner, a link),
 * ERR_INVALID (a network file system).
 */
bool state_dir_open(struct state_dir *s, struct err *e);

/* The same, but create nothing. ERR_NOT_FOUND: nothing is kept for this root. */
bool state_dir_find(struct state_dir *s, struct err *e);

/* A path in it, such as STATE_DATABASE. In mem. */
const char *state_dir_file(const struct state_dir *s, struct arena *mem, const char *name);

#define STATE_DATABASE "trefoil.db"

/* ---- for the commands that list, move and delete states
 * --------------------------------------- */

/*
 * <user state>/roots, locked exclusively until the descriptor is closed. With `make` it is created,
 * else ERR_NOT_FOUND. *path is in mem, links resolved.
 */
bool state_roots_open(struct arena *mem, bool make, int *out_fd, const char **path, struct err *e);

#endif
