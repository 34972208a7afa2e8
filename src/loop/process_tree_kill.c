/*
 * process_tree_kill.c - kill a tree without hitting another process, though pids may be reused at
 * any moment.
 *
 * Below a direct child a process is signalled through a descriptor (pidfd), which stays with
 * the process it was opened for. Whether that is one of ours is checked after opening: its
 * parent must be us, because its parent has died, or the process above, which must still have
 * its own pid after that was read. If the pid was reused before the descriptor was opened, the
 * check sees the new process, which has another parent; if after, the descriptor refers to no
 * process.
 */
#include "base/auto.h"
#include "loop/process_tree.h"

#include <signal.h>
#include <sys/pidfd.h>

enum { DEEPEST = 64 }; /* deeper processes get their turn when the upper ones are gone */

struct above {
    pid_t pid;
    int fd; /* -1: our direct child, whose number is safe until we reap it */
    int depth;
};

static bool holds_its_number(const struct above *a)
{
    return a->fd < 0 || pidfd_send_signal(a->fd, 0, NULL, 0) == 0;
}

static bool is_ours(pid_t pid, const struct above *a)
{
    pid_t parent = children_parent(pid);

    return parent == getpid() || (parent == a->pid && holds_its_number(a));
}

static void kill_below(pid_t pid, void *ctx)
{
    const struct above *a = ctx;
    AUTO_FD fd = pidfd_open(pid, 0);
    struct above here = { .pid = pid, .fd = fd, .depth = a->depth + 1 };

    if (fd < 0 || !is_ours(pid, a))
        return;
    pidfd_send_signal(fd, SIGKILL, NULL, 0);
    if (here.depth < DEEPEST)
        children_each_of(pid, kill_below, &here);
}

void children_kill(pid_t child)
{
    struct above top = { .pid = child, .fd = -1 };

    kill(child, SIGKILL);
    children_each_of(child, kill_below, &top);
}
