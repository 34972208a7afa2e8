#include "core/guard/guard_read_only.h"

#include "base/auto.h"
#include "core/tool/path_args.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct str vault = STR(".vault/");

/* A link may still be added to the path later, so the tool checks again when it opens the path. */
static bool seems_without_links(const struct host *host, const char *path)
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

bool vault_holds(struct str below)
{
    return below.n > vault.n && str_starts(below, vault) && str_find_byte(below, 0) < 0;
}

bool guard_in_vault(const struct host *host, struct json args)
{
    AUTO_ARENA mem = { 0 };
    struct pick_strs paths;

    if (!path_args(&mem, host, args, &paths))
        return false;
    for (size_t i = 0; i < paths.n; i++)
        if (!vault_holds(paths.v[i]) || !seems_without_links(host, arena_cstr(&mem, paths.v[i])))
            return false;
    return paths.n > 0;
}
