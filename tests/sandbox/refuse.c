/*
 * refuse.c - run a program on a kernel that has less.
 *
 *   refuse [namespaces] [netns] [landlock] -- COMMAND ARGUMENT...
 *
 * A seccomp filter answers EPERM to new namespaces, as containers do, and ENOSYS to Landlock, as old
 * kernels do.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)                                                                                \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(value))
#define IF_CALL(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, skip)
#define IF_BITS(bits, skip) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), 0, skip)

static int install(const struct sock_filter *filter, size_t n)
{
    struct sock_fprog program = { (unsigned short)n, (struct sock_filter *)filter };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int refuse_bits(uint32_t bits)
{
    const struct sock_filter filter[] = {
        LOAD(nr),
        IF_CALL(SYS_clone3, 1),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        IF_CALL(SYS_unshare, 1),
        BPF_STMT(BPF_JMP | BPF_JA, 1),
        IF_CALL(SYS_clone, 3),
        LOAD(args[0]),
        IF_BITS(bits, 1),
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
        ANSWER(SECCOMP_RET_ALLOW),
    };

    return install(filter, sizeof(filter) / sizeof(*filter));
}

static int refuse_landlock(void)
{
    const struct sock_filter filter[] = {
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 444, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 446, 1, 0),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        ANSWER(SECCOMP_RET_ALLOW),
    };

    return install(filter, sizeof(filter) / sizeof(*filter));
}

static int refuse(const char *what)
{
    if (strcmp(what, "namespaces") == 0)
        return refuse_bits(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID);
    if (strcmp(what, "netns") == 0)
        return refuse_bits(CLONE_NEWNET);
    if (strcmp(what, "landlock") == 0)
        return refuse_landlock();
    errno = EINVAL;
    return -1;
}

int main(int argc, char **argv)
{
    int i = 1;

    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (refuse(argv[i]) < 0) {
            perror(argv[i]);
            return 1;
        }
    if (i + 1 >= argc)
        return 2;
    execvp(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 127;
}
