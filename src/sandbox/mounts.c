#include "sandbox/mounts.h"

#include "base/auto.h"
#include "sandbox/mount_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* Writable by the child, and in memory. */
#define TMP_OPTIONS "mode=1777,size=2g,nr_inodes=1m"
#define SHM_OPTIONS "mode=1777,size=1g"
#define EMPTY_OPTIONS "mode=755,size=1m,nr_inodes=1k"

/* An empty folder and an empty file. It stays, because an unmount would wait for milliseconds. */
#define MASKS "/dev/.masks"

static const char *const device_names[] = { "null", "zero", "full", "random", "urandom", "tty" };
enum { DEVICES = ARRAY_LEN(device_names) };

/* ---- 1 to 3: clones, then all read-only ---------------------------------------------------- */

static bool make_private(struct err *e)
{
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ||
           fail_sys(e, "make the mounts private");
}

static bool is_tree_shown(const struct sandbox_plan *p, const struct sandbox_tree *t)
{
    return t->writable || path_list_above(&p->covers, t->path);
}

static bool clone_trees(struct sandbox_plan *p, struct err *e)
{
    for (size_t i = 0; i < p->trees; i++) {
        struct sandbox_tree *t = &p->tree[i];
        uint64_t attr = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

        if (!is_tree_shown(p, t))
            continue;
        t->fd = mount_clone(t->path);
        if (t->fd < 0 || !mount_attr(t->fd, t->writable ? attr : attr | MOUNT_ATTR_RDONLY))
            return fail_sys(e, "mount %.150s", t->path);
    }
    return true;
}

static bool clone_devices(int *device, struct err *e)
{
    char path[32];

    for (size_t i = 0; i < DEVICES; i++) {
        snprintf(path, sizeof(path), "/dev/%s", device_names[i]);
        device[i] = mount_clone(path);
        if (device[i] < 0 && errno != ENOENT)
            return fail_sys(e, "mount %s", path);
    }
    return true;
}

static bool make_read_only(struct err *e)
{
    AUTO_FD root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root >= 0 && mount_attr(root, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV))
        return true;
    return fail_sys(e, "make the file system read-only");
}

/* ---- 4: /dev ------------------------------------------------------------------------------- */

static bool make_node(const char *path)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd >= 0;
}

static bool put_devices(const int *device)
{
    char path[32];

    for (size_t i = 0; i < DEVICES; i++) {
        snprintf(path, sizeof(path), "/dev/%s", device_names[i]);
        if (device[i] >= 0 && (!make_node(path) || !mount_put(device[i], path)))
            return false;
    }
    return true;
}

static bool link_devices(void)
{
    return symlink("/proc/self/fd", "/dev/fd") == 0 &&
           symlink("/proc/self/fd/0", "/dev/stdin") == 0 &&
           symlink("/proc/self/fd/1", "/dev/stdout") == 0 &&
           symlink("/proc/self/fd/2", "/dev/stderr") == 0 && symlink("pts/ptmx", "/dev/ptmx") == 0;
}

static bool make_dev(const int *device, struct err *e)
{
    if (mount_tmpfs("/dev", EMPTY_OPTIONS) && put_devices(device) && link_devices() &&
        mkdir("/dev/shm", 01777) == 0 && mount_tmpfs("/dev/shm", SHM_OPTIONS) &&
        mkdir("/dev/pts", 0755) == 0 &&
        mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
              "newinstance,ptmxmode=0666,mode=0620") == 0)
        return true;
    return fail_sys(e, "mount a private /dev");
}

static bool is_tmp(const char *path)
{
    return str_eq(str_of(path), STR("/tmp")) || str_eq(str_of(path), STR("/var/tmp"));
}

/* ---- 5: covers and trees ------------------------------------------------------------------- */

/* The folder, and those above it: they are missing in a cover, and there elsewhere. */
static bool make_folders(struct arena *mem, const char *path)
{
    for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        size_t n = slash ? (size_t)(slash - path) : strlen(path);

        if (mkdir(arena_cstr(mem, (struct str){ path, n }), 0755) < 0 && errno != EEXIST &&
            errno != EROFS)
            return false;
        if (!slash)
            return true;
    }
}

/* The entry of a cover that leads to a tree in it. */
static const char *entry_of_cover(struct arena *mem, const char *cover, const char *tree)
{
    size_t n = strlen(cover) + 1;

    return arena_cstr(mem, (struct str){ tree, n + strcspn(tree + n, "/") });
}

/*
 * The folders between a writable cover and the trees in it are read-only. If a process could write
 * there, it would believe that the file exists outside.
 */
static bool fix_ways(struct sandbox_plan *p, const char *cover)
{
    struct path_list ways = { 0 };

    for (size_t i = 0; i < p->trees; i++) {
        const char *tree = p->tree[i].path, *entry;

        if (p->tree[i].fd < 0 || !path_within(tree, cover))
            continue;
        entry = entry_of_cover(&p->mem, cover, tree);
        if (!make_folders(&p->mem, tree) ||
            (!str_eq(str_of(entry), str_of(tree)) && !path_list_add(&p->mem, &ways, entry)))
            return false;
    }
    for (size_t i = 0; i < ways.n; i++)
        if (!mount_fix(ways.v[i]))
            return false;
    return true;
}

static bool cover_folder(struct sandbox_plan *p, const char *path, struct err *e)
{
    bool ok = is_tmp(path) ? mount_tmpfs(path, TMP_OPTIONS) && fix_ways(p, path)
                           : mount_tmpfs(path, EMPTY_OPTIONS);

    return ok || fail_sys(e, "cover %.150s", path);
}

static bool put_tree(struct sandbox_plan *p, struct sandbox_tree *t, struct err *e)
{
    if (t->fd < 0)
        return true;
    if (!make_folders(&p->mem, t->path) || !mount_put(t->fd, t->path))
        return fail_sys(e, "mount %.150s", t->path);
    close(TAKE_FD(t->fd));
    return true;
}

/* Both lists begin with the shortest path: a cover may lie in a tree, and a tree in a cover. */
static bool put_layers(struct sandbox_plan *p, struct err *e)
{
    size_t c = 0, t = 0;

    while (c < p->covers.n || t < p->trees) {
        bool cover =
            t == p->trees || (c < p->covers.n && strlen(p->covers.v[c]) <= strlen(p->tree[t].path));

        if (!(cover ? cover_folder(p, p->covers.v[c++], e) : put_tree(p, &p->tree[t++], e)))
            return false;
    }
    return true;
}

static bool seal_covers(const struct sandbox_plan *p, struct err *e)
{
    for (size_t i = 0; i < p->covers.n; i++)
        if (!is_tmp(p->covers.v[i]) && !mount_seal(p->covers.v[i]))
            return fail_sys(e, "seal %.150s", p->covers.v[i]);
    return true;
}

/* ---- 6: /proc ------------------------------------------------------------------------------ */

static bool mount_proc(void)
{
    static const char *const settings[] = { "/proc/sys", "/proc/sysrq-trigger",
                                            "/proc/irq", "/proc/bus",
                                            "/proc/fs",  "/proc/acpi" };

    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        if (!mount_fix(settings[i]) && errno != ENOENT)
            return false;
    return true;
}

static bool make_proc(const struct sandbox_plan *p, struct err *e)
{
    return !p->support.own_proc || mount_proc() || fail_sys(e, "mount a private /proc");
}

/* ---- 7: masks ------------------------------------------------------------------------------ */

static bool make_masks(struct err *e)
{
    if (mkdir(MASKS, 0755) == 0 && mount_tmpfs(MASKS, EMPTY_OPTIONS) &&
        mkdir(MASKS "/folder", 0555) == 0 && make_node(MASKS "/file") &&
        chmod(MASKS "/file", 0444) == 0 && mount_seal(MASKS))
        return true;
    return fail_sys(e, "make the masks of hidden paths");
}

static bool mask(const char *path)
{
    struct stat st;
    AUTO_FD fd = -1;

    if (lstat(path, &st) < 0)
        return errno == ENOENT;
    fd = mount_clone(S_ISDIR(st.st_mode) ? MASKS "/folder" : MASKS "/file");
    return fd >= 0 && (mount_put(fd, path) || errno == ENOENT);
}

static bool mask_hidden(const struct sandbox_plan *p, struct err *e)
{
    for (size_t i = 0; i < p->hidden.n; i++)
        if (!mask(p->hidden.v[i]))
            return fail_sys(e, "hide %.150s", p->hidden.v[i]);
    return true;
}

static bool seal_dev(struct err *e)
{
    return mount_seal("/dev") || fail_sys(e, "seal the private /dev");
}

/* ---- 8: the root ----------------------------------------------------------------------------*/

static bool pin_paths(const struct sandbox_plan *p, struct err *e)
{
    for (size_t i = 0; i < p->pinned.n; i++)
        if (!mount_pin(p->pinned.v[i]) && errno != ENOENT)
            return fail_sys(e, "protect %.150s", p->pinned.v[i]);
    for (size_t i = 0; i < p->fixed.n; i++)
        if (!mount_seal_all(p->fixed.v[i]) && errno != ENOENT)
            return fail_sys(e, "protect %.150s", p->fixed.v[i]);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------*/

bool sandbox_mount(struct sandbox_plan *p, struct err *e)
{
    int device[DEVICES];

    return make_private(e) && clone_trees(p, e) && clone_devices(device, e) && make_read_only(e) &&
           make_dev(device, e) && put_layers(p, e) && seal_covers(p, e) && make_proc(p, e) &&
           make_masks(e) && mask_hidden(p, e) && pin_paths(p, e) && seal_dev(e);
}

bool sandbox_mount_try(bool own_proc, struct err *e)
{
    int device[DEVICES];

    if (!make_private(e) || !clone_devices(device, e) || !make_read_only(e) || !make_dev(device, e))
        return false;
    return !own_proc || mount_proc() || fail_sys(e, "mount a private /proc");
}
