#include "core/sandbox_policy.h"

int sandbox_freedom(enum sandbox_kind kind)
{
    static const int freedom[SANDBOX_KINDS] = {
        [SANDBOX_READ_ONLY] = 0, [SANDBOX_WORKSPACE] = 1, [SANDBOX_SERVER] = 2,
        [SANDBOX_AGENT] = 2,     [SANDBOX_NETWORK] = 2,   [SANDBOX_OFF] = 3,
    };

    return freedom[kind];
}

static const struct sandbox_support *support_of(const struct sandbox_policy *p)
{
    return p->probe ? p->probe->support() : sandbox_support();
}

bool sandbox_policy_enforces(const struct sandbox_policy *p, enum sandbox_kind kind, struct err *e)
{
    return kind == SANDBOX_OFF || sandbox_supports(support_of(p), kind, e);
}

bool sandbox_policy_confines_files(const struct sandbox_policy *p, struct err *e)
{
    const struct sandbox_support *support = support_of(p);

    return support->files || fail(e, ERR_DENIED,
                                  "this system cannot confine files, which a sandbox needs; "
                                  "missing: %.150s",
                                  support->missing);
}

struct sandbox_profile sandbox_policy_profile(const struct sandbox_policy *p,
                                              enum sandbox_kind kind, const char *root)
{
    return (struct sandbox_profile){
        .kind = kind,
        .root = root,
        .hidden = p->hidden,
        .connect = p->connect,
        .connects = p->connects,
        .best_effort = p->best_effort,
    };
}
