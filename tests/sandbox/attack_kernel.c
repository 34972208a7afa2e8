/*
 * attack_kernel.c - mounts, namespaces, and calls to the kernel that no child needs.
 *
 * Where a call would do harm if it worked, its arguments are wrong: it has succeeded when the kernel
 * looks at them, and not at the rights of the caller.
 */
#include "attack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- mounts ------------------------------------------------------------------------------ */

static bool mount_memory(void)
{
    return mount("x", about("ROOT"), "tmpfs", 0, NULL) == 0;
}

static bool mount_root_writable(void)
{
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0;
}

static bool bind_outside(void)
{
    return mount(about("OUTSIDE"), about("ROOT"), NULL, MS_BIND, NULL) == 0;
}

static bool unmount_secrets(void)
{
    return umount2(at("HOME", ".ssh"), MNT_DETACH) == 0 && can_read(at("HOME", ".ssh/id_rsa"));
}

static bool unmount_config(void)
{
    return umount2(at("ROOT", ".git/config"), MNT_DETACH) == 0;
}
static bool unmount_proc(void)
{
    return umount2("/proc", MNT_DETACH) == 0;
}
static bool call_mount(void)
{
    return passed(mount("x", "/", "none such", 0, NULL));
}
static bool call_unmount(void)
{
    return passed(umount2("/", 0x10000));
} /* no such flag */
static bool clone_tree(void)
{
    return open_tree(-100, "/", OPEN_TREE_CLONE) >= 0;
}
static bool new_file_system(void)
{
    return fsopen("tmpfs", 0) >= 0;
}

static bool change_mount(void)
{
    struct mount_attr attr = { .attr_clr = MOUNT_ATTR_RDONLY };

    return mount_setattr(-100, "/", 0, &attr, sizeof(attr)) == 0;
}

static bool change_root(void)
{
    return chroot(about("ROOT")) == 0;
}
static bool swap_root(void)
{
    return passed(syscall(SYS_pivot_root, ".", "."));
}

/* ---- namespaces -------------------------------------------------------------------------- */

static bool new_user(void)
{
    return unshare(CLONE_NEWUSER) == 0;
}
static bool new_mounts(void)
{
    return unshare(CLONE_NEWNS) == 0;
}
static bool new_network(void)
{
    return unshare(CLONE_NEWNET) == 0;
}

static bool clone_user(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);

    if (pid == 0)
        _exit(0);
    return pid > 0;
}

static bool clone3_user(void)
{
    struct {
        uint64_t flags, rest[10];
    } args = { .flags = CLONE_NEWUSER };
    long pid = syscall(SYS_clone3, &args, sizeof(args));

    if (pid == 0)
        _exit(0);
    return pid > 0;
}

static bool nested_unmount(void)
{
    return new_user() && new_mounts() && unmount_secrets();
}
static bool nested_remount(void)
{
    return new_user() && new_mounts() && mount_root_writable();
}

/* ---- calls ------------------------------------------------------------------------------- */

static bool use_bpf(void)
{
    union bpf_attr attr = {
        .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1
    };

    return passed(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

static bool use_perf(void)
{
    struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(attr),
                                    .exclude_kernel = 1 };

    return passed(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

static bool handle_faults(void)
{
    return passed(syscall(SYS_userfaultfd, 1));
}

static bool use_io_uring(void)
{
    char params[120] = "";

    return passed(syscall(SYS_io_uring_setup, 1, params));
}

static bool add_key(void)
{
    return passed(syscall(SYS_add_key, "user", "attack", "x", 1, -4));
}

static bool read_keys(void)
{
    return passed(syscall(SYS_keyctl, 0, -4, 1));
}
static bool load_kernel(void)
{
    return passed(syscall(SYS_kexec_load, 0, 0, 0, -1));
}
static bool load_module(void)
{
    return passed(syscall(SYS_finit_module, -1, "", 0));
}
static bool unload_module(void)
{
    return passed(syscall(SYS_delete_module, "none", 0));
}
static bool reboot_machine(void)
{
    return passed(syscall(SYS_reboot, 0, 0, 0, NULL));
}
static bool swap_to_file(void)
{
    return passed(swapon("/nonexistent", 0));
}
static bool account(void)
{
    return passed(syscall(SYS_acct, "/nonexistent"));
}
static bool set_name(void)
{
    return passed(syscall(SYS_sethostname, "", -1));
}
static bool set_domain(void)
{
    return passed(syscall(SYS_setdomainname, "", -1));
}
static bool read_kernel_log(void)
{
    return passed(klogctl(10, NULL, 0));
}
static bool watch_all(void)
{
    return passed(syscall(SYS_fanotify_init, 0, 0));
}
static bool use_ports(void)
{
    return passed(syscall(SYS_iopl, 0));
}
static bool use_quota(void)
{
    return passed(syscall(SYS_quotactl, 0x80000100, NULL, 0, NULL));
}
static bool join_files(void)
{
    return passed(syscall(SYS_setns, -1, 0));
}

static bool set_clock(void)
{
    struct timeval wrong = { 0, -1 };

    return passed(syscall(SYS_settimeofday, &wrong, NULL));
}

static bool open_by_handle(void)
{
    struct {
        struct file_handle handle;
        char bytes[128];
    } h = { .handle.handle_bytes = 128 };
    int mount_id, fd = open("/", O_RDONLY);

    if (name_to_handle_at(-100, "/", &h.handle, &mount_id, 0) < 0)
        return false;
    return open_by_handle_at(fd, &h.handle, O_RDONLY) >= 0;
}

/* A key press in a terminal, with an argument whose upper half hides the request. */
static bool press_key(unsigned long request)
{
    int fd = posix_openpt(O_RDWR);

    return fd >= 0 && passed(syscall(SYS_ioctl, fd, request, "x"));
}

static bool push_input(void)
{
    return press_key(TIOCSTI);
}
static bool push_input_hidden(void)
{
    return press_key(TIOCSTI | 0x100000000ul);
}

#ifdef __x86_64__
/* The same calls by the doors of other architectures. */
static long call32(long number, long a, long b, long c)
{
    long result;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(a), "c"(b), "d"(c)
                     : "memory", "r8", "r9", "r10", "r11");
    errno = result < 0 ? (int)-result : 0;
    return result < 0 ? -1 : result;
}

static bool unshare32(void)
{
    return call32(310, CLONE_NEWUSER, 0, 0) == 0;
}
static bool umount32(void)
{
    return passed(call32(52, 0, 0, 0));
}
static bool socketcall32(void)
{
    return passed(call32(102, 1, 0, 0));
}
static bool keyctl32(void)
{
    return passed(call32(288, 0, -4, 1));
}
static bool unshare_x32(void)
{
    return syscall(0x40000000 + SYS_unshare, CLONE_NEWUSER) == 0;
}
#endif

/* ---- files of the kernel ----------------------------------------------------------------- */

static bool opens(const char *path)
{
    return open(path, O_WRONLY) >= 0;
}

static bool core_pattern(void)
{
    return opens("/proc/sys/kernel/core_pattern");
}
static bool host_name(void)
{
    return opens("/proc/sys/kernel/hostname");
}
static bool sysrq(void)
{
    return opens("/proc/sysrq-trigger");
}
static bool sys_file(void)
{
    return opens("/sys/kernel/mm/transparent_hugepage/enabled");
}
static bool kernel_log(void)
{
    return open("/dev/kmsg", O_RDONLY) >= 0;
}
static bool memory(void)
{
    return open("/dev/mem", O_RDONLY) >= 0;
}
static bool virtual_machine(void)
{
    return open("/dev/kvm", O_RDWR) >= 0;
}

static bool release_agent(void)
{
    return opens("/sys/fs/cgroup/memory/release_agent") ||
           mkdir("/sys/fs/cgroup/attack", 0755) == 0;
}

static bool make_device(void)
{
    return mknod(at("ROOT", "disk"), S_IFBLK | 0600, makedev(7, 0)) == 0 ||
           mknod("/tmp/disk", S_IFBLK | 0600, makedev(7, 0)) == 0;
}

static bool read_disk(void)
{
    DIR *d = opendir("/dev");
    const struct dirent *entry;
    char path[300];
    struct stat st;

    while (d && (entry = readdir(d))) {
        snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
        if (stat(path, &st) == 0 && S_ISBLK(st.st_mode) && open(path, O_RDONLY) >= 0)
            return true;
    }
    return false;
}

const struct attack kernel_attacks[] = {
    { "mount a file system", mount_memory, HARM },
    { "mount the root writable", mount_root_writable, HARM },
    { "bind a folder of the outside", bind_outside, HARM },
    { "unmount a mask", unmount_secrets, HARM },
    { "unmount the protection of .git/config", unmount_config, HARM },
    { "unmount /proc", unmount_proc, HARM },
    { "call mount", call_mount, 0 },
    { "call umount2", call_unmount, 0 },
    { "clone the mount tree", clone_tree, 0 },
    { "open a new file system", new_file_system, 0 },
    { "change the attributes of a mount", change_mount, HARM },
    { "change the root", change_root, 0 },
    { "swap the root", swap_root, HARM },
    { "make a user namespace", new_user, 0 },
    { "make a mount namespace", new_mounts, 0 },
    { "make a network namespace", new_network, 0 },
    { "make a user namespace by clone", clone_user, 0 },
    { "make a user namespace by clone3", clone3_user, 0 },
    { "unmount a mask in a nested namespace", nested_unmount, HARM },
    { "mount the root writable in a nested namespace", nested_remount, HARM },
    { "use bpf", use_bpf, 0 },
    { "use perf events", use_perf, 0 },
    { "handle page faults", handle_faults, 0 },
    { "use io_uring", use_io_uring, 0 },
    { "add a key", add_key, 0 },
    { "read a keyring", read_keys, 0 },
    { "load a kernel", load_kernel, 0 },
    { "load a kernel module", load_module, 0 },
    { "unload a kernel module", unload_module, 0 },
    { "reboot", reboot_machine, 0 },
    { "swap", swap_to_file, 0 },
    { "switch accounting on", account, 0 },
    { "set the host name", set_name, 0 },
    { "set the domain name", set_domain, 0 },
    { "set the clock", set_clock, 0 },
    { "read the kernel's log", read_kernel_log, 0 },
    { "watch all files", watch_all, 0 },
    { "use I/O ports", use_ports, 0 },
    { "use quotas", use_quota, 0 },
    { "join a namespace", join_files, 0 },
    { "open a file by its handle", open_by_handle, 0 },
    { "push input into a terminal", push_input, 0 },
    { "push input with a long request", push_input_hidden, 0 },
#ifdef __x86_64__
    { "make a user namespace by a 32-bit call", unshare32, 0 },
    { "unmount by a 32-bit call", umount32, 0 },
    { "make a socket by the 32-bit socketcall", socketcall32, 0 },
    { "read a keyring by a 32-bit call", keyctl32, 0 },
    { "make a user namespace by an x32 call", unshare_x32, 0 },
#endif
    { "write the pattern of core dumps", core_pattern, 0 },
    { "write the host name in /proc", host_name, 0 },
    { "write /proc/sysrq-trigger", sysrq, 0 },
    { "write in /sys", sys_file, 0 },
    { "write in a control group", release_agent, 0 },
    { "read /dev/kmsg", kernel_log, 0 },
    { "read /dev/mem", memory, 0 },
    { "open /dev/kvm", virtual_machine, 0 },
    { "make a block device", make_device, 0 },
    { "read a disk", read_disk, 0 },
    { NULL, NULL, 0 },
};
