#include "daemon/daemon_socket.h"
#include "base/version.h"

#include "base/auto.h"
#include "loop/file.h"
#include "provider/provider.h"
#include "runtime/config_reload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CONFIG_MOST = 16 << 20 }; /* maximum size of one configuration file */

/* Compute a 64-bit digest of a text, which is the same in every process. */
static void letters(struct str text, char out[DAEMON_DIGEST])
{
    state_name_of(text, out);
}

static struct str letters_of(struct arena *mem, struct str text)
{
    char out[DAEMON_DIGEST];

    letters(text, out);
    return arena_str(mem, str_of(out));
}

/* ---- the path of the socket ---------------------------------------------------------------- */

/*
 * Get trefoil's folder in XDG_RUNTIME_DIR. A folder of another user is rejected, because sudo may
 * keep the variable.
 */
static bool runtime_folder(struct arena *mem, const char *base, bool make, const char **out,
                           struct err *e)
{
    struct stat st;

    if (stat(base, &st))
        return fail_sys(e, "XDG_RUNTIME_DIR %s", base);
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
        return fail(e, ERR_DENIED, "XDG_RUNTIME_DIR %s is not a directory of this user", base);
    *out = arena_printf(mem, "%s/" TREFOIL_NAME, base).p;
    if (make && mkdir(*out, 0700) && errno != EEXIST)
        return fail_sys(e, "cannot create directory %s", *out);
    return true;
}

static bool socket_folder(struct arena *mem, bool make, const char **out, struct err *e)
{
    const char *base = getenv("XDG_RUNTIME_DIR");

    if (base && *base)
        return runtime_folder(mem, base, make, out, e);
    if (make)
        return root_user_state(mem, out, e);
    *out = root_user_state_path(mem);
    return *out || fail(e, ERR_NOT_FOUND, "there is no state directory of the user");
}

bool daemon_socket_path(struct project *project, bool make, const char **out, struct err *e)
{
    const char *folder;
    struct str name = letters_of(&project->mem, str_of(project->root.path));

    if (!socket_folder(&project->mem, make, &folder, e))
        return false;
    *out = arena_printf(&project->mem, "%s/" STR_FMT ".sock", folder, STR_ARG(name)).p;
    return true;
}

/* ---- digests to compare -------------------------------------------------------------------- */

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

struct str daemon_root_digest(struct project *project)
{
    char real[PATH_MAX] = "";
    struct stat root = { 0 };
    struct str all;

    if (project->config_file && !realpath(project->config_file, real))
        real[0] = 0;
    if (stat(project->root.path, &root))
        root.st_ino = 0;
    all = arena_printf(&project->mem, "%s\n%llu %llu\n%s\n%s\n%s\n%d\n%s", project->root.path,
                       (unsigned long long)root.st_dev, (unsigned long long)root.st_ino,
                       or_nothing(root_user_state_path(&project->mem)), real,
                       or_nothing(root_user_config(&project->mem)), project->trust,
                       or_nothing(getenv("TREFOIL_PROVIDER")));
    return letters_of(&project->mem, all);
}

/* The digest combines the digests of all files. A missing file counts as an empty text. */
void daemon_config_digest(const struct project *project, char out[DAEMON_DIGEST])
{
    AUTO_ARENA scratch = { 0 };
    const char *path[RELOAD_PATHS];
    size_t n = reload_paths(project, &scratch, path);
    char all[(RELOAD_PATHS + 1) * DAEMON_DIGEST];
    struct err e;

    letters((struct str){ (const char *)&project->config.limits, sizeof(project->config.limits) },
            all);
    for (size_t i = 0; i < RELOAD_PATHS; i++) {
        AUTO_ARENA mem = { 0 };
        struct str text = STR("");

        if (i < n)
            file_read(&mem, path[i], CONFIG_MOST, &text, &e);
        letters(text, all + (i + 1) * DAEMON_DIGEST);
    }
    letters((struct str){ all, sizeof(all) }, out);
}

/* Add a key to the list. False: the list is full. */
static bool add_key(struct arena *mem, struct pick_strs *list, const char *table, const char *name,
                    struct str value)
{
    if (!name || !value.n)
        return true;
    if (list->n == DAEMON_KEYS)
        return false;
    list->v[list->n++] =
        arena_printf(mem, "%s%s=" STR_FMT, table, name, STR_ARG(letters_of(mem, value)));
    return true;
}

static struct str variable(const char *name)
{
    return name ? str_of(getenv(name)) : STR_NONE;
}

bool daemon_key_digests(struct arena *mem, const struct config *c, struct pick_strs *out,
                        struct err *e)
{
    struct pick_strs list = { .v = ARENA_ARRAY(mem, struct str, DAEMON_KEYS), .set = true };
    bool all = true;

    for (size_t i = 0; i < provider_preset_count; i++) {
        const struct provider_preset *p = &provider_presets[i];

        all &= add_key(mem, &list, "", p->key_env, variable(p->key_env));
        all &= add_key(mem, &list, "", p->url_env, variable(p->url_env));
    }
    for (size_t i = 0; i < c->models.providers; i++)
        all &= add_key(mem, &list, "providers.", c->models.provider[i].spec.name,
                       c->models.provider[i].spec.key);
    if (!all)
        return fail(e, ERR_LIMIT, "more than %d model API keys; the daemon cannot compare them",
                    DAEMON_KEYS);
    *out = list;
    return true;
}

/* ---- connecting ---------------------------------------------------------------------------- */

int daemon_connect(const char *path, int *out_pid)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    struct ucred peer;
    socklen_t size = sizeof(peer);
    AUTO_FD fd = -1;

    if (!str_to_c(str_of(path), a.sun_path, sizeof(a.sun_path)) || access(path, F_OK))
        return -1;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&a, sizeof(a)) ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid())
        return -1;
    *out_pid = peer.pid;
    return TAKE_FD(fd);
}
