#include "core/guard_vault.h"

#include "base/auto.h"
#include "core/path_args.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Tools open the path as it is read (path_below), so ".." may be in it as given. */
static bool is_inside(struct arena *mem, const struct host *host, struct str below)
{
    return below.n > vault.n && str_starts(below, vault) && str_find_byte(below, 0) < 0 &&
           has_no_links(host, arena_cstr(mem, below));
}

bool guard_in_vault(const struct host *host, struct json args)
{
    AUTO_ARENA mem = { 0 };
    struct pick_strs paths;

    if (!path_args(&mem, host, args, &paths))
        return false;
    for (size_t i = 0; i < paths.n; i++)
        if (!is_inside(&mem, host, paths.v[i]))
            return false;
    return paths.n > 0;
}
