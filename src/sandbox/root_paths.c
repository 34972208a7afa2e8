/*
 * root_paths.c - what stays read-only in a writable root.
 *
 * Programs read these files outside of the sandbox later and do what is in them: editors, other
 * agents, shells, git. A missing file is not protected, because there is nothing to mount on. Tools
 * that change files ask for these files (core/guard/protected_path.h).
 */
#include "sandbox/plan.h"

#include <errno.h>
#include <sys/stat.h>

static const char *const guarded[] = {
    ".trefoil", "trefoil.toml", ".mcp.json", ".claude",           ".codex", ".gemini", ".cursor",
    ".vscode",  ".zed",         ".envrc",    ".vaultspec/agents",
};

static bool exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

bool plan_pin(struct sandbox_plan *p, const char *top, const char *path, struct err *e)
{
    const char *rest = path + strlen(top) + 1;

    for (const char *slash = strchr(rest, '/');; slash = strchr(slash + 1, '/')) {
        size_t n = slash ? (size_t)(slash - path) : strlen(path);

        if (!path_list_add(&p->mem, &p->pinned, arena_cstr(&p->mem, (struct str){ path, n })))
            return fail(e, ERR_LIMIT, "too many paths to protect below %.100s (most: %d)", top,
                        PATH_LIST_MOST);
        if (!slash)
            return true;
    }
}

bool plan_fix(struct sandbox_plan *p, const char *top, const char *path, struct err *e)
{
    if (!exists(path))
        return true;
    return plan_pin(p, top, path, e) && path_list_add(&p->mem, &p->fixed, path);
}

/* Without namespaces nothing can be mounted, so a placeholder would protect nothing. */
bool plan_reserve(struct sandbox_plan *p, const char *top, const char *path, const char *text,
                  struct err *e)
{
    if (p->support.namespaces && !placeholder_hold(&p->mem, &p->placeholders, path, text, e))
        return false;
    return plan_fix(p, top, path, e);
}

/* Logs of sessions: what other sessions said. */
static bool hide_logs(struct sandbox_plan *p, struct err *e)
{
    const char *logs = path_join(&p->mem, p->profile.root, ".trefoil/logs");
    const char *real = path_real(&p->mem, logs);

    if (!real || !path_within(real, p->profile.root))
        return true;
    return path_list_add(&p->mem, &p->hidden, real) ||
           fail(e, ERR_LIMIT, "the sandbox has too many hidden paths");
}

bool plan_root(struct sandbox_plan *p, struct err *e)
{
    const char *root = p->profile.root;

    if (!hide_logs(p, e))
        return false;
    if (!p->writes_root)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(guarded); i++)
        if (!plan_fix(p, root, path_join(&p->mem, root, guarded[i]), e))
            return false;
    return plan_git(p, e);
}
