/*
 * sandbox_support.c - ask the keeper program what the kernel offers.
 *
 * The question is answered by another process, because a filter or a namespace that was tried cannot
 * be left again.
 */
#include "loop/sandbox_profile.h"

#include "base/auto.h"
#include "base/keep_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

static bool probe_spawn(const char *keeper, int out, pid_t *ret_pid)
{
    const char *const argv[] = { "keeper", KEEP_VERB, KEEP_PROBE, NULL };
    posix_spawn_file_actions_t actions;
    bool ok;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    ok = posix_spawn(ret_pid, keeper, &actions, NULL, (char **)argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

static bool read_all(int fd, void *to, size_t size)
{
    size_t have = 0;

    while (have < size) {
        ssize_t n = read(fd, (char *)to + have, size - have);

        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        have += n > 0 ? (size_t)n : 0;
    }
    return true;
}

void sandbox_support_of(const char *keeper, struct sandbox_support *ret_support)
{
    int fd[2];
    pid_t pid;
    bool ok;

    *ret_support = (struct sandbox_support){ .level = SANDBOX_LEVEL_NONE };
    snprintf(ret_support->missing, sizeof(ret_support->missing), "an answer of %.100s", keeper);
    if (pipe2(fd, O_CLOEXEC) < 0)
        return;
    ok = probe_spawn(keeper, fd[1], &pid);
    close(fd[1]);
    if (ok) {
        struct sandbox_support got;

        if (read_all(fd[0], &got, sizeof(got)))
            *ret_support = got;
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(fd[0]);
}

static struct sandbox_support ours;

static void probe_ours(void)
{
    sandbox_support_of("/proc/self/exe", &ours);
}

const struct sandbox_support *sandbox_support(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, probe_ours);
    return &ours;
}
