#include "state/network_fs.h"

#include "base/str.h"

#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

/* Not in the headers of Debian 12, or under other names. */
enum { MAGIC_CIFS = 0xff534d42u, MAGIC_CEPH = 0x00c36400, MAGIC_LUSTRE = 0x0bd00bd0 };

static const struct {
    unsigned magic;
    const char *name;
} kinds[] = {
    { NFS_SUPER_MAGIC, "nfs" }, { SMB_SUPER_MAGIC, "smb" },   { SMB2_SUPER_MAGIC, "smb2" },
    { MAGIC_CIFS, "cifs" },     { V9FS_MAGIC, "9p" },         { AFS_SUPER_MAGIC, "afs" },
    { AFS_FS_MAGIC, "afs" },    { CODA_SUPER_MAGIC, "coda" }, { MAGIC_CEPH, "ceph" },
    { MAGIC_LUSTRE, "lustre" },
};

/* All of FUSE has one magic number; these of its kinds lead to other machines. */
static const char *const fuse_kinds[] = {
    "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.davfs2", "fuse.curlftpfs",
};

/* The kind in a line of mountinfo: "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS ... - KIND ...". */
static const char *fuse_kind_of(struct str line, dev_t device)
{
    unsigned major, minor;
    const char *dash;

    if (sscanf(line.p, "%*u %*u %u:%u", &major, &minor) != 2 || makedev(major, minor) != device)
        return NULL;
    dash = strstr(line.p, " - ");
    for (size_t i = 0; dash && i < ARRAY_LEN(fuse_kinds); i++)
        if (str_starts(str_of(dash + 3), str_of(fuse_kinds[i])))
            return fuse_kinds[i];
    return NULL;
}

static const char *find_fuse(int fd)
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    const char *found = NULL;
    char line[4096];
    struct stat st;

    if (!mounts)
        return NULL;
    while (!found && fstat(fd, &st) == 0 && fgets(line, sizeof(line), mounts))
        found = fuse_kind_of(str_of(line), st.st_dev);
    fclose(mounts);
    return found;
}

const char *network_fs_of(int fd)
{
    struct statfs fs;

    if (fstatfs(fd, &fs) < 0)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if ((unsigned)fs.f_type == kinds[i].magic)
            return kinds[i].name;
    return (unsigned)fs.f_type == FUSE_SUPER_MAGIC ? find_fuse(fd) : NULL;
}
