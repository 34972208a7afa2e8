#include "base/file.h"

#include "base/auto.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
static bool open_regular(const char *path, int flags, int *out_fd, struct stat *st, struct err *e)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);

    if (fd < 0) {
        enum err_code code = errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND
                             : errno == EACCES || errno == EPERM ? ERR_DENIED
                                                                 : ERR_SYSTEM;

        fail_sys(e, "open %s", path);
        e->code = code;
        return false;
    }
    if (fstat(fd, st) < 0)
        return fail_sys(e, "stat %s", path);
    if (!S_ISREG(st->st_mode))
        return fail(e, ERR_INVALID, "%s is not a regular file", path);
    *out_fd = TAKE_FD(fd);
    return true;
}

bool file_read(struct arena *mem, const char *path, size_t max, struct str *out, struct err *e)
{
    struct stat st;
    AUTO_FD fd = -1;
    size_t n = 0, room;
    char *p;

    if (!open_regular(path, 0, &fd, &st, e))
        return false;
    if ((uint64_t)st.st_size > max)
        return fail(e, ERR_LIMIT, "%s has %lld bytes; at most %zu are read", path,
                    (long long)st.st_size, max);
    room = (size_t)st.st_size + 1; /* one more, to see the file grow */
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

bool file_open_secret(const char *path, int *out_fd, struct err *e)
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
