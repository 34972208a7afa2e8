#include "state/log_dir.h"

#include "base/auto.h"
#include "state/private_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* ---- in the project ------------------------------------------------------------------------- */

/* Logs are not for the repository. A file that is there stays as it is. */
static void write_gitignore(int project)
{
    struct str text = STR("logs/\n");
    AUTO_FD fd = openat(project, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (fd >= 0 && write(fd, text.p, text.n) != (ssize_t)text.n)
        unlinkat(project, ".gitignore", 0);
}

static bool open_project(const char *root, bool make, int *out_fd, struct err *e)
{
    AUTO_FD at = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;

    if (at < 0)
        return private_dir_fail(e, root, "opened");
    if (make && mkdirat(at, ".trefoil", 0700) < 0 && errno != EEXIST)
        return private_dir_fail(e, root, "written");
    fd = openat(at, ".trefoil", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return private_dir_fail(e, ".trefoil", "opened");
    *out_fd = TAKE_FD(fd);
    return true;
}

static bool open_in_project(const char *root, bool make, int *out_fd, struct err *e)
{
    AUTO_FD project = -1, fd = -1;
    bool made;

    if (!open_project(root, make, &project, e))
        return false;
    made = make && mkdirat(project, "logs", 0700) == 0;
    if (!private_dir_enter(project, ".trefoil/logs", "logs", false, &fd, e))
        return false;
    if (make && faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
        return private_dir_fail(e, ".trefoil/logs", "written");
    if (made)
        write_gitignore(project);
    *out_fd = TAKE_FD(fd);
    return true;
}

bool log_dir_find(const char *root, int *out_fd, struct err *e)
{
    return open_in_project(root, false, out_fd, e);
}

/* ---- in the state directory ----------------------------------------------------------------- */

static bool open_in_state(const char *path, bool make, int *out_fd, struct err *e)
{
    AUTO_FD at = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (at < 0)
        return private_dir_fail(e, path, "opened");
    return private_dir_enter(at, path, "logs", make, out_fd, e);
}

bool log_dir_find_in_state(const char *path, int *out_fd, struct err *e)
{
    return open_in_state(path, false, out_fd, e);
}

bool log_dir_open(const char *root, struct state_port *state, int *out_fd, struct err *e)
{
    const char *path;

    if (open_in_project(root, true, out_fd, e))
        return true;
    path = state ? state->open(state, e) : NULL;
    return path && open_in_state(path, true, out_fd, e);
}
