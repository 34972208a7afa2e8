#include "sandbox/mount_ops.h"

#include "base/auto.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/syscall.h>

static int open_exactly(const char *path)
{
    struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
                            .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };

    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

int mount_clone(const char *path)
{
    AUTO_FD at = open_exactly(path);

    if (at < 0)
        return -1;
    return open_tree(at, "",
                     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (unsigned)AT_EMPTY_PATH |
                         (unsigned)AT_RECURSIVE);
}

static bool set_attr(int fd, uint64_t attributes, unsigned flags)
{
    struct mount_attr attr = { .attr_set = attributes };

    return mount_setattr(fd, "", (unsigned)AT_EMPTY_PATH | flags, &attr, sizeof(attr)) == 0;
}

bool mount_attr(int fd, uint64_t attributes)
{
    return set_attr(fd, attributes, (unsigned)AT_RECURSIVE);
}

bool mount_put(int fd, const char *path)
{
    AUTO_FD at = open_exactly(path);

    return at >= 0 &&
           move_mount(fd, "", at, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
}

bool mount_tmpfs(const char *path, const char *options)
{
    return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

bool mount_pin(const char *path)
{
    AUTO_FD fd = mount_clone(path);

    return fd >= 0 && mount_put(fd, path);
}

bool mount_fix(const char *path)
{
    AUTO_FD fd = mount_clone(path);

    return fd >= 0 && mount_attr(fd, MOUNT_ATTR_RDONLY) && mount_put(fd, path);
}

bool mount_seal(const char *path)
{
    AUTO_FD fd = open_exactly(path);

    return fd >= 0 && set_attr(fd, MOUNT_ATTR_RDONLY, 0);
}

bool mount_seal_all(const char *path)
{
    AUTO_FD fd = open_exactly(path);

    return fd >= 0 && mount_attr(fd, MOUNT_ATTR_RDONLY);
}
