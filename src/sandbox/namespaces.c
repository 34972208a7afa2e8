#include "sandbox/namespaces.h"

#include "base/auto.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

pid_t namespaces_fork(bool netns)
{
    unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;

    if (netns)
        flags |= CLONE_NEWNET;
    return (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
}

/* ---- ids --------------------------------------------------------------------------------- */

static bool write_proc(pid_t pid, const char *name, const char *text)
{
    char path[64];
    size_t n = strlen(text);
    AUTO_FD fd = -1;

    snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, text, n) == (ssize_t)n;
}

/* Every id that exists in our own namespace, as itself: "inside outside count" lines. */
static bool write_all_ids(pid_t child, const char *name)
{
    char path[32], text[4096];
    unsigned long first, outside, count;
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/%s", name);
    f = fopen(path, "re");
    if (!f)
        return false;
    while (n < sizeof(text) - 64 && fscanf(f, "%lu %lu %lu", &first, &outside, &count) == 3)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%lu %lu %lu\n", first, first, count);
    fclose(f);
    return write_proc(child, name, text);
}

static bool write_one_id(pid_t child, const char *name, unsigned id)
{
    char text[32];

    snprintf(text, sizeof(text), "%u %u 1\n", id, id);
    return write_proc(child, name, text);
}

bool namespaces_map(pid_t child, struct err *e)
{
    if (geteuid() == 0 && write_all_ids(child, "uid_map") && write_all_ids(child, "gid_map"))
        return true;
    if (write_proc(child, "setgroups", "deny") && write_one_id(child, "uid_map", geteuid()) &&
        write_one_id(child, "gid_map", getegid()))
        return true;
    return fail_sys(e, "map the ids of the user namespace");
}

/* ---- network ----------------------------------------------------------------------------- */

bool namespaces_loopback(struct err *e)
{
    struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 && errno == EAFNOSUPPORT) /* a kernel without IPv4 */
        return true;
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) < 0)
        return fail_sys(e, "bring the loopback device up");
    return true;
}
