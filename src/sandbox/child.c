#include "sandbox/child.h"

#include "sandbox/landlock.h"
#include "sandbox/privileges.h"
#include "sandbox/seccomp_filter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>

void child_fail(int setup, enum keep_step step, const struct err *e)
{
    struct keep_news_msg msg = { .news = KEEP_FAILED, .step = step, .value = errno };

    if (e)
        snprintf(msg.text, sizeof(msg.text), "%s", e->text);
    (void)!write(setup, &msg, sizeof(msg));
    _exit(CHILD_NOT_STARTED);
}

static void reset_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL); /* refused for those that cannot be changed, which is fine */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool limit_files(uint64_t soft)
{
    struct rlimit now;

    if (!soft)
        return true;
    if (getrlimit(RLIMIT_NOFILE, &now) < 0)
        return false;
    now.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &now) == 0;
}

/* seccomp comes last, because it may forbid the steps before it. */
static bool enter_sandbox(struct sandbox_plan *p, struct err *e)
{
    return privileges_limit(e) && privileges_drop(e) && sandbox_landlock(p, e) &&
           sandbox_seccomp(p, e);
}

/*
 * A folder that was entered before the mounts would lead around them, so even the same one is
 * entered again.
 */
static bool enter_folder(const struct keep_plan *plan)
{
    const struct sandbox_plan *p = &plan->sandbox;

    if (plan->cwd)
        return chdir(plan->cwd) == 0;
    return !sandbox_plan_active(p) || (p->cwd && chdir(p->cwd) == 0) || chdir(p->profile.root) == 0;
}

void child_become(struct keep_plan *plan, pid_t parent, int setup)
{
    struct err e;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before it could count */
        _exit(CHILD_NOT_STARTED);
    setsid(); /* its own group; and a storm in its session leaves us our share of the CPU */
    if (!limit_files(plan->nofile))
        child_fail(setup, KEEP_STEP_LIMIT, NULL);
    if (!enter_folder(plan))
        child_fail(setup, KEEP_STEP_CHDIR, NULL);
    if (sandbox_plan_active(&plan->sandbox) && !enter_sandbox(&plan->sandbox, &e))
        child_fail(setup, KEEP_STEP_SANDBOX, &e);
    reset_signals();
    execvp(plan->argv[0], plan->argv);
    child_fail(setup, KEEP_STEP_EXEC, NULL);
}
