#include "sandbox/init.h"

#include "sandbox/mounts.h"
#include "sandbox/namespaces.h"
#include "sandbox/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#undef fork /* as in keep.c */

void release_standard_files(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd <= 2; fd++)
        if (null < 0 || dup2(null, fd) < 0)
            close(fd);
    if (null > 2)
        close(null);
    (void)!chdir("/");
}

/* False: the keeper has died, or could not map the ids. */
static bool wait_for_ids(int ready)
{
    char byte;
    ssize_t n;

    do
        n = read(ready, &byte, 1);
    while (n < 0 && errno == EINTR);
    close(ready);
    return n == 1;
}

static bool prepare(struct sandbox_plan *p, struct err *e)
{
    return (!p->support.netns || !p->offline || namespaces_loopback(e)) && sandbox_mount(p, e);
}

/* Bury all that are dead; true when the child is one of them. */
static bool reap(pid_t child, int *status)
{
    int one;
    pid_t pid;
    bool ended = false;

    while ((pid = waitpid(-1, &one, WNOHANG | __WALL)) > 0)
        if (pid == child) {
            ended = true;
            *status = one;
        }
    return ended;
}

/* Only from outside of the namespace, where senders have no pid that we could see. */
static void pass_on(pid_t child, const siginfo_t *info)
{
    if (info->si_pid)
        return;
    if (kill(-child, info->si_signo) < 0) /* it has no group yet */
        kill(child, info->si_signo);
}

/* All signals are blocked since before the fork, so none is lost and none ends us. */
static int serve(pid_t child)
{
    sigset_t all;
    siginfo_t info;
    int status = 0;

    sigfillset(&all);
    while (!reap(child, &status)) {
        info.si_pid = 0;
        if (sigwaitinfo(&all, &info) > 0 && info.si_signo != SIGCHLD)
            pass_on(child, &info);
    }
    return status;
}

void sandbox_init(struct keep_plan *plan, const struct init_pipes *at)
{
    struct err e;
    pid_t child;
    int status;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!wait_for_ids(at->ready))
        _exit(CHILD_NOT_STARTED);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NAME, "sandbox");
    setsid();
    if (!prepare(&plan->sandbox, &e))
        child_fail(at->setup, KEEP_STEP_SANDBOX, &e);
    child = fork();
    if (child < 0)
        child_fail(at->setup, KEEP_STEP_SETUP, NULL);
    if (child == 0)
        child_become(plan, 1, at->setup);
    close(at->setup);
    release_standard_files();
    if (!privileges_drop_init(&e))
        _exit(CHILD_NOT_STARTED);
    status = serve(child);
    (void)!write(at->status, &status, sizeof(status));
    _exit(0);
}
