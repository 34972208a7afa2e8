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

/* ---- the command line of the keeper ------------------------------------------------------ */

enum { FIXED_WORDS = 20 };

static unsigned sandbox_flags(const struct sandbox_profile *s, const struct sandbox_support *have)
{
    return (s->writes_root ? KEEP_WRITES_ROOT : 0u) | (s->best_effort ? KEEP_BEST_EFFORT : 0u) |
           (have->namespaces ? KEEP_HAS_NAMESPACES : 0u) | (have->netns ? KEEP_HAS_NETNS : 0u) |
           (have->own_proc ? KEEP_HAS_OWN_PROC : 0u) | (have->seccomp ? KEEP_HAS_SECCOMP : 0u);
}

static const char **put_sandbox(struct arena *mem, const struct sandbox_profile *s,
                                const struct sandbox_support *have, const char **to)
{
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");

    *to++ = arena_printf(mem, KEEP_SANDBOX "%s", sandbox_kind_name(s->kind)).p;
    *to++ = arena_printf(mem, KEEP_ROOT "%s", s->root ? s->root : "").p;
    *to++ = arena_printf(mem, KEEP_FLAGS "%u", sandbox_flags(s, have)).p;
    *to++ = arena_printf(mem, KEEP_ABI "%d", have->landlock).p;
    *to++ = arena_printf(mem, KEEP_MISSING "%s", have->missing).p;
    if (home)
        *to++ = arena_printf(mem, KEEP_HOME "%s", home).p;
    if (config && config[0])
        *to++ = arena_printf(mem, KEEP_CONFIG "%s", config).p;
    if (s->private_dir)
        *to++ = arena_printf(mem, KEEP_PRIVATE "%s", s->private_dir).p;
    for (const char *const *path = s->hidden; path && *path; path++)
        *to++ = arena_printf(mem, KEEP_HIDE "%s", *path).p;
    for (size_t i = 0; i < s->connects; i++)
        *to++ = arena_printf(mem, KEEP_CONNECT "%u", s->connect[i]).p;
    return to;
}

char **keeper_argv(struct arena *mem, const struct keeper_args *a)
{
    const struct sandbox_profile *s = a->sandbox;
    bool confined = s && s->kind != SANDBOX_OFF;
    size_t n = count(a->argv), more = confined ? s->connects : 0;
    const char **argv, **to;

    if (confined && s->hidden)
        more += count(s->hidden);
    argv = to = ARENA_ARRAY(mem, const char *, n + more + FIXED_WORDS);
    *to++ = "keeper";
    *to++ = KEEP_VERB;
    if (a->cwd)
        *to++ = arena_printf(mem, KEEP_CWD "%s", a->cwd).p;
    if (a->nofile)
        *to++ = arena_printf(mem, KEEP_NOFILE "%llu", (unsigned long long)a->nofile).p;
    if (confined)
        to = put_sandbox(mem, s, a->support, to);
    *to++ = KEEP_ARGV;
    memcpy(to, a->argv, n * sizeof(*to));
    return (char **)argv;
}

/* The child's, marked, and the one thing of ours that the keeper itself may need to start. */
char **keeper_env(struct arena *mem, const char *const *child_env)
{
    size_t n = count(child_env);
    const char **env = ARENA_ARRAY(mem, const char *, n + 2);
    const char *libraries = getenv("LD_LIBRARY_PATH");

    for (size_t i = 0; i < n; i++)
        env[i] = arena_printf(mem, "%c%s", KEEP_ENV_MARK, child_env[i]).p;
    if (libraries)
        env[n] = arena_printf(mem, "LD_LIBRARY_PATH=%s", libraries).p;
    return (char **)env;
}

static void on_failed_closed(uv_handle_t *h)
{
    mem_free(h);
}

static const struct sandbox_support *support_of(struct procs *all, const struct proc_opts *o)
{
    if (!o->sandbox || o->sandbox->kind == SANDBOX_OFF)
        return NULL;
    if (str_eq(str_of(all->keeper), STR("/proc/self/exe")))
        return sandbox_support();
    if (!all->support_known)
        sandbox_support_of(all->keeper, &all->support);
    all->support_known = true;
    return &all->support;
}

static int spawn(struct procs *all, const struct proc_opts *o, const struct pairs *x,
                 uv_process_t *uv, uv_exit_cb on_exit)
{
    AUTO_ARENA mem = { 0 };
    struct keeper_args args = { o->argv, o->cwd, all->nofile, o->sandbox, support_of(all, o) };
    uv_stdio_container_t stdio[ENDS];
    uv_process_options_t opts = {
        .file = all->keeper,
        .args = keeper_argv(&mem, &args),
        .env = keeper_env(&mem, o->env),
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
        return fail_sys(e, "create the pipes of %.100s", o->argv[0]);
    }
    rc = spawn(all, o, &x, uv, on_exit);
    if (rc) {
        uv_close((uv_handle_t *)uv, on_failed_closed);
        return fail(e, ERR_SYSTEM, "cannot start the keeper %.100s: %s", all->keeper,
                    uv_strerror(rc));
    }
    *out = (struct proc_ends){ TAKE_FD(x.ours[0]), TAKE_FD(x.ours[1]), TAKE_FD(x.ours[2]),
                               TAKE_FD(x.ours[KEEP_FD]) };
    return true;
}
