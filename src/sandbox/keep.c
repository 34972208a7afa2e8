/*
 * keep.c - the keeper.
 *
 *   trefoil ==control== keeper --> child --> whatever it starts
 *
 *   starting  the child half applies limits and becomes its program, or reports why not
 *   watching  the child runs: requests are read, orphans of its tree are reaped
 *   killing   the child ended, a request came or trefoil has exited; until no process is left
 *
 * No process escapes, because the keeper is a subreaper: a descendant that loses its parent becomes
 * a direct child of the keeper. Direct children are killed, and so is, at once, all that can be
 * seen below them (loop/process_tree.h); missed processes become our children as the upper ones
 * die; and so on, until waitid returns ECHILD. It goes from the top, so a supervisor is dead before
 * it can miss its worker. No process is stopped first: SIGKILL ends forking as surely as SIGSTOP
 * does, since the kernel makes no new process for one that has a signal waiting, and SIGKILL to a
 * group reaches all its members under one lock.
 *
 * No stranger is hit, because a signal is sent only
 *   - to a direct child that is not reaped. Its pid is taken until then, and only we reap;
 *   - to the group numbered like the child, while the child is not reaped;
 *   - to the group of a dead child that is not reaped. It is a member until then, so the number
 *     of the group is taken as well;
 *   - below a direct child through a descriptor that is known to lead to one of ours.
 * And such a group has no other members: groups do not reach beyond a session, the keeper leads its
 * own, and every member of a session that a descendant made is a descendant. The one exception is
 * the keeper's own group, which the child is in until its setsid, and is never signalled.
 *
 * What it cannot do: kill a program that gained other rights (setuid), or one that hangs in
 * the kernel. Then it reports KEEP_STUCK and keeps trying. If the keeper is killed by SIGKILL,
 * the child dies with it (PR_SET_PDEATHSIG); trefoil, a subreaper too, inherits the rest of the
 * tree.
 */
#include "sandbox/keep.h"

#include "base/clock.h"
#include "base/keep_wire.h"
#include "base/str.h"
#include "loop/process_tree.h"
#include "sandbox/init.h"
#include "sandbox/namespaces.h"
#include "sandbox/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#undef fork /* the one place that may, beside libuv */

enum { FIRST_PAUSE_MS = 2, LONGEST_PAUSE_MS = 500, USAGE = 2 };

struct keeper {
    struct keep_plan plan;
    int control; /* orders in, news out; -1: trefoil is gone */
    int setup;   /* the child half's last message before it becomes its program; -1: read */
    int signals; /* tells of SIGCHLD; all signals are blocked */
    int ended;   /* the init process's last message: the wait status of its child; -1: no init */
    pid_t child; /* in namespaces their init process, which passes signals on */
    bool reaped; /* the child is dead, with this status */
    int status;
    bool failed; /* the child half did not get as far as its program */
    struct keep_news_msg failure;
    bool killing;
    int64_t killing_since;
    int pause_ms;     /* until the next search for surviving processes */
    int left;         /* seen in the last look */
    pid_t last_group; /* killed since that look */
    bool told_stuck;
};

static void tell(struct keeper *k, const struct keep_news_msg *msg)
{
    if (k->control >= 0)
        send(k->control, msg, sizeof(*msg), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- killing ---------------------------------------------------------------------------- */

static void start_killing(struct keeper *k)
{
    if (k->killing)
        return;
    k->killing = true;
    k->killing_since = clock_mono_ms();
    k->pause_ms = FIRST_PAUSE_MS;
}

static void kill_one(pid_t pid, void *ctx)
{
    struct keeper *k = ctx;

    children_kill(pid);
    k->left++;
}

static void kill_children(struct keeper *k)
{
    k->left = 0;
    k->last_group = 0;
    if (!k->reaped)
        kill(-k->child, SIGKILL);
    children_each(kill_one, k);
    if (!k->told_stuck && clock_mono_ms() - k->killing_since >= KEEP_STUCK_MS) {
        k->told_stuck = true;
        tell(k, &(struct keep_news_msg){ .news = KEEP_STUCK, .value = k->left });
    }
}

/* Kill the group of one that is dead and not reaped: see the file's top. A large one once. */
static void kill_group_of(struct keeper *k, pid_t pid)
{
    pid_t group = getpgid(pid);

    if (group <= 0 || group == getpgrp() || group == k->last_group)
        return;
    kill(-group, SIGKILL);
    k->last_group = group;
}

static void bury(struct keeper *k, pid_t pid)
{
    int status = 0;

    if (pid == k->child)
        start_killing(k);
    if (k->killing)
        kill_group_of(k, pid);
    waitpid(pid, &status, __WALL);
    if (pid == k->child) {
        k->reaped = true;
        if (k->ended < 0 || read(k->ended, &k->status, sizeof(k->status)) != sizeof(k->status))
            k->status = status;
    }
}

/* Bury all that are dead. False when no child is left, dead or alive. */
static bool reap(struct keeper *k)
{
    for (;;) {
        siginfo_t dead = { .si_pid = 0 };

        if (waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0) {
            if (errno == EINTR)
                continue;
            return false;
        }
        if (!dead.si_pid)
            return true;
        bury(k, dead.si_pid);
        k->pause_ms = FIRST_PAUSE_MS;
    }
}

/* ---- listening --------------------------------------------------------------------------- */

/* The pipe ends when the child half has become its program; else it says what failed. */
static void hear_child_half(struct keeper *k)
{
    ssize_t n = read(k->setup, &k->failure, sizeof(k->failure));

    if (n < 0 && errno == EINTR)
        return;
    close(k->setup);
    k->setup = -1;
    k->failed = n == sizeof(k->failure);
    if (!k->failed)
        tell(k, &(struct keep_news_msg){ .news = KEEP_STARTED, .value = k->child });
}

static void signal_child(const struct keeper *k, int signum)
{
    if (!k->reaped && kill(-k->child, signum) < 0) /* it has no group yet */
        kill(k->child, signum);
}

/* A stopped child has to continue before it can handle a SIGTERM. */
static void terminate(const struct keeper *k)
{
    signal_child(k, SIGTERM);
    signal_child(k, SIGCONT);
}

static void hear_orders(struct keeper *k)
{
    struct keep_order_msg msg;
    ssize_t n = recv(k->control, &msg, sizeof(msg), MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n == sizeof(msg) && msg.order == KEEP_TERM) {
        terminate(k);
        return;
    }
    if (n == sizeof(msg) && msg.order == KEEP_SIGNAL) {
        signal_child(k, msg.value);
        return;
    }
    start_killing(k);
    if (n <= 0) { /* trefoil is gone */
        close(k->control);
        k->control = -1;
    }
}

static void wait_for_news(struct keeper *k)
{
    struct pollfd at[] = {
        { .fd = k->control, .events = POLLIN },
        { .fd = k->setup, .events = POLLIN },
        { .fd = k->signals, .events = POLLIN },
    };
    struct signalfd_siginfo info;

    if (poll(at, ARRAY_LEN(at), k->killing ? k->pause_ms : -1) <= 0) {
        k->pause_ms = k->pause_ms < LONGEST_PAUSE_MS ? k->pause_ms * 2 : LONGEST_PAUSE_MS;
        return;
    }
    if (at[2].revents)
        (void)!read(k->signals, &info, sizeof(info)); /* reap() looks for itself */
    if (at[1].revents)
        hear_child_half(k);
    if (at[0].revents)
        hear_orders(k);
}

static void watch(struct keeper *k)
{
    while (reap(k)) {
        if (k->killing)
            kill_children(k);
        wait_for_news(k);
    }
    if (k->setup >= 0)
        hear_child_half(k);
    sandbox_plan_clean(&k->plan.sandbox);
    if (k->failed)
        tell(k, &k->failure);
    else
        tell(k, &(struct keep_news_msg){ .news = KEEP_EXITED, .value = k->status });
}

/* ---- setting up -------------------------------------------------------------------------- */

static bool read_word(struct keep_plan *plan, char *arg)
{
    struct str word = str_of(arg);

    if (str_starts(word, STR(KEEP_CWD))) {
        plan->cwd = arg + sizeof(KEEP_CWD) - 1;
        return true;
    }
    if (str_starts(word, STR(KEEP_NOFILE)))
        return str_uint(str_skip(word, sizeof(KEEP_NOFILE) - 1), 1, INT32_MAX, &plan->nofile);
    return sandbox_plan_word(&plan->sandbox, arg);
}

static bool read_plan(int argc, char **argv, struct keep_plan *plan)
{
    int i = 1;

    for (; i < argc && !str_eq(str_of(argv[i]), STR(KEEP_ARGV)); i++)
        if (!read_word(plan, argv[i]))
            return false;
    plan->argv = argv + i + 1;
    return i + 1 < argc;
}

/* What was marked is the environment of the child, and nothing else is. */
static void unmark_environment(void)
{
    char **to = environ;

    for (char **at = environ; *at; at++)
        if (**at == KEEP_ENV_MARK)
            *to++ = *at + 1;
    *to = NULL;
}

/*
 * What makes us a keeper. A child of the same user could stop us, so trefoil's death makes us
 * continue; it cannot read our memory or take our descriptors. The name protects us from `pkill
 * -9 trefoil`, which should end trefoil and leave the rest to us.
 */
static bool become_keeper(void)
{
    setsid(); /* trefoil has done it already; then it fails */
    if (getsid(0) != getpid() || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return false;
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NAME, "keeper");
    return setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }) == 0;
}

/* No signal but SIGKILL ends us: orders come by the control socket. */
static int listen_for_children(void)
{
    sigset_t all, child;

    signal(SIGCHLD, SIG_DFL); /* were it ignored, the kernel would reap for us */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* ---- the child --------------------------------------------------------------------------- */

static bool start_plainly(struct keeper *k)
{
    pid_t self = getpid();
    int setup[2];

    if (pipe2(setup, O_CLOEXEC) < 0)
        return false;
    k->child = fork();
    if (k->child == 0)
        child_become(&k->plan, self, setup[1]);
    close(setup[1]);
    k->setup = setup[0];
    return k->child > 0;
}

/* The init process does not exec, so it closes what only the keeper may hold. */
__attribute__((noreturn)) static void init_half(struct keeper *k, const int *ready,
                                                const int *setup, const int *status)
{
    close(k->control);
    close(k->signals);
    close(ready[1]);
    close(setup[0]);
    close(status[0]);
    sandbox_init(&k->plan, &(struct init_pipes){ ready[0], setup[1], status[1] });
}

/*
 * The files in /proc that map the ids of the child belong to the user only while the child, and so
 * the keeper that it is a copy of, may be traced.
 */
static pid_t clone_init(struct keeper *k, const int *ready, const int *setup, const int *status,
                        struct err *e)
{
    pid_t pid;

    prctl(PR_SET_DUMPABLE, 1);
    pid = namespaces_fork(k->plan.sandbox.offline && k->plan.sandbox.support.netns);
    if (pid == 0)
        init_half(k, ready, setup, status);
    if (pid < 0)
        fail_sys(e, "create namespaces");
    else if (!namespaces_map(pid, e)) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, __WALL);
        pid = -1;
    }
    prctl(PR_SET_DUMPABLE, 0);
    return pid;
}

static bool start_in_namespaces(struct keeper *k, struct err *e)
{
    int ready[2], setup[2], status[2];

    if (pipe2(ready, O_CLOEXEC) < 0 || pipe2(setup, O_CLOEXEC) < 0 ||
        pipe2(status, O_CLOEXEC | O_NONBLOCK) < 0)
        return fail_sys(e, "create the pipes of the sandbox");
    k->child = clone_init(k, ready, setup, status, e);
    close(ready[0]);
    close(setup[1]);
    close(status[1]);
    k->setup = setup[0];
    k->ended = status[0];
    if (k->child > 0)
        (void)!write(ready[1], "", 1); /* if it has died, its end is reported like any other */
    close(ready[1]);
    return k->child > 0;
}

static void refuse(struct keeper *k, const struct err *e)
{
    k->failure =
        (struct keep_news_msg){ .news = KEEP_FAILED, .step = KEEP_STEP_SANDBOX, .value = EPERM };
    snprintf(k->failure.text, sizeof(k->failure.text), "%s", e->text);
}

/* The plan decides what is in the environment, and the child gets ours. */
static bool make_plan(struct sandbox_plan *p, struct err *e)
{
    if (!sandbox_plan_make(p, e))
        return false;
    environ = sandbox_env(p, environ);
    return true;
}

static bool start_child(struct keeper *k)
{
    struct sandbox_plan *p = &k->plan.sandbox;
    bool namespaces = sandbox_plan_active(p) && p->support.namespaces;
    struct err e;

    if (!make_plan(p, &e) || (namespaces && !start_in_namespaces(k, &e))) {
        refuse(k, &e);
        return false;
    }
    return namespaces || start_plainly(k);
}

/* ---- the whole --------------------------------------------------------------------------- */

static bool set_up(struct keeper *k, int argc, char **argv)
{
    closefrom(KEEP_FD + 1);
    fcntl(k->control, F_SETFD, FD_CLOEXEC);
    errno = EINVAL;
    if (!read_plan(argc, argv, &k->plan) || !become_keeper())
        return false;
    unmark_environment();
    k->signals = listen_for_children();
    if (k->signals < 0)
        return false;
    if (!start_child(k))
        return false;
    release_standard_files();
    return true;
}

/* False if the descriptor is not the control socket: a user has typed the command. */
static bool is_started_by_trefoil(void)
{
    int type = 0;
    socklen_t n = sizeof(type);

    return getsockopt(KEEP_FD, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_SEQPACKET;
}

int keep_main(int argc, char **argv)
{
    struct keeper k = { .control = KEEP_FD, .setup = -1, .ended = -1 };

    if (argc == 2 && str_eq(str_of(argv[1]), STR(KEEP_PROBE)))
        return sandbox_probe_main();
    if (!is_started_by_trefoil()) {
        fprintf(stderr, "keep: internal command; trefoil starts its child processes with it\n");
        return USAGE;
    }
    if (set_up(&k, argc, argv)) {
        watch(&k);
        _exit(0); /* there is nothing to flush */
    }
    if (!k.failure.news)
        k.failure = (struct keep_news_msg){ KEEP_FAILED, KEEP_STEP_SETUP, errno, "" };
    sandbox_plan_clean(&k.plan.sandbox);
    tell(&k, &k.failure);
    _exit(0);
}
