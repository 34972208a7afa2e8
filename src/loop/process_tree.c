#include "loop/process_tree.h"

#include "base/auto.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

enum { LIST_CHUNK = 4096, STAT_HEAD = 256 };

static void close_dir(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

#define AUTO_DIR __attribute__((cleanup(close_dir))) DIR

/* One list: decimal numbers, each followed by a space. */
static void each_in_list(int fd, children_fn *fn, void *ctx)
{
    char chunk[LIST_CHUNK];
    pid_t pid = 0;
    ssize_t n;

    while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (chunk[i] >= '0' && chunk[i] <= '9') {
                pid = pid * 10 + (chunk[i] - '0');
            } else if (pid) {
                fn(pid, ctx);
                pid = 0;
            }
        }
    }
}

/* The kernel keeps a list per thread, and an orphan comes to any of them. */
bool children_each(children_fn *fn, void *ctx)
{
    AUTO_DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;

    if (!tasks)
        return false;
    while ((task = readdir(tasks))) {
        char path[64];
        AUTO_FD fd = -1;

        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%.20s/children", task->d_name);
        fd = openat(dirfd(tasks), path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return children_each_by_scan(fn, ctx);
        each_in_list(fd, fn, ctx);
    }
    return true;
}

/* "PID (NAME) STATE PARENT ..."; the name may hold anything, a bracket too. */
static pid_t parent_in(struct str stat)
{
    const char *bracket = memrchr(stat.p, ')', stat.n);
    uint64_t parent = 0;
    struct str rest;

    if (!bracket || stat.p + stat.n - bracket < 4)
        return 0;
    rest = str_skip(stat, (size_t)(bracket - stat.p) + 4);
    return str_uint(str_cut(&rest, ' '), 1, INT32_MAX, &parent) ? (pid_t)parent : 0;
}

pid_t children_parent(pid_t pid)
{
    char path[64], head[STAT_HEAD];
    AUTO_FD fd = -1;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, head, sizeof(head));
    return n < 0 ? 0 : parent_in((struct str){ head, (size_t)n });
}

bool children_each_by_scan(children_fn *fn, void *ctx)
{
    AUTO_DIR *proc = opendir("/proc");
    pid_t self = getpid();
    struct dirent *entry;
    uint64_t pid;

    if (!proc)
        return false;
    while ((entry = readdir(proc)))
        if (str_uint(str_of(entry->d_name), 1, INT32_MAX, &pid) &&
            children_parent((pid_t)pid) == self)
            fn((pid_t)pid, ctx);
    return true;
}

bool children_each_of(pid_t parent, children_fn *fn, void *ctx)
{
    char path[64];
    AUTO_FD fd = -1;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    each_in_list(fd, fn, ctx);
    return true;
}
