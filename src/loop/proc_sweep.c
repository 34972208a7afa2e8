#include "loop/proc_sweep.h"

#include "loop/process_tree.h"

#include <sys/wait.h>
#include <unistd.h>

struct sweep {
    const struct procs *all;
    int found, reaped;
};

static bool is_keeper(const struct procs *all, pid_t pid)
{
    for (const struct proc *p = all->first; p; p = p->next)
        if (p->keeper_pid == pid)
            return true;
    return false;
}

/*
 * A direct child keeps its pid until it is reaped, and that only we do: libuv asks for the
 * pids of its own processes alone, on this same thread.
 */
static void sweep_one(pid_t pid, void *ctx)
{
    struct sweep *s = ctx;

    if (is_keeper(s->all, pid) || getsid(pid) == getsid(0))
        return;
    s->found++;
    children_kill(pid);
    if (waitpid(pid, NULL, WNOHANG | __WALL) == pid)
        s->reaped++;
}

int proc_sweep(const struct procs *all, int *reaped)
{
    struct sweep s = { .all = all };

    children_each(sweep_one, &s);
    *reaped += s.reaped;
    return s.found;
}
