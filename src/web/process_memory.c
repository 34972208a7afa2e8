#include "web/process_memory.h"

#include "base/auto.h"
#include "loop/process_tree.h"

#include <fcntl.h>
#include <stdio.h>

enum { PROCESSES_MOST = 4096, DEPTH_MOST = 64 };

struct sum {
    int64_t pages;
    int left, depth;
};

/* /proc/PID/statm: "SIZE RESIDENT ...", in pages. */
static int64_t resident_pages(pid_t pid)
{
    char path[64], text[128];
    AUTO_FD fd = -1;
    struct str rest;
    uint64_t pages = 0;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof(text));
    if (n <= 0)
        return 0;
    rest = (struct str){ text, (size_t)n };
    str_cut(&rest, ' ');
    str_uint(str_cut(&rest, ' '), 0, INT64_MAX, &pages);
    return (int64_t)pages;
}

static void add(pid_t pid, void *ctx)
{
    struct sum *s = ctx;

    if (s->left <= 0 || s->depth >= DEPTH_MOST)
        return;
    s->left--;
    s->pages += resident_pages(pid);
    s->depth++;
    children_each_of(pid, add, s);
    s->depth--;
}

int64_t tree_rss_kb(int pid)
{
    struct sum s = { .left = PROCESSES_MOST };

    add((pid_t)pid, &s);
    return s.pages * (sysconf(_SC_PAGESIZE) / 1024);
}
