#include "state/private_dir.h"

#include "base/auto.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* People search for EROFS and EACCES, so the name stands beside the sentence. */
bool private_dir_fail(struct err *e, const char *path, const char *done)
{
    int sys = errno;

    return fail(e, sys == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM,
                "directory %.150s cannot be %s: %s (%s)", path, done, strerror(sys),
                strerrorname_np(sys));
}

bool private_dir_check(int fd, const char *path, mode_t others, struct err *e)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return private_dir_fail(e, path, "opened");
    if (st.st_uid != geteuid())
        return fail(e, ERR_DENIED, "directory %.150s belongs to another user (uid %u)", path,
                    (unsigned)st.st_uid);
    if (!(st.st_mode & others))
        return true;
    return fchmod(fd, 0700) == 0 || private_dir_fail(e, path, "made private");
}

bool private_dir_enter(int at, const char *path, const char *name, bool make, int *out_fd,
                       struct err *e)
{
    AUTO_FD fd = -1;

    if (make && mkdirat(at, name, 0700) < 0 && errno != EEXIST)
        return private_dir_fail(e, path, "created");
    fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return fail(e, ERR_DENIED, "%.150s is not a directory", path);
    if (fd < 0)
        return private_dir_fail(e, path, "opened");
    if (!private_dir_check(fd, path, 077, e))
        return false;
    *out_fd = TAKE_FD(fd);
    return true;
}
