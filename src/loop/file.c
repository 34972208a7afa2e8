#include "loop/file.h"

#include "base/auto.h"
#include "base/buf.h"
#include "base/id.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { STDIN_PIECE = 65536 };

__attribute__((cold)) static bool fail_open(struct err *e, const char *path)
{
    enum err_code code = errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND
                         : errno == EACCES || errno == EPERM ? ERR_DENIED
                                                             : ERR_SYSTEM;

    fail_sys(e, "open %s", path);
    e->code = code;
    return false;
}

/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
static bool open_regular(const char *path, int flags, int *out_fd, struct stat *st, struct err *e)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);

    if (fd < 0)
        return fail_open(e, path);
    if (fstat(fd, st) < 0)
        return fail_sys(e, "stat %s", path);
    if (!S_ISREG(st->st_mode))
        return fail(e, ERR_INVALID, "%s is not a regular file", path);
    *out_fd = TAKE_FD(fd);
    return true;
}

/* All that is in the file, which was `size` bytes long when we looked. */
static bool read_all(struct arena *mem, int fd, const char *path, uint64_t size, size_t max,
                     struct str *out, struct err *e)
{
    size_t n = 0, room;
    char *p;

    if (size > max)
        return fail(e, ERR_LIMIT, "%s has %llu bytes; at most %zu are read", path,
                    (unsigned long long)size, max);
    room = (size_t)size + 1; /* one more, to see the file grow */
    p = arena_alloc(mem, room);
    for (;;) {
        ssize_t got = read(fd, p + n, room - n);

        if (got < 0)
            return fail_sys(e, "read %s", path);
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > max)
            return fail(e, ERR_LIMIT, "%s has more than %zu bytes", path, max);
        if (n == room) {
            p = arena_grow(mem, p, room, room * 2);
            room *= 2;
        }
    }
    *out = (struct str){ p, n };
    return true;
}

bool file_read(struct arena *mem, const char *path, size_t max, struct str *out, struct err *e)
{
    struct stat st;
    AUTO_FD fd = -1;

    return open_regular(path, 0, &fd, &st, e) &&
           read_all(mem, fd, path, (uint64_t)st.st_size, max, out, e);
}

/* ---- below a folder --------------------------------------------------------------------- */

/* -1: errno is the reason. */
static int openat_beneath(int at, const char *path, uint64_t flags)
{
    struct open_how how = { .flags = O_CLOEXEC | flags,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    int fd;

    do
        fd = (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
    while (fd < 0 && (errno == EAGAIN || errno == EINTR)); /* something moved meanwhile */
    return fd;
}

static bool open_beneath(const char *folder, const char *path, uint64_t flags, int *out_fd,
                         struct err *e)
{
    AUTO_FD at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd;

    if (at < 0)
        return fail_open(e, folder);
    fd = openat_beneath(at, path, flags);
    if (fd < 0 && (errno == EXDEV || errno == ELOOP))
        return fail(e, ERR_DENIED, "%s is outside %s", path, folder);
    if (fd < 0)
        return fail_open(e, path);
    *out_fd = fd;
    return true;
}

bool file_read_beneath(struct arena *mem, const char *folder, const char *path, size_t max,
                       struct str *out, struct file_id *out_id, struct err *e)
{
    struct stat st;
    AUTO_FD fd = -1;

    if (!open_beneath(folder, path, O_RDONLY | O_NONBLOCK, &fd, e))
        return false;
    if (fstat(fd, &st) < 0)
        return fail_sys(e, "stat %s", path);
    if (!S_ISREG(st.st_mode))
        return fail(e, ERR_INVALID, "%s is not a regular file", path);
    if (!read_all(mem, fd, path, (uint64_t)st.st_size, max, out, e))
        return false;
    if (out_id)
        *out_id = (struct file_id){ st.st_dev, st.st_ino };
    return true;
}

void file_find_missing(const char *folder, const char *const *path, size_t n, bool *missing)
{
    AUTO_FD at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    for (size_t i = 0; i < n; i++) {
        AUTO_FD fd = at < 0 ? -1 : openat_beneath(at, path[i], O_PATH);

        missing[i] = at >= 0 && fd < 0 && errno == ENOENT;
    }
}

bool file_changed_beneath(const char *folder, const char *path, int64_t *out_wall_ms, struct err *e)
{
    struct stat st;
    AUTO_FD fd = -1;

    if (!open_beneath(folder, path, O_PATH, &fd, e))
        return false;
    if (fstat(fd, &st) < 0)
        return fail_sys(e, "stat %s", path);
    if (!S_ISREG(st.st_mode))
        return fail(e, ERR_INVALID, "%s is not a regular file", path);
    *out_wall_ms = (int64_t)st.st_ctim.tv_sec * 1000 + st.st_ctim.tv_nsec / 1000000;
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool list_names(struct arena *mem, DIR *dir, const char *path, size_t most,
                       struct file_names *out, struct err *e)
{
    size_t room = 0;
    struct dirent *entry;

    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        if (out->n == most)
            return fail(e, ERR_LIMIT, "%s holds more than %zu files", path, most);
        if (out->n == room) {
            size_t more = room ? room * 2 : 16;

            out->v = arena_grow(mem, out->v, room * sizeof(*out->v), more * sizeof(*out->v));
            room = more;
        }
        out->v[out->n++] = arena_cstr(mem, str_of(entry->d_name));
    }
    if (out->n)
        qsort(out->v, out->n, sizeof(*out->v), by_bytes);
    return true;
}

bool file_list_beneath(struct arena *mem, const char *folder, const char *path, size_t most,
                       struct file_names *out, struct err *e)
{
    struct file_names names = { 0 };
    AUTO_FD fd = -1;
    DIR *dir;
    bool ok;

    if (!open_beneath(folder, path, O_RDONLY | O_DIRECTORY, &fd, e))
        return false;
    dir = fdopendir(fd);
    if (!dir)
        return fail_sys(e, "list %s", path);
    (void)TAKE_FD(fd); /* the listing closes it */
    ok = list_names(mem, dir, path, most, &names, e);
    closedir(dir);
    if (ok)
        *out = names;
    return ok;
}

/* ---- secrets ---------------------------------------------------------------------------- */

static bool open_secret(const char *path, int *out_fd, struct err *e)
{
    struct stat st;
    AUTO_FD fd = -1;

    if (!open_regular(path, O_NOFOLLOW, &fd, &st, e))
        return false;
    if (st.st_mode & 077)
        return fail(e, ERR_DENIED, "%s can be read by others (mode %03o)", path, st.st_mode & 0777);
    *out_fd = TAKE_FD(fd);
    return true;
}

bool file_read_secret(struct arena *mem, const char *path, size_t max, struct str *out,
                      struct err *e)
{
    struct stat st;
    AUTO_FD fd = -1;

    if (!open_secret(path, &fd, e))
        return false;
    if (fstat(fd, &st) < 0)
        return fail_sys(e, "stat %s", path);
    return read_all(mem, fd, path, (uint64_t)st.st_size, max, out, e);
}

/* ---- writing ---------------------------------------------------------------------------- */

static bool write_all(int fd, const char *path, struct str text, struct err *e)
{
    while (text.n) {
        ssize_t put = write(fd, text.p, text.n);

        if (put < 0)
            return fail_sys(e, "write %s", path);
        text = str_skip(text, (size_t)put);
    }
    return fsync(fd) == 0 || fail_sys(e, "write %s", path);
}

static bool fill_and_rename(int fd, int at, const char *fresh, const char *path, struct str text,
                            unsigned mode, struct err *e)
{
    if (fchmod(fd, mode) < 0)
        return fail_sys(e, "set the mode of %s", fresh);
    if (!write_all(fd, fresh, text, e))
        return false;
    return renameat(at, fresh, at, path) == 0 || fail_sys(e, "replace %s", path);
}

/* A new file takes the place of `path`; both lie in the folder `at`, or count from there. */
static bool replace_at(int at, const char *path, struct str text, unsigned mode, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_FD fd = -1;
    uint64_t chance;
    const char *fresh;

    id_random(&chance, sizeof(chance));
    fresh = arena_printf(&mem, "%s.%016llx.new", path, (unsigned long long)chance).p;
    fd = openat(at, fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_sys(e, "create %s", fresh);
    if (fill_and_rename(fd, at, fresh, path, text, mode, e))
        return true;
    unlinkat(at, fresh, 0);
    return false;
}

/* The name survives a power cut only when its folder is written too. Best effort. */
static void sync_folder(struct arena *mem, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash ? arena_cstr(mem, str_head(str_of(path), (size_t)(slash - path) + 1)) : ".";
    AUTO_FD fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        fsync(fd);
}

bool file_write(const char *path, struct str text, unsigned mode, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    char real[PATH_MAX];
    struct stat st;

    if (realpath(path, real))
        path = real;
    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode))
            return fail(e, ERR_INVALID, "%s is not a regular file", path);
        mode = st.st_mode & 07777;
    }
    if (!replace_at(AT_FDCWD, path, text, mode, e))
        return false;
    sync_folder(&mem, path);
    return true;
}

/* ---- writing below a folder --------------------------------------------------------------- */

/* Fails if there is a link of this name. */
static bool check_no_link(int dir, const char *name, struct stat *st, struct err *e)
{
    if (fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) < 0)
        st->st_mode = 0;
    if (S_ISLNK(st->st_mode))
        return fail(e, ERR_DENIED, "%s is a symbolic link; trefoil does not write through links",
                    name);
    return true;
}

/* One folder down, made where it is not there. *dir is replaced. */
static bool enter_folder(int *dir, const char *name, struct err *e)
{
    struct stat st;
    int down;

    if (!check_no_link(*dir, name, &st, e))
        return false;
    if (!st.st_mode && mkdirat(*dir, name, 0755) < 0 && errno != EEXIST)
        return fail_sys(e, "make folder %s", name);
    down = openat(*dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (down < 0)
        return fail_sys(e, "open folder %s", name);
    close(*dir);
    *dir = down;
    return true;
}

/* Down to the folder that `path` lies in; *name is what is left of the path. */
static bool enter_folders(int *dir, char *path, const char **name, struct err *e)
{
    char *slash;

    while ((slash = strchr(path, '/'))) {
        *slash = 0;
        if (!enter_folder(dir, path, e))
            return false;
        path = slash + 1;
    }
    *name = path;
    return true;
}

bool file_write_beneath(const char *folder, const char *path, struct str text, unsigned mode,
                        struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_FD dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *name;
    struct stat st;

    if (dir < 0)
        return fail_open(e, folder);
    if (!enter_folders(&dir, arena_cstr(&mem, str_of(path)), &name, e) ||
        !check_no_link(dir, name, &st, e))
        return fail_in(e, "%s/%s", folder, path);
    if (st.st_mode && !S_ISREG(st.st_mode))
        return fail(e, ERR_INVALID, "%s/%s is not a regular file", folder, path);
    if (!replace_at(dir, name, text, st.st_mode ? st.st_mode & 07777 : mode, e))
        return fail_in(e, "%s", folder);
    fsync(dir); /* best effort: the name survives a power cut, too */
    return true;
}

bool file_read_stdin(struct arena *mem, size_t max, struct str *out, struct err *e)
{
    struct buf in;
    ssize_t n;

    buf_init_in(&in, mem, max + STDIN_PIECE); /* what is too much is seen, not taken */
    do {
        char *room = buf_reserve(&in, STDIN_PIECE);

        n = room ? read(STDIN_FILENO, room, STDIN_PIECE) : 0;
        if (n < 0 && errno != EINTR)
            return fail_sys(e, "read stdin");
        buf_added(&in, n > 0 ? (size_t)n : 0);
        if (in.n > max)
            return fail(e, ERR_LIMIT, "stdin has more than %zu bytes", max);
    } while (n != 0);
    *out = buf_str(&in);
    return true;
}

static bool make_folder(const char *path, struct err *e)
{
    struct stat st;

    if (mkdir(path, 0700) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return true;
    return fail_sys(e, "make folder %s", path);
}

/* Like mkdir -p for an absolute path. */
bool file_make_folders(struct arena *mem, const char *path, struct err *e)
{
    char *p = arena_cstr(mem, str_of(path));

    for (char *slash = p + 1; *slash; slash++) {
        bool ok;

        if (*slash != '/')
            continue;
        *slash = 0;
        ok = access(p, F_OK) == 0 || make_folder(p, e);
        *slash = '/';
        if (!ok)
            return false;
    }
    return make_folder(p, e);
}

bool file_make_parent(struct arena *mem, const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return true;
    return file_make_folders(mem, arena_cstr(mem, str_head(str_of(path), (size_t)(slash - path))),
                             e);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    (void)(type == FTW_DP ? rmdir(path) : unlink(path));
    return 0;
}

void file_remove_tree(const char *path)
{
    nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
