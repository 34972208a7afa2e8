/* holder.c - names of processes: BOOT/NAMESPACE/PID/START. */
#include "store/holder.h"

#include "base/auto.h"
#include "loop/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { PROC_FILE_MOST = 4096, HERE_TEXT = 80, PROGRAM_MOST = 512 };

/* BOOT/NAMESPACE of this process; empty if /proc is not readable. */
static void here(char out[HERE_TEXT])
{
    AUTO_ARENA mem = { 0 };
    struct str boot;
    struct err e;
    char ns[40];
    ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1);

    out[0] = '\0';
    if (n <= 0 || !file_read(&mem, "/proc/sys/kernel/random/boot_id", PROC_FILE_MOST, &boot, &e))
        return;
    snprintf(out, HERE_TEXT, STR_FMT "/%.*s", STR_ARG(str_trim(str_head(boot, 37))), (int)n, ns);
}

/*
 * The start time of a process in ticks since boot: field 22 of its stat, counted after the command,
 * which may contain anything. 0: there is no such process, or it is a zombie.
 */
static uint64_t start_of(uint64_t pid)
{
    AUTO_ARENA mem = { 0 };
    char path[48];
    struct str text;
    struct err e;
    uint64_t ticks = 0;
    const char *end;

    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
    if (!file_read(&mem, path, PROC_FILE_MOST, &text, &e))
        return 0;
    end = memrchr(text.p, ')', text.n);
    if (!end || text.p + text.n - end < 4 || end[2] == 'Z' || end[2] == 'X')
        return 0;
    text = (struct str){ end + 2, (size_t)(text.p + text.n - end - 2) };
    for (int field = 3; field < 22; field++)
        str_cut(&text, ' ');
    str_uint(str_cut(&text, ' '), 0, UINT64_MAX, &ticks);
    return ticks;
}

void holder_self(char out[HOLDER_TEXT])
{
    char place[HERE_TEXT];

    here(place);
    snprintf(out, HOLDER_TEXT, "%s/%d/%" PRIu64, place, (int)getpid(),
             start_of((uint64_t)getpid()));
}

/* Split a name into place, pid and start time. */
static bool take_apart(struct str name, struct str *place, uint64_t *pid, uint64_t *start)
{
    const char *last = name.p && name.n ? memrchr(name.p, '/', name.n) : NULL, *middle;

    if (!last)
        return false;
    middle = memrchr(name.p, '/', (size_t)(last - name.p));
    if (!middle)
        return false;
    *place = (struct str){ name.p, (size_t)(middle - name.p) };
    return str_uint((struct str){ middle + 1, (size_t)(last - middle - 1) }, 1, INT32_MAX, pid) &&
           str_uint((struct str){ last + 1, (size_t)(name.p + name.n - last - 1) }, 1, UINT64_MAX,
                    start);
}

enum holder_life holder_life(struct str name)
{
    char us[HERE_TEXT];
    struct str place;
    uint64_t pid, start;

    here(us);
    if (!us[0] || !take_apart(name, &place, &pid, &start) || !str_eq(place, str_of(us)))
        return HOLDER_UNKNOWN;
    if (start_of(pid) == start)
        return HOLDER_ALIVE;
    if (kill((pid_t)pid, 0) < 0 && errno == EPERM) /* exists, but /proc hides it */
        return HOLDER_UNKNOWN;
    return HOLDER_DEAD;
}

/*
 * The program and, if the first argument is not an option, its verb: "trefoil serve". Other arguments
 * may hold prompts and stay out. Bytes that are not printable ASCII become '?'.
 */
static struct str program_of(struct arena *mem, uint64_t pid)
{
    char path[48], line[PROGRAM_MOST];
    struct str text = { line, 0 }, program, verb;
    ssize_t n;
    char *p;
    int fd;

    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/cmdline", pid);
    if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return STR_NONE;
    n = read(fd, line, sizeof(line));
    close(fd);
    if (n <= 0)
        return STR_NONE;
    text.n = (size_t)n;
    program = str_cut(&text, '\0');
    verb = str_cut(&text, '\0');
    while (memchr(program.p, '/', program.n))
        str_cut(&program, '/');
    if (!verb.n || verb.p[0] == '-')
        verb = STR("");
    program = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(str_head(program, 32)),
                           verb.n ? " " : "", STR_ARG(str_head(verb, 16)));
    p = (char *)program.p;
    for (size_t i = 0; i < program.n; i++)
        if (p[i] < ' ' || p[i] > '~')
            p[i] = '?';
    return program;
}

void holder_label(struct str name, char out[HOLDER_LABEL])
{
    AUTO_ARENA mem = { 0 };
    struct str place, program = STR_NONE;
    uint64_t pid = 0, start;

    take_apart(name, &place, &pid, &start);
    if (holder_life(name) == HOLDER_ALIVE)
        program = program_of(&mem, pid);
    snprintf(out, HOLDER_LABEL, "process %" PRIu64 "%s" STR_FMT "%s", pid, program.n ? " (" : "",
             STR_ARG(program.n ? program : STR("")), program.n ? ")" : "");
}
