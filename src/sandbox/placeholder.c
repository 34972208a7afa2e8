/*
 * placeholder.c - see placeholder.h.
 *
 * Several keepers may use the same placeholder. Each holds a read lock on it, and the last one, which
 * is the only one to get the write lock, removes it. They are locks of the open file, so the copies
 * of the descriptor in child processes do not matter. A process in a sandbox cannot get the write
 * lock, because the placeholder is read-only there.
 *
 * If a keeper is killed, its placeholder stays. The next keeper recognizes it by its text.
 */
#include "sandbox/placeholder.h"

#include "base/auto.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, LONGEST = 128 };

struct placeholder {
    const char *path, *text;
    int fd;
    struct placeholder *next;
};

static bool lock(int fd, short type)
{
    struct flock all = { .l_type = type, .l_whence = SEEK_SET };

    return fcntl(fd, F_OFD_SETLK, &all) == 0;
}

static bool has_text(int fd, const char *text)
{
    char found[LONGEST];
    ssize_t n = pread(fd, found, sizeof(found), 0);

    return n >= 0 && str_eq((struct str){ found, (size_t)n }, str_of(text));
}

static bool is_at(int fd, const char *path)
{
    struct stat ours, there;

    return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

/* Some file systems have only one of the two. An existing file is left alone, and no error. */
static bool give_name(const char *temporary, const char *path)
{
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0 || errno == EEXIST)
        return true;
    return link(temporary, path) == 0 || errno == EEXIST;
}

/* Other programs read the file, so it has its text and its mode from the first moment. */
static bool create(struct arena *mem, const char *path, const char *text)
{
    char *temporary = arena_cstr(mem, arena_printf(mem, "%s.XXXXXX", path));
    AUTO_FD fd = mkostemp(temporary, O_CLOEXEC);
    size_t n = strlen(text);
    int error = 0;

    if (fd < 0)
        return false;
    if (fchmod(fd, 0644) < 0 || write(fd, text, n) != (ssize_t)n || !give_name(temporary, path))
        error = errno;
    unlink(temporary); /* it may have got the name itself */
    errno = error;
    return !error;
}

enum outcome { HELD, OF_OTHERS, GONE, FAILED };

/* Open and lock a file that exists. GONE: another keeper has removed it meanwhile. */
static enum outcome hold_existing(const char *path, const char *text, int *ret_fd)
{
    AUTO_FD fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT ? GONE : OF_OTHERS;
    if (!has_text(fd, text))
        return OF_OTHERS;
    if (!lock(fd, F_RDLCK)) /* on a file system without locks the file stays */
        return errno == EAGAIN || errno == EACCES ? GONE : OF_OTHERS;
    if (!is_at(fd, path))
        return GONE;
    *ret_fd = TAKE_FD(fd);
    return HELD;
}

static enum outcome hold(struct arena *mem, const char *path, const char *text, int *ret_fd)
{
    for (int i = 0; i < TRIES; i++) {
        enum outcome o = hold_existing(path, text, ret_fd);

        if (o != GONE)
            return o;
        if (!create(mem, path, text))
            return FAILED;
    }
    errno = EBUSY;
    return FAILED;
}

/* The folder does not exist, or the child cannot create files in it either. */
static bool is_no_danger(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == EROFS;
}

bool placeholder_hold(struct arena *mem, struct placeholder **list, const char *path,
                      const char *text, struct err *e)
{
    int fd = -1;
    struct placeholder *one;

    switch (hold(mem, path, text, &fd)) {
    case HELD:
        one = ARENA_NEW(mem, struct placeholder);
        *one = (struct placeholder){ path, text, fd, *list };
        *list = one;
        return true;
    case FAILED: return is_no_danger(errno) || fail_sys(e, "protect %.150s", path);
    case OF_OTHERS:
    case GONE: break;
    }
    return true;
}

void placeholders_release(struct placeholder *list)
{
    for (struct placeholder *one = list; one; one = one->next) {
        if (lock(one->fd, F_WRLCK) && is_at(one->fd, one->path) && has_text(one->fd, one->text))
            unlink(one->path);
        close(TAKE_FD(one->fd));
    }
}
