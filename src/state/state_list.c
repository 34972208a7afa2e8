#include "state/state_list.h"

#include "base/auto.h"
#include "base/id.h"
#include "state/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

const char *state_status_name(enum state_status s)
{
    switch (s) {
    case STATE_USABLE: return "usable";
    case STATE_VANISHED: return "vanished";
    case STATE_OTHER: return "other";
    case STATE_DAMAGED: return "damaged";
    }
    return "?";
}

/* ---- files in a directory ------------------------------------------------------------------- */

typedef bool entry_fn(int dir, const char *name, const struct stat *st, void *data, struct err *e);

/* Call `each` for all that is in a directory. */
static bool each_entry(int at, const char *name, entry_fn *each, void *data, struct err *e)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *d;
    struct stat st;
    bool ok = true;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return private_dir_fail(e, name, "listed");
    }
    while (ok && (d = readdir(dir)))
        if (strcmp(d->d_name, ".") && strcmp(d->d_name, "..") &&
            fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            ok = each(fd, d->d_name, &st, data, e);
    closedir(dir);
    return ok;
}

static bool count_bytes(int dir, const char *name, const struct stat *st, void *data, struct err *e)
{
    struct state_entry *s = data;
    int64_t changed = (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;

    if (S_ISDIR(st->st_mode))
        return each_entry(dir, name, count_bytes, data, e);
    s->bytes += st->st_size;
    s->used = changed > s->used ? changed : s->used;
    return true;
}

static bool remove_entry(int dir, const char *name, const struct stat *st, void *data,
                         struct err *e)
{
    if (S_ISDIR(st->st_mode) && !each_entry(dir, name, remove_entry, data, e))
        return false;
    return unlinkat(dir, name, S_ISDIR(st->st_mode) ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT ||
           private_dir_fail(e, name, "deleted");
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Is this the name of a state that was set aside? */
static bool is_aside(const char *name)
{
    return strchr(name, '.') != NULL;
}

static enum state_status status_of(struct arena *mem, const struct state_entry *s)
{
    const char *differs;
    struct root_id now;
    struct err e;

    if (!root_id_of(mem, arena_cstr(mem, s->id.path), &now, &e))
        return STATE_VANISHED;
    return !is_aside(s->name) && root_id_same(&s->id, &now, &differs) ? STATE_USABLE : STATE_OTHER;
}

/* No other process can start to use it: we hold the lock on roots/. */
static bool is_in_use(int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return true;
    flock(fd, LOCK_UN);
    return false;
}

struct state_reading {
    struct state_list *list;
    struct arena *mem;
    size_t room;
};

static struct state_entry *new_entry(struct state_reading *r)
{
    struct state_list *l = r->list;
    size_t room = r->room ? r->room * 2 : 16;

    if (l->n == r->room) {
        l->v = arena_grow(r->mem, l->v, r->room * sizeof(*l->v), room * sizeof(*l->v));
        r->room = room;
    }
    l->v[l->n] = (struct state_entry){ 0 };
    return &l->v[l->n++];
}

static bool read_entry(int dir, const char *name, const struct stat *st, void *data, struct err *e)
{
    struct state_reading *r = data;
    struct state_entry *s;
    AUTO_FD fd = -1;

    if (!S_ISDIR(st->st_mode))
        return true;
    fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return true;
    s = new_entry(r);
    s->name = arena_cstr(r->mem, str_of(name));
    s->path = arena_printf(r->mem, "%s/%s", r->list->roots, name).p;
    s->in_use = is_in_use(fd);
    s->status = root_id_read(r->mem, s->path, &s->id, e) ? status_of(r->mem, s) : STATE_DAMAGED;
    return each_entry(dir, name, count_bytes, s, e);
}

bool state_list_open(struct state_list *l, struct arena *mem, struct err *e)
{
    struct state_reading r = { .list = l, .mem = mem };

    *l = (struct state_list){ .fd = -1 };
    if (!state_roots_open(mem, false, &l->fd, &l->roots, e))
        return e->code == ERR_NOT_FOUND;
    if (each_entry(l->fd, ".", read_entry, &r, e))
        return true;
    state_list_close(l);
    return false;
}

void state_list_close(struct state_list *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

/* ---- finding one ---------------------------------------------------------------------------- */

static struct state_entry *find_old(const struct state_list *l, const char *root)
{
    struct state_entry *found = NULL;

    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].status == STATE_OTHER && str_eq(l->v[i].id.path, str_of(root)) &&
            (!found || l->v[i].used > found->used))
            found = &l->v[i];
    return found;
}

bool state_list_find(const struct state_list *l, const char *name, const char *root,
                     struct state_entry **out, struct err *e)
{
    struct state_entry *found = name ? NULL : find_old(l, root);

    for (size_t i = 0; name && i < l->n; i++) {
        if (str_eq(str_of(l->v[i].name), str_of(name))) {
            *out = &l->v[i];
            return true;
        }
        if (!str_starts(str_of(l->v[i].name), str_of(name)))
            continue;
        if (found)
            return fail(e, ERR_INVALID, "several state IDs begin with %.40s", name);
        found = &l->v[i];
    }
    if (!found && name)
        return fail(e, ERR_NOT_FOUND, "there is no state %.40s; see `trefoil state list`", name);
    if (!found)
        return fail(e, ERR_NOT_FOUND, "there is no earlier state of %.150s", root);
    *out = found;
    return true;
}

/* ---- changing ------------------------------------------------------------------------------- */

static bool fail_busy(const char *name, struct err *e)
{
    return fail(e, ERR_BUSY, "state %.40s is in use by another process: stop that process first",
                name);
}

/* Put away what the root has now, if it has any. */
static bool make_room(struct state_list *l, struct arena *mem, const char *name, const char **aside,
                      struct err *e)
{
    uint32_t any;

    *aside = NULL;
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->v[i].name, name) && l->v[i].in_use)
            return fail_busy(name, e);
    id_random(&any, sizeof(any));
    *aside = arena_printf(mem, "%s.%08x", name, any).p;
    if (renameat2(l->fd, name, l->fd, *aside, RENAME_NOREPLACE) == 0)
        return true;
    *aside = NULL;
    return errno == ENOENT || private_dir_fail(e, name, "put aside");
}

bool state_adopt(struct state_list *l, struct arena *mem, struct state_entry *s, const char *root,
                 const char **aside, struct err *e)
{
    char name[STATE_NAME];
    struct root_id now;

    state_name_of(str_of(root), name);
    if (s->in_use)
        return fail_busy(s->name, e);
    if (s->status == STATE_USABLE && !str_eq(s->id.path, str_of(root)))
        return fail(e, ERR_INVALID, "state %s belongs to " STR_FMT ", which still exists", s->name,
                    STR_ARG(str_head(s->id.path, 150)));
    *aside = NULL;
    if (!root_id_of(mem, root, &now, e))
        return false;
    if (strcmp(s->name, name) && !make_room(l, mem, name, aside, e))
        return false;
    if (strcmp(s->name, name) && renameat2(l->fd, s->name, l->fd, name, RENAME_NOREPLACE) < 0)
        return private_dir_fail(e, s->path, "renamed");
    s->path = arena_printf(mem, "%s/%s", l->roots, name).p;
    return root_id_write(s->path, &now, e);
}

bool state_delete(struct state_list *l, const struct state_entry *s, struct err *e)
{
    struct stat st = { .st_mode = S_IFDIR };

    return s->in_use ? fail_busy(s->name, e) : remove_entry(l->fd, s->name, &st, NULL, e);
}

/* ---- garbage -------------------------------------------------------------------------------- */

/* Is the file system mounted that the folder was on? By the nearest folder above it that exists. */
static bool is_mounted(struct arena *mem, const struct root_id *id)
{
    char *path = arena_cstr(mem, id->path), *slash;
    struct stat st;

    while (stat(path, &st) < 0 && (slash = strrchr(path, '/')) && slash > path)
        *slash = 0;
    return stat(*path ? path : "/", &st) == 0 &&
           str_eq(id->device, arena_printf(mem, "%u:%u", major(st.st_dev), minor(st.st_dev)));
}

static bool is_of_this_machine(struct arena *mem, const struct root_id *id)
{
    struct root_id here;
    struct err e;

    return root_id_of(mem, "/", &here, &e) && str_eq(here.machine, id->machine);
}

/*
 * Should gc delete it? Yes when its folder was deleted, and when it was not used for
 * limits.session_keep_ms and its folder cannot be found or is another one. A folder on a disk that
 * is not mounted, or of another machine that shares the state directory, was not deleted.
 */
static bool state_is_garbage(const struct state_entry *s, const struct limits *limits, int64_t now)
{
    AUTO_ARENA mem = { 0 };

    if (s->in_use || s->status == STATE_USABLE || s->status == STATE_DAMAGED)
        return false;
    if (!is_of_this_machine(&mem, &s->id))
        return false;
    return (s->status == STATE_VANISHED && is_mounted(&mem, &s->id)) ||
           s->used < now - limits->session_keep_ms;
}

bool state_sweep(const struct limits *limits, int64_t now, int64_t *deleted, int64_t *bytes,
                 struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct state_list l;
    bool ok = true;

    if (!state_list_open(&l, &mem, e))
        return false;
    for (size_t i = 0; ok && i < l.n; i++) {
        if (!state_is_garbage(&l.v[i], limits, now))
            continue;
        ok = state_delete(&l, &l.v[i], e);
        *deleted += ok;
        *bytes += ok ? l.v[i].bytes : 0;
    }
    state_list_close(&l);
    return ok;
}
