#include "state/root.h"

#include "base/auto.h"
#include "loop/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *env(const char *name)
{
    const char *v = getenv(name);

    return v && *v ? v : NULL;
}

static const char *join(struct arena *mem, const char *folder, const char *name)
{
    return arena_printf(mem, "%s/%s", folder, name).p;
}

static bool exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

/* The first of systemd's list. */
static const char *systemd_state(struct arena *mem)
{
    struct str list = str_of(env("STATE_DIRECTORY"));

    return list.n ? arena_cstr(mem, str_cut(&list, ':')) : NULL;
}

const char *root_user_state_path(struct arena *mem)
{
    const char *base = env("XDG_STATE_HOME"), *home = env("HOME"), *own = env("TREFOIL_STATE_DIR");

    if (!own)
        own = systemd_state(mem);
    if (own)
        return own;
    if (base)
        return join(mem, base, "trefoil");
    return home ? join(mem, home, ".local/state/trefoil") : NULL;
}

bool root_user_state(struct arena *mem, const char **out, struct err *e)
{
    const char *path = root_user_state_path(mem);

    if (!path)
        return fail(e, ERR_NOT_FOUND,
                    "there is no state directory: neither TREFOIL_STATE_DIR, XDG_STATE_HOME nor "
                    "HOME is set");
    if (path[0] != '/')
        return fail(e, ERR_INVALID, "state directory %.150s: expected an absolute path", path);
    if (!file_make_folders(mem, path, e))
        return false;
    *out = path;
    return true;
}

const char *root_user_config(struct arena *mem)
{
    const char *base = env("XDG_CONFIG_HOME"), *home = env("HOME");

    if (base)
        return join(mem, base, "trefoil/config.toml");
    return home ? join(mem, home, ".config/trefoil/config.toml") : NULL;
}

/* ---- the root --------------------------------------------------------------------------- */

static bool resolve(struct arena *mem, const char *path, const char **out, struct err *e)
{
    char *real = arena_alloc(mem, PATH_MAX);
    struct stat st;

    if (!realpath(path, real))
        return fail_sys(e, "root folder %s", path);
    if (stat(real, &st) < 0 || !S_ISDIR(st.st_mode))
        return fail(e, ERR_INVALID, "root %s is not a folder", path);
    *out = real;
    return true;
}

static bool too_wide(const char *path)
{
    const char *home = env("HOME");
    char real[PATH_MAX];

    if (str_eq(str_of(path), STR("/")))
        return true;
    return home && realpath(home, real) && str_eq(str_of(path), str_of(real));
}

static const char *marker_in(struct arena *mem, const char *folder)
{
    static const char *const markers[] = { "trefoil.toml", ".trefoil", ".git" };

    for (size_t i = 0; i < ARRAY_LEN(markers); i++)
        if (exists(join(mem, folder, markers[i])))
            return markers[i];
    return NULL;
}

/* The nearest folder upwards from `start` with a marker; `start` itself when there is none. */
static bool search(struct arena *mem, const char *start, struct root *out, struct err *e)
{
    const char *here;
    char *folder;

    if (!resolve(mem, start, &here, e))
        return false;
    folder = arena_cstr(mem, str_of(here));
    while (folder[0] && !too_wide(folder)) {
        const char *marker = marker_in(mem, folder);

        if (marker) {
            *out = (struct root){ folder, marker };
            return true;
        }
        *strrchr(folder, '/') = 0;
    }
    *out = (struct root){ here, "working folder" };
    return true;
}

bool root_folder_open(struct arena *mem, const char *path, const char **out, int *out_fd,
                      struct err *e)
{
    if (!resolve(mem, path, out, e))
        return false;
    if (too_wide(*out))
        return fail(e, ERR_DENIED, "%s contains all files of the user; name a folder inside it",
                    *out);
    *out_fd = open(*out, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return *out_fd >= 0 || fail_sys(e, "open folder %s", *out);
}

static bool user_root(struct arena *mem, struct root *out, struct err *e)
{
    const char *state = NULL;

    if (!root_user_state(mem, &state, e))
        return false;
    out->path = join(mem, state, "root");
    out->from = "user state";
    return file_make_folders(mem, out->path, e);
}

bool root_of_folder(struct arena *mem, const char *folder, struct root *out, struct err *e)
{
    if (!search(mem, folder, out, e))
        return false;
    return too_wide(out->path) ? user_root(mem, out, e) : true;
}

bool root_find(struct arena *mem, const char *chosen, struct root *out, struct err *e)
{
    out->from = chosen ? "--root" : "TREFOIL_ROOT";
    if (!chosen)
        chosen = env("TREFOIL_ROOT");
    if (chosen) {
        if (!resolve(mem, chosen, &out->path, e))
            return false;
        if (too_wide(out->path))
            return fail(e, ERR_DENIED, "%s: %s cannot be a root; name a project folder", out->from,
                        out->path);
        return true;
    }
    return root_of_folder(mem, ".", out, e);
}
