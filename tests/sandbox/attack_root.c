/* attack_root.c - what is protected inside of the root. */
#include "attack.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *root(const char *name)
{
    return at("ROOT", name);
}

/* ---- a read-only root -------------------------------------------------------------------- */

static bool create_file(void)
{
    return can_write(root("new"), O_CREAT);
}
static bool overwrite(void)
{
    return can_write(root("plain"), 0);
}
static bool change_mode(void)
{
    return chmod(root("plain"), 0777) == 0;
}
static bool change_times(void)
{
    return utimensat(AT_FDCWD, root("plain"), NULL, 0) == 0;
}
static bool rename_vault(void)
{
    return rename(root(".vault"), root("vault")) == 0;
}

static bool leave_vault(void)
{
    unlink(root(".vault/up"));
    return symlink("..", root(".vault/up")) == 0 && can_write(root(".vault/up/new"), O_CREAT);
}

/* ---- a writable root --------------------------------------------------------------------- */

static bool make_hook(void)
{
    return can_write(root(".git/hooks/pre-commit"), O_CREAT);
}
static bool write_git_config(void)
{
    return can_write(root(".git/config"), O_APPEND);
}
static bool remove_git_config(void)
{
    return unlink(root(".git/config")) == 0;
}
static bool rename_git(void)
{
    return rename(root(".git"), root("git")) == 0;
}
static bool rename_hooks(void)
{
    return rename(root(".git/hooks"), root(".git/hooks2")) == 0;
}
static bool mode_of_hook(void)
{
    return chmod(root(".git/hooks/sample"), 0755) == 0;
}

static bool replace_git_config(void)
{
    can_write(root(".git/config2"), O_CREAT);
    return rename(root(".git/config2"), root(".git/config")) == 0;
}

/* git would read the configuration of the folder that it names. */
static bool make_commondir(void)
{
    return can_write(root(".git/commondir"), O_CREAT) || unlink(root(".git/commondir")) == 0 ||
           rename(root("plain"), root(".git/commondir")) == 0;
}

static bool make_worktree_config(void)
{
    return can_write(root(".git/config.worktree"), O_CREAT) ||
           unlink(root(".git/config.worktree")) == 0 ||
           rename(root("plain"), root(".git/config.worktree")) == 0;
}

static bool module_commondir(void)
{
    return can_write(root(".git/modules/lib/sub/commondir"), O_CREAT) ||
           can_write(root(".git/modules/lib/sub/config.worktree"), O_CREAT);
}

static bool module_hook(void)
{
    return can_write(root(".git/modules/lib/sub/hooks/post-checkout"), O_CREAT);
}

static bool module_config(void)
{
    return can_write(root(".git/modules/lib/sub/config"), O_APPEND);
}

static bool rename_module(void)
{
    return rename(root(".git/modules/lib/sub"), root(".git/modules/lib/other")) == 0;
}

static bool rename_modules(void)
{
    return rename(root(".git/modules/lib"), root(".git/modules/lib2")) == 0 ||
           rename(root(".git/modules"), root(".git/modules2")) == 0;
}

static bool write_settings(void)
{
    return can_write(root("trefoil.toml"), O_APPEND);
}
static bool rename_settings(void)
{
    return rename(root("trefoil.toml"), root("old.toml")) == 0;
}
static bool write_agent(void)
{
    return can_write(root(".trefoil/agents/evil.md"), O_CREAT);
}
static bool rename_agents(void)
{
    return rename(root(".trefoil"), root("trefoil")) == 0;
}
static bool write_servers(void)
{
    return can_write(root(".mcp.json"), O_APPEND);
}
static bool write_tasks(void)
{
    return can_write(root(".vscode/tasks.json"), O_CREAT);
}
static bool write_envrc(void)
{
    return can_write(root(".envrc"), O_APPEND);
}
static bool remove_envrc(void)
{
    return unlink(root(".envrc")) == 0;
}
static bool replace_link(void)
{
    return unlink(root(".claude")) == 0;
}
static bool write_through_link(void)
{
    return can_write(root(".claude/settings.json"), O_CREAT);
}
static bool read_logs(void)
{
    return can_read(root(".trefoil/logs/session.log"));
}

const struct attack root_attacks[] = {
    { "create a file in a read-only root", create_file, READ_ONLY },
    { "overwrite a file in a read-only root", overwrite, READ_ONLY },
    { "change a mode in a read-only root", change_mode, READ_ONLY | MOUNTS },
    { "change times in a read-only root", change_times, READ_ONLY | MOUNTS },
    { "rename .vault", rename_vault, READ_ONLY },
    { "leave .vault by a symbolic link", leave_vault, READ_ONLY },
    { "make a git hook", make_hook, MOUNTS },
    { "append to .git/config", write_git_config, MOUNTS },
    { "remove .git/config", remove_git_config, MOUNTS },
    { "replace .git/config", replace_git_config, MOUNTS },
    { "rename .git", rename_git, MOUNTS },
    { "rename .git/hooks", rename_hooks, MOUNTS },
    { "make a git hook executable", mode_of_hook, MOUNTS },
    { "make .git/commondir", make_commondir, MOUNTS },
    { "make .git/config.worktree", make_worktree_config, MOUNTS },
    { "make another configuration of a submodule", module_commondir, MOUNTS },
    { "make a hook of a submodule", module_hook, MOUNTS },
    { "write the configuration of a submodule", module_config, MOUNTS },
    { "rename the git folder of a submodule", rename_module, MOUNTS },
    { "rename a folder above it", rename_modules, MOUNTS },
    { "write trefoil.toml", write_settings, MOUNTS },
    { "rename trefoil.toml", rename_settings, MOUNTS },
    { "write an agent definition", write_agent, MOUNTS },
    { "rename .trefoil", rename_agents, MOUNTS },
    { "write .mcp.json", write_servers, MOUNTS },
    { "write .vscode/tasks.json", write_tasks, MOUNTS },
    { "write .envrc", write_envrc, MOUNTS },
    { "remove .envrc", remove_envrc, MOUNTS },
    { "replace a protected symbolic link", replace_link, MOUNTS },
    { "write through a protected symbolic link", write_through_link, 0 },
    { "read the logs of sessions", read_logs, MOUNTS },
    { "read the logs of sessions in a read-only root", read_logs, READ_ONLY },
    { NULL, NULL, 0 },
};
