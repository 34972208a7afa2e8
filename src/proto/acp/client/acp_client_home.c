#include "proto/acp/client/acp_client_home.h"

#include "base/auto.h"
#include "base/log.h"
#include "core/state.h"
#include "loop/file.h"
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
    AUTO_ARENA mem = { 0 };
    const char *path;
    struct err e;

    if (!state || s->session->fence)
        return;
    path = state->find(state, &e);
    if (path)
        file_remove_tree(arena_printf(&mem, "%s/homes/%s", path, s->session->id).p);
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

/* ---- credentials ----------------------------------------------------------------------------- */

enum { CREDENTIAL_MOST = 1 << 20 };

/* A file that was copied into the HOME of a process. */
struct acp_credential {
    const char *name; /* relative to both folders */
    struct str text;  /* the content of the user's file at that time; STR_NONE: there was no file */
    struct acp_credential *next;
};

static const char *users_home(const struct acp_link *c)
{
    const char *const *env = c->session->program->world->environ;

    for (; *env; env++)
        if (str_starts(str_of(*env), STR("HOME=/")))
            return *env + 5;
    return NULL;
}

/* A missing file is an empty text with p == NULL. */
static struct str read_home_file(struct arena *mem, const char *home, const char *name)
{
    struct str text;
    struct err e;

    return file_read_beneath(mem, home, name, CREDENTIAL_MOST, &text, NULL, &e) ? text : STR_NONE;
}

static struct str lend_file(struct acp_link *c, const char *home, const char *name)
{
    const char *from = users_home(c);
    struct str text = from ? read_home_file(&c->mem, from, name) : STR_NONE;
    struct err e;

    if (text.p && !file_write_beneath(home, name, text, 0600, &e))
        LOG(LOG_WARN, "acp", "cannot copy a file for the agent",
            LOG_Z("agent", c->session->agent->def->name), LOG_Z("why", e.text));
    return text;
}

void acp_home_lend(struct acp_link *c, const char *home)
{
    const struct acp_preset *preset = c->session->program->preset;

    c->home = arena_cstr(&c->mem, str_of(home));
    for (size_t i = 0; preset->settings && preset->settings[i]; i++)
        lend_file(c, home, preset->settings[i]);
    for (size_t i = 0; preset->credentials && preset->credentials[i]; i++) {
        struct acp_credential *lent = ARENA_NEW(&c->mem, struct acp_credential);

        lent->name = preset->credentials[i];
        lent->text = lend_file(c, home, lent->name);
        lent->next = c->credentials;
        c->credentials = lent;
    }
}

/* A credential is one JSON object. The agent must not put anything else into the user's HOME. */
static bool is_credential(struct arena *mem, struct str text)
{
    const struct json_opts opts = { .max_depth = 32, .max_values = 10000 };
    struct json v;
    struct err e;

    return json_read(mem, text, &opts, &v, &e) && json_type(v) == JSON_OBJECT;
}

static void return_file(const struct acp_link *c, const struct acp_credential *lent, const char *to)
{
    AUTO_ARENA mem = { 0 };
    struct str now = read_home_file(&mem, c->home, lent->name);
    const char *why = NULL;
    struct err e;

    if (!lent->text.p || !now.p || str_eq(now, lent->text))
        return;
    if (!is_credential(&mem, now))
        why = "the agent has written something that is not a JSON object";
    else if (!str_eq(read_home_file(&mem, to, lent->name), lent->text))
        why = "another program has changed it meanwhile";
    else if (!file_write_beneath(to, lent->name, now, 0600, &e))
        why = e.text;
    LOG(why ? LOG_WARN : LOG_INFO, "acp",
        why ? "a renewed credential was not copied back" : "a renewed credential was copied back",
        LOG_Z("file", lent->name), LOG_Z("why", why ? why : "the agent has changed it"));
}

void acp_home_return(struct acp_link *c)
{
    const char *to = c->credentials ? users_home(c) : NULL;

    for (const struct acp_credential *lent = c->credentials; to && lent; lent = lent->next)
        return_file(c, lent, to);
    c->credentials = NULL;
}
