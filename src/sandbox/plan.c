/*
 * plan.c - from the words of the command line to a plan.
 */
#include "sandbox/plan.h"

#include "base/keep_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- words ------------------------------------------------------------------------------- */

static bool take_flags(struct sandbox_plan *p, struct str value)
{
    uint64_t flags;

    if (!str_uint(value, 0, KEEP_FLAGS_ALL, &flags))
        return false;
    p->profile.writes_root = flags & KEEP_WRITES_ROOT;
    p->profile.best_effort = flags & KEEP_BEST_EFFORT;
    p->support.namespaces = flags & KEEP_HAS_NAMESPACES;
    p->support.netns = flags & KEEP_HAS_NETNS;
    p->support.own_proc = flags & KEEP_HAS_OWN_PROC;
    p->support.seccomp = flags & KEEP_HAS_SECCOMP;
    return true;
}

static bool take_port(struct sandbox_plan *p, struct str value)
{
    uint64_t port;

    if (p->profile.connects == SANDBOX_PORTS || !str_uint(value, 1, UINT16_MAX, &port))
        return false;
    p->ports[p->profile.connects++] = (uint16_t)port;
    return true;
}

static bool take_abi(struct sandbox_plan *p, struct str value)
{
    uint64_t abi;

    if (!str_uint(value, 0, 1000, &abi))
        return false;
    p->support.landlock = (int)abi;
    return true;
}

static bool take_missing(struct sandbox_plan *p, struct str value)
{
    snprintf(p->support.missing, sizeof(p->support.missing), STR_FMT, STR_ARG(value));
    return true;
}

static bool take_kind(struct sandbox_plan *p, struct str value)
{
    return sandbox_kind_of(value, &p->profile.kind);
}

static bool take_root(struct sandbox_plan *p, struct str value)
{
    p->profile.root = value.p;
    return true;
}

static bool take_home(struct sandbox_plan *p, struct str value)
{
    p->user_home = value.p;
    return true;
}

static bool take_config(struct sandbox_plan *p, struct str value)
{
    p->user_config = value.p;
    return true;
}

static bool take_private(struct sandbox_plan *p, struct str value)
{
    p->profile.private_dir = value.p;
    return true;
}

static bool take_hidden(struct sandbox_plan *p, struct str value)
{
    return path_list_add(&p->mem, &p->more_hidden, value.p);
}

static const struct {
    struct str key;
    bool (*take)(struct sandbox_plan *p, struct str value);
} plan_words[] = {
    { { KEEP_SANDBOX, sizeof(KEEP_SANDBOX) - 1 }, take_kind },
    { { KEEP_ROOT, sizeof(KEEP_ROOT) - 1 }, take_root },
    { { KEEP_HOME, sizeof(KEEP_HOME) - 1 }, take_home },
    { { KEEP_CONFIG, sizeof(KEEP_CONFIG) - 1 }, take_config },
    { { KEEP_PRIVATE, sizeof(KEEP_PRIVATE) - 1 }, take_private },
    { { KEEP_HIDE, sizeof(KEEP_HIDE) - 1 }, take_hidden },
    { { KEEP_CONNECT, sizeof(KEEP_CONNECT) - 1 }, take_port },
    { { KEEP_FLAGS, sizeof(KEEP_FLAGS) - 1 }, take_flags },
    { { KEEP_ABI, sizeof(KEEP_ABI) - 1 }, take_abi },
    { { KEEP_MISSING, sizeof(KEEP_MISSING) - 1 }, take_missing },
};

bool sandbox_plan_word(struct sandbox_plan *p, const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(plan_words); i++)
        if (str_starts(str_of(word), plan_words[i].key))
            return plan_words[i].take(p, str_skip(str_of(word), plan_words[i].key.n));
    return false;
}

/* ---- trees ------------------------------------------------------------------------------- */

bool sandbox_plan_tree(struct sandbox_plan *p, const char *path, bool writable)
{
    size_t at = 0;

    for (size_t i = 0; i < p->trees; i++)
        if (str_eq(str_of(p->tree[i].path), str_of(path))) {
            p->tree[i].writable |= writable;
            return true;
        }
    if (p->trees == SANDBOX_TREES)
        return false;
    while (at < p->trees && strlen(p->tree[at].path) <= strlen(path))
        at++;
    memmove(p->tree + at + 1, p->tree + at, (p->trees - at) * sizeof(*p->tree));
    p->tree[at] = (struct sandbox_tree){ path, writable, -1 };
    p->trees++;
    return true;
}

/* A name server's configuration may be a link into /run, which is covered. */
static void plan_resolver(struct sandbox_plan *p)
{
    const char *file = path_real(&p->mem, "/etc/resolv.conf"), *slash;

    if (!file || p->offline || path_within(file, "/etc"))
        return;
    slash = strrchr(file, '/');
    if (slash > file)
        sandbox_plan_tree(p, arena_cstr(&p->mem, (struct str){ file, (size_t)(slash - file) }),
                          false);
}

/* The scratch folder of read-only work. No link is followed: it may lead out of the root. */
static void plan_vault(struct sandbox_plan *p)
{
    const char *path = path_join(&p->mem, p->profile.root, ".vault");
    struct stat st;

    (void)mkdir(path, 0700); /* where it cannot be made, nothing is writable */
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
        sandbox_plan_tree(p, path, true);
}

static bool plan_trees(struct sandbox_plan *p, struct err *e)
{
    const char *private;

    sandbox_plan_tree(p, p->profile.root, p->writes_root);
    for (size_t i = 0; i < p->homes.n; i++)
        sandbox_plan_tree(p, p->homes.v[i], false);
    if (!p->writes_root)
        plan_vault(p);
    plan_resolver(p);
    if (!p->profile.private_dir)
        return true;
    private = path_real(&p->mem, p->profile.private_dir);
    if (!private)
        return fail_sys(e, "find the private folder of the sandbox, %.150s",
                        p->profile.private_dir);
    p->profile.private_dir = private;
    return sandbox_plan_tree(p, private, true);
}

/* ---- the root ---------------------------------------------------------------------------- */

static const char *const system_folders[] = {
    "/bin",  "/boot", "/dev", "/etc",  "/home", "/lib", "/lib64",
    "/proc", "/root", "/run", "/sbin", "/sys",  "/usr", "/var",
};

static const char *const kernel_folders[] = { "/proc", "/sys", "/dev/pts" };

/* A root is a project. A whole system folder, or what is above one, is not. */
static bool check_root(struct sandbox_plan *p, struct err *e)
{
    const char *root = p->profile.root, *real = root ? path_real(&p->mem, root) : NULL;

    if (!real)
        return fail_sys(e, "find the root of the sandbox, %.150s", root ? root : "(none)");
    p->profile.root = real;
    for (size_t i = 0; i < ARRAY_LEN(system_folders); i++)
        if (path_within(system_folders[i], real))
            return fail(e, ERR_DENIED,
                        "the root %.100s contains or is the system folder %s; choose the folder of "
                        "a project as root",
                        real, system_folders[i]);
    for (size_t i = 0; i < ARRAY_LEN(kernel_folders); i++)
        if (path_within(real, kernel_folders[i]))
            return fail(e, ERR_DENIED,
                        "the root %.100s is in %s; choose the folder of a project as root", real,
                        kernel_folders[i]);
    return true;
}

/* ---- the private temporary folder of the reduced sandbox ---------------------------------- */

static bool plan_tmp(struct sandbox_plan *p, struct err *e)
{
    char path[] = "/tmp/trefoil-sandbox-XXXXXX";

    if (!mkdtemp(path))
        return fail_sys(e, "create the temporary folder %s of the sandbox", path);
    p->tmp = arena_cstr(&p->mem, str_of(path));
    return sandbox_plan_tree(p, p->tmp, true);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    (void)(type == FTW_DP ? rmdir(path) : unlink(path));
    return 0;
}

/* Nothing that could replace a folder by a link is alive any more. */
void sandbox_plan_clean(struct sandbox_plan *p)
{
    if (p->tmp)
        nftw(p->tmp, remove_one, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    placeholders_release(p->placeholders);
    p->placeholders = NULL;
}

/* ---- all of it --------------------------------------------------------------------------- */

static bool writes_root(const struct sandbox_profile *s)
{
    switch (s->kind) {
    case SANDBOX_WORKSPACE:
    case SANDBOX_NETWORK: return true;
    case SANDBOX_SERVER:
    case SANDBOX_AGENT: return s->writes_root;
    case SANDBOX_OFF:
    case SANDBOX_READ_ONLY:
    case SANDBOX_KINDS: break;
    }
    return false;
}

bool sandbox_plan_make(struct sandbox_plan *p, struct err *e)
{
    if (!sandbox_plan_active(p))
        return true;
    p->profile.connect = p->ports;
    p->offline = p->profile.kind == SANDBOX_READ_ONLY || p->profile.kind == SANDBOX_WORKSPACE;
    p->writes_root = writes_root(&p->profile);
    p->cwd = path_real(&p->mem, ".");
    sandbox_support_rate(&p->support);
    if (!p->profile.best_effort && !sandbox_supports(&p->support, p->profile.kind, e))
        return false;
    return check_root(p, e) && plan_homes(p, e) && plan_trees(p, e) && plan_hidden(p, e) &&
           plan_root(p, e) && (!p->support.namespaces || plan_sockets(p, e)) &&
           (p->support.namespaces || plan_tmp(p, e));
}
