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

enum { FIRST_PAUSE_MS = 2, LONGEST_PAUSE_MS = 500, NOT_STARTED = 127, USAGE = 2 };

/* What the command line asks for. */
struct plan {
    const char *cwd; /* NULL: stay */
    uint64_t nofile; /* 0: stay */
    char **argv;
};

struct keeper {
    int control; /* orders in, news out; -1: trefoil is gone */
    int setup;   /* the child half's last message before it becomes its program; -1: read */
    int signals; /* tells of SIGCHLD; all signals are blocked */
    pid_t child;
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

/* A stopped child has to continue before it can handle a SIGTERM. */
static void terminate(struct keeper *k)
{
    pid_t whom = -k->child;

    if (k->reaped)
        return;
    if (kill(whom, SIGTERM) < 0) { /* it has no group yet */
        whom = k->child;
        kill(whom, SIGTERM);
    }
    kill(whom, SIGCONT);
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
    if (k->failed)
        tell(k, &k->failure);
    else
        tell(k, &(struct keep_news_msg){ .news = KEEP_EXITED, .value = k->status });
}

/* ---- the child half ---------------------------------------------------------------------- */

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

/*
 * All that binds the child, in this order: limits, where it runs, and last, because it may
 * forbid the rest, its sandbox profile. On failure errno is set and *step says where.
 */
static bool confine(const struct plan *plan, enum keep_step *step)
{
    *step = KEEP_STEP_LIMIT;
    if (!limit_files(plan->nofile))
        return false;
    *step = KEEP_STEP_CHDIR;
    return !plan->cwd || chdir(plan->cwd) == 0;
}

/* Our own descriptors close on exec; all others were closed at the start. */
__attribute__((noreturn)) static void child_half(const struct plan *plan, pid_t keeper, int setup)
{
    struct keep_news_msg msg = { .news = KEEP_FAILED };
    enum keep_step step;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) /* it died before it could count */
        _exit(NOT_STARTED);
    setsid(); /* its own group; and a storm in its session leaves us our share of the CPU */
    if (confine(plan, &step)) {
        reset_signals();
        execvp(plan->argv[0], plan->argv);
        step = KEEP_STEP_EXEC;
    }
    msg.value = errno;
    msg.step = step;
    (void)!write(setup, &msg, sizeof(msg));
    _exit(NOT_STARTED);
}

/* ---- setting up -------------------------------------------------------------------------- */

static bool read_plan(int argc, char **argv, struct plan *plan)
{
    int i = 1;

    *plan = (struct plan){ 0 };
    for (; i < argc && !str_eq(str_of(argv[i]), STR(KEEP_ARGV)); i++) {
        struct str word = str_of(argv[i]);

        if (str_starts(word, STR(KEEP_CWD)))
            plan->cwd = argv[i] + sizeof(KEEP_CWD) - 1;
        else if (!str_starts(word, STR(KEEP_NOFILE)) ||
                 !str_uint(str_skip(word, sizeof(KEEP_NOFILE) - 1), 1, INT32_MAX, &plan->nofile))
            return false;
    }
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

/* The ends of the child's pipes are the child's alone, and no folder is kept busy. */
static void let_go(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd <= 2; fd++)
        if (null < 0 || dup2(null, fd) < 0)
            close(fd);
    if (null > 2)
        close(null);
    (void)!chdir("/");
}

static bool start_child(struct keeper *k, const struct plan *plan)
{
    pid_t self = getpid();
    int setup[2];

    k->signals = listen_for_children();
    if (k->signals < 0 || pipe2(setup, O_CLOEXEC) < 0)
        return false;
    k->child = fork();
    if (k->child < 0)
        return false;
    if (k->child == 0)
        child_half(plan, self, setup[1]);
    close(setup[1]);
    k->setup = setup[0];
    return true;
}

static bool set_up(struct keeper *k, int argc, char **argv)
{
    struct plan plan;

    closefrom(KEEP_FD + 1);
    fcntl(k->control, F_SETFD, FD_CLOEXEC);
    errno = EINVAL;
    if (!read_plan(argc, argv, &plan) || !become_keeper())
        return false;
    unmark_environment();
    if (!start_child(k, &plan))
        return false;
    let_go();
    return true;
}

int keep_main(int argc, char **argv)
{
    struct keeper k = { .control = KEEP_FD, .setup = -1 };
    int type = 0;
    socklen_t n = sizeof(type);

    if (getsockopt(KEEP_FD, SOL_SOCKET, SO_TYPE, &type, &n) < 0 || type != SOCK_SEQPACKET) {
        fprintf(stderr, "keep: internal command; trefoil starts its child processes with it\n");
        return USAGE;
    }
    if (set_up(&k, argc, argv))
        watch(&k);
    else
        tell(&k, &(struct keep_news_msg){ KEEP_FAILED, KEEP_STEP_SETUP, errno });
    _exit(0); /* there is nothing to flush */
}
