/*
 * attacks.c - run all attacks and print TAP.
 *
 *   attacks [WORD...]      words: mounts read-only writable offline scopes
 *   attacks victim FOLDER
 *
 * Without a sandbox many attacks succeed. Never run this as root outside of one.
 */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 5 };

static const struct {
    const char *name;
    int when;
    const char *why;
} words[] = {
    { "mounts", MOUNTS, "needs namespaces" },
    { "read-only", READ_ONLY, "the root is writable" },
    { "writable", WRITABLE, "the root is read-only" },
    { "offline", OFFLINE, "the profile has network" },
    { "scopes", SCOPES, "needs namespaces or Landlock ABI 6" },
    { "", HARM, "would harm the host if it worked" },
};

enum { WORDS = sizeof(words) / sizeof(*words) };

const char *about(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

const char *at(const char *folder, const char *name)
{
    static char path[8][4096];
    static int next;
    char *to = path[next++ % 8];

    snprintf(to, sizeof(path[0]), "%s/%s", about(folder), name);
    return to;
}

int number(const char *name)
{
    return (int)strtol(about(name), NULL, 10);
}

bool can_write(const char *path, int flags)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | flags, 0644);

    return fd >= 0 && write(fd, "x", 1) == 1;
}

bool can_read(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY | O_NONBLOCK);

    return fd >= 0 && read(fd, &byte, 1) == 1;
}

bool passed(long result)
{
    return result >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS && errno != EROFS);
}

/* Each in a process of its own: one may kill itself, hang, or leave a descriptor open. */
static bool attack_succeeds(const struct attack *a)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(SECONDS);
        _exit(a->run() ? 42 : 0);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 42;
}

static const char *why_skipped(const struct attack *a, int have)
{
    for (int i = 0; i < WORDS; i++)
        if ((a->when & words[i].when) && !(have & words[i].when))
            return words[i].why;
    return NULL;
}

static void run_all(const struct attack *a, int have, int *n, int *failed)
{
    for (; a->name; a++) {
        const char *skipped = why_skipped(a, have);
        bool bad = !skipped && attack_succeeds(a);

        *failed += bad;
        printf("%sok %d - %s%s%s\n", bad ? "not " : "", ++*n, a->name, skipped ? " # SKIP " : "",
               skipped ? skipped : "");
        fflush(stdout);
    }
}

/*
 * Root in the mount namespace of the host could unmount /proc for everybody. HOST_MOUNTS is the
 * name of that namespace; without it nothing harmful runs as root.
 */
static bool harm_is_contained(void)
{
    char name[64] = "";

    if (getuid() != 0)
        return true;
    return *about("HOST_MOUNTS") && readlink("/proc/self/ns/mnt", name, sizeof(name) - 1) > 0 &&
           strcmp(name, about("HOST_MOUNTS")) != 0;
}

int main(int argc, char **argv)
{
    const struct attack *lists[] = { file_attacks, root_attacks, process_attacks, kernel_attacks,
                                     socket_attacks };
    int have = 0, n = 0, failed = 0;

    if (argc == 3 && strcmp(argv[1], "victim") == 0)
        return victim_main(argv[2]);
    if (getuid() == 0 && !getenv("TREFOIL_SANDBOX")) {
        fprintf(stderr, "attacks: not as root without a sandbox\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    for (int i = 1; i < argc; i++)
        for (int j = 0; j < WORDS; j++)
            if (strcmp(argv[i], words[j].name) == 0)
                have |= words[j].when;
    if (harm_is_contained())
        have |= HARM;
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        run_all(lists[i], have, &n, &failed);
    printf("1..%d\n", n);
    return failed != 0;
}
