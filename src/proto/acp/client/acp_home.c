#include "proto/acp/client/acp_home.h"

#include "base/auto.h"
#include "core/state.h"
#include "loop/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static const char *make_folder(struct arena *mem, const char *above, const char *name,
                               struct err *e)
{
    const char *path = arena_printf(mem, "%s/%s", above, name).p;

    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return path;
    fail_sys(e, "create the folder %s", path);
    return NULL;
}

bool acp_home_open(struct arena *mem, const struct acp_session *s, const char **out, struct err *e)
{
    struct state_port *state = s->session->host.state;
    const char *path;

    *out = NULL;
    if (!state)
        return true;
    path = state->open(state, e);
    if (path)
        path = make_folder(mem, path, "homes", e);
    if (path)
        path = make_folder(mem, path, s->session->id, e);
    *out = path;
    return path != NULL;
}

static bool write_all(int fd, struct str text)
{
    while (text.n) {
        ssize_t n = write(fd, text.p, text.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text = str_skip(text, (size_t)n);
    }
    return true;
}

const char *acp_home_write(struct arena *mem, const char *home, const char *name, struct str text,
                           struct err *e)
{
    const char *path = arena_printf(mem, "%s/%s", home, name).p;
    AUTO_FD fd = -1;

    /* The agent may have put a link there. */
    if (unlink(path) == 0 || errno == ENOENT)
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && write_all(fd, text))
        return path;
    fail_sys(e, "write %s", path);
    return NULL;
}
