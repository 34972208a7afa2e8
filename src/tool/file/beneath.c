#include "tool/file/beneath.h"

#include "base/auto.h"
#include "base/id.h"
#include "base/utf8.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/path_rules.h"
#include "core/tool/path_below.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHOWN = 100, RETRIES = 128, LINKS = 8 };

#define PLACE_ARG(p) STR_ARG(utf8_head((p)->given, SHOWN))

/* ---- which folder ------------------------------------------------------------------------ */

/* The folder and the way from it. Included ones are not reached from the root by "..". */
static bool find_folder(const struct host *host, struct arena *mem, struct str path,
                        struct host_folder *in, struct str *rest)
{
    *in = (struct host_folder){ host->root_fd, host->root };
    if (path_below(mem, in->path, host->cwd, path, rest))
        return true;
    for (size_t i = 0; (path.p[0] == '/' || host->cwd) && i < host->includes; i++) {
        *in = host->include[i];
        if (path_below(mem, in->path, host->cwd, path, rest))
            return true;
    }
    return false;
}

bool place_of(const struct host *host, struct arena *mem, struct str path, struct place *out,
              struct err *e)
{
    struct host_folder in;
    struct str rest;

    if (!path.n || str_find_byte(path, 0) >= 0)
        return fail(e, ERR_INVALID, "path: expected a file name without NUL");
    if (path.n >= PATH_MAX)
        return fail(e, ERR_INVALID, "path: longer than %d bytes", PATH_MAX - 1);
    if (!find_folder(host, mem, path, &in, &rest))
        return fail(e, ERR_DENIED, STR_FMT " is outside the root folder %.100s",
                    STR_ARG(utf8_head(path, SHOWN)), host->root);
    *out = (struct place){ .given = path,
                           .in = in,
                           .path = rest.n ? arena_cstr(mem, rest) : ".",
                           .elsewhere = in.fd != host->root_fd,
                           .root_fd = host->root_fd };
    return true;
}

bool place_to_write(const struct host *host, bool vault_only, struct arena *mem, struct str path,
                    struct place *out, struct err *e)
{
    struct place p;

    if (!place_of(host, mem, path, &p, e))
        return false;
    if (vault_only && (p.elsewhere || !vault_holds(str_of(p.path))))
        return fail(e, ERR_DENIED,
                    STR_FMT
                    " is outside .vault/, and the mode is read-only: writing is not allowed",
                    PLACE_ARG(&p));
    p.no_links = vault_only;
    p.writes = true;
    *out = p;
    return true;
}

/* ---- opening ----------------------------------------------------------------------------- */

static bool fail_link(const struct place *p, struct err *e)
{
    return fail(e, ERR_DENIED, "a part of " STR_FMT " is a symbolic link, which is not followed",
                PLACE_ARG(p));
}

static bool fail_out(const struct place *p, struct err *e)
{
    return fail(e, ERR_DENIED, STR_FMT " is outside the root folder %.100s", PLACE_ARG(p),
                p->in.path);
}

bool place_fail(const struct place *p, const char *doing, struct err *e)
{
    bool missing = errno == ENOENT || errno == ENOTDIR, denied = errno == EACCES || errno == EPERM;

    fail_sys(e, "%s " STR_FMT, doing, PLACE_ARG(p));
    if (missing)
        e->code = ERR_NOT_FOUND;
    else if (denied)
        e->code = ERR_DENIED;
    return false;
}

/* After open_way has failed. */
static bool fail_open(const struct place *p, const char *doing, struct err *e)
{
    if (errno == ELOOP && p->no_links)
        return fail_link(p, e);
    return errno == EXDEV || errno == ELOOP ? fail_out(p, e) : place_fail(p, doing, e);
}

/* If another process renames folders, the kernel may fail to check a "..": EAGAIN; retry. */
static int open_way(const struct place *p, const char *path, int flags, unsigned mode)
{
    struct open_how how = {
        .flags = (unsigned)flags | O_CLOEXEC,
        .mode = flags & O_CREAT ? mode : 0,
        .resolve =
            RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | (p->no_links ? RESOLVE_NO_SYMLINKS : 0),
    };
    int fd = -1;

    if (!(flags & O_PATH))
        how.flags |= O_NOCTTY | O_NONBLOCK;
    for (int i = 0; i < RETRIES && fd < 0; i++) {
        fd = (int)syscall(SYS_openat2, p->in.fd, path, &how, sizeof(how));
        if (fd < 0 && errno != EAGAIN && errno != EINTR)
            break;
    }
    return fd;
}

/* What the kernel calls something that is open; false when it is gone. */
static bool path_of_open(int fd, char out[PATH_MAX])
{
    char self[64];
    struct stat st;
    ssize_t n;

    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    n = fstat(fd, &st) == 0 && st.st_nlink ? readlink(self, out, PATH_MAX - 1) : -1;
    out[n < 0 ? 0 : n] = 0;
    return n > 0;
}

struct str beneath_path(const struct place *p, int fd, struct arena *mem)
{
    char top[PATH_MAX], here[PATH_MAX];
    struct str way;

    if (!path_of_open(p->in.fd, top) || !path_of_open(fd, here) ||
        !path_below(mem, top, NULL, str_of(here), &way))
        return STR_NONE;
    return way;
}

/* Check the protected paths for an open file; a folder outside the root has none. */
static bool check_protected(const struct place *p, int fd, struct str name, struct err *e)
{
    char top[PATH_MAX], here[PATH_MAX];
    AUTO_ARENA mem = { 0 };
    struct str below;

    if (!p->writes && !p->hides_logs)
        return true;
    if (!path_of_open(p->root_fd, top) || !path_of_open(fd, here))
        return fail(e, ERR_NOT_FOUND, "the folder of " STR_FMT " no longer exists", PLACE_ARG(p));
    if (!path_below(&mem, top, NULL, str_of(here), &below))
        return true;
    if (name.p)
        below = arena_printf(&mem, STR_FMT "%s" STR_FMT, STR_ARG(below), below.n ? "/" : "",
                             STR_ARG(name));
    return place_check_protected(p, below, e);
}

/* Do the rules of the place accept what was opened, or with a name the entry of that folder? */
static bool check_rules(const struct place *p, int fd, struct str name, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct str path;

    if (!check_protected(p, fd, name, e))
        return false;
    if (!p->rules)
        return true;
    path = beneath_path(p, fd, &mem);
    if (path.p && name.p)
        path = arena_printf(&mem, STR_FMT "%s" STR_FMT, STR_ARG(path), path.n ? "/" : "",
                            STR_ARG(name));
    return path_rules_check(p->rules, p->elsewhere ? STR_NONE : path, e);
}

bool beneath_open(const struct place *p, int flags, unsigned mode, int *out_fd, struct err *e)
{
    AUTO_FD fd = open_way(p, p->path, flags, mode);

    if (fd < 0)
        return fail_open(p, "open", e);
    if (!check_rules(p, fd, STR_NONE, e))
        return false;
    *out_fd = TAKE_FD(fd);
    return true;
}

/* A file that grows while we read is read as far as it may be. */
static bool read_all(const struct place *p, int fd, struct arena *mem, size_t size, size_t max,
                     struct str *out, struct err *e)
{
    size_t room = size + 1, n = 0;
    char *to = arena_alloc(mem, room);

    for (;;) {
        ssize_t got = read(fd, to + n, room - n);

        if (got < 0)
            return place_fail(p, "read", e);
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > max)
            return fail(e, ERR_LIMIT, STR_FMT " has grown beyond %zu bytes", PLACE_ARG(p), max);
        if (n == room) {
            to = arena_grow(mem, to, room, 2 * room + 4096);
            room = 2 * room + 4096;
        }
    }
    *out = (struct str){ to, n };
    return true;
}

static bool read_open(const struct place *p, int fd, struct arena *mem, int64_t max,
                      const char *limit, struct str *out, struct err *e)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return place_fail(p, "stat", e);
    if (!S_ISREG(st.st_mode))
        return fail(e, ERR_INVALID, STR_FMT " is %s", PLACE_ARG(p),
                    S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
    if (st.st_size > max)
        return fail(e, ERR_LIMIT, "the file has %lld bytes; at most %lld are read (limits.%s)",
                    (long long)st.st_size, (long long)max, limit);
    return read_all(p, fd, mem, (size_t)st.st_size, (size_t)max, out, e);
}

bool beneath_read(const struct place *p, struct arena *mem, int64_t max, const char *limit,
                  struct str *out, struct err *e)
{
    AUTO_FD fd = -1;

    return beneath_open(p, O_RDONLY, 0, &fd, e) && read_open(p, fd, mem, max, limit, out, e);
}

/* ---- entries ----------------------------------------------------------------------------- */

/* The path up to its last name: "a/b//" has "a" and "b". */
static struct str last_name(struct str path, struct str *parent)
{
    const char *slash;

    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    slash = memrchr(path.p, '/', path.n);
    *parent = slash ? str_head(path, (size_t)(slash - path.p)) : STR(".");
    return slash ? str_skip(path, (size_t)(slash + 1 - path.p)) : path;
}

static bool is_dots(struct str name)
{
    return str_eq(name, STR(".")) || str_eq(name, STR(".."));
}

/* "a/b/.." is a folder, but not the name of one, so it cannot be used to delete a. */
static bool split(const struct place *p, struct str *parent, struct str *name, struct err *e)
{
    struct str above;

    *name = last_name(str_of(p->path), parent);
    if (is_dots(*name) || is_dots(last_name(p->given, &above)))
        return fail(e, ERR_INVALID,
                    STR_FMT
                    " names no file or folder inside the root; its last part must be a name",
                    PLACE_ARG(p));
    if (name->n > NAME_MAX)
        return fail(e, ERR_INVALID, STR_FMT ": a name has at most %d bytes", PLACE_ARG(p),
                    NAME_MAX);
    return true;
}

bool entry_of(const struct place *p, struct dir_entry *out, struct err *e)
{
    char parent[PATH_MAX];
    struct str above, name;
    AUTO_FD folder = -1;

    if (!split(p, &above, &name, e))
        return false;
    str_to_c(above, parent, sizeof(parent)); /* place_of has seen to its length */
    folder = open_way(p, parent, O_PATH | O_DIRECTORY, 0);
    if (folder < 0)
        return fail_open(p, "open the folder of", e);
    if (!check_rules(p, folder, name, e))
        return false;
    out->folder = TAKE_FD(folder);
    str_to_c(name, out->name, sizeof(out->name));
    return true;
}

/* Where the link of a place leads, as a place in the same folder. */
static bool follow(const struct place *p, const struct dir_entry *n, struct arena *mem,
                   struct place *out, struct err *e)
{
    char target[PATH_MAX];
    ssize_t len = readlinkat(n->folder, n->name, target, sizeof(target));
    struct str above, name, next;

    if (len < 0)
        return place_fail(p, "read the link", e);
    if (p->no_links)
        return fail_link(p, e);
    if (len == 0 || target[0] == '/')
        return fail_out(p, e);
    if (!split(p, &above, &name, e))
        return false;
    next = arena_printf(mem, STR_FMT "/%.*s", STR_ARG(above), (int)len, target);
    if (next.n >= PATH_MAX)
        return fail(e, ERR_INVALID,
                    STR_FMT " is a symbolic link; the path that it leads to is too long",
                    PLACE_ARG(p));
    *out = *p;
    out->path = next.p;
    return true;
}

bool entry_through_links(const struct place *p, struct arena *mem, struct dir_entry *out,
                         struct err *e)
{
    struct place at = *p;

    for (int i = 0; i < LINKS; i++) {
        AUTO_ENTRY here = { .folder = -1 };
        struct stat st;

        if (!entry_of(&at, &here, e))
            return false;
        if (fstatat(here.folder, here.name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(st.st_mode)) {
            *out = here;
            here.folder = -1;
            return true;
        }
        if (!follow(&at, &here, mem, &at, e))
            return false;
    }
    return fail(e, ERR_INVALID, STR_FMT " leads through more than %d links", PLACE_ARG(p), LINKS);
}

bool entry_read(const struct dir_entry *n, const struct place *p, struct arena *mem, int64_t max,
                const char *limit, struct str *out, struct err *e)
{
    AUTO_FD fd =
        openat(n->folder, n->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0)
        return place_fail(p, "open", e);
    return read_open(p, fd, mem, max, limit, out, e);
}

struct str entry_path(const struct dir_entry *n, const struct place *p, struct arena *mem)
{
    struct str way = beneath_path(p, n->folder, mem);

    if (!way.p)
        return STR_NONE;
    return arena_printf(mem, "%s%s" STR_FMT "/%s", strcmp(p->in.path, "/") ? p->in.path : "",
                        way.n ? "/" : "", STR_ARG(way), n->name);
}

/*
 * Make the folder at the first `above` bytes of a path, unless something is there. The rules are
 * about the whole path: what is missing of it holds no link.
 */
static bool make_folder(const struct place *whole, size_t above, struct arena *mem, struct err *e)
{
    struct str path = str_of(whole->path), rest = str_skip(path, above);
    struct place at = *whole, *p = &at;
    AUTO_ENTRY n = { .folder = -1 };

    at.path = arena_cstr(mem, str_head(path, above));
    at.rules = NULL;
    at.writes = false;
    if (!entry_of(p, &n, e) ||
        !check_rules(whole, n.folder, arena_printf(mem, "%s" STR_FMT, n.name, STR_ARG(rest)), e))
        return false;
    return mkdirat(n.folder, n.name, 0777) == 0 || errno == EEXIST || place_fail(p, "make", e);
}

bool beneath_make_parents(const struct place *p, struct arena *mem, struct err *e)
{
    struct str above, name;

    if (!split(p, &above, &name, e))
        return false;
    for (size_t i = 1; i <= above.n; i++) {
        AUTO_FD fd = -1;

        if (i < above.n && above.p[i] != '/')
            continue;
        fd = open_way(p, arena_cstr(mem, str_head(above, i)), O_PATH | O_DIRECTORY, 0);
        if (fd < 0 && errno == ENOENT && !make_folder(p, i, mem, e))
            return false;
    }
    return true;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* A name that cannot be guessed. */
static void fresh_name(char *out, size_t size)
{
    uint64_t random;

    id_random(&random, sizeof(random));
    snprintf(out, size, ".trefoil-%016llx.tmp", (unsigned long long)random);
}

static bool fill(int fd, const struct place *p, struct str text, struct err *e)
{
    while (text.n) {
        ssize_t put = write(fd, text.p, text.n);

        if (put < 0)
            return place_fail(p, "write", e);
        text = str_skip(text, (size_t)put);
    }
    return fsync(fd) == 0 || place_fail(p, "write", e);
}

/* Is there a file to be replaced? Anything else in its place is left alone. */
static bool look(const struct dir_entry *n, const struct place *p, struct stat *st,
                 enum entry_was *was, struct err *e)
{
    if (fstatat(n->folder, n->name, st, AT_SYMLINK_NOFOLLOW) < 0) {
        *was = ENTRY_NEW;
        return errno == ENOENT || place_fail(p, "stat", e);
    }
    *was = ENTRY_REPLACED;
    return S_ISREG(st->st_mode) ||
           fail(e, ERR_INVALID, STR_FMT " is not a regular file", PLACE_ARG(p));
}

/* Without a mode a new file gets what the umask leaves. */
static bool write_fresh(const struct dir_entry *n, const char *fresh, const struct place *p,
                        struct str text, const mode_t *mode, struct err *e)
{
    AUTO_FD fd =
        openat(n->folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

    if (fd < 0)
        return place_fail(p, "write", e);
    if (mode && fchmod(fd, *mode & 0777) < 0)
        return place_fail(p, "keep the mode of", e);
    return fill(fd, p, text, e) &&
           (renameat(n->folder, fresh, n->folder, n->name) == 0 || place_fail(p, "replace", e));
}

static bool replace(const struct dir_entry *n, const struct place *p, struct str text,
                    const mode_t *mode, struct err *e)
{
    char fresh[64];

    fresh_name(fresh, sizeof(fresh));
    if (write_fresh(n, fresh, p, text, mode, e))
        return true;
    unlinkat(n->folder, fresh, 0);
    return false;
}

bool entry_write(const struct dir_entry *n, const struct place *p, struct str text,
                 enum entry_was *out, struct err *e)
{
    enum entry_was was;
    struct stat st;

    if (!look(n, p, &st, &was, e) ||
        !replace(n, p, text, was == ENTRY_REPLACED ? &st.st_mode : NULL, e))
        return false;
    *out = was;
    return true;
}

bool entry_put(const struct dir_entry *n, const struct place *p, struct str text, mode_t mode,
               struct err *e)
{
    enum entry_was was;
    struct stat st;

    return look(n, p, &st, &was, e) && replace(n, p, text, &mode, e);
}
