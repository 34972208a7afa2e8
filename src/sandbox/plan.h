/*
 * plan.h - turn a sandbox profile into a plan: lists of absolute paths on this machine.
 *
 * The keeper makes the plan before it creates the child, while the keeper can still see all files.
 * Code that runs in the child later only applies the plan (mounts.h, landlock.h, privileges.h).
 */
#ifndef SANDBOX_PLAN_H
#define SANDBOX_PLAN_H

#include "loop/sandbox_profile.h"
#include "sandbox/path_list.h"
#include "sandbox/placeholder.h"

/* A folder that stays visible when the folders above it are covered. */
struct sandbox_tree {
    const char *path;
    bool writable;
    int fd; /* descriptor of the clone (mount_ops.h); for mounts.c */
};

enum { SANDBOX_TREES = 16, SANDBOX_PORTS = 64 };

struct sandbox_plan {
    struct arena mem;
    struct sandbox_profile profile;
    struct sandbox_support support;
    uint16_t ports[SANDBOX_PORTS]; /* profile.connect */
    struct path_list more_hidden;  /* profile.hidden */
    const char *user_home;         /* HOME in the environment of trefoil; NULL: none */
    const char *user_config;       /* XDG_CONFIG_HOME there; NULL: none */
    const char *cwd;               /* the working folder of the keeper */
    bool offline;                  /* the profile has no network */
    bool writes_root;
    struct path_list homes;  /* the home folders of this user */
    struct path_list covers; /* folders that are replaced by empty ones, in which only trees are
                              * visible; the shortest path first */
    struct path_list hidden; /* files, folders and sockets that are masked */
    struct sandbox_tree tree[SANDBOX_TREES]; /* a folder comes before folders below it */
    size_t trees;
    struct path_list pinned; /* paths in the root that cannot be renamed; a folder comes before its
                              * entries */
    struct path_list fixed;  /* paths in the root that are read-only */
    struct placeholder *placeholders;
    const char *tmp; /* the private temporary folder, if there are no namespaces; else NULL */
};

/*
 * Apply one argument of the keeper's command line to the plan. False: the argument does not concern
 * the sandbox, or is malformed.
 */
bool sandbox_plan_word(struct sandbox_plan *p, const char *word);

/* Does the child run in a sandbox? */
static inline bool sandbox_plan_active(const struct sandbox_plan *p)
{
    return p->profile.kind != SANDBOX_OFF;
}

/*
 * Resolve all paths and check that the profile can be enforced. ERR_DENIED: the root contains a
 * system folder, or the kernel lacks a feature that the profile needs.
 */
bool sandbox_plan_make(struct sandbox_plan *p, struct err *e);

/* Remove the private temporary folder and the placeholders. Call it when all processes of the sandbox
 * are gone. */
void sandbox_plan_clean(struct sandbox_plan *p);

/* Add a tree. False: there are too many trees. */
bool sandbox_plan_tree(struct sandbox_plan *p, const char *path, bool writable);

/*
 * Make the environment of the child from `env`: variables that name sockets of the user's session
 * are removed, and variables for caches are set to private folders.
 */
char **sandbox_env(struct sandbox_plan *p, char **env);

/* ---- parts of the plan ------------------------------------------------------------------- */

/* Fill in the lists homes, covers and hidden (hidden_paths.c). */
bool plan_homes(struct sandbox_plan *p, struct err *e);
bool plan_hidden(struct sandbox_plan *p, struct err *e);

/* Add to `hidden` the sockets in the file system that no cover hides (hidden_sockets.c). */
bool plan_sockets(struct sandbox_plan *p, struct err *e);

/* Fill in the lists pinned and fixed if the root is writable (root_paths.c), and protect the files
 * of git (git_paths.c). */
bool plan_root(struct sandbox_plan *p, struct err *e);
bool plan_git(struct sandbox_plan *p, struct err *e);

/* Add a path in the root, and the folders between `top` and the path, to `pinned`: so none of them
 * can be renamed. */
bool plan_pin(struct sandbox_plan *p, const char *top, const char *path, struct err *e);

/* The same, but the path is also added to `fixed`, so that it is read-only. */
bool plan_fix(struct sandbox_plan *p, const char *top, const char *path, struct err *e);

/* The same, but if the path does not exist, a placeholder with this text is created there. */
bool plan_reserve(struct sandbox_plan *p, const char *top, const char *path, const char *text,
                  struct err *e);

#endif
