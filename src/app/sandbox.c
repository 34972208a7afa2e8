/*
 * sandbox.c - `trefoil sandbox`: run a command in the kernel sandbox.
 *
 * The command inherits stdin, stdout and stderr, so it may be interactive. It runs under a keeper,
 * like every child. This process only waits: it forwards signals to the command and exits with the
 * command's exit code.
 */
#include "app/app.h"
#include "base/auto.h"
#include "base/keep_wire.h"
#include "loop/proc_spawn.h"
#include "runtime/sandbox_hidden.h"
#include "state/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { NOT_FOUND = 127, BY_SIGNAL = 128 };

struct sandbox_args {
    const char *profile, *private_dir;
    struct option_list connect, credentials;
    bool read_only, best_effort;
};

/* ---- the profile ------------------------------------------------------------------------- */

static bool parse_profile(const struct sandbox_args *args, enum sandbox_kind *ret_kind,
                          struct err *e)
{
    if (sandbox_kind_of(str_of(args->profile ? args->profile : "workspace"), ret_kind))
        return true;
    return fail(e, ERR_INVALID,
                "--profile %.40s: expected read-only, workspace, network, server, agent or off",
                args->profile);
}

static bool parse_ports(struct arena *mem, const struct option_list *words,
                        struct sandbox_profile *s, struct err *e)
{
    uint16_t *ports = ARENA_ARRAY(mem, uint16_t, OPTION_LIST_MOST);
    uint64_t port;

    for (size_t i = 0; i < words->n; i++) {
        if (!str_uint(str_of(words->v[i]), 1, UINT16_MAX, &port))
            return fail(e, ERR_INVALID, "--connect %.40s: expected a port (1 to 65535)",
                        words->v[i]);
        ports[i] = (uint16_t)port;
    }
    s->connect = ports;
    s->connects = words->n;
    return true;
}

static bool make_profile(struct app *app, const struct sandbox_args *args,
                         struct sandbox_profile *s, struct err *e)
{
    struct arena *mem = &app->project.mem;
    const char *root = app->project.root.path;

    *s = (struct sandbox_profile){ .root = root,
                                   .writes_root = !args->read_only,
                                   .private_dir = args->private_dir,
                                   .hidden = sandbox_hidden(mem, root),
                                   .best_effort = args->best_effort };
    return parse_profile(args, &s->kind, e) && parse_ports(mem, &args->connect, s, e);
}

/*
 * Return the working folder of the command: the current folder, or the root if the current folder
 * is outside, where the command cannot write.
 */
static const char *start_folder(struct app *app)
{
    const char *root = app->project.root.path;
    size_t n = strlen(root);
    char cwd[PATH_MAX];

    if (getcwd(cwd, sizeof(cwd)) && strncmp(cwd, root, n) == 0 && (cwd[n] == '/' || !cwd[n]))
        return arena_cstr(&app->project.mem, str_of(cwd));
    return root;
}

/* ---- the keeper -------------------------------------------------------------------------- */

struct sandboxed_run {
    int control, signals;
    pid_t keeper;
    struct keep_news_msg last; /* KEEP_FAILED or KEEP_EXITED */
};

/*
 * Block the signals that a terminal or another process sends to end or to change the command.
 * Returns a signalfd that receives them.
 */
static int listen_for_signals(void)
{
    static const int numbers[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                   SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH };
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        sigaddset(&set, numbers[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static bool start_keeper(struct sandboxed_run *r, char **argv, char **env, struct err *e)
{
    posix_spawn_file_actions_t actions;
    int pair[2], rc;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return fail_sys(e, "cannot start the keeper");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pair[1], KEEP_FD);
    rc = posix_spawn(&r->keeper, "/proc/self/exe", &actions, NULL, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    close(pair[1]);
    r->control = pair[0];
    return !rc || fail(e, ERR_SYSTEM, "cannot start the keeper: %s", strerror(rc));
}

static void pass_signal(const struct sandboxed_run *r)
{
    struct signalfd_siginfo info;
    struct keep_order_msg msg = { .order = KEEP_SIGNAL };

    if (read(r->signals, &info, sizeof(info)) != sizeof(info))
        return;
    msg.value = (int32_t)info.ssi_signo;
    send(r->control, &msg, sizeof(msg), MSG_NOSIGNAL);
}

/* Read a message of the keeper. False: the keeper has ended. */
static bool hear_keeper(struct sandboxed_run *r)
{
    struct keep_news_msg msg;
    ssize_t n = recv(r->control, &msg, sizeof(msg), 0);

    if (n == sizeof(msg) && (msg.news == KEEP_FAILED || msg.news == KEEP_EXITED))
        r->last = msg;
    return n > 0 || (n < 0 && errno == EINTR);
}

static void wait_for_end(struct sandboxed_run *r)
{
    struct pollfd at[] = { { .fd = r->control, .events = POLLIN },
                           { .fd = r->signals, .events = POLLIN } };
    bool alive = true;

    while (alive) {
        if (poll(at, ARRAY_LEN(at), -1) < 0)
            continue;
        if (at[1].revents)
            pass_signal(r);
        if (at[0].revents)
            alive = hear_keeper(r);
    }
    waitpid(r->keeper, NULL, 0);
}

static int print_failure(const struct keep_news_msg *msg, const char *name)
{
    struct err e;

    if (msg->step == KEEP_STEP_SANDBOX)
        fail(&e, ERR_DENIED, "%s", msg->text);
    else
        fail(&e, ERR_SYSTEM, "cannot run %.100s: %s", name, strerror(msg->value));
    print_error(&e);
    return msg->step == KEEP_STEP_EXEC ? NOT_FOUND : EXIT_FAILED;
}

static int exit_code(const struct sandboxed_run *r, const char *name)
{
    struct err e;
    int status = r->last.value;

    if (r->last.news == KEEP_FAILED)
        return print_failure(&r->last, name);
    if (r->last.news == KEEP_EXITED)
        return WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
    fail(&e, ERR_SYSTEM, "the keeper of %.100s was killed", name);
    return print_error(&e);
}

/* ---- credentials ------------------------------------------------------------------------- */

static bool parse_credentials(struct app *app, const struct sandbox_args *args,
                              const struct sandbox_profile *s, struct credentials *out,
                              struct err *e)
{
    const char *private = args->private_dir;
    char *real = arena_alloc(&app->project.mem, PATH_MAX);

    *out = (struct credentials){ .home = getenv("HOME"),
                                 .name = args->credentials.v,
                                 .names = args->credentials.n };
    if (!out->names)
        return true;
    if (s->kind != SANDBOX_AGENT || !private || !out->home)
        return fail(e, ERR_INVALID, "--credentials needs --profile agent, --private and HOME");
    if (!realpath(private, real))
        return fail_sys(e, "--private %.150s", private);
    out->private_dir = real;
    return credentials_check(out, e);
}

/* A refreshed token that could not be copied back is worth a notice, not another exit code. */
static void copy_credentials_back(const struct credentials *c)
{
    struct err e;

    if (c->names && !credentials_copy_back(c, &e))
        fprintf(stderr, TREFOIL_NAME ": sandbox: %s\n", e.text);
}

/* ---- the verb ---------------------------------------------------------------------------- */

/* Tell the user what the sandbox lacks on this machine. */
static void print_support(const struct sandbox_profile *s, const struct sandbox_support *have)
{
    if (s->kind != SANDBOX_OFF && have->missing[0])
        fprintf(stderr, TREFOIL_NAME ": sandbox: %s; missing: %s\n",
                sandbox_level_name(have->level), have->missing);
}

static int sandbox_run(struct app *app, const void *args_, int words, char **word)
{
    const struct sandbox_args *args = args_;
    struct arena *mem = &app->project.mem;
    struct sandbox_profile profile;
    struct keeper_args keeper = { .argv = (const char *const *)word, .sandbox = &profile };
    struct sandboxed_run r = { 0 };
    struct credentials credentials;
    struct err e;

    (void)words;
    if (!make_profile(app, args, &profile, &e) ||
        !parse_credentials(app, args, &profile, &credentials, &e))
        return print_usage_error("sandbox: %s", e.text);
    if (credentials.names && !credentials_copy_in(&credentials, &e))
        return print_error(&e);
    if (profile.kind != SANDBOX_OFF) {
        keeper.support = sandbox_support();
        print_support(&profile, keeper.support);
    }
    keeper.cwd = profile.kind == SANDBOX_OFF ? NULL : start_folder(app);
    r.signals = listen_for_signals();
    if (!start_keeper(&r, keeper_argv(mem, &keeper), keeper_env(mem, (const char *const *)environ),
                      &e))
        return print_error(&e);
    wait_for_end(&r);
    copy_credentials_back(&credentials);
    return exit_code(&r, word[0]);
}

static const struct option sandbox_options[] = {
    { "p,profile", OPTION_TEXT, offsetof(struct sandbox_args, profile), "PROFILE",
      "Use this profile: read-only, workspace (default), network, server, agent or off" },
    { "connect", OPTION_LIST, offsetof(struct sandbox_args, connect), "PORT",
      "Also allow TCP connections to this port (profiles network, server, agent)" },
    { "read-only", OPTION_FLAG, offsetof(struct sandbox_args, read_only), NULL,
      "Make the root read-only (profiles server, agent)" },
    { "private", OPTION_TEXT, offsetof(struct sandbox_args, private_dir), "DIR",
      "Make this folder writable: for caches (profile server) or as HOME (profile agent)" },
    { "credentials", OPTION_LIST, offsetof(struct sandbox_args, credentials), "FILE",
      "Copy this file of the home folder to the private folder, and back if the command has "
      "changed it (profile agent)" },
    { "best-effort", OPTION_FLAG, offsetof(struct sandbox_args, best_effort), NULL,
      "Run the command even if this system cannot enforce the whole profile" },
};

const struct verb verb_sandbox = {
    .name = "sandbox",
    .words = "-- COMMAND [ARGUMENT...]",
    .summary = "Run a command in the kernel sandbox",
    .more = "The command can write the root in the profiles workspace, network, server and agent.\n"
            "Secrets in the home folder, sockets and other users' files are hidden. See\n"
            "docs/SANDBOX.md.\n",
    .least = 1,
    .most = WORDS_ANY,
    .option = sandbox_options,
    .options = ARRAY_LEN(sandbox_options),
    .args_size = sizeof(struct sandbox_args),
    .run = sandbox_run,
};
