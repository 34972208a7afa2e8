#include "state/state_dir.h"

#include "base/auto.h"
#include "base/hash.h"
#include "base/id.h"
#include "state/network_fs.h"
#include "state/private_dir.h"
#include "state/root.h"
#include "state/root_id.h"
#include "term/print.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

void state_name_of(struct str path, char out[STATE_NAME])
{
    const uint64_t one = 0x1234567890abcdefu >> 4, two = 0x0fedcba987654321u;

    snprintf(out, STATE_NAME, "%08x%08x", hash_str(one, path), hash_str(two, path));
}

/* ---- <user state>/roots --------------------------------------------------------------------- */

/* The user may have made it, elsewhere and with a link to it: systemd does. Others may read it. */
static bool open_user_state(struct arena *mem, bool make, int *out_fd, const char **path,
                            struct err *e)
{
    const char *given = root_user_state_path(mem), *network;
    char *real = arena_alloc(mem, PATH_MAX);
    AUTO_FD fd = -1;

    if (make && !root_user_state(mem, &given, e))
        return false;
    if (!given)
        return fail(e, ERR_NOT_FOUND, "no state directory: neither XDG_STATE_HOME nor HOME is set");
    fd = open(given, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || !realpath(given, real))
        return private_dir_fail(e, given, "opened");
    if (!private_dir_check(fd, given, 022, e))
        return false;
    network = network_fs_of(fd);
    if (network)
        return fail(e, ERR_INVALID,
                    "state directory %.100s is on a network file system (%s), where SQLite is not "
                    "safe: set TREFOIL_STATE_DIR to a local directory",
                    given, network);
    *path = real;
    *out_fd = TAKE_FD(fd);
    return true;
}

bool state_roots_open(struct arena *mem, bool make, int *out_fd, const char **path, struct err *e)
{
    AUTO_FD user = -1, fd = -1;
    const char *above = NULL, *roots;

    if (!open_user_state(mem, make, &user, &above, e))
        return false;
    roots = arena_printf(mem, "%s/roots", above).p;
    if (!private_dir_enter(user, roots, "roots", make, &fd, e))
        return false;
    if (flock(fd, LOCK_EX) < 0)
        return private_dir_fail(e, roots, "locked");
    *path = roots;
    *out_fd = TAKE_FD(fd);
    return true;
}

/* ---- the folder it belongs to --------------------------------------------------------------- */

enum root_match { MATCH_FAILED, MATCH_FRESH, MATCH_SAME, MATCH_OTHER };

/* A directory without root.json is one that we were killed in, unless it holds a database. */
static enum root_match match_root(struct arena *mem, const char *path, const struct root_id *now,
                                  const char **differs, struct err *e)
{
    const char *database = arena_printf(mem, "%s/" STATE_DATABASE, path).p;
    struct root_id then;
    struct stat st;

    *differs = "root.json";
    if (root_id_read(mem, path, &then, e))
        return root_id_same(&then, now, differs) ? MATCH_SAME : MATCH_OTHER;
    if (e->code == ERR_NOT_FOUND && lstat(database, &st) < 0)
        return MATCH_FRESH;
    return e->code == ERR_SYSTEM ? MATCH_FAILED : MATCH_OTHER;
}

/* Rename what another folder left, and tell the user. */
static bool put_aside(const struct state_dir *s, int roots, const char *name, const char *differs,
                      struct err *e)
{
    char aside[STATE_NAME + 16];
    uint32_t any;

    id_random(&any, sizeof(any));
    snprintf(aside, sizeof(aside), "%s.%08x", name, any);
    if (renameat2(roots, name, roots, aside, RENAME_NOREPLACE) < 0)
        return private_dir_fail(e, s->path, "put aside");
    print_notice("%s is not the folder for which its state was created (different %s): starting "
                 "with fresh state; `trefoil state adopt %s` uses the old state",
                 s->root, differs, aside);
    return true;
}

/* ---- using it ------------------------------------------------------------------------------- */

/* A file that can be committed says nothing to us. */
static void tell_ignored(struct state_dir *s)
{
    AUTO_ARENA mem = { 0 };
    const char *path = arena_printf(&mem, "%s/.trefoil/" STATE_DATABASE, s->root).p;
    struct stat st;

    if (!s->told && lstat(path, &st) == 0)
        print_notice("ignoring %s: state is not read from a project; `trefoil state import` shows "
                     "and imports its conversations",
                     path);
    s->told = true;
}

static bool is_writable(int fd, const char *path, struct err *e)
{
    return faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0 || private_dir_fail(e, path, "written");
}

/* What another process does to it between this and its lock waits for the lock on roots/. */
static bool use(struct state_dir *s, int *fd, bool make, struct err *e)
{
    if (make && !is_writable(*fd, s->path, e))
        return false;
    if (flock(*fd, LOCK_SH) < 0)
        return private_dir_fail(e, s->path, "locked");
    s->fd = TAKE_FD(*fd);
    return true;
}

static bool open_in(struct state_dir *s, struct arena *mem, int roots, bool make, struct err *e)
{
    AUTO_FD fd = -1;
    char name[STATE_NAME];
    const char *differs;
    struct root_id now;

    state_name_of(str_of(s->root), name);
    if (!root_id_of(mem, s->root, &now, e) ||
        !private_dir_enter(roots, s->path, name, make, &fd, e))
        return false;
    switch (match_root(mem, s->path, &now, &differs, e)) {
    case MATCH_FAILED: return false;
    case MATCH_SAME: return use(s, &fd, make, e);
    case MATCH_FRESH:
        if (!make)
            return fail(e, ERR_NOT_FOUND, "no state is stored for %s", s->root);
        return root_id_write(s->path, &now, e) && use(s, &fd, make, e);
    case MATCH_OTHER: break;
    }
    if (!make)
        return fail(e, ERR_NOT_FOUND,
                    "the state in %.150s belongs to another folder (different %s)", s->path,
                    differs);
    close(TAKE_FD(fd));
    return put_aside(s, roots, name, differs, e) && open_in(s, mem, roots, make, e);
}

static bool set_path(struct state_dir *s, const char *roots, const char *name, struct err *e)
{
    return snprintf(s->path, sizeof(s->path), "%s/%s", roots, name) < PATH_MAX ||
           fail(e, ERR_LIMIT, "the path of the state directory is too long");
}

static bool open_once(struct state_dir *s, bool make, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_FD roots = -1;
    char name[STATE_NAME];
    const char *above = NULL;

    if (s->fd >= 0)
        return true;
    tell_ignored(s);
    if (!state_roots_open(&mem, make, &roots, &above, e))
        return false;
    state_name_of(str_of(s->root), name);
    return set_path(s, above, name, e) && open_in(s, &mem, roots, make, e);
}

static bool open_locked(struct state_dir *s, bool make, struct err *e)
{
    bool ok;

    pthread_mutex_lock(&s->lock);
    ok = open_once(s, make, e);
    pthread_mutex_unlock(&s->lock);
    return ok;
}

bool state_dir_open(struct state_dir *s, struct err *e)
{
    return open_locked(s, true, e);
}

bool state_dir_find(struct state_dir *s, struct err *e)
{
    return open_locked(s, false, e);
}

const char *state_dir_file(const struct state_dir *s, struct arena *mem, const char *name)
{
    return arena_printf(mem, "%s/%s", s->path, name).p;
}

/* ---- life ----------------------------------------------------------------------------------- */

static const char *open_for_port(struct state_port *port, struct err *e)
{
    struct state_dir *s = (struct state_dir *)port;

    return state_dir_open(s, e) ? s->path : NULL;
}

static const char *find_for_port(struct state_port *port, struct err *e)
{
    struct state_dir *s = (struct state_dir *)port;

    return state_dir_find(s, e) ? s->path : NULL;
}

void state_dir_init(struct state_dir *s, const char *root)
{
    AUTO_ARENA mem = { 0 };
    const char *user = root_user_state_path(&mem);
    char name[STATE_NAME];
    struct err e;

    *s = (struct state_dir){
        .port = { .open = open_for_port, .find = find_for_port },
        .root = root,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .fd = -1,
    };
    state_name_of(str_of(root), name);
    if (!user || !set_path(s, arena_printf(&mem, "%s/roots", user).p, name, &e))
        s->path[0] = 0;
}
