#include "proto/acp/client/acp_client_home.h"

#include "base/auto.h"
#include "base/log.h"
#include "core/state.h"
#include "proto/acp/client/acp_client_preset.h"

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

bool acp_home_open(struct arena *mem, const struct acp_driven *s, const char **out, struct err *e)
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
    if (path)
        utimensat(AT_FDCWD, path, NULL, 0); /* unused folders are deleted (state/agent_homes.h) */
    *out = path;
    return path != NULL;
}

void acp_home_drop(const struct acp_driven *s)
{
    struct state_port *state = s->session->host.state;
    const char *path;
    struct err e;

    if (!state || !s->program || s->session->fence)
        return;
    path = state->find(state, &e);
    if (path)
        s->program->world->tools->delete_home(path, s->session->id);
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

/* ---- files of the user ----------------------------------------------------------------------- */

static const char *users_home(const struct acp_link *c)
{
    const char *const *env = c->session->program->world->environ;

    for (; *env; env++)
        if (str_starts(str_of(*env), STR("HOME=/")))
            return *env + 5;
    return NULL;
}

static struct acp_home_files home_files(const struct acp_link *c)
{
    const struct acp_preset *preset = c->session->program->preset;

    return (struct acp_home_files){ .users = users_home(c),
                                    .private_home = c->home,
                                    .settings = preset->settings,
                                    .credentials = preset->credentials };
}

static void warn_copy(const struct acp_link *c, const char *what, const struct err *e)
{
    LOG(LOG_WARN, "acp", what, LOG_Z("agent", c->session->agent->def->name), LOG_Z("why", e->text));
}

void acp_home_lend(struct acp_link *c, const char *home)
{
    struct acp_home_files files;
    struct err e;

    c->home = arena_cstr(&c->mem, str_of(home));
    files = home_files(c);
    if (files.users && !c->session->program->world->tools->copy_in(&files, &e))
        warn_copy(c, "cannot copy a file for the agent", &e);
}

void acp_home_return(struct acp_link *c)
{
    struct acp_home_files files;
    struct err e;

    if (!c->home)
        return;
    files = home_files(c);
    if (files.users && !c->session->program->world->tools->copy_back(&files, &e))
        warn_copy(c, "a renewed credential was not copied back", &e);
    c->home = NULL;
}
