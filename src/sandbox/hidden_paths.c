/*
 * hidden_paths.c - the secrets of a machine and of a home folder, and folders of other users.
 *
 * Only what exists is in the plan. A child cannot create what is missing, because the home folder is
 * read-only for it.
 */
#include "sandbox/plan.h"

#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below a home folder. Keep the order of the groups. */
static const char *const home_secrets[] = {
    /* keys and password stores */
    ".ssh",
    ".gnupg",
    ".pki",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/op",
    ".config/sops",
    ".config/age",
    ".age",
    ".vault-token",
    ".Xauthority",
    ".ICEauthority",
    ".config/Bitwarden",
    ".config/1Password",
    ".config/keepassxc",
    ".local/share/pass",
    ".tsh",
    ".bitcoin",
    ".electrum",
    /* clouds and clusters */
    ".aws",
    ".azure",
    ".config/gcloud",
    ".boto",
    ".s3cfg",
    ".oci",
    ".ibmcloud",
    ".config/doctl",
    ".fly",
    ".netrc",
    ".heroku",
    ".kube",
    ".docker",
    ".config/containers/auth.json",
    ".config/helm",
    ".terraform.d",
    ".terraformrc",
    ".databrickscfg",
    ".snowsql",
    ".config/rclone",
    ".mc",
    ".config/stripe",
    ".config/ngrok",
    ".ngrok2",
    ".config/.wrangler",
    ".wrangler",
    ".config/configstore",
    ".minikube",
    ".aliyun",
    ".tccli",
    ".config/hcloud",
    ".config/linode-cli",
    ".config/scw",
    ".config/heroku",
    ".config/netlify",
    ".netlify",
    ".local/share/com.vercel.cli",
    ".railway",
    ".supabase",
    ".kaggle",
    ".huggingface/token",
    ".cache/huggingface/token",
    /* packages, git and databases */
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".config/pip",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".nuget/NuGet/NuGet.Config",
    ".bundle/config",
    ".sbt/.credentials",
    ".ivy2/.credentials",
    ".subversion/auth",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    /* browsers, mail and chat */
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".cache/mozilla",
    ".cache/google-chrome",
    ".cache/chromium",
    ".config/Signal",
    ".config/Slack",
    ".config/discord",
    ".var/app",
    "snap",
    /* histories */
    ".bash_history",
    ".zsh_history",
    ".local/share/fish",
    ".ash_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".lesshst",
    ".viminfo",
    ".wget-hsts",
    /* agents and editors */
    ".claude/.credentials.json",
    ".claude.json",
    ".claude/projects",
    ".claude/history.jsonl",
    ".codex/auth.json",
    ".codex/sessions",
    ".codex/history.jsonl",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".cursor/mcp.json",
    ".config/github-copilot",
    ".config/Code/User",
    ".config/Cursor/User",
    /* ours */
    ".config/trefoil",
    ".local/state/trefoil",
};

static const char *const system_secrets[] = {
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/security/opasswd",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/NetworkManager/system-connections",
    "/etc/wireguard",
    "/etc/kubernetes",
    "/etc/rancher",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/trefoil",
    "/var/lib/trefoil",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/lib/rancher",
    "/var/lib/sss",
    "/var/lib/postgresql",
    "/var/lib/mysql",
    "/var/lib/systemd/coredump",
    "/var/spool",
    "/var/mail",
    "/var/backups",
};

/* Replaced by empty folders: sockets and files of services, of other programs, of other users. */
static const char *const covered[] = { "/run", "/var/run", "/tmp", "/var/tmp", "/home", "/root" };

static bool too_many(struct err *e)
{
    return fail(e, ERR_LIMIT, "the sandbox has too many paths (most: %d)", PATH_LIST_MOST);
}

/* ---- home folders ------------------------------------------------------------------------ */

static const char *passwd_home(struct arena *mem)
{
    FILE *f = fopen("/etc/passwd", "re");
    const struct passwd *pw;
    const char *home = NULL;

    if (!f)
        return NULL;
    while (!home && (pw = fgetpwent(f)))
        if (pw->pw_uid == getuid())
            home = arena_cstr(mem, str_of(pw->pw_dir));
    fclose(f);
    return home;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void add_home(struct sandbox_plan *p, const char *path)
{
    const char *real = path && path[0] == '/' ? path_real(&p->mem, path) : NULL;

    if (real && real[1] && is_folder(real))
        path_list_add(&p->mem, &p->homes, real);
}

bool plan_homes(struct sandbox_plan *p, struct err *e)
{
    (void)e;
    add_home(p, p->user_home);
    add_home(p, passwd_home(&p->mem));
    return true;
}

/* ---- covers ------------------------------------------------------------------------------ */

/* A home folder stays; folders above it are covered, and it is put back. */
static bool plan_cover(struct sandbox_plan *p, const char *path, struct err *e)
{
    const char *real = path_real(&p->mem, path);

    if (!real || !real[1] || path_list_has(&p->homes, real) || !is_folder(real))
        return true;
    for (size_t i = 0; i < p->trees; i++)
        if (path_within(real, p->tree[i].path)) /* the root is /tmp, or the like */
            return true;
    return path_list_add(&p->mem, &p->covers, real) || too_many(e);
}

/* ---- hidden paths ------------------------------------------------------------------------ */

static bool in_tree(const struct sandbox_plan *p, const char *path, const char *below)
{
    for (size_t i = 0; i < p->trees; i++)
        if (path_within(path, p->tree[i].path) && path_within(p->tree[i].path, below))
            return true;
    return false;
}

/* Is the path out of sight already? */
static bool is_covered(const struct sandbox_plan *p, const char *path)
{
    const char *cover = path_list_above(&p->covers, path);

    return cover && !in_tree(p, path, cover);
}

static const char *tree_below(const struct sandbox_plan *p, const char *path)
{
    for (size_t i = 0; i < p->trees; i++)
        if (path_within(p->tree[i].path, path))
            return p->tree[i].path;
    return NULL;
}

/* A hidden folder that contains the private folder is covered instead, so that this one stays. */
static bool hide(struct sandbox_plan *p, const char *path, struct err *e)
{
    struct stat st;
    const char *real;

    if (lstat(path, &st) < 0)
        return true;
    real = path_real(&p->mem, path);
    if (!real || is_covered(p, real))
        return true;
    if (path_within(p->profile.root, real))
        return fail(e, ERR_DENIED,
                    "the root %.80s is in %.80s, which the sandbox hides; choose another root",
                    p->profile.root, real);
    if (path_within(real, p->profile.root))
        return fail(e, ERR_DENIED,
                    "the root %.80s contains %.80s, which the sandbox hides; choose a folder below "
                    "it as root",
                    p->profile.root, real);
    if (path_list_above(&p->hidden, real))
        return true;
    if (tree_below(p, real))
        return path_list_add(&p->mem, &p->covers, real) || too_many(e);
    return path_list_add(&p->mem, &p->hidden, real) || too_many(e);
}

/* sudo may leave variables that name folders of another user. */
static bool is_in_own_folder(struct arena *mem, const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    const char *folder = arena_cstr(mem, (struct str){ path, (size_t)(slash - path) });

    return stat(folder, &st) == 0 && st.st_uid == geteuid();
}

static void make_own_folders(struct arena *mem, const char *path)
{
    for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        size_t n = slash ? (size_t)(slash - path) : strlen(path);
        const char *folder = arena_cstr(mem, (struct str){ path, n });

        if (is_in_own_folder(mem, folder))
            (void)mkdir(folder, 0700);
        if (!slash)
            return;
    }
}

/*
 * A path of trefoil. A folder that does not exist is created, because nothing can be mounted on a
 * missing one, and the sockets that will be in it must be hidden. Where it cannot be created, no
 * sandbox of this user can create it, either. If the root is in the folder, everything beside the
 * root is hidden.
 */
static bool hide_own(struct sandbox_plan *p, const char *path, struct err *e)
{
    size_t n = strlen(path);
    const char *folder, *real;

    if (n < 2 || path[n - 1] != '/')
        return hide(p, path, e);
    folder = arena_cstr(&p->mem, (struct str){ path, n - 1 });
    if (!is_covered(p, folder))
        make_own_folders(&p->mem, folder);
    real = path_real(&p->mem, folder);
    if (real && path_within(p->profile.root, real) && !is_covered(p, real))
        return path_list_add(&p->mem, &p->covers, real) || too_many(e);
    return hide(p, folder, e);
}

static bool hide_home(struct sandbox_plan *p, const char *home, struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(home_secrets); i++)
        if (!hide(p, path_join(&p->mem, home, home_secrets[i]), e))
            return false;
    return true;
}

/* The secrets of ~/.config in the folder that XDG_CONFIG_HOME names instead. What is in the root is
 * not secret. */
static bool hide_config(struct sandbox_plan *p, struct err *e)
{
    const struct str usual = STR(".config/");
    const char *config = p->user_config ? path_real(&p->mem, p->user_config) : NULL;

    if (!config || path_within(config, p->profile.root))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(home_secrets); i++) {
        struct str name = str_of(home_secrets[i]);

        if (str_starts(name, usual) &&
            !hide(p, path_join(&p->mem, config, str_skip(name, usual.n).p), e))
            return false;
    }
    return true;
}

/* Sort the covers, and drop each that lies in the empty part of another: it does not exist there. */
static void drop_inner_covers(struct sandbox_plan *p)
{
    size_t n = p->covers.n;

    path_list_sort(&p->covers);
    p->covers.n = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_covered(p, p->covers.v[i]))
            p->covers.v[p->covers.n++] = p->covers.v[i];
}

bool plan_hidden(struct sandbox_plan *p, struct err *e)
{
    for (size_t i = 0; i < p->homes.n; i++)
        if (path_within(p->homes.v[i], p->profile.root))
            return fail(e, ERR_DENIED,
                        "the root %.80s contains the home folder %.80s; choose a folder below it "
                        "as root",
                        p->profile.root, p->homes.v[i]);
    for (size_t i = 0; i < ARRAY_LEN(covered); i++)
        if (!plan_cover(p, covered[i], e))
            return false;
    for (size_t i = 0; i < p->more_hidden.n; i++)
        if (!hide_own(p, p->more_hidden.v[i], e))
            return false;
    for (size_t i = 0; i < p->homes.n; i++)
        if (!hide_home(p, p->homes.v[i], e))
            return false;
    if (!hide_config(p, e))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(system_secrets); i++)
        if (!hide(p, system_secrets[i], e))
            return false;
    drop_inner_covers(p);
    return true;
}
