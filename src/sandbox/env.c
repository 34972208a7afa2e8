/*
 * env.c - the environment of a child in a sandbox.
 *
 * Variables that name sockets of the user's session are removed, and so are links to programs that
 * run outside. Caches go to a folder that the child may write: npm and pip do not work without one,
 * and a cache that is shared with the user could bring code into the user's next command.
 */
#include "sandbox/plan.h"

struct env_word {
    const char *name;
    bool more; /* the beginning of names */
};

static const struct env_word removed[] = {
    { "SSH_AUTH_SOCK", false },
    { "SSH_AGENT_PID", false },
    { "GPG_AGENT_INFO", false },
    { "GNOME_KEYRING_", true },
    { "DBUS_", true },
    { "VSCODE_", true },
    { "TMUX", true },
    { "STY", false },
    { "XDG_RUNTIME_DIR", false },
    { "WAYLAND_DISPLAY", false },
    { "DISPLAY", false },
    { "XAUTHORITY", false },
    { "DOCKER_HOST", false },
    { "CONTAINER_HOST", false },
    { "KUBECONFIG", false },
    { "NOTIFY_SOCKET", false },
    { "LISTEN_", true },
    { "SUDO_ASKPASS", false },
    { "SSH_ASKPASS", true },
    { "GIT_ASKPASS", false },
};

static bool name_is(const char *entry, const char *name)
{
    size_t n = strlen(name);

    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static bool is_removed(const char *entry)
{
    for (size_t i = 0; i < ARRAY_LEN(removed); i++)
        if (removed[i].more ? str_starts(str_of(entry), str_of(removed[i].name))
                            : name_is(entry, removed[i].name))
            return true;
    return false;
}

struct env_list {
    struct arena *mem;
    char **v;
    size_t n;
};

enum { ENV_ADDED = 16 };

static void env_set(struct env_list *l, const char *name, const char *value)
{
    char *entry = arena_cstr(l->mem, arena_printf(l->mem, "%s=%s", name, value));

    for (size_t i = 0; i < l->n; i++)
        if (name_is(l->v[i], name)) {
            l->v[i] = entry;
            return;
        }
    l->v[l->n++] = entry;
}

static void env_preset(struct env_list *l, const char *name, const char *value)
{
    for (size_t i = 0; i < l->n; i++)
        if (name_is(l->v[i], name))
            return;
    env_set(l, name, value);
}

static void set_folders(const struct sandbox_plan *p, struct env_list *l)
{
    const char *tmp = p->tmp ? p->tmp : "/tmp";
    const char *caches = p->profile.private_dir ? p->profile.private_dir : tmp;

    if (p->profile.kind == SANDBOX_AGENT && p->profile.private_dir)
        env_set(l, "HOME", p->profile.private_dir);
    env_set(l, "TMPDIR", tmp);
    env_set(l, "XDG_CACHE_HOME", path_join(l->mem, caches, ".cache"));
    env_set(l, "npm_config_cache", path_join(l->mem, caches, ".npm"));
}

/* Without a network npm would try again for more than a minute. */
static void set_offline(const struct sandbox_plan *p, struct env_list *l)
{
    env_preset(l, "npm_config_update_notifier", "false");
    if (!p->offline)
        return;
    env_set(l, "npm_config_offline", "true");
    env_set(l, "npm_config_fetch_retries", "0");
}

char **sandbox_env(struct sandbox_plan *p, char **env)
{
    struct env_list l = { .mem = &p->mem };
    size_t count = 0;

    if (!sandbox_plan_active(p))
        return env;
    while (env[count])
        count++;
    l.v = ARENA_ARRAY(&p->mem, char *, count + ENV_ADDED);
    for (size_t i = 0; i < count; i++)
        if (!is_removed(env[i]))
            l.v[l.n++] = env[i];
    set_folders(p, &l);
    set_offline(p, &l);
    if (!p->writes_root)
        env_set(&l, "GIT_OPTIONAL_LOCKS", "0");
    env_set(&l, "TREFOIL_SANDBOX", sandbox_kind_name(p->profile.kind));
    return l.v;
}
