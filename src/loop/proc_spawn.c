#include "loop/proc_spawn.h"

#include "base/auto.h"
#include "base/keep_wire.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { ENDS = KEEP_FD + 1 };

/* Both ends of everything, by the number the child's end has in the keeper. */
struct pairs {
    int ours[ENDS], theirs[ENDS];
};

static void pairs_close(struct pairs *x)
{
    for (int i = 0; i < ENDS; i++) {
        auto_close_fd(&x->ours[i]);
        auto_close_fd(&x->theirs[i]);
    }
}

#define AUTO_PAIRS __attribute__((cleanup(pairs_close))) struct pairs

/* A real pipe, faster than a socket pair; each end has its own mode, so the child's blocks. */
static bool open_pipe(struct pairs *x, int i, bool we_write)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) < 0)
        return false;
    x->ours[i] = fd[we_write];
    x->theirs[i] = fd[!we_write];
    return fcntl(x->ours[i], F_SETFL, O_NONBLOCK) == 0;
}

static bool open_control(struct pairs *x)
{
    int fd[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) < 0)
        return false;
    x->ours[KEEP_FD] = fd[0];
    x->theirs[KEEP_FD] = fd[1];
    return true;
}

static size_t count(const char *const *list)
{
    size_t n = 0;

    while (list[n])
        n++;
    return n;
}

static char **keeper_argv(struct arena *mem, const struct procs *all, const struct proc_opts *o)
{
    size_t n = count(o->argv), at = 0;
    const char **argv = ARENA_ARRAY(mem, const char *, n + 6);

    argv[at++] = "keeper";
    argv[at++] = KEEP_VERB;
    if (o->cwd)
        argv[at++] = arena_printf(mem, KEEP_CWD "%s", o->cwd).p;
    if (all->nofile)
        argv[at++] = arena_printf(mem, KEEP_NOFILE "%llu", (unsigned long long)all->nofile).p;
    argv[at++] = KEEP_ARGV;
    memcpy(argv + at, o->argv, n * sizeof(*argv));
    return (char **)argv;
}

/* The child's, marked, and the one thing of ours that the keeper itself may need to start. */
static char **keeper_env(struct arena *mem, const struct proc_opts *o)
{
    size_t n = count(o->env);
    const char **env = ARENA_ARRAY(mem, const char *, n + 2);
    const char *libraries = getenv("LD_LIBRARY_PATH");

    for (size_t i = 0; i < n; i++)
        env[i] = arena_printf(mem, "%c%s", KEEP_ENV_MARK, o->env[i]).p;
    if (libraries)
        env[n] = arena_printf(mem, "LD_LIBRARY_PATH=%s", libraries).p;
    return (char **)env;
}

static void on_failed_closed(uv_handle_t *h)
{
    mem_free(h);
}

static int spawn(struct procs *all, const struct proc_opts *o, const struct pairs *x,
                 uv_process_t *uv, uv_exit_cb on_exit)
{
    AUTO_ARENA mem = { 0 };
    uv_stdio_container_t stdio[ENDS];
    uv_process_options_t opts = {
        .file = all->keeper,
        .args = keeper_argv(&mem, all, o),
        .env = keeper_env(&mem, o),
        .stdio = stdio,
        .stdio_count = ENDS,
        .flags = UV_PROCESS_DETACHED, /* its own session */
        .exit_cb = on_exit,
    };

    for (int i = 0; i < ENDS; i++)
        stdio[i] = (uv_stdio_container_t){ .flags = UV_INHERIT_FD, .data.fd = x->theirs[i] };
    return uv_spawn(loop_uv(all->loop), uv, &opts);
}

bool proc_spawn(struct procs *all, const struct proc_opts *o, uv_process_t *uv, uv_exit_cb on_exit,
                struct proc_ends *out, struct err *e)
{
    AUTO_PAIRS x = { { -1, -1, -1, -1 }, { -1, -1, -1, -1 } };
    int rc;

    if (!open_pipe(&x, 0, true) || !open_pipe(&x, 1, false) || !open_pipe(&x, 2, false) ||
        !open_control(&x)) {
        mem_free(uv);
        return fail_sys(e, "pipes for %.100s", o->argv[0]);
    }
    rc = spawn(all, o, &x, uv, on_exit);
    if (rc) {
        uv_close((uv_handle_t *)uv, on_failed_closed);
        return fail(e, ERR_SYSTEM, "start the keeper %.100s: %s", all->keeper, uv_strerror(rc));
    }
    *out = (struct proc_ends){ TAKE_FD(x.ours[0]), TAKE_FD(x.ours[1]), TAKE_FD(x.ours[2]),
                               TAKE_FD(x.ours[KEEP_FD]) };
    return true;
}
