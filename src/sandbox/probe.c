#include "sandbox/probe.h"

#include "base/auto.h"
#include "sandbox/landlock.h"
#include "sandbox/mounts.h"
#include "sandbox/namespaces.h"
#include "sandbox/seccomp_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#undef fork /* as in keep.c */

enum { SECONDS = 10 };

static bool ends_well(pid_t pid)
{
    int status = -1;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A filter or a rule cannot be taken back, so each is tried in its own process. */
static bool try_alone(bool (*step)(void))
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(!step());
    return pid > 0 && ends_well(pid);
}

/* ---- namespaces -------------------------------------------------------------------------- */

struct probe_trial {
    bool netns, own_proc;
    int ready[2], result[2];
};

__attribute__((noreturn)) static void trial_child(const struct probe_trial *t)
{
    char byte;
    struct err e = { .code = ERR_NONE };

    close(t->ready[1]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(t->ready[0], &byte, 1) == 1 && (!t->netns || namespaces_loopback(&e)))
        sandbox_mount_try(t->own_proc, &e);
    (void)!write(t->result[1], &e, sizeof(e));
    _exit(e.code != ERR_NONE);
}

static bool trial_run(struct probe_trial *t, struct err *e)
{
    pid_t pid = namespaces_fork(t->netns);
    bool mapped, ok;
    struct err said;

    if (pid < 0)
        return fail_sys(e, "create a user namespace");
    if (pid == 0)
        trial_child(t);
    mapped = namespaces_map(pid, e) && write(t->ready[1], "", 1) == 1;
    close(TAKE_FD(t->ready[1]));
    ok = ends_well(pid) && mapped;
    if (!ok && mapped && read(t->result[0], &said, sizeof(said)) == sizeof(said))
        *e = said;
    return ok;
}

static bool try_namespaces(bool netns, bool own_proc, struct err *e)
{
    struct probe_trial t = { .netns = netns, .own_proc = own_proc };
    bool ok;

    if (pipe2(t.ready, O_CLOEXEC) < 0)
        return fail_sys(e, "pipe");
    if (pipe2(t.result, O_CLOEXEC | O_NONBLOCK) < 0)
        return fail_sys(e, "pipe");
    ok = trial_run(&t, e);
    auto_close_fd(&t.ready[0]);
    auto_close_fd(&t.ready[1]);
    auto_close_fd(&t.result[0]);
    auto_close_fd(&t.result[1]);
    return ok;
}

/* ---- all of it --------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void lacks(struct sandbox_support *s, const char *fmt,
                                                        ...)
{
    size_t at = strlen(s->missing);
    va_list ap;

    if (at && at + 3 < sizeof(s->missing))
        at += (size_t)snprintf(s->missing + at, sizeof(s->missing) - at, ", ");
    va_start(ap, fmt);
    vsnprintf(s->missing + at, sizeof(s->missing) - at, fmt, ap);
    va_end(ap);
}

static void probe_namespaces(struct sandbox_support *s)
{
    struct err e;

    s->namespaces = s->netns = s->own_proc = try_namespaces(true, true, &e);
    if (s->namespaces)
        return;
    s->namespaces = try_namespaces(false, false, &e);
    if (!s->namespaces) {
        lacks(s, "namespaces (%.80s)", e.text);
        return;
    }
    s->netns = try_namespaces(true, false, &e);
    if (!s->netns)
        lacks(s, "network namespace (%.60s)", e.text);
    s->own_proc = try_namespaces(false, true, &e);
    if (!s->own_proc)
        lacks(s, "private /proc (%.60s)", e.text);
}

static void probe_landlock(struct sandbox_support *s)
{
    s->landlock = try_alone(sandbox_landlock_try) ? landlock_abi() : 0;
    if (!s->landlock)
        lacks(s, "Landlock");
    else if (s->landlock < 4)
        lacks(s, "Landlock ABI 4 (has %d)", s->landlock);
    else if (s->landlock < 6)
        lacks(s, "Landlock ABI 6 (has %d): abstract sockets", s->landlock);
}

int sandbox_probe_main(void)
{
    struct sandbox_support s = { 0 };

    alarm(SECONDS);
    s.seccomp = try_alone(sandbox_seccomp_try);
    if (!s.seccomp)
        lacks(&s, "seccomp filters");
    probe_landlock(&s);
    probe_namespaces(&s);
    sandbox_support_rate(&s);
    return write(STDOUT_FILENO, &s, sizeof(s)) != sizeof(s);
}
