/*
 * git_paths.c - the git folder of a writable root.
 *
 * git runs hooks and commands named in its configuration, also outside of the sandbox, so both are
 * read-only. The rest is writable, so that `git commit` works. For that the git folder is bound on
 * itself: it cannot be renamed and replaced by another one. The same holds for the git folders of
 * submodules (.git/modules) and of worktrees (.git/worktrees). Files that would bring another
 * configuration are kept from being created, by placeholders.
 *
 * In a linked worktree, and in a submodule, .git is a file that names a folder outside of the root.
 * A hostile repository could name any folder in it. So it becomes writable only if that folder names
 * the root as its worktree, which nobody but the user can have written there.
 */
#include "sandbox/plan.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULE_DEPTH = 6, LINE = 4096 };

static bool is_folder(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The first line of a small file that begins with `key`, without it. NULL: there is none. */
static const char *read_value(struct arena *mem, const char *path, const char *key)
{
    FILE *f = fopen(path, "re");
    char line[LINE];
    const char *found = NULL;

    while (f && !found && fgets(line, sizeof(line), f)) {
        struct str text = str_trim(str_of(line));

        if (str_starts(text, str_of(key)))
            found = arena_cstr(mem, str_trim(str_skip(text, strlen(key))));
    }
    if (f)
        fclose(f);
    return found;
}

static const char *resolve(struct arena *mem, const char *folder, const char *path)
{
    if (!path)
        return NULL;
    return path_real(mem, path[0] == '/' ? path : path_join(mem, folder, path));
}

/* ---- one git folder ---------------------------------------------------------------------- */

/* Configuration of one worktree. git reads it besides config, if config permits. */
static bool fix_worktree_config(struct sandbox_plan *p, const char *top, const char *git,
                                struct err *e)
{
    return plan_reserve(p, top, path_join(&p->mem, git, "config.worktree"),
                        "# a placeholder of the sandbox of trefoil\n", e);
}

/* commondir names the folder that has config and hooks; here it is this folder itself. */
static bool fix_git_dir(struct sandbox_plan *p, const char *top, const char *git, struct err *e)
{
    static const char *const fixed[] = { "hooks", "config", "gitdir" };

    (void)mkdir(path_join(&p->mem, git, "hooks"), 0777); /* the child could make a missing one */
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        if (!plan_fix(p, top, path_join(&p->mem, git, fixed[i]), e))
            return false;
    return fix_worktree_config(p, top, git, e) &&
           plan_reserve(p, top, path_join(&p->mem, git, "commondir"), "./.\n", e);
}

/* Names of submodules contain slashes: a folder with HEAD is one, others lead to some. */
static bool fix_modules(struct sandbox_plan *p, const char *top, const char *folder, int depth,
                        struct err *e)
{
    DIR *d = depth < MODULE_DEPTH && is_folder(folder) ? opendir(folder) : NULL;
    const struct dirent *entry;
    bool ok = true;

    while (d && ok && (entry = readdir(d))) {
        const char *path = path_join(&p->mem, folder, entry->d_name);

        if (entry->d_name[0] == '.' || !is_folder(path))
            continue;
        if (access(path_join(&p->mem, path, "HEAD"), F_OK) == 0)
            ok = fix_git_dir(p, top, path, e) &&
                 fix_modules(p, top, path_join(&p->mem, path, "modules"), depth + 1, e);
        else
            ok = fix_modules(p, top, path, depth + 1, e);
    }
    if (d)
        closedir(d);
    return ok;
}

static bool fix_worktrees(struct sandbox_plan *p, const char *top, const char *git, struct err *e)
{
    const char *folder = path_join(&p->mem, git, "worktrees");
    DIR *d = is_folder(folder) ? opendir(folder) : NULL;
    const struct dirent *entry;
    bool ok = true;

    while (d && ok && (entry = readdir(d))) {
        const char *path = path_join(&p->mem, folder, entry->d_name);

        if (entry->d_name[0] == '.' || !is_folder(path))
            continue;
        ok = fix_worktree_config(p, top, path, e) &&
             plan_fix(p, top, path_join(&p->mem, path, "commondir"), e) &&
             plan_fix(p, top, path_join(&p->mem, path, "gitdir"), e);
    }
    if (d)
        closedir(d);
    return ok;
}

/* A git folder below `top`, or `top` itself, with everything in it. */
static bool fix_git(struct sandbox_plan *p, const char *top, const char *git, struct err *e)
{
    return fix_git_dir(p, top, git, e) &&
           fix_modules(p, top, path_join(&p->mem, git, "modules"), 0, e) &&
           fix_worktrees(p, top, git, e);
}

/* ---- a git folder outside of the root ---------------------------------------------------- */

static bool names_root(struct sandbox_plan *p, const char *git)
{
    const char *back = read_value(&p->mem, path_join(&p->mem, git, "gitdir"), "");
    const char *file = resolve(&p->mem, git, back);
    const char *ours = path_join(&p->mem, p->profile.root, ".git"), *worktree;

    if (file && str_eq(str_of(file), str_of(ours)))
        return true;
    worktree = read_value(&p->mem, path_join(&p->mem, git, "config"), "worktree = ");
    worktree = resolve(&p->mem, git, worktree);
    return worktree && str_eq(str_of(worktree), str_of(p->profile.root));
}

static bool plan_linked(struct sandbox_plan *p, const char *file, struct err *e)
{
    const char *git = resolve(&p->mem, p->profile.root, read_value(&p->mem, file, "gitdir: "));
    const char *common;

    if (!plan_fix(p, p->profile.root, file, e))
        return false;
    if (!git || path_within(git, p->profile.root) || !names_root(p, git))
        return true;
    common = resolve(&p->mem, git, read_value(&p->mem, path_join(&p->mem, git, "commondir"), ""));
    if (!common)
        common = git;
    if (path_within(p->profile.root, common) || path_list_above(&p->hidden, common) ||
        path_list_below(&p->hidden, common))
        return true;
    if (!sandbox_plan_tree(p, common, true))
        return fail(e, ERR_LIMIT, "too many folders beside %.150s", common);
    return fix_git(p, common, common, e);
}

bool plan_git(struct sandbox_plan *p, struct err *e)
{
    const char *git = path_join(&p->mem, p->profile.root, ".git");
    struct stat st;

    if (lstat(git, &st) < 0)
        return true;
    if (S_ISREG(st.st_mode))
        return plan_linked(p, git, e);
    if (S_ISLNK(st.st_mode))
        return plan_fix(p, p->profile.root, git, e);
    return fix_git(p, p->profile.root, git, e);
}
