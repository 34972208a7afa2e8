/*
 * seccomp_export.c - prints the seccomp programs as C arrays. Runs at build time, with libseccomp.
 *
 * The filter is a list of what is denied: EPERM, unless a program does better with another answer.
 * The kernel looks at the lower 32 bits of int arguments only, and so do the rules. Programs of
 * other architectures are refused, except 32-bit ones of x86, which have the same rules. Calls that
 * older libraries do not know are named by number.
 */
#include <errno.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOW 0xffffffffull
#define IS(n, value) SCMP_CMP64(n, SCMP_CMP_MASKED_EQ, LOW, (uint64_t)(uint32_t)(value))
#define IS_NOT_0(n) SCMP_CMP64(n, SCMP_CMP_NE, 0, 0)
#define HAS(n, bit) SCMP_CMP64(n, SCMP_CMP_MASKED_EQ, (uint64_t)(bit), (uint64_t)(bit))

enum {
    PROTO_MPTCP = 262,
    FAST_OPEN = 0x20000000, /* MSG_FASTOPEN: a TCP connection without connect() */
    SET_FLAGS = 0x40086602, /* FS_IOC_SETFLAGS */
    SET_FLAGS_32 = 0x40046602,
    TYPE_MASK = 0xf,
};

static void check(int rc, const char *what)
{
    if (rc == 0)
        return;
    fprintf(stderr, "seccomp_export: %s: %s\n", what, strerror(-rc));
    exit(1);
}

#define DENY(ctx, error, call, count, ...)                                                         \
    check(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(error), SCMP_SYS(call), count, ##__VA_ARGS__), #call)

/* ---- calls that are denied whatever their arguments are ------------------------------------ */

static const char *const denied[] = {
    /* mounts */
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "setns",
    "open_by_handle_at",
    /* the kernel itself */
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "reboot",
    "swapon",
    "swapoff",
    "acct",
    "quotactl",
    "quotactl_fd",
    "syslog",
    "iopl",
    "ioperm",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "fanotify_init",
    "lookup_dcookie",
    "nfsservctl",
    "_sysctl",
    "vhangup",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    /* clocks, names, keys */
    "settimeofday",
    "clock_settime",
    "clock_settime64",
    "stime",
    "clock_adjtime",
    "clock_adjtime64",
    "sethostname",
    "setdomainname",
    "add_key",
    "request_key",
    "keyctl",
};

/* On other processes, and on memory shared with them: without namespaces only. */
static const char *const denied_reduced[] = {
    "shmget", "shmat",  "shmctl", "shmdt",  "semget",  "semop",     "semctl", "semtimedop",
    "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink", "ipc",
};

static void deny_names(scmp_filter_ctx ctx, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int call = seccomp_syscall_resolve_name(name[i]);

        if (call != __NR_SCMP_ERROR)
            check(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), call, 0), name[i]);
    }
}

/* ---- namespaces -------------------------------------------------------------------------- */

static void deny_namespaces(scmp_filter_ctx ctx)
{
    static const uint64_t bits[] = { CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                     CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET, CLONE_NEWTIME };

    for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
        DENY(ctx, EPERM, unshare, 1, HAS(0, bits[i]));
        if (bits[i] != CLONE_NEWTIME) /* in clone this bit is part of the signal */
            DENY(ctx, EPERM, clone, 1, HAS(0, bits[i]));
    }
    DENY(ctx, ENOSYS, clone3, 0); /* its flags are in memory; libc then uses clone */
}

/* ---- terminals and file attributes -------------------------------------------------------- */

static void deny_ioctls(scmp_filter_ctx ctx)
{
    DENY(ctx, EPERM, ioctl, 1, IS(1, TIOCSTI));
    DENY(ctx, EPERM, ioctl, 1, IS(1, TIOCLINUX));
}

/* ---- sockets ----------------------------------------------------------------------------- */

static bool family_allowed(int family, bool unix_sockets, bool internet)
{
    switch (family) {
    case AF_UNIX: return unix_sockets;
    case AF_INET:
    case AF_INET6:
    case AF_NETLINK: return internet;
    default: return false;
    }
}

/* Families below 64 one by one; any higher bit makes a number that is none. */
static void deny_families(scmp_filter_ctx ctx, bool unix_sockets, bool internet)
{
    for (int i = 0; i < 64; i++)
        if (!family_allowed(i, unix_sockets, internet))
            DENY(ctx, EAFNOSUPPORT, socket, 1, IS(0, i));
    for (int bit = 6; bit < 32; bit++)
        DENY(ctx, EAFNOSUPPORT, socket, 1, HAS(0, 1ull << bit));
}

/* Landlock's port rules hold for TCP alone, not for what else connects to a TCP port. */
static void deny_protocols(scmp_filter_ctx ctx)
{
    static const int protocols[] = { PROTO_MPTCP, 132 /* SCTP */, 33 /* DCCP */, 256 /* SMC */ };

    for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++)
        DENY(ctx, EPROTONOSUPPORT, socket, 1, IS(2, protocols[i]));
    for (int family = AF_INET; family <= AF_INET6; family += AF_INET6 - AF_INET)
        for (int type = SOCK_RDM; type <= SOCK_PACKET; type++)
            DENY(ctx, ESOCKTNOSUPPORT, socket, 2, IS(0, family),
                 SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, TYPE_MASK, (uint64_t)type));
    DENY(ctx, EOPNOTSUPP, sendto, 1, HAS(3, FAST_OPEN));
    DENY(ctx, EOPNOTSUPP, sendmsg, 1, HAS(2, FAST_OPEN));
    DENY(ctx, EOPNOTSUPP, sendmmsg, 1, HAS(3, FAST_OPEN));
}

/* The one call for all of these on 32-bit x86, with arguments in memory; libc has not used it for
 * years. */
static void deny_socketcall(scmp_filter_ctx ctx)
{
    DENY(ctx, ENOSYS, socketcall, 0);
}

/* ---- other processes, without namespaces --------------------------------------------------- */

static void deny_others(scmp_filter_ctx ctx)
{
    deny_names(ctx, denied_reduced, sizeof(denied_reduced) / sizeof(*denied_reduced));
    DENY(ctx, EPERM, prlimit64, 1, IS_NOT_0(0));
    DENY(ctx, EPERM, sched_setaffinity, 1, IS_NOT_0(0));
    DENY(ctx, EPERM, sched_setscheduler, 1, IS_NOT_0(0));
    DENY(ctx, EPERM, sched_setparam, 1, IS_NOT_0(0));
    DENY(ctx, EPERM, sched_setattr, 1, IS_NOT_0(0));
    DENY(ctx, EPERM, setpriority, 1, IS_NOT_0(1));
    DENY(ctx, EPERM, ioprio_set, 1, IS_NOT_0(1));
    DENY(ctx, EPERM, ioctl, 1, IS(1, SET_FLAGS));
    DENY(ctx, EPERM, ioctl, 1, IS(1, SET_FLAGS_32));
}

/* ---- printing ---------------------------------------------------------------------------- */

static void print_program(scmp_filter_ctx ctx, const char *name)
{
    int fd = memfd_create("bpf", 0);
    struct {
        uint16_t code;
        uint8_t jt, jf;
        uint32_t k;
    } one;

    if (fd < 0)
        check(-errno, "memfd_create");
    check(seccomp_export_bpf(ctx, fd), "export");
    if (lseek(fd, 0, SEEK_SET) < 0)
        check(-errno, "lseek");
    printf("static const struct sock_filter %s[] = {\n", name);
    while (read(fd, &one, sizeof(one)) == (ssize_t)sizeof(one))
        printf("    { 0x%02x, %u, %u, 0x%08x },\n", one.code, one.jt, one.jf, one.k);
    printf("};\n\n");
    close(fd);
}

static void export(const char *name, bool reduced, bool offline)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);

    if (!ctx)
        check(-ENOMEM, "init");
    if (seccomp_arch_native() == SCMP_ARCH_X86_64)
        check(seccomp_arch_add(ctx, SCMP_ARCH_X86), "add x86");
    check(seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)), "bad arch");
    check(seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimize");
    deny_names(ctx, denied, sizeof(denied) / sizeof(*denied));
    deny_namespaces(ctx);
    deny_ioctls(ctx);
    deny_families(ctx, !reduced, !offline);
    deny_protocols(ctx);
    deny_socketcall(ctx);
    if (reduced)
        deny_others(ctx);
    print_program(ctx, name);
    seccomp_release(ctx);
}

int main(void)
{
    printf("/* Generated by seccomp_export.c. */\n#include \"sandbox/seccomp_filter.h\"\n\n");
    export("full", false, false);
    export("full_offline", false, true);
    export("reduced", true, false);
    export("reduced_offline", true, true);
    printf("#define PROGRAM(p) { p, sizeof(p) / sizeof(*p) }\n\n"
           "const struct seccomp_program seccomp_programs[SECCOMP_VARIANTS] = {\n"
           "    [SECCOMP_FULL] = PROGRAM(full),\n"
           "    [SECCOMP_FULL_OFFLINE] = PROGRAM(full_offline),\n"
           "    [SECCOMP_REDUCED] = PROGRAM(reduced),\n"
           "    [SECCOMP_REDUCED_OFFLINE] = PROGRAM(reduced_offline),\n"
           "};\n");
    return 0;
}
