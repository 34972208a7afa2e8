#include "sandbox/landlock.h"

#include "base/auto.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* ---- the kernel's interface; the headers of Debian 12 end at ABI 2 -------------------------- */

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, ASK_VERSION = 1 };
enum { RULE_PATH_BENEATH = 1, RULE_NET_PORT = 2 };

enum fs_right {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_CHAR = 1 << 6,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_MAKE_SOCK = 1 << 9,
    FS_MAKE_FIFO = 1 << 10,
    FS_MAKE_BLOCK = 1 << 11,
    FS_MAKE_SYM = 1 << 12,
    FS_REFER = 1 << 13,     /* ABI 2 */
    FS_TRUNCATE = 1 << 14,  /* ABI 3 */
    FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
};

enum { NET_BIND_TCP = 1, NET_CONNECT_TCP = 2 };            /* ABI 4 */
enum { SCOPE_ABSTRACT_UNIX_SOCKET = 1, SCOPE_SIGNAL = 2 }; /* ABI 6 */

struct ruleset_attr {
    uint64_t fs, net, scoped;
};

struct path_attr {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

struct port_attr {
    uint64_t allowed, port;
};

enum {
    READS = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR,
    WRITES = FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG |
             FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER | FS_TRUNCATE,
    OF_FILES = FS_EXECUTE | FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
    DEVICE = FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
};

int landlock_abi(void)
{
    long abi = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);

    return abi < 0 ? 0 : (int)abi;
}

static uint64_t handled_fs(int abi)
{
    uint64_t all = FS_REFER - 1;

    if (abi >= 2)
        all |= FS_REFER;
    if (abi >= 3)
        all |= FS_TRUNCATE;
    if (abi >= 5)
        all |= FS_IOCTL_DEV;
    return all;
}

static size_t attr_size(int abi)
{
    return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

/* ---- file rules -------------------------------------------------------------------------- */

struct rules {
    struct sandbox_plan *plan;
    int fd;
    uint64_t handled;
};

static bool allow_fd(const struct rules *r, int fd, bool folder, uint64_t rights)
{
    struct path_attr attr = { .allowed = rights & r->handled & (folder ? ~0ull : OF_FILES),
                              .parent = fd };

    return syscall(ADD_RULE, r->fd, RULE_PATH_BENEATH, &attr, 0) == 0;
}

/* A file that does not exist, or that we cannot see, needs no rule. */
static void allow(const struct rules *r, const char *path, uint64_t rights)
{
    AUTO_FD fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISLNK(st.st_mode))
        allow_fd(r, fd, S_ISDIR(st.st_mode), rights);
}

/* For the many entries of a folder: its type, where the file system tells it, saves a call. */
static void allow_entry(const struct rules *r, const char *path, const struct dirent *entry)
{
    AUTO_FD fd = -1;

    if (entry->d_type != DT_DIR && entry->d_type != DT_REG) {
        allow(r, path, READS);
        return;
    }
    fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        allow_fd(r, fd, entry->d_type == DT_DIR, READS);
}

/* ---- reading: the tree without its hidden parts -------------------------------------------- */

static bool is_hidden(const struct sandbox_plan *p, const char *path)
{
    return path_list_has(&p->hidden, path) || path_list_has(&p->covers, path);
}

/* Must its entries be looked at one by one? A home folder may get new secrets later. */
static bool is_mixed(const struct sandbox_plan *p, const char *path)
{
    return path_list_below(&p->hidden, path) || path_list_below(&p->covers, path) ||
           path_list_below(&p->homes, path);
}

/* Without mounts /dev has all devices of the machine, so only single ones are allowed. */
static bool is_skipped(const struct sandbox_plan *p, const char *path)
{
    return is_hidden(p, path) || str_eq(str_of(path), STR("/dev"));
}

static void read_folder(const struct rules *r, const char *path)
{
    struct sandbox_plan *p = r->plan;
    DIR *d = opendir(path);
    const struct dirent *entry;

    while (d && (entry = readdir(d))) {
        const char *child;

        if (str_eq(str_of(entry->d_name), STR(".")) || str_eq(str_of(entry->d_name), STR("..")))
            continue;
        if (entry->d_type == DT_LNK)
            continue;
        child = path_join(&p->mem, path, entry->d_name);
        if (is_skipped(p, child))
            continue;
        if (entry->d_type == DT_DIR && is_mixed(p, child))
            read_folder(r, child);
        else
            allow_entry(r, child, entry);
    }
    if (d)
        closedir(d);
}

/*
 * Names of entries may be listed everywhere, as stat cannot be refused either; the masks hide them.
 * A tree is a hole in a cover: it is walked by itself.
 */
static void read_tree(const struct rules *r)
{
    struct sandbox_plan *p = r->plan;

    allow(r, "/", FS_READ_DIR);
    read_folder(r, "/");
    for (size_t i = 0; i < p->trees; i++)
        if (!p->tree[i].writable && path_list_above(&p->covers, p->tree[i].path)) {
            if (is_mixed(p, p->tree[i].path))
                read_folder(r, p->tree[i].path);
            else
                allow(r, p->tree[i].path, READS);
        }
    if (p->support.namespaces) /* masks are empty: reading them is a smaller surprise than EACCES */
        for (size_t i = 0; i < p->hidden.n; i++)
            allow(r, p->hidden.v[i], FS_READ_FILE | FS_READ_DIR);
}

/* ---- writing ----------------------------------------------------------------------------- */

static const char *const devices[] = { "/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                       "/dev/urandom", "/dev/tty",  "/dev/ptmx", "/dev/pts" };

static void write_tree(const struct rules *r)
{
    struct sandbox_plan *p = r->plan;

    for (size_t i = 0; i < ARRAY_LEN(devices); i++)
        allow(r, devices[i], DEVICE | FS_READ_DIR);
    allow(r, "/dev/shm", READS | WRITES);
    for (size_t i = 0; i < p->trees; i++)
        if (p->tree[i].writable)
            allow(r, p->tree[i].path, READS | WRITES);
    if (!p->support.namespaces)
        return;
    allow(r, "/dev", FS_READ_DIR);
    for (size_t i = 0; i < p->covers.n; i++)
        if (str_ends(str_of(p->covers.v[i]), STR("/tmp")))
            allow(r, p->covers.v[i], READS | WRITES);
        else
            allow(r, p->covers.v[i], FS_READ_DIR);
    if (p->support.own_proc)
        allow(r, "/proc", READS | FS_WRITE_FILE);
}

/* ---- ports ------------------------------------------------------------------------------- */

static bool allow_port(const struct rules *r, uint16_t port)
{
    struct port_attr attr = { NET_CONNECT_TCP, port };

    return syscall(ADD_RULE, r->fd, RULE_NET_PORT, &attr, 0) == 0;
}

static bool allow_ports(const struct rules *r)
{
    const struct sandbox_profile *s = &r->plan->profile;

    if (r->plan->offline || r->plan->support.landlock < 4)
        return true;
    for (size_t i = 0; i < s->connects; i++)
        if (!allow_port(r, s->connect[i]))
            return false;
    return allow_port(r, 80) && allow_port(r, 443);
}

/* Inside a network namespace of its own the child may use all ports. */
static uint64_t handled_net(const struct sandbox_plan *p)
{
    if (!p->offline)
        return NET_CONNECT_TCP;
    return p->support.namespaces && p->support.netns ? 0 : NET_BIND_TCP | NET_CONNECT_TCP;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int create(struct ruleset_attr attr, int abi)
{
    return (int)syscall(CREATE_RULESET, &attr, attr_size(abi), 0);
}

static int open_below(int folder, const char *name)
{
    return openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
}

/* A folder may always be listed: one of its files tells. */
static bool can_read(const char *path)
{
    int fd = open_below(AT_FDCWD, path), file = -1;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    while (d && file < 0 && (entry = readdir(d)))
        if (entry->d_type == DT_REG)
            file = open_below(fd, entry->d_name);
    if (file >= 0)
        close(file);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    return file >= 0 || (fd >= 0 && !d);
}

static bool is_writable(const struct sandbox_plan *p, const char *path)
{
    for (size_t i = 0; i < p->trees; i++)
        if (p->tree[i].writable && path_within(path, p->tree[i].path))
            return true;
    return false;
}

/*
 * Rules name folders, and hold for what lies below them by any way. If a folder that is allowed lies
 * above our whole file system (a chroot in a bind mount of the same disk), nothing is hidden. The
 * masks do not depend on it, so only a sandbox without them has to look. In a writable tree only
 * masks could hide anything (the logs in the root).
 */
static bool check_hidden(const struct sandbox_plan *p, struct err *e)
{
    if (p->support.namespaces || p->profile.best_effort)
        return true;
    for (size_t i = 0; i < p->hidden.n; i++)
        if (!is_writable(p, p->hidden.v[i]) && can_read(p->hidden.v[i]))
            return fail(e, ERR_DENIED, "Landlock cannot hide %.150s on this file system",
                        p->hidden.v[i]);
    return true;
}

bool sandbox_landlock(struct sandbox_plan *p, struct err *e)
{
    int abi = p->support.landlock;
    struct ruleset_attr attr = { .fs = handled_fs(abi),
                                 .net = handled_net(p),
                                 .scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL };
    struct rules r = { .plan = p, .handled = attr.fs };
    AUTO_FD fd = -1;

    if (!abi)
        return true;
    fd = create(attr, abi);
    if (fd < 0)
        return fail_sys(e, "create Landlock rules");
    r.fd = fd;
    read_tree(&r);
    write_tree(&r);
    if (!allow_ports(&r))
        return fail_sys(e, "allow TCP ports by Landlock");
    if (syscall(RESTRICT_SELF, fd, 0) != 0)
        return fail_sys(e, "apply Landlock rules");
    return check_hidden(p, e);
}

bool sandbox_landlock_try(void)
{
    int abi = landlock_abi();
    AUTO_FD fd = abi ? create((struct ruleset_attr){ .fs = handled_fs(abi) }, abi) : -1;

    return fd >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(RESTRICT_SELF, fd, 0) == 0;
}
