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

static void on_child(pid_t pid, void *ctx)
{
    struct found *f = ctx;

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

static void check(bool (*each)(children_fn *fn, void *ctx), const pid_t *want, int n)
{
    struct found f = { .n = 0 };

    OK(each(on_child, &f));
    EQ(f.n, n);
    for (int i = 0; i < n; i++)
        OK(has(&f, want[i]));
}

static void check_both(const pid_t *want, int n)
{
    check(children_each, want, n);
    check(children_each_by_scan, want, n);
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
    pid_t child[] = { start("plain"), start(") R 1 (x"), start("a b) Z") };
    siginfo_t info;

    check_both(child, 3);
    kill(child[1], SIGKILL);
    waitid(P_PID, (id_t)child[1], &info, WEXITED | WNOWAIT); /* dead, not reaped */
    check_both(child, 3);
    waitpid(child[1], NULL, 0);
    check_both((pid_t[]){ child[0], child[2] }, 2);
    end(child[0]);
    end(child[2]);
    check_both(NULL, 0);
}

struct helper {
    sem_t born, leave;
    pid_t child;
};

static void *make_child(void *ctx)
{
    struct helper *h = ctx;

    h->child = start("of a thread");
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
    pthread_create(&thread, NULL, make_child, &h);
    sem_wait(&h.born);
    check_both(&h.child, 1);
    end(h.child);
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

static void kill_child(pid_t pid, void *ctx)
{
    (void)ctx;
    children_kill(pid);
}

TEST(the_parent_of_a_process_is_known)
{
    pid_t child = start("kid");

    EQ(children_parent(child), getpid());
    EQ(children_parent(getpid()), getppid());
    end(child);
    EQ(children_parent(child), 0);
}

/* As a subreaper we get to see every one of them. */
TEST(a_chain_of_any_length_is_killed_by_and_by)
{
    enum { DEPTH = 200 };
    int status = 0, reaped = 0;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    OK(start_chain(DEPTH) > 0);
    for (children_each(kill_child, NULL); waitpid(-1, &status, 0) > 0;
         children_each(kill_child, NULL)) {
        OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        reaped++;
    }
    EQ(reaped, DEPTH);
}

TEST_MAIN()
