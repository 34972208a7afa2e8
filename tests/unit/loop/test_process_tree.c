/* Our direct children, by the kernel's list and by looking at everybody. */
#include "loop/process_tree.h"

#include "tap.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8 };

struct found {
    pid_t pid[MOST];
    int n;
};

static void on_kid(pid_t pid, void *who)
{
    struct found *f = who;

    if (f->n < MOST)
        f->pid[f->n++] = pid;
}

static bool has(const struct found *f, pid_t pid)
{
    for (int i = 0; i < f->n; i++)
        if (f->pid[i] == pid)
            return true;
    return false;
}

static void check(bool (*each)(kids_fn *fn, void *who), const pid_t *want, int n)
{
    struct found f = { .n = 0 };

    OK(each(on_kid, &f));
    EQ(f.n, n);
    for (int i = 0; i < n; i++)
        OK(has(&f, want[i]));
}

static void check_both(const pid_t *want, int n)
{
    check(kids_each, want, n);
    check(kids_each_by_scan, want, n);
}

static pid_t start(const char *name)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    prctl(PR_SET_NAME, name);
    for (;;)
        pause();
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

TEST(without_children_none_is_found)
{
    check_both(NULL, 0);
}

TEST(children_are_found_dead_or_alive_whatever_their_name)
{
    pid_t kid[] = { start("plain"), start(") R 1 (x"), start("a b) Z") };
    siginfo_t info;

    check_both(kid, 3);
    kill(kid[1], SIGKILL);
    waitid(P_PID, (id_t)kid[1], &info, WEXITED | WNOWAIT); /* dead, not reaped */
    check_both(kid, 3);
    waitpid(kid[1], NULL, 0);
    check_both((pid_t[]){ kid[0], kid[2] }, 2);
    end(kid[0]);
    end(kid[2]);
    check_both(NULL, 0);
}

struct helper {
    sem_t born, leave;
    pid_t kid;
};

static void *make_kid(void *who)
{
    struct helper *h = who;

    h->kid = start("of a thread");
    sem_post(&h->born);
    sem_wait(&h->leave);
    return NULL;
}

TEST(children_of_other_threads_are_ours)
{
    struct helper h;
    pthread_t thread;

    sem_init(&h.born, 0, 0);
    sem_init(&h.leave, 0, 0);
    pthread_create(&thread, NULL, make_kid, &h);
    sem_wait(&h.born);
    check_both(&h.kid, 1);
    end(h.kid);
    sem_post(&h.leave);
    pthread_join(thread, NULL);
}

/* Each has one child; the last one says so. All are deaf and wait for ever. */
static pid_t start_chain(int depth)
{
    int said[2];
    pid_t top;
    char c;

    if (pipe(said) < 0 || (top = fork()) < 0)
        return -1;
    if (top == 0) {
        while (--depth > 0 && fork() == 0)
            setsid();
        if (depth == 0 && write(said[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    EQ(read(said[0], &c, 1), 1);
    close(said[0]);
    close(said[1]);
    return top;
}

static void kill_kid(pid_t pid, void *who)
{
    (void)who;
    kids_kill(pid);
}

TEST(the_parent_of_a_process_is_known)
{
    pid_t kid = start("kid");

    EQ(kids_parent(kid), getpid());
    EQ(kids_parent(getpid()), getppid());
    end(kid);
    EQ(kids_parent(kid), 0);
}

/* As a subreaper we get to see every one of them. */
TEST(a_chain_of_any_length_is_killed_by_and_by)
{
    enum { DEPTH = 200 };
    int status = 0, reaped = 0;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    OK(start_chain(DEPTH) > 0);
    for (kids_each(kill_kid, NULL); waitpid(-1, &status, 0) > 0; kids_each(kill_kid, NULL)) {
        OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        reaped++;
    }
    EQ(reaped, DEPTH);
}

TEST_MAIN()
