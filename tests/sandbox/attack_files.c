/* attack_files.c - files outside of the root, hidden files, and descriptors. */
#include "attack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *outside(const char *name)
{
    return at("OUTSIDE", name);
}

static const char *root(const char *name)
{
    return at("ROOT", name);
}

static bool create_file(void)
{
    return can_write(outside("new"), O_CREAT | O_EXCL);
}
static bool overwrite(void)
{
    return can_write(outside("file"), 0);
}
static bool append(void)
{
    return can_write(outside("file"), O_APPEND);
}
static bool remove_file(void)
{
    return unlink(outside("file2")) == 0;
}
static bool make_folder(void)
{
    return mkdir(outside("newdir"), 0755) == 0;
}
static bool remove_folder(void)
{
    return rmdir(outside("dir")) == 0;
}
static bool rename_file(void)
{
    return rename(outside("file"), outside("renamed")) == 0;
}
static bool rename_in(void)
{
    return rename(outside("file"), root("stolen")) == 0;
}
static bool make_fifo(void)
{
    return mkfifo(outside("newfifo"), 0644) == 0;
}
static bool make_link(void)
{
    return symlink("/", outside("newlink")) == 0;
}

static bool rename_out(void)
{
    can_write(root("mine"), O_CREAT);
    return rename(root("mine"), outside("mine")) == 0;
}

static bool exchange(void)
{
    can_write(root("mine2"), O_CREAT);
    return syscall(SYS_renameat2, AT_FDCWD, root("mine2"), AT_FDCWD, outside("file"), 2) == 0;
}

static bool link_in(void)
{
    return link(outside("file"), root("hard")) == 0 && can_write(root("hard"), 0);
}

static bool link_out(void)
{
    can_write(root("mine3"), O_CREAT);
    return link(root("mine3"), outside("hard")) == 0;
}

static bool write_through_link(void)
{
    unlink(root("soft"));
    return symlink(outside("file"), root("soft")) == 0 && can_write(root("soft"), 0);
}

static bool create_through_link(void)
{
    unlink(root("softdir"));
    return symlink(about("OUTSIDE"), root("softdir")) == 0 &&
           can_write(root("softdir/through"), O_CREAT);
}

static bool nameless_file(void)
{
    char path[64];
    int fd = open(about("OUTSIDE"), O_TMPFILE | O_WRONLY, 0644);

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return fd >= 0 && linkat(AT_FDCWD, path, AT_FDCWD, outside("nameless"), AT_SYMLINK_FOLLOW) == 0;
}

static bool map_shared(void)
{
    int fd = open(outside("file"), O_RDWR);

    return fd >= 0 && mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
}

static bool truncate_file(void)
{
    return truncate(outside("file"), 0) == 0;
}
static bool truncate_read_only(void)
{
    return open(outside("file"), O_RDONLY | O_TRUNC) >= 0;
}
static bool change_mode(void)
{
    return chmod(outside("file"), 0777) == 0;
}
static bool change_owner(void)
{
    return chown(outside("file"), getuid(), getgid()) == 0;
}

static bool change_times(void)
{
    return utimensat(AT_FDCWD, outside("file"), NULL, 0) == 0;
}

static bool set_attribute(void)
{
    return setxattr(outside("file"), "user.attack", "x", 1, 0) == 0;
}

static bool set_flags(void)
{
    int fd = open(outside("file"), O_RDONLY), flags = 0;

    return fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 &&
           ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

/* The test holds the other end open. */
static bool write_fifo(void)
{
    return can_write(outside("fifo"), 0);
}

/* ---- files that others run later ----------------------------------------------------------- */

static bool write_bashrc(void)
{
    return can_write(at("HOME", ".bashrc"), O_CREAT | O_APPEND);
}
/* Gone at once, should it work. */
static bool create_and_remove(const char *path)
{
    return can_write(path, O_CREAT | O_EXCL) && unlink(path) == 0;
}

static bool write_cron(void)
{
    return create_and_remove("/etc/cron.d/trefoil-attack");
}

static bool write_profile(void)
{
    return create_and_remove("/etc/profile.d/trefoil-attack");
}

static bool write_hosts(void)
{
    return open("/etc/hosts", O_WRONLY) >= 0;
}
static bool write_host_tmp(void)
{
    return can_write(about("HOST_FILE"), 0);
}

/* ---- secrets ----------------------------------------------------------------------------- */

static const char *key(void)
{
    return at("HOME", ".ssh/id_rsa");
}

static bool read_key(void)
{
    return can_read(key());
}
static bool read_token(void)
{
    return can_read(at("HOME", ".npmrc"));
}
static bool read_history(void)
{
    return can_read(at("HOME", ".bash_history"));
}

static bool read_by_proc(const char *folder)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s%s", folder, key());
    return can_read(path);
}

static bool read_by_self_root(void)
{
    return read_by_proc("/proc/self/root");
}
static bool read_by_init_root(void)
{
    return read_by_proc("/proc/1/root");
}

static bool read_by_victim_root(void)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/root", number("VICTIM"));
    return read_by_proc(path);
}

static bool list_keys(void)
{
    DIR *d = opendir(at("HOME", ".ssh"));
    const struct dirent *entry;

    while (d && (entry = readdir(d)))
        if (entry->d_name[0] != '.')
            return true;
    return false;
}

static bool stat_key(void)
{
    struct stat st;

    return stat(key(), &st) == 0 && st.st_size > 0;
}

static bool watch_keys(void)
{
    return inotify_add_watch(inotify_init1(0), key(), IN_ALL_EVENTS) >= 0;
}

static bool move_keys(void)
{
    return rename(at("HOME", ".ssh"), at("HOME", "ssh")) == 0;
}

static bool bind_over_link(void)
{
    unlink(root("keys"));
    return symlink(at("HOME", ".ssh"), root("keys")) == 0 && can_read(root("keys/id_rsa"));
}

static bool read_state(void)
{
    return can_read(at("STATE", "secret"));
}
static bool write_state(void)
{
    return can_write(at("STATE", "secret"), O_CREAT);
}
static bool read_shadow(void)
{
    return can_read("/etc/shadow");
}
static bool read_other_user(void)
{
    return can_read(about("OTHER_HOME"));
}

/* ---- descriptors ------------------------------------------------------------------------- */

/* The test leaves descriptor 61, a folder outside, and 60, a writable file, open. */
static bool inherited_file(void)
{
    return write(60, "x", 1) == 1;
}
static bool inherited_folder(void)
{
    return openat(61, "file", O_WRONLY) >= 0;
}
static bool inherited_parent(void)
{
    return openat(61, "../outside/file", O_RDONLY) >= 0;
}
static bool enter_folder(void)
{
    return fchdir(61) == 0;
}

/* stdin is a file outside, opened for reading only. */
static bool reopen_stdin(void)
{
    return open("/proc/self/fd/0", O_RDWR) >= 0;
}
static bool reopen_stdin_truncate(void)
{
    return open("/proc/self/fd/0", O_RDONLY | O_TRUNC) >= 0;
}

const struct attack file_attacks[] = {
    { "create a file outside", create_file, 0 },
    { "overwrite a file outside", overwrite, 0 },
    { "append to a file outside", append, 0 },
    { "remove a file outside", remove_file, 0 },
    { "make a folder outside", make_folder, 0 },
    { "remove a folder outside", remove_folder, 0 },
    { "rename a file outside", rename_file, 0 },
    { "move a file from outside into the root", rename_in, 0 },
    { "move a file out of the root", rename_out, 0 },
    { "exchange a file with one outside", exchange, 0 },
    { "link a file from outside into the root and write to it", link_in, 0 },
    { "link a file of the root outside", link_out, 0 },
    { "write through a symbolic link", write_through_link, 0 },
    { "create through a symbolic link", create_through_link, 0 },
    { "link a nameless file outside", nameless_file, 0 },
    { "map a file outside as shared", map_shared, 0 },
    { "make a FIFO outside", make_fifo, 0 },
    { "make a symbolic link outside", make_link, 0 },
    { "truncate a file outside", truncate_file, 0 },
    { "open a file outside with O_RDONLY and O_TRUNC", truncate_read_only, 0 },
    { "change the mode of a file outside", change_mode, MOUNTS },
    { "change the owner of a file outside", change_owner, MOUNTS },
    { "change the times of a file outside", change_times, MOUNTS },
    { "set an extended attribute outside", set_attribute, MOUNTS },
    { "set the flags of a file outside", set_flags, 0 },
    { "write to a FIFO outside", write_fifo, 0 },
    { "write ~/.bashrc", write_bashrc, 0 },
    { "write /etc/cron.d", write_cron, HARM },
    { "write /etc/profile.d", write_profile, HARM },
    { "write /etc/hosts", write_hosts, 0 },
    { "write the /tmp of the host", write_host_tmp, 0 },
    { "read an ssh key", read_key, 0 },
    { "read a token of npm", read_token, 0 },
    { "read a shell history", read_history, 0 },
    { "read an ssh key through /proc/self/root", read_by_self_root, 0 },
    { "read an ssh key through /proc/1/root", read_by_init_root, 0 },
    { "read an ssh key through the root of another process", read_by_victim_root, 0 },
    { "list ~/.ssh", list_keys, MOUNTS },
    { "stat an ssh key", stat_key, MOUNTS },
    { "watch an ssh key", watch_keys, MOUNTS },
    { "rename ~/.ssh", move_keys, 0 },
    { "read an ssh key through a symbolic link in the root", bind_over_link, 0 },
    { "read the state of trefoil", read_state, 0 },
    { "write the state of trefoil", write_state, 0 },
    { "read /etc/shadow", read_shadow, 0 },
    { "read a file of another user", read_other_user, 0 },
    { "write to an inherited file", inherited_file, 0 },
    { "open a file in an inherited folder", inherited_folder, 0 },
    { "leave an inherited folder", inherited_parent, 0 },
    { "change into an inherited folder", enter_folder, 0 },
    { "open stdin again for writing", reopen_stdin, 0 },
    { "open stdin again and truncate it", reopen_stdin_truncate, 0 },
    { NULL, NULL, 0 },
};
