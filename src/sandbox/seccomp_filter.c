#include "sandbox/seccomp_filter.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum seccomp_variant variant_of(const struct sandbox_plan *p)
{
    if (!p->support.namespaces)
        return p->offline ? SECCOMP_REDUCED_OFFLINE : SECCOMP_REDUCED;
    return p->offline && !p->support.netns ? SECCOMP_FULL_OFFLINE : SECCOMP_FULL;
}

static bool load(enum seccomp_variant v)
{
    struct sock_fprog program = { seccomp_programs[v].length,
                                  (struct sock_filter *)seccomp_programs[v].filter };

    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

bool sandbox_seccomp(const struct sandbox_plan *p, struct err *e)
{
    return !p->support.seccomp || load(variant_of(p)) || fail_sys(e, "apply the seccomp filter");
}

bool sandbox_seccomp_try(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && load(SECCOMP_REDUCED_OFFLINE);
}
