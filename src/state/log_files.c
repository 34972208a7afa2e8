#include "state/log_files.h"

#include "base/auto.h"
#include "state/log_dir.h"
#include "store/audit_write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct log_file {
    const char *name;
    int64_t changed, bytes;
};

struct log_list {
    struct log_file *v;
    size_t n, room;
};

/* <session>.log, <session>.1.log; nothing else is ours to delete here. */
static bool is_ours(struct str name)
{
    return str_ends(name, STR(".log"));
}

static void note(struct arena *mem, struct log_list *all, int dir, const char *name)
{
    struct log_file f = { 0 };
    struct stat st;
    size_t room = all->room ? all->room * 2 : 64;

    if (!is_ours(str_of(name)) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
        return;
    if (all->n == all->room) {
        all->v = arena_grow(mem, all->v, all->room * sizeof(*all->v), room * sizeof(*all->v));
        all->room = room;
    }
    f.name = arena_cstr(mem, str_of(name));
    f.changed = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
    f.bytes = st.st_size;
    all->v[all->n++] = f;
}

static int by_age(const void *a, const void *b)
{
    const struct log_file *x = a, *y = b;

    return x->changed < y->changed ? -1 : x->changed > y->changed;
}

static bool delete_file(int dir, const struct log_file *f, struct log_sweep *sweep, struct err *e)
{
    if (unlinkat(dir, f->name, 0) != 0 && errno != ENOENT)
        return fail_sys(e, "delete %.100s", f->name);
    sweep->files++;
    sweep->bytes += f->bytes;
    return true;
}

static bool sweep_list(int dir, struct log_list *all, const struct limits *limits,
                       struct log_sweep *sweep, struct err *e)
{
    int64_t total = 0;

    qsort(all->v, all->n, sizeof(*all->v), by_age);
    for (size_t i = 0; i < all->n; i++)
        total += all->v[i].bytes;
    for (size_t i = 0; i < all->n; i++) {
        const struct log_file *f = &all->v[i];
        bool old = f->changed < sweep->now - limits->log_keep_ms;

        if (!old && total <= limits->log_keep_bytes)
            continue;
        if (!delete_file(dir, f, sweep, e))
            return false;
        total -= f->bytes;
    }
    return true;
}

/* Takes the descriptor. */
static bool sweep_dir(int fd, const struct limits *limits, struct log_sweep *sweep, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct log_list all = { 0 };
    DIR *dir = fdopendir(fd);
    const struct dirent *d;
    bool ok;

    if (!dir) {
        fail_sys(e, "list the logs");
        close(fd);
        return false;
    }
    while ((d = readdir(dir)))
        note(&mem, &all, dirfd(dir), d->d_name);
    ok = !all.n || sweep_list(dirfd(dir), &all, limits, sweep, e);
    closedir(dir);
    return ok;
}

/* Logs that are not ours, or behind a link, are not ours to delete either. */
static size_t open_dirs(const char *root, const char *state, int fd[2])
{
    struct err e;
    size_t n = 0;

    n += log_dir_find(root, &fd[n], &e);
    n += state && log_dir_find_in_state(state, &fd[n], &e);
    return n;
}

bool log_files_sweep(const char *root, const char *state, const struct limits *limits,
                     struct log_sweep *sweep, struct err *e)
{
    int fd[2];
    size_t n = open_dirs(root, state, fd);
    bool ok = true;

    for (size_t i = 0; i < n; i++)
        ok = sweep_dir(fd[i], limits, sweep, e) && ok;
    if (state)
        ok = audit_expire(state, sweep->now - limits->log_keep_ms, &sweep->files, &sweep->bytes,
                          e) &&
             ok;
    return ok;
}

void log_files_delete(const char *root, const char *state, const char *session)
{
    static const char *const ends[] = { ".log", ".1.log" };
    char name[NAME_MAX + 1];
    int fd[2];
    size_t n = open_dirs(root, state, fd);

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < ARRAY_LEN(ends); j++)
            if (snprintf(name, sizeof(name), "%s%s", session, ends[j]) < (int)sizeof(name))
                unlinkat(fd[i], name, 0);
        close(fd[i]);
    }
}
