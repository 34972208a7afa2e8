/*
 * sandbox_profile.c - the names of profiles and levels, and which profile a kernel can enforce.
 */
#include "loop/sandbox_profile.h"

#include "base/container.h"

static const char *const kind_names[SANDBOX_KINDS] = {
    [SANDBOX_OFF] = "off",
    [SANDBOX_READ_ONLY] = "read-only",
    [SANDBOX_WORKSPACE] = "workspace",
    [SANDBOX_NETWORK] = "network",
    [SANDBOX_SERVER] = "server",
    [SANDBOX_AGENT] = "agent",
};

const char *sandbox_kind_name(enum sandbox_kind kind)
{
    return kind_names[kind];
}

bool sandbox_kind_of(struct str name, enum sandbox_kind *ret_kind)
{
    for (int i = 0; i < SANDBOX_KINDS; i++)
        if (str_eq(name, str_of(kind_names[i]))) {
            *ret_kind = i;
            return true;
        }
    return false;
}

const char *sandbox_level_name(enum sandbox_level level)
{
    switch (level) {
    case SANDBOX_LEVEL_FULL: return "full";
    case SANDBOX_LEVEL_OLD_PROC: return "full without a private /proc";
    case SANDBOX_LEVEL_NO_NETNS: return "full without a network namespace";
    case SANDBOX_LEVEL_MOUNTS_ONLY: return "mounts without Landlock";
    case SANDBOX_LEVEL_REDUCED: return "reduced";
    case SANDBOX_LEVEL_NONE: return "none";
    }
    return "none";
}

static enum sandbox_level level_of(const struct sandbox_support *s)
{
    if (!s->seccomp)
        return SANDBOX_LEVEL_NONE;
    if (!s->namespaces)
        return s->landlock ? SANDBOX_LEVEL_REDUCED : SANDBOX_LEVEL_NONE;
    if (!s->landlock)
        return SANDBOX_LEVEL_MOUNTS_ONLY;
    if (!s->netns)
        return SANDBOX_LEVEL_NO_NETNS;
    return s->own_proc ? SANDBOX_LEVEL_FULL : SANDBOX_LEVEL_OLD_PROC;
}

/* Below Landlock ABI 3 every file can be truncated; below 4 no TCP port can be refused. */
void sandbox_support_rate(struct sandbox_support *s)
{
    s->level = level_of(s);
    s->files = s->level != SANDBOX_LEVEL_NONE && (s->namespaces || s->landlock >= 3);
    s->network = s->level != SANDBOX_LEVEL_NONE;
    s->tcp_ports = s->level != SANDBOX_LEVEL_NONE && s->landlock >= 4;
}

bool sandbox_supports(const struct sandbox_support *support, enum sandbox_kind kind, struct err *e)
{
    bool ports = kind == SANDBOX_NETWORK || kind == SANDBOX_SERVER || kind == SANDBOX_AGENT;
    const char *what = NULL;

    if (kind == SANDBOX_OFF)
        return true;
    if (!support->files)
        what = "confine files";
    else if (!ports && !support->network)
        what = "take the network away";
    else if (ports && !support->tcp_ports)
        what = "limit the network to some TCP ports";
    if (!what)
        return true;
    return fail(e, ERR_DENIED,
                "this system cannot %s, which sandbox profile %s needs; missing: %.120s", what,
                sandbox_kind_name(kind), support->missing);
}
