#include "runtime/sandbox_hidden.h"

#include "base/version.h"
#include "state/root.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { HIDDEN_MOST = 64 }; /* of all lists together; ours are at most four */

/*
 * Variables by which users move secrets from the places that the sandbox knows. `below`: the secret is
 * this file in the folder that the variable names. A value may be a list, separated by colons.
 */
static const struct {
    const char *name, *below;
} secret_variables[] = {
    { "ANSIBLE_VAULT_PASSWORD_FILE", NULL },
    { "AWS_CONFIG_FILE", NULL },
    { "AWS_SHARED_CREDENTIALS_FILE", NULL },
    { "AWS_WEB_IDENTITY_TOKEN_FILE", NULL },
    { "AZURE_CONFIG_DIR", NULL },
    { "BOTO_CONFIG", NULL },
    { "CARGO_HOME", "credentials.toml" },
    { "CLAUDE_CONFIG_DIR", ".credentials.json" },
    { "CLOUDSDK_CONFIG", NULL },
    { "CODEX_HOME", "auth.json" },
    { "DATABRICKS_CONFIG_FILE", NULL },
    { "DOCKER_CONFIG", NULL },
    { "GH_CONFIG_DIR", NULL },
    { "GLAB_CONFIG_DIR", NULL },
    { "GNUPGHOME", NULL },
    { "GOOGLE_APPLICATION_CREDENTIALS", NULL },
    { "HF_HOME", "token" },
    { "HF_TOKEN_PATH", NULL },
    { "HISTFILE", NULL },
    { "KUBECONFIG", NULL },
    { "MYSQL_HISTFILE", NULL },
    { "NETRC", NULL },
    { "NODE_REPL_HISTORY", NULL },
    { "NPM_CONFIG_USERCONFIG", NULL },
    { "PASSWORD_STORE_DIR", NULL },
    { "PGPASSFILE", NULL },
    { "PSQL_HISTORY", NULL },
    { "PYTHON_HISTORY", NULL },
    { "RCLONE_CONFIG", NULL },
    { "REGISTRY_AUTH_FILE", NULL },
    { "SOPS_AGE_KEY_FILE", NULL },
    { "TF_CLI_CONFIG_FILE", NULL },
    { "XAUTHORITY", NULL },
    { "npm_config_userconfig", NULL },
};

struct hidden_list {
    struct arena *mem;
    const char *root;
    const char **v;
    size_t n;
};

/* Is `path` the folder, or below it? */
static bool is_in(struct str path, struct str folder)
{
    return str_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

static void add_path(struct hidden_list *l, const char *path, const char *end)
{
    char real[PATH_MAX];

    if (!realpath(path, real))
        snprintf(real, sizeof(real), "%s", path);
    if (real[0] == '/')
        l->v[l->n++] = arena_printf(l->mem, "%s%s", real, end).p;
}

/* A folder that does not exist is hidden, too: trefoil may create it later. */
static void add_folder(struct hidden_list *l, const char *path)
{
    add_path(l, path, "/");
}

/* The root may be in the user's state folder (root.h), but never in its subfolder `roots`. */
static void add_state(struct hidden_list *l)
{
    const char *state = root_user_state_path(l->mem);

    if (!state)
        return;
    add_path(l, arena_printf(l->mem, "%s/roots", state).p, "");
    add_folder(l, state);
}

static void add_sockets(struct hidden_list *l)
{
    const char *base = getenv("XDG_RUNTIME_DIR");

    if (base && *base)
        add_folder(l, arena_printf(l->mem, "%s/" TREFOIL_NAME, base).p);
}

/* ---- secrets of other programs --------------------------------------------------------------- */

/* Not a device (HISTFILE is often /dev/null), and nothing that programs need as a whole. */
static bool can_be_hidden(const struct hidden_list *l, const char *path)
{
    const char *home = getenv("HOME");
    struct stat st;

    return stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) &&
           !is_in(str_of(path), str_of(l->root)) && !is_in(str_of(l->root), str_of(path)) &&
           !(home && is_in(str_of(home), str_of(path)));
}

static void add_secret(struct hidden_list *l, struct str value, const char *below)
{
    char *real = arena_alloc(l->mem, PATH_MAX);
    const char *path = arena_cstr(l->mem, value);

    if (below)
        path = arena_printf(l->mem, "%s/%s", path, below).p;
    if (path[0] == '/' && l->n < HIDDEN_MOST && realpath(path, real) && can_be_hidden(l, real))
        l->v[l->n++] = real;
}

static void add_secrets(struct hidden_list *l)
{
    for (size_t i = 0; i < ARRAY_LEN(secret_variables); i++) {
        struct str list = str_of(getenv(secret_variables[i].name));

        while (list.n)
            add_secret(l, str_cut(&list, ':'), secret_variables[i].below);
    }
}

const char *const *sandbox_hidden(struct arena *mem, const char *root)
{
    struct hidden_list l = { mem, root, ARENA_ARRAY(mem, const char *, HIDDEN_MOST + 1), 0 };
    const char *config = root_user_config(mem);

    add_state(&l);
    add_sockets(&l);
    if (config && !is_in(str_of(config), str_of(root)))
        add_path(&l, config, "");
    add_secrets(&l);
    return l.v;
}
