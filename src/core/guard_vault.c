#include "core/guard_vault.h"

#include "base/auto.h"
#include "core/path_below.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The arguments of writing tools that are paths, ours and those of tools we stand in for. */
static const struct str path_names[] = {
    STR("path"), STR("file_path"), STR("notebook_path"), STR("from"), STR("to"),
};

static const struct str vault = STR(".vault/");

/* What is not there yet can be no link. */
static bool has_no_links(const struct host *host, const char *path)
{
    const struct open_how how = {
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int fd = (int)syscall(SYS_openat2, host->root_fd, path, &how, sizeof(how));

    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno == ENOENT;
}

/* Tools open the path as it is read here (path_below), so ".." may be in it as given. */
static bool is_inside(struct arena *mem, const struct host *host, struct str path)
{
    struct str below;

    return path_below(mem, host->root, host->cwd, path, &below) && below.n > vault.n &&
           str_starts(below, vault) && str_find_byte(below, 0) < 0 &&
           has_no_links(host, arena_cstr(mem, below));
}

bool guard_in_vault(const struct host *host, struct json args)
{
    AUTO_ARENA mem = { 0 };
    bool any = false;

    for (size_t i = 0; i < ARRAY_LEN(path_names); i++) {
        struct json at = json_get(args, path_names[i]);

        if (!json_here(at))
            continue;
        if (json_type(at) != JSON_STRING || !is_inside(&mem, host, json_str(&mem, at)))
            return false;
        any = true;
    }
    return any;
}
