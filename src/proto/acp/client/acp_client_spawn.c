/*
 * acp_client_spawn.c - the command, the environment and the sandbox of an agent's process.
 *
 * The process gets the base set of our environment, the keys of its own provider, and the settings
 * of the definition as TREFOIL_* and VAULTSPEC_*. It runs in the sandbox profile `agent`, with a
 * HOME of its own for each session (acp_client_home.c).
 */
#include "base/auto.h"
#include "base/log.h"
#include "core/guard/guard_read_only.h"
#include "core/sandbox_policy.h"
#include "loop/proc_env.h"
#include "proto/acp/client/acp_client_home.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_preset.h"

#include <assert.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* A variable has at most this many bytes; longer system prompts are passed in a file. */
enum { ENV_PROMPT_MOST = 64 << 10 };

/* Variables that are not in the definition: see set_words, set_instructions and set_settings. */
enum { ENV_OWN = 80 };

bool acp_reads_only(const struct acp_driven *s)
{
    return guard_is_read_only(&s->session->scope);
}

/* ---- the command ----------------------------------------------------------------------------- */

struct word_list {
    struct arena *mem;
    const char **v;
    size_t n;
};

static void add_word(struct word_list *l, const char *word)
{
    l->v = arena_grow(l->mem, l->v, l->n * sizeof(*l->v), (l->n + 2) * sizeof(*l->v));
    l->v[l->n++] = word;
    l->v[l->n] = NULL;
}

static void add_option(struct word_list *l, const char *option, struct str value)
{
    if (!option || !value.n)
        return;
    add_word(l, option);
    add_word(l, arena_cstr(l->mem, value));
}

static void add_options(struct word_list *l, const char *option, const struct pick_strs *values)
{
    for (size_t i = 0; i < values->n; i++)
        add_option(l, option, values->v[i]);
}

static const char *const *agent_argv(struct arena *mem, const struct acp_program *program,
                                     uint16_t port)
{
    const struct acp_preset *preset = program->preset;
    const struct agent_def *def = program->def;
    struct word_list l = { .mem = mem };

    for (size_t i = 0; i < def->command.n; i++)
        add_word(&l, arena_cstr(mem, def->command.v[i]));
    for (size_t i = 0; !def->command.n && preset->argv && preset->argv[i]; i++)
        add_word(&l, preset->argv[i]);
    if (port)
        add_option(&l, preset->port_option, arena_printf(mem, "%u", port));
    add_option(&l, preset->model_option, program->model);
    if (!str_eq(def->approval_mode, STR("yolo")) || def->trusted) /* see acp_client_settings.c */
        add_option(&l, preset->approval_option, def->approval_mode);
    add_option(&l, preset->format_option, def->output_format);
    add_options(&l, preset->include_option, &def->include_dirs);
    add_options(&l, preset->allowed_option, &def->allowed);
    return l.v;
}

/* ---- the environment ------------------------------------------------------------------------- */

struct agent_env_list {
    struct arena *mem;
    struct proc_env_var *v;
    size_t n, most;
};

static void set_var(struct agent_env_list *l, const char *name, struct str value)
{
    if (!value.p)
        return;
    assert(l->n < l->most);
    l->v[l->n++] = (struct proc_env_var){ str_of(name), value };
}

/* Under both names: TREFOIL_MODE and VAULTSPEC_MODE. */
static void set_both(struct agent_env_list *l, const char *name, struct str value)
{
    set_var(l, arena_printf(l->mem, "TREFOIL_%s", name).p, value);
    set_var(l, arena_printf(l->mem, "VAULTSPEC_%s", name).p, value);
}

static void set_words(struct agent_env_list *l, const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++) {
        struct str value = str_of(words[i]), name = str_cut(&value, '=');

        set_var(l, arena_cstr(l->mem, name), value);
    }
}

static struct str join(struct arena *mem, const struct pick_strs *list)
{
    struct str all = STR("");

    if (!list->set)
        return STR_NONE;
    for (size_t i = 0; i < list->n; i++)
        all = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(all), i ? "," : "",
                           STR_ARG(list->v[i]));
    return all;
}

static bool set_instructions(struct agent_env_list *l, const struct acp_driven *s, const char *home,
                             struct err *e)
{
    const struct acp_preset *preset = s->program->preset;
    struct str text = s->program->instructions;
    bool by_file = preset->prompt_way == ACP_PROMPT_FILE || text.n > ENV_PROMPT_MOST;
    const char *path;

    if (!text.n)
        return true;
    if (text.n <= ENV_PROMPT_MOST)
        set_both(l, "SYSTEM_PROMPT", text);
    if (!by_file)
        return true;
    if (!home)
        return fail(e, ERR_SYSTEM,
                    "the system prompt needs a file, and there is no state directory for it");
    path = acp_home_write(l->mem, home, "system.md", text, e);
    if (!path)
        return false;
    set_both(l, "SYSTEM_PROMPT_FILE", str_of(path));
    if (preset->prompt_file)
        set_var(l, preset->prompt_file, str_of(path));
    return true;
}

static void set_settings(struct agent_env_list *l, const struct acp_driven *s)
{
    const struct agent_def *def = s->program->def;
    struct arena *mem = l->mem;

    set_both(l, "ROOT_DIR", str_of(s->session->host.root));
    set_both(l, "AGENT_MODE",
             str_of(agent_mode_name(acp_reads_only(s) ? AGENT_READ_ONLY : AGENT_READ_WRITE)));
    if (def->max_turns)
        set_both(l, "MAX_TURNS", arena_printf(mem, "%lld", (long long)def->max_turns));
    if (def->budget_usd > 0)
        set_both(l, "BUDGET_USD", arena_printf(mem, "%g", def->budget_usd));
    set_both(l, "MODEL", s->program->model);
    set_both(l, "ALLOWED_TOOLS", join(mem, &def->allowed));
    set_both(l, "DISALLOWED_TOOLS", join(mem, &def->disallowed));
    set_both(l, "EFFORT", def->effort);
    set_both(l, "OUTPUT_FORMAT", def->output_format);
    set_both(l, "FALLBACK_MODEL", def->fallback_model);
    set_both(l, "INCLUDE_DIRS", join(mem, &def->include_dirs));
}

/* Names of variables of ours to pass: those of the preset, then those of the definition. */
static struct str *passed(struct arena *mem, const struct acp_program *program, size_t *n)
{
    const char *const *preset = program->preset->pass;
    const struct pick_strs *own = &program->def->pass_env;
    size_t presets = 0;
    struct str *v;

    while (preset && preset[presets])
        presets++;
    v = ARENA_ARRAY(mem, struct str, presets + own->n + 1);
    for (size_t i = 0; i < presets; i++)
        v[i] = str_of(preset[i]);
    for (size_t i = 0; i < own->n; i++)
        v[presets + i] = own->v[i];
    *n = presets + own->n;
    return v;
}

static bool agent_env(struct arena *mem, const struct acp_driven *s, const char *home,
                      bool confined, const char *const **out, struct err *e)
{
    const struct acp_program *program = s->program;
    size_t most = ENV_OWN + program->def->envs;
    struct agent_env_list list = { .mem = mem,
                                   .v = ARENA_ARRAY(mem, struct proc_env_var, most),
                                   .most = most };
    struct agent_env_list *l = &list;
    struct proc_env_opts o = { .ours = program->world->environ, .set = l->v };

    set_words(l, program->preset->set);
    if (confined)
        set_words(l, program->preset->sandboxed);
    if (home && confined)
        set_var(l, "HOME", str_of(home));
    set_settings(l, s);
    if (!set_instructions(l, s, home, e))
        return false;
    for (size_t i = 0; i < program->def->envs; i++)
        set_var(l, program->def->env[i].name, program->def->env[i].value);
    o.pass = passed(mem, program, &o.passes);
    o.sets = l->n;
    return proc_env(mem, &o, out, e);
}

/* ---- the sandbox ----------------------------------------------------------------------------- */

/*
 * An agent that cannot be confined does not start, unless the user has asked for best effort. A
 * kernel that cannot limit the TCP ports still confines its files: it starts, with a warning.
 */
static bool check_support(const struct acp_driven *s, const struct sandbox_policy *p,
                          bool *out_best_effort, struct err *e)
{
    struct err why;

    *out_best_effort = p->best_effort;
    if (sandbox_policy_enforces(p, SANDBOX_AGENT, &why) || p->best_effort)
        return true;
    *out_best_effort = sandbox_policy_confines_files(p, &why);
    if (!*out_best_effort)
        return fail(e, ERR_DENIED, "%.170s; [sandbox] mode = \"best-effort\" starts it without one",
                    why.text);
    LOG(LOG_WARN, "acp", "the sandbox of an agent is incomplete",
        LOG_Z("agent", s->agent->def->name), LOG_Z("why", why.text));
    return true;
}

/*
 * Find a free TCP port of this machine. Another program may take it before the agent does; then the
 * agent fails to start, and the next prompt tries another port. 0: there is none.
 */
static uint16_t free_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof(at);
    AUTO_FD fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &size) < 0)
        return 0;
    return ntohs(at.sin_port);
}

/* Let the agent connect to a port of its own. The sandbox allows no other ports of this machine. */
static void allow_port(struct arena *mem, struct sandbox_profile *profile, uint16_t port)
{
    uint16_t *all = ARENA_ARRAY(mem, uint16_t, profile->connects + 1);

    if (profile->connects)
        memcpy(all, profile->connect, profile->connects * sizeof(*all));
    all[profile->connects++] = port;
    profile->connect = all;
}

static bool agent_sandbox(struct arena *mem, const struct acp_driven *s, const char *home,
                          uint16_t port, const struct sandbox_profile **out, struct err *e)
{
    const struct sandbox_policy *p = s->session->host.sandbox;
    struct sandbox_profile *profile;
    bool best_effort;

    *out = NULL;
    if (!p || p->standard == SANDBOX_OFF)
        return !acp_reads_only(s) ||
               fail(e, ERR_DENIED,
                    "a read-only agent of this kind needs the sandbox, and [sandbox] default is "
                    "off");
    if (!check_support(s, p, &best_effort, e))
        return false;
    profile = ARENA_NEW(mem, struct sandbox_profile);
    *profile = sandbox_policy_profile(p, SANDBOX_AGENT, s->session->host.root);
    profile->writes_root = !acp_reads_only(s);
    profile->private_dir = home;
    profile->best_effort = best_effort;
    if (port)
        allow_port(mem, profile, port);
    *out = profile;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool acp_command(struct arena *mem, struct acp_link *c, struct child_command *out, struct err *e)
{
    const struct acp_driven *s = c->session;
    uint16_t port = s->program->preset->port_option ? free_port() : 0;
    const char *home = NULL;
    bool confined;

    if (!acp_home_open(mem, s, &home, e) || !agent_sandbox(mem, s, home, port, &out->sandbox, e))
        return false;
    confined = out->sandbox != NULL;
    if (confined && home)
        acp_home_lend(c, home);
    if (!agent_env(mem, s, home, confined, &out->env, e))
        return false;
    out->argv = agent_argv(mem, s->program, port);
    out->cwd = s->session->cwd;
    return out->argv != NULL ||
           fail(e, ERR_INVALID, "the definition of the agent has no command and no preset");
}
