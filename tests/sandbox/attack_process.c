/* attack_process.c - other processes, and memory shared with them. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *proc_of(int pid, const char *name)
{
    static char path[64];

    snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
    return path;
}

/* Its pid in the host means nothing inside; another process may have that number there. */
static bool is_victim(void)
{
    char text[256] = "";
    int fd = open(proc_of(number("VICTIM"), "cmdline"), O_RDONLY);

    return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strstr(text, "attacks");
}

static int victim(void)
{
    return number("VICTIM");
}

static bool kill_victim(void)
{
    return kill(victim(), 0) == 0;
}
static bool kill_keeper(void)
{
    return kill(number("KEEPER_PARENT"), 0) == 0;
}

static bool signal_by_pidfd(void)
{
    int fd = (int)syscall(SYS_pidfd_open, victim(), 0);

    return fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0;
}

static bool take_descriptor(void)
{
    int fd = (int)syscall(SYS_pidfd_open, victim(), 0);

    return fd >= 0 && syscall(SYS_pidfd_getfd, fd, 0, 0) >= 0;
}

static bool attach(void)
{
    return ptrace(PTRACE_SEIZE, victim(), NULL, NULL) == 0;
}
static bool attach_to_init(void)
{
    return ptrace(PTRACE_SEIZE, 1, NULL, NULL) == 0;
}

static bool read_memory(void)
{
    char byte;
    struct iovec to = { &byte, 1 }, from = { (void *)&victim, 1 };

    return process_vm_readv(victim(), &to, 1, &from, 1, 0) == 1 ||
           process_vm_readv(1, &to, 1, &from, 1, 0) == 1;
}

static bool read_environment(void)
{
    return can_read(proc_of(victim(), "environ"));
}
static bool read_command(void)
{
    return is_victim();
}
static bool enter_root(void)
{
    return open(proc_of(victim(), "root"), O_RDONLY) >= 0;
}
static bool enter_cwd(void)
{
    return open(proc_of(victim(), "cwd"), O_RDONLY) >= 0;
}
static bool open_descriptor(void)
{
    return open(proc_of(victim(), "fd/0"), O_RDONLY) >= 0;
}
static bool open_memory(void)
{
    return open(proc_of(victim(), "mem"), O_RDWR) >= 0;
}
static bool init_memory(void)
{
    return open("/proc/1/mem", O_RDWR) >= 0;
}
static bool init_environment(void)
{
    return can_read("/proc/1/environ");
}

static bool join_namespace(void)
{
    int fd = open(proc_of(victim(), "ns/mnt"), O_RDONLY);

    return fd >= 0 && setns(fd, 0) == 0;
}

static bool limit_victim(void)
{
    struct rlimit now;

    return syscall(SYS_prlimit64, victim(), RLIMIT_NOFILE, NULL, &now) == 0;
}

static bool move_victim(void)
{
    cpu_set_t set;

    return sched_getaffinity(victim(), sizeof(set), &set) == 0 &&
           sched_setaffinity(victim(), sizeof(set), &set) == 0;
}

static bool slow_victim(void)
{
    return setpriority(PRIO_PROCESS, (id_t)victim(), 0) == 0;
}

/* ---- shared memory ----------------------------------------------------------------------- */

static bool shared_memory(void)
{
    return shmget(number("SHM_KEY"), 1, 0) >= 0;
}
static bool posix_memory(void)
{
    return shm_open(about("SHM_NAME"), O_RDWR, 0) >= 0;
}

/* ---- rights ------------------------------------------------------------------------------ */

static unsigned long long status_field(const char *field)
{
    char line[256];
    unsigned long long value = 0;
    size_t n = strlen(field);
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, field, n) == 0)
            sscanf(line + n, ":%llx", &value);
    return value;
}

/* chown, dac_override, fowner, fsetid, setgid, setuid at most. */
static bool too_many_capabilities(void)
{
    return status_field("CapEff") & ~0xdbull;
}
static bool too_large_bounding_set(void)
{
    return status_field("CapBnd") & ~0xdbull;
}
static bool may_gain_privileges(void)
{
    return status_field("NoNewPrivs") != 1;
}
static bool no_filter(void)
{
    return status_field("Seccomp") != 2;
}

static bool raise_core_limit(void)
{
    struct rlimit core = { RLIM_INFINITY, RLIM_INFINITY };

    return setrlimit(RLIMIT_CORE, &core) == 0;
}

const struct attack process_attacks[] = {
    { "signal a process outside", kill_victim, SCOPES },
    { "signal what started the sandbox", kill_keeper, SCOPES },
    { "signal a process outside by a pidfd", signal_by_pidfd, SCOPES },
    { "take a descriptor of a process outside", take_descriptor, 0 },
    { "trace a process outside", attach, 0 },
    { "trace the init process", attach_to_init, 0 },
    { "read the memory of a process outside", read_memory, 0 },
    { "read the environment of a process outside", read_environment, 0 },
    { "read the command line of a process outside", read_command, MOUNTS },
    { "open the root of a process outside", enter_root, 0 },
    { "open the working folder of a process outside", enter_cwd, 0 },
    { "open a descriptor of a process outside", open_descriptor, 0 },
    { "open the memory of a process outside", open_memory, 0 },
    { "open the memory of the init process", init_memory, 0 },
    { "read the environment of the init process", init_environment, 0 },
    { "join the namespace of a process outside", join_namespace, 0 },
    { "read the limits of a process outside", limit_victim, 0 },
    { "change the CPUs of a process outside", move_victim, 0 },
    { "change the priority of a process outside", slow_victim, 0 },
    { "open shared memory of a process outside", shared_memory, 0 },
    { "open POSIX shared memory of a process outside", posix_memory, MOUNTS },
    { "have capabilities that are not needed", too_many_capabilities, 0 },
    { "have a bounding set that is not needed", too_large_bounding_set, MOUNTS },
    { "gain privileges by a program", may_gain_privileges, 0 },
    { "run without a seccomp filter", no_filter, 0 },
    { "raise the limit of core dumps", raise_core_limit, 0 },
    { NULL, NULL, 0 },
};
