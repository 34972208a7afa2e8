/*
 * stdio_load.c - drive a program that answers one line per line, over real pipes.
 *
 *   stdio_load calls IN_FLIGHT SECONDS COMMAND...   rate and the child's CPU time per call
 *   stdio_load trips COUNT COMMAND...               time of one call after the other: p50 and p99
 *   stdio_load starts COUNT COMMAND...              median time from exec to the first answer
 *
 * Prints one line of key=value pairs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 284, BUFFER = 1 << 20 };

struct child {
    pid_t pid;
    int in, out; /* its stdin and stdout */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static struct child start(char **command)
{
    int to[2], from[2];
    struct child c;

    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        die("pipe");
    c.pid = fork();
    if (c.pid < 0)
        die("fork");
    if (c.pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    c.in = to[1];
    c.out = from[0];
    return c;
}

static void end(struct child *c)
{
    close(c->in);
    close(c->out);
    waitpid(c->pid, NULL, 0);
}

static void send_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t wrote = write(fd, p, n);

        if (wrote <= 0)
            die("write");
        p += wrote;
        n -= (size_t)wrote;
    }
}

/* How many answers came with the next read. */
static long read_answers(int fd)
{
    static char buffer[BUFFER];
    ssize_t n = read(fd, buffer, sizeof(buffer));
    long lines = 0;

    if (n <= 0)
        die("read");
    for (const char *p = buffer, *stop = buffer + n; (p = memchr(p, '\n', (size_t)(stop - p))); p++)
        lines++;
    return lines;
}

/* A call of a tool that answers at once, padded to MESSAGE bytes. */
static void write_call(char out[MESSAGE], long id)
{
    int n = snprintf(out, MESSAGE,
                     "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/call\",\"params\":{"
                     "\"name\":\"system_time\",\"arguments\":{},\"_meta\":{\"pad\":\"",
                     id);
    int tail = 5; /* "}}} and the newline */

    memset(out + n, 'x', (size_t)(MESSAGE - n - tail));
    memcpy(out + MESSAGE - tail, "\"}}}\n", (size_t)tail);
}

static double cpu_seconds(pid_t pid)
{
    char path[64], text[1024], *p;
    unsigned long user = 0, sys = 0;
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    if (!f)
        die(path);
    n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = 0;
    p = strrchr(text, ')');
    if (!p ||
        sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys) != 2)
        die("stat");
    return (double)(user + sys) / (double)sysconf(_SC_CLK_TCK);
}

static void send_calls(const struct child *c, long *id, long count)
{
    static char batch[64 * MESSAGE];

    while (count) {
        long some = count < 64 ? count : 64;

        for (long i = 0; i < some; i++)
            write_call(batch + i * MESSAGE, (*id)++);
        send_all(c->in, batch, (size_t)some * MESSAGE);
        count -= some;
    }
}

static int calls(long in_flight, double seconds, char **command)
{
    struct child c = start(command);
    long id = 1, done = 0;
    double begin, cpu, stop;

    send_calls(&c, &id, in_flight);
    for (stop = now() + 0.3; now() < stop;) /* warm up */
        send_calls(&c, &id, read_answers(c.out));
    begin = now();
    cpu = cpu_seconds(c.pid);
    for (stop = begin + seconds; now() < stop;) {
        long answers = read_answers(c.out);

        done += answers;
        send_calls(&c, &id, answers);
    }
    printf("rate=%.0f cpu_us=%.3f\n", (double)done / (now() - begin),
           (cpu_seconds(c.pid) - cpu) * 1e6 / (double)done);
    kill(c.pid, SIGKILL);
    end(&c);
    return 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int trips(long count, char **command)
{
    struct child c = start(command);
    double *us = calloc((size_t)count, sizeof(*us));
    long id = 1;

    if (!us)
        die("calloc");
    for (long i = -count / 10; i < count; i++) { /* the first ones warm up */
        double begin = now();

        send_calls(&c, &id, 1);
        while (!read_answers(c.out))
            ;
        if (i >= 0)
            us[i] = (now() - begin) * 1e6;
    }
    qsort(us, (size_t)count, sizeof(*us), by_value);
    printf("p50_us=%.1f p99_us=%.1f\n", us[count / 2], us[count * 99 / 100]);
    free(us);
    kill(c.pid, SIGKILL);
    end(&c);
    return 0;
}

static int starts(long count, char **command)
{
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"b\",\"version\":\"1\"}}}\n";
    double *ms = calloc((size_t)count, sizeof(*ms));

    if (!ms)
        die("calloc");
    for (long i = 0; i < count; i++) {
        double begin = now();
        struct child c = start(command);

        send_all(c.in, hello, sizeof(hello) - 1);
        while (!read_answers(c.out))
            ;
        ms[i] = (now() - begin) * 1e3;
        end(&c);
    }
    qsort(ms, (size_t)count, sizeof(*ms), by_value);
    printf("median_ms=%.2f p90_ms=%.2f\n", ms[count / 2], ms[count * 9 / 10]);
    free(ms);
    return 0;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc > 4 && !strcmp(argv[1], "calls"))
        return calls(strtol(argv[2], NULL, 10), strtod(argv[3], NULL), argv + 4);
    if (argc > 3 && !strcmp(argv[1], "trips"))
        return trips(strtol(argv[2], NULL, 10), argv + 3);
    if (argc > 3 && !strcmp(argv[1], "starts"))
        return starts(strtol(argv[2], NULL, 10), argv + 3);
    fprintf(stderr,
            "usage: stdio_load calls IN_FLIGHT SECONDS COMMAND... | trips COUNT COMMAND... | "
            "starts COUNT COMMAND...\n");
    return 2;
}
