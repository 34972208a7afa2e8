#include "sandbox/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROCESSES = 4096, CLOSE_ON_EXEC = 4 /* CLOSE_RANGE_CLOEXEC */ };

#define BIT(capability) (1ull << (capability))

/* ---- limits ------------------------------------------------------------------------------ */

static bool limit_to(int what, rlim_t most)
{
    struct rlimit now;

    if (getrlimit(what, &now) < 0)
        return false;
    if (now.rlim_max > most)
        now.rlim_max = most;
    if (now.rlim_cur > now.rlim_max)
        now.rlim_cur = now.rlim_max;
    return setrlimit(what, &now) == 0;
}

bool privileges_limit(struct err *e)
{
    if (!limit_to(RLIMIT_CORE, 0) || !limit_to(RLIMIT_NPROC, PROCESSES))
        return fail_sys(e, "limit the processes of the sandbox");
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL); /* a kernel may have no keyrings */
    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_ON_EXEC) < 0)
        return fail_sys(e, "close_range");
    return true;
}

/* ---- capabilities ------------------------------------------------------------------------ */

static bool set_capabilities(uint64_t set)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct data[2] = { 0 }, now[2];

    if (syscall(SYS_capget, &head, now) < 0)
        return false;
    for (int i = 0; i < 2; i++)
        data[i].effective = data[i].permitted = now[i].permitted & (uint32_t)(set >> (32 * i));
    return syscall(SYS_capset, &head, data) == 0;
}

/* The bounding set is what root gets back at exec. Without CAP_SETPCAP it cannot matter. */
static bool bound_capabilities(uint64_t set)
{
    for (int i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
        if (!(set & BIT(i)) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0 && errno != EPERM)
            return false;
    return true;
}

bool privileges_drop(struct err *e)
{
    uint64_t of_root = BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_FSETID) |
                       BIT(CAP_SETUID) | BIT(CAP_SETGID);
    uint64_t set = geteuid() == 0 ? of_root : 0;

    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (bound_capabilities(set) && set_capabilities(set) &&
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        return true;
    return fail_sys(e, "drop capabilities");
}

/* It runs no other program, so its bounding set does not matter. */
bool privileges_drop_init(struct err *e)
{
    return set_capabilities(geteuid() == 0 ? BIT(CAP_KILL) : 0) ||
           fail_sys(e, "drop the capabilities of the init process");
}
