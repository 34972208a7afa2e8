#include "core/guard/protected_path.h"

#include "base/auto.h"
#include "core/tool/path_args.h"
#include "core/tool/path_below.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Files, and folders with their contents. The first matching row applies. */
static const struct {
    struct str path;
    enum guard_says says;
} rows[] = {
    { STR(".trefoil/agents"), GUARD_ASK }, { STR(".trefoil/skills"), GUARD_ASK },
    { STR(".trefoil"), GUARD_DENY },       { STR("trefoil.toml"), GUARD_ASK },
    { STR(".mcp.json"), GUARD_ASK },       { STR(".vaultspec/agents"), GUARD_ASK },
    { STR(".claude"), GUARD_ASK },         { STR(".codex"), GUARD_ASK },
    { STR(".gemini"), GUARD_ASK },         { STR(".cursor"), GUARD_ASK },
    { STR(".vscode"), GUARD_ASK },         { STR(".zed"), GUARD_ASK },
    { STR(".envrc"), GUARD_ASK },          { STR(".git"), GUARD_ASK },
};

static const struct str logs = STR(".trefoil/logs");

/* ---- by its letters ------------------------------------------------------------------------ */

/* Is `path` the folder, or something below it? */
static bool is_within(struct str path, struct str folder)
{
    return path.n >= folder.n && strncasecmp(path.p, folder.p, folder.n) == 0 &&
           (path.n == folder.n || path.p[folder.n] == '/');
}

/* agents/NAME/agent.json */
static bool is_agent_json(struct str path)
{
    struct str top = str_cut(&path, '/');

    str_cut(&path, '/');
    return path.p && is_within(top, STR("agents")) && path.n == strlen("agent.json") &&
           is_within(path, STR("agent.json"));
}

/* The git folder of a repository in the root, or the file that names it. */
static bool is_in_git(struct str path)
{
    while (path.p) {
        struct str part = str_cut(&path, '/');

        if (part.n == strlen(".git") && is_within(part, STR(".git")))
            return true;
    }
    return false;
}

enum guard_says protected_path(struct str below, bool removes)
{
    enum guard_says says = GUARD_ALLOW;

    if (is_agent_json(below) || is_in_git(below))
        return GUARD_ASK;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (is_within(below, rows[i].path))
            return rows[i].says;
        if (removes && is_within(rows[i].path, below) && rows[i].says > says)
            says = rows[i].says;
    }
    return says;
}

bool protected_log(struct str below)
{
    return is_within(below, logs);
}

bool tool_kind_removes(enum tool_kind kind)
{
    return kind == TOOL_DELETE || kind == TOOL_MOVE;
}

bool tool_kind_writes(enum tool_kind kind)
{
    return kind == TOOL_EDIT || tool_kind_removes(kind);
}

/* ---- links resolved ------------------------------------------------------------------------ */

static bool real_path(const struct host *host, const char *path, char out[PATH_MAX])
{
    const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                                  .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    AUTO_FD fd = (int)syscall(SYS_openat2, host->root_fd, path, &how, sizeof(how));
    char self[64];
    ssize_t n;

    if (fd < 0)
        return false;
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    n = readlink(self, out, PATH_MAX - 1);
    out[n < 0 ? 0 : n] = 0;
    return n > 0;
}

/* Resolve links in the part of the path that exists, and append the part that does not. */
static struct str resolved(struct arena *mem, const struct host *host, struct str path)
{
    char top[PATH_MAX], real[PATH_MAX];
    struct str below;

    if (!real_path(host, ".", top))
        return path;
    for (size_t i = path.n; i > 0; i--) {
        if (i < path.n && path.p[i] != '/')
            continue;
        if (real_path(host, arena_cstr(mem, str_head(path, i)), real) &&
            path_below(mem, top, NULL, str_of(real), &below))
            return arena_printf(mem, STR_FMT STR_FMT, STR_ARG(below), STR_ARG(str_skip(path, i)));
    }
    return path;
}

enum guard_says guard_protected(const struct host *host, const struct tool *tool, struct json args)
{
    AUTO_ARENA mem = { 0 };
    bool removes = tool_kind_removes(tool->kind);
    enum guard_says says = GUARD_ALLOW;
    struct pick_strs paths;

    if (tool->alias || !tool_kind_writes(tool->kind) || !host->root)
        return GUARD_ALLOW;
    path_args(&mem, host, args, &paths);
    for (size_t i = 0; i < paths.n; i++) {
        enum guard_says named = protected_path(paths.v[i], removes);
        enum guard_says real = protected_path(resolved(&mem, host, paths.v[i]), removes);

        says = named > says ? named : says;
        says = real > says ? real : says;
    }
    return says;
}
