/* tree.h - who is there, through /proc: for tests that nothing is left. */
#ifndef TESTS_TREE_H
#define TESTS_TREE_H

#include "loop/process_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Does the process have NAME=value in the environment it was started with? */
static bool tree_has(const char *pid, const char *entry)
{
    static char env[1 << 20];
    char path[64];
    ssize_t n = 0, got;
    int fd;

    snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while ((got = read(fd, env + n, sizeof(env) - 1 - (size_t)n)) > 0)
        n += got;
    close(fd);
    env[n] = 0;
    for (char *at = env; at < env + n; at += strlen(at) + 1)
        if (strcmp(at, entry) == 0)
            return true;
    return false;
}

/* How many living processes were started with this entry in their environment. */
static inline int tree_size(const char *entry)
{
    DIR *proc = opendir("/proc");
    struct dirent *d;
    int n = 0;

    while ((d = readdir(proc)))
        n += isdigit((unsigned char)d->d_name[0]) && tree_has(d->d_name, entry);
    closedir(proc);
    return n;
}

static void tree_count_child(pid_t pid, void *ctx)
{
    (void)pid;
    ++*(int *)ctx;
}

/* Our direct children, zombies included. */
static inline int tree_children(void)
{
    int n = 0;

    children_each(tree_count_child, &n);
    return n;
}

static inline int tree_fds(void)
{
    DIR *fds = opendir("/proc/self/fd");
    int n = 0;

    while (readdir(fds))
        n++;
    closedir(fds);
    return n;
}

#endif
