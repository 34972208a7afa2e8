/*
 * child.c - a child for tests, which does what its words say, one after the other.
 *
 *   child say up echo                    print "up", then copy stdin to stdout until its end
 *   child spawn setsid deaf hang end     a child of its own in a session of its own
 *   child spawn spawn deaf hang end end  a daemon: its parent leaves
 *
 * The words are in the table below. At their end the process exits with 0.
 *
 * Started as a keeper (`child keep ... -- WORD`) it is a bad one: see bad_keeper().
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/keep_wire.h"

/* One write each, so that lines of several processes do not mix. */
static void say(int fd, const char *text)
{
    char line[4096];
    int n = snprintf(line, sizeof(line), "%s\n", text);

    if (write(fd, line, (size_t)n) != n)
        _exit(99);
}

static void do_say(char **word)
{
    say(1, word[0]);
}

static void do_complain(char **word)
{
    say(2, word[0]);
}

/* Bytes as they are, without a line end. */
static void do_print(char **word)
{
    if (write(1, word[0], strlen(word[0])) < 0)
        _exit(99);
}

static void do_gripe(char **word)
{
    if (write(2, word[0], strlen(word[0])) < 0)
        _exit(99);
}

static void do_say_pid(char **word)
{
    char text[64];

    snprintf(text, sizeof(text), "%.20s %d", word[0], (int)getpid());
    say(1, text);
}

static void do_echo(char **word)
{
    char some[65536];
    ssize_t n;

    (void)word;
    while ((n = read(0, some, sizeof(some))) > 0)
        if (write(1, some, (size_t)n) != n)
            return;
}

static void do_exit(char **word)
{
    _exit(atoi(word[0]));
}

static void do_die(char **word)
{
    kill(getpid(), atoi(word[0]));
}

static void do_hang(char **word)
{
    (void)word;
    for (;;)
        pause();
}

/* Ignore all that can be ignored. */
static void do_deaf(char **word)
{
    (void)word;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
}

static void do_stop(char **word)
{
    (void)word;
    kill(getpid(), SIGSTOP);
}

static void do_setsid(char **word)
{
    (void)word;
    setsid();
}

static void do_setpgid(char **word)
{
    (void)word;
    setpgid(0, 0);
}

static void do_wait(char **word)
{
    (void)word;
    while (wait(NULL) > 0)
        ;
}

static void do_close(char **word)
{
    close(atoi(word[0]));
}

/* Wait until stdin ends. */
static void do_eof(char **word)
{
    char some[4096];

    (void)word;
    while (read(0, some, sizeof(some)) > 0)
        ;
}

static void do_kill_parent(char **word)
{
    kill(getppid(), atoi(word[0]));
}

/* So many megabytes of numbered lines to stderr. */
static void do_flood(char **word)
{
    size_t left = (size_t)atoi(word[0]) << 20;
    char some[65536];
    long line = 0;

    while (left > 0) {
        size_t n = 0;

        while (n + 64 < sizeof(some))
            n += (size_t)snprintf(some + n, 64, "flood line number %ld\n", line++);
        if (write(2, some, n) != (ssize_t)n)
            _exit(99);
        left -= n < left ? n : left;
    }
    say(2, "the flood is over");
}

/* So many kilobytes of x to stdout. */
static void do_pour(char **word)
{
    char some[1024];

    memset(some, 'x', sizeof(some));
    for (int i = atoi(word[0]); i > 0; i--)
        if (write(1, some, sizeof(some)) != (ssize_t)sizeof(some))
            _exit(99);
}

static void do_env(char **word)
{
    (void)word;
    for (char **at = environ; *at; at++)
        say(1, *at);
}

/* What a child should find: where it is, what is open, what is limited, who leads it. */
static void do_report(char **word)
{
    char cwd[4096], text[8192];
    struct rlimit files, core;
    sigset_t blocked;
    int open_fds = 0, ignored = 0, masked = 0;

    (void)word;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int fd = 0; fd < 1024; fd++)
        open_fds += fcntl(fd, F_GETFD) >= 0;
    for (int i = 1; i < NSIG; i++) {
        struct sigaction now;

        ignored += sigaction(i, NULL, &now) == 0 && now.sa_handler != SIG_DFL;
        masked += sigismember(&blocked, i) == 1;
    }
    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_CORE, &core);
    snprintf(text, sizeof(text),
             "cwd=%s fds=%d ignored=%d masked=%d nofile=%llu core=%llu leads_group=%d "
             "leads_session=%d nonblocking=%d",
             getcwd(cwd, sizeof(cwd)), open_fds, ignored, masked,
             (unsigned long long)files.rlim_cur, (unsigned long long)core.rlim_cur,
             getpgrp() == getpid(), getsid(0) == getpid(),
             !!((fcntl(0, F_GETFL) | fcntl(1, F_GETFL) | fcntl(2, F_GETFL)) & O_NONBLOCK));
    say(1, text);
}

/* ---- storms ------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Everybody forks as fast as it can, for a while and up to a number; nobody leaves. */
static void storm(char **word, bool sessions)
{
    int *forks = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double until = now() + atoi(word[0]) / 1e3;
    int most = atoi(word[1]);

    while (now() < until && __atomic_add_fetch(forks, 1, __ATOMIC_RELAXED) < most) {
        if (fork() == 0 && sessions)
            setsid();
    }
    do_hang(NULL);
}

static void do_storm(char **word)
{
    storm(word, false);
}

static void do_session_storm(char **word)
{
    storm(word, true);
}

/* At most so many processes at a time, which works for a user that nobody else is. */
static void do_crowd(char **word)
{
    rlim_t most = (rlim_t)atoi(word[0]);

    setrlimit(RLIMIT_NPROC, &(struct rlimit){ most, most });
    if (getuid() == 0 && setuid(100000 + (uid_t)getpid()) < 0)
        _exit(97);
}

/* One process that is always a new one, in a session of its own. The last stays. */
static void do_comet(char **word)
{
    double until = now() + atoi(word[0]) / 1e3;

    while (now() < until) {
        if (fork() > 0)
            _exit(0);
        setsid();
    }
    do_hang(NULL);
}

/* ---- words ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int args;
    void (*run)(char **word);
} words[] = {
    { "say", 1, do_say },
    { "say-pid", 1, do_say_pid },
    { "print", 1, do_print },
    { "complain", 1, do_complain },
    { "gripe", 1, do_gripe },
    { "echo", 0, do_echo },
    { "eof", 0, do_eof },
    { "exit", 1, do_exit },
    { "die", 1, do_die },
    { "hang", 0, do_hang },
    { "deaf", 0, do_deaf },
    { "stop", 0, do_stop },
    { "setsid", 0, do_setsid },
    { "setpgid", 0, do_setpgid },
    { "wait", 0, do_wait },
    { "close", 1, do_close },
    { "kill-parent", 1, do_kill_parent },
    { "flood", 1, do_flood },
    { "pour", 1, do_pour },
    { "env", 0, do_env },
    { "report", 0, do_report },
    { "storm", 2, do_storm },
    { "session-storm", 2, do_session_storm },
    { "crowd", 1, do_crowd },
    { "comet", 1, do_comet },
};

/* The word after the `end` that belongs to the spawn before w. */
static char **after_end(char **w)
{
    for (int depth = 1; *w && depth; w++)
        depth += strcmp(*w, "spawn") == 0 ? 1 : strcmp(*w, "end") == 0 ? -1 : 0;
    return w;
}

static void run(char **w)
{
    while (*w && strcmp(*w, "end") != 0) {
        size_t i = 0;

        if (strcmp(*w, "spawn") == 0) {
            if (fork() == 0) {
                run(w + 1);
                _exit(0);
            }
            w = after_end(w + 1);
            continue;
        }
        while (i < sizeof(words) / sizeof(words[0]) && strcmp(words[i].name, *w) != 0)
            i++;
        if (i == sizeof(words) / sizeof(words[0]))
            _exit(98);
        words[i].run(w + 1);
        w += 1 + words[i].args;
    }
}

/* mute: says nothing and hears nothing. stuck: says so, and leaves when told to kill again. */
static void bad_keeper(char **w)
{
    struct keep_news_msg msg = { .news = KEEP_STUCK, .value = 3 };
    struct keep_order_msg order;

    while (*w && strcmp(*w, KEEP_ARGV) != 0)
        w++;
    if (!*w || strcmp(w[1], "mute") == 0)
        do_hang(NULL);
    recv(KEEP_FD, &order, sizeof(order), 0);
    send(KEEP_FD, &msg, sizeof(msg), 0);
    do_eof(NULL);
    msg = (struct keep_news_msg){ .news = KEEP_EXITED, .value = 9 };
    send(KEEP_FD, &msg, sizeof(msg), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], KEEP_VERB) == 0)
        bad_keeper(argv + 2);
    else
        run(argv + 1);
    return 0;
}
