/*
 * sandbox_profile.h - what a child may do, and which features of the kernel can enforce these
 * limits.
 *
 * The caller of proc_start fills in a profile. sandbox/ turns it into namespaces, mounts, Landlock
 * rules and a seccomp program, so the kernel refuses everything that the profile does not allow.
 * ROOT is the root folder; ROOT/.vault is the only folder that read-only agents may write to.
 *
 *   profile    the child may write to                             the child may connect to
 *   off        everything                                         everything
 *   read-only  ROOT/.vault, a private /tmp                        nothing
 *   workspace  ROOT, a private /tmp                               nothing
 *   network    ROOT, a private /tmp                               TCP ports 80, 443 and `connect`
 *   server     private_dir, a private /tmp; ROOT if writes_root   the same as network
 *   agent      the same as server; private_dir is its HOME        the same as network
 */
#ifndef LOOP_SANDBOX_PROFILE_H
#define LOOP_SANDBOX_PROFILE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- profiles ---------------------------------------------------------------------------- */

enum sandbox_kind {
    SANDBOX_OFF,
    SANDBOX_READ_ONLY,
    SANDBOX_WORKSPACE,
    SANDBOX_NETWORK,
    SANDBOX_SERVER,
    SANDBOX_AGENT,
    SANDBOX_KINDS,
};

/* The pointers are borrowed until proc_start returns. */
struct sandbox_profile {
    enum sandbox_kind kind;
    const char *root;          /* absolute path of the root folder */
    bool writes_root;          /* for server and agent: the root is writable */
    const char *private_dir;   /* caches (server) or HOME (agent), owned by trefoil; NULL: none */
    const char *const *hidden; /* more hidden absolute paths, ended by NULL; NULL: none. A folder
                                * that ends with "/" is created if it does not exist, and may
                                * contain the root */
    const uint16_t *connect;   /* TCP ports besides 80 and 443 */
    size_t connects;
    bool best_effort; /* start the child even if the kernel lacks a required feature */
};

/* The name in the configuration and on the command line: "read-only", "workspace", ... */
const char *sandbox_kind_name(enum sandbox_kind kind);

/* Find a profile by its name. False: no profile has this name. */
bool sandbox_kind_of(struct str name, enum sandbox_kind *ret_kind);

/* ---- what the kernel offers -------------------------------------------------------------- */

/* How well the kernel can enforce profiles, from best to worst. */
enum sandbox_level {
    SANDBOX_LEVEL_FULL,        /* namespaces, Landlock, seccomp */
    SANDBOX_LEVEL_OLD_PROC,    /* the same, but /proc shows the processes of the host */
    SANDBOX_LEVEL_NO_NETNS,    /* no network namespace: seccomp refuses internet sockets */
    SANDBOX_LEVEL_MOUNTS_ONLY, /* namespaces and seccomp without Landlock */
    SANDBOX_LEVEL_REDUCED,     /* Landlock and seccomp without namespaces */
    SANDBOX_LEVEL_NONE,
};

/* "full", "reduced", ... */
const char *sandbox_level_name(enum sandbox_level level);

struct sandbox_support {
    enum sandbox_level level;
    bool namespaces; /* user, mount, pid, ipc and uts namespaces, with mounts */
    bool netns;      /* a network namespace with a loopback device */
    bool own_proc;   /* a private /proc */
    bool seccomp;
    int landlock;      /* ABI; 0: none */
    bool files;        /* writes and reads of files can be confined (mounts, or ABI 3 or later) */
    bool network;      /* all network access can be denied */
    bool tcp_ports;    /* TCP connect can be limited to some ports (ABI 4 or later) */
    char missing[160]; /* the missing features as text: "user namespaces (EPERM), ..."; or empty */
};

/* Derive level, files, network and tcp_ports from the other fields. */
void sandbox_support_rate(struct sandbox_support *support);

/* Can this profile be enforced? If not, *e names what is missing. SANDBOX_OFF always can be. */
bool sandbox_supports(const struct sandbox_support *support, enum sandbox_kind kind, struct err *e);

/*
 * The sandbox features of this machine. The first call tests them in a short-lived process, which
 * blocks for some milliseconds. The result is kept as long as the program runs. Any thread may call
 * this.
 */
const struct sandbox_support *sandbox_support(void);

/* The same, tested with the program `keeper` instead of this one, for tests. Not cached. */
void sandbox_support_of(const char *keeper, struct sandbox_support *ret_support);

/* An interface (port) by which tests can replace the result of sandbox_support. */
struct sandbox_probe {
    const struct sandbox_support *(*support)(void);
};

#endif
