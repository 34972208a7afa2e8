/*
 * The registry has an arena for all definitions, which is freed when they are read again. Each
 * agent has an arena with a copy of its definition, so that the agent never changes.
 *
 * Rules, instructions and skills are read when an agent is taken, so they are current at that
 * time.
 */
#include "runtime/agent_registry.h"

#include "base/container.h"
#include "base/mem.h"
#include "config/agent_files.h"
#include "config/prompt_files.h"
#include "core/guard/guard.h"
#include "core/guard/taint_label.h"
#include "loop/file.h"
#include "proto/acp/client/acp_client.h"
#include "proto/acp/client/acp_client_preset.h"
#include "provider/script.h"
#include "tool/file/beneath.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>

struct agent_registry {
    struct agent_registry_port port; /* first */
    struct agent_registry_opts o;    /* o.config: the current configuration */
    struct arena mem;                /* memory of the list and the cards */
    struct agent_list list;
    struct agent_card *card;
    size_t cards;
    size_t held; /* number of agents that are held */
    struct file_watch *watch;
    struct arena places; /* memory of the watched paths */
    struct post unwatched;
    void (*done)(void *ctx);
    void *done_ctx;
};

/* An agent of the registry. Callers get a pointer to its first member. */
struct registry_agent {
    struct local_agent local;
    struct agent_registry *registry;
    struct arena mem;
    struct agent_def def;
    struct script script;       /* the script, if the agent has one */
    struct acp_program program; /* the program, if the agent speaks ACP */
    struct a2a_peer *peer;      /* the remote agent, if it is one */
    struct host_folder *folder; /* agent.include */
};

/* ---- reading ------------------------------------------------------------------------------- */

/* A remote agent describes itself in its card, once that is known. */
static struct str description_of(struct agent_registry *d, const struct agent_def *def)
{
    if (def->description.n || !def->remote || !d->o.remotes)
        return def->description;
    return arena_maybe(&d->mem, remote_agents_description(d->o.remotes, def->remote));
}

static struct agent_card card_of(struct agent_registry *d, const struct agent_def *def)
{
    return (struct agent_card){ .name = def->name,
                                .title = def->title,
                                .description = description_of(d, def),
                                .mode = agent_def_mode(def),
                                .tier = agent_tier_name(agent_def_tier(def)) };
}

static void make_cards(struct agent_registry *d)
{
    d->card = ARENA_ARRAY(&d->mem, struct agent_card, d->list.n);
    d->cards = 0;
    for (size_t i = 0; i < d->list.n; i++)
        if (!d->list.v[i].bad)
            d->card[d->cards++] = card_of(d, &d->list.v[i].def);
}

static void read_all(struct agent_registry *d)
{
    struct notes notes = { 0 };

    agents_load(&d->mem, d->o.root, d->o.config, &notes, &d->list);
    notes_log(&notes);
    make_cards(d);
}

static bool same_cards(const struct agent_card *a, size_t as, const struct agent_card *b, size_t bs)
{
    bool same = as == bs;

    for (size_t i = 0; same && i < as; i++)
        same = str_eq(str_of(a[i].name), str_of(b[i].name)) &&
               str_eq(str_of(a[i].title), str_of(b[i].title)) &&
               str_eq(a[i].description, b[i].description) && a[i].mode == b[i].mode &&
               a[i].tier == b[i].tier;
    return same;
}

static bool same_strs(const struct pick_strs *a, const struct pick_strs *b)
{
    bool same = a->n == b->n && a->set == b->set;

    for (size_t i = 0; same && i < a->n; i++)
        same = str_eq(a->v[i], b->v[i]);
    return same;
}

/* Do all agents export the same tools as before (agent_server.h)? */
static bool same_exports(const struct agent_list *a, const struct agent_list *b)
{
    bool same = a->n == b->n;

    for (size_t i = 0; same && i < a->n; i++)
        same = same_strs(&a->v[i].def.expose, &b->v[i].def.expose) &&
               same_strs(&a->v[i].def.hidden, &b->v[i].def.hidden);
    return same;
}

/* ---- remote agents --------------------------------------------------------------------------- */

static void on_discovered(void *ctx)
{
    struct agent_registry *d = ctx;

    agent_registry_refresh(d, d->o.config);
}

/* A2A that is off contacts no one by itself. */
static void discover(struct agent_registry *d)
{
    const struct agent_list none = { 0 };

    if (d->watch && d->o.remotes)
        remote_agents_discover(d->o.remotes, d->o.config->a2a.on ? &d->list : &none, on_discovered,
                               d);
}

void agent_registry_refresh(struct agent_registry *d, const struct config *config)
{
    struct arena old = d->mem;
    const struct agent_list list = d->list;
    const struct agent_card *card = d->card;
    size_t cards = d->cards;

    d->mem = (struct arena){ 0 };
    d->o.config = config;
    read_all(d);
    if (d->o.on_changed &&
        !(same_cards(card, cards, d->card, d->cards) && same_exports(&list, &d->list)))
        d->o.on_changed(d->o.ctx);
    arena_fini(&old);
    discover(d);
}

/* ---- finding ------------------------------------------------------------------------------- */

static bool fail_unknown(const struct agent_registry *d, struct str name, struct err *e)
{
    char names[200];
    int n = snprintf(names, sizeof(names), "; there %s: ", d->cards ? "are" : "is");

    for (size_t i = 0; i < d->cards && n < (int)sizeof(names); i++)
        n += snprintf(names + n, sizeof(names) - (size_t)n, "%s, ", d->card[i].name);
    if (n < (int)sizeof(names))
        snprintf(names + n, sizeof(names) - (size_t)n, "%s", AGENT_DEFAULT);
    return agents_fail_unknown(&d->list, name, names, e);
}

static bool agent_registry_find(const struct agent_registry *d, struct str name,
                                const struct agent_def **def, struct err *e)
{
    const struct acp_preset *preset = name.p ? acp_preset_named(name) : NULL;

    if (agents_find(&d->list, name.p ? name : str_of(agent_default.name), def, e))
        return true;
    if (e->code == ERR_NOT_FOUND && preset) {
        *def = &preset->def;
        return true;
    }
    return e->code == ERR_NOT_FOUND ? fail_unknown(d, name, e) : false;
}

/* ---- creating an agent --------------------------------------------------------------------- */

static void free_agent(struct agent *agent)
{
    struct registry_agent *a = CONTAINER_OF(agent, struct registry_agent, local.agent);

    for (size_t i = 0; i < a->local.agent.includes; i++)
        close(a->folder[i].fd);
    a->registry->held--;
    a2a_peer_drop(a->peer);
    arena_fini(&a->mem);
    mem_free(a);
}

/*
 * Open a folder of include_dirs. The path was checked when the definition was read, but a folder
 * may have been replaced by a link since then; the kernel makes sure that the path does not leave
 * the root. A missing folder is skipped with a warning.
 */
static bool open_include(struct registry_agent *a, struct str path, struct err *e)
{
    const struct host *host = &a->registry->o.offer->host;
    struct host_folder *f = &a->folder[a->local.agent.includes];
    struct place p;

    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    if (!place_of(host, &a->mem, path, &p, e) ||
        !beneath_open(&p, O_PATH | O_DIRECTORY, 0, &f->fd, e)) {
        if (e->code != ERR_NOT_FOUND)
            return fail_in(e, "include_dirs of the agent %s", a->def.name);
        LOG(LOG_WARN, "agents", "a folder of include_dirs does not exist",
            LOG_Z("agent", a->def.name), LOG_S("folder", path));
        return true;
    }
    f->path = str_eq(str_of(p.path), STR("."))
                  ? p.in.path
                  : arena_printf(&a->mem, "%s/%s", p.in.path, p.path).p;
    a->local.agent.includes++;
    return true;
}

static bool open_includes(struct registry_agent *a, struct err *e)
{
    const struct pick_strs *dirs = &a->def.include_dirs;

    a->folder = ARENA_ARRAY(&a->mem, struct host_folder, dirs->n);
    a->local.agent.include = a->folder;
    for (size_t i = 0; i < dirs->n; i++)
        if (!open_include(a, dirs->v[i], e))
            return false;
    return true;
}

static void write_prompt(struct registry_agent *a)
{
    const struct agent_registry_opts *o = &a->registry->o;
    const struct provider *provider = a->local.model.provider;
    const struct prompt_opts opts = {
        .root = o->root,
        .limits = &o->config->limits,
        .provider = provider ? str_of(provider->kind->name) : STR_NONE,
        .skills = o->offer->host.skills,
    };
    struct notes notes = { 0 };

    a->local.system = prompt_of_agent(&a->mem, &opts, &a->def, &notes);
    notes_log(&notes);
}

static struct registry_agent *new_agent(struct agent_registry *d, const struct agent_def *def)
{
    struct registry_agent *a = MEM_NEW(struct registry_agent);

    a->registry = d;
    a->def = agent_def_copy(&a->mem, def);
    a->local.effort = agent_effort_named(def->effort);
    a->local.agent = (struct agent){ .kind = &local_agent_kind,
                                     .own = &a->local,
                                     .caps = LOCAL_AGENT_CAPS,
                                     .def = &a->def,
                                     .scope = guard_scope_of_agent(&a->def, &d->o.guard->own),
                                     .offer = d->o.offer,
                                     .is_default = def == &agent_default,
                                     .refs = 1,
                                     .release = free_agent };
    d->held++;
    return a;
}

/*
 * Read the script when the agent is taken. The kernel makes sure that its path does not leave the
 * root.
 */
static bool use_script(struct registry_agent *a, struct err *e)
{
    const struct agent_registry_opts *o = &a->registry->o;
    struct agent *agent = &a->local.agent;
    struct str text;

    if (!file_read_beneath(&a->mem, o->root, a->def.script, (size_t)o->config->limits.config_bytes,
                           &text, NULL, e) ||
        !script_read(&a->mem, text, a->def.script, &a->script, e))
        return fail_in(e, "the agent %s", a->def.name);
    agent->kind = &script_agent_kind;
    agent->caps = SCRIPT_AGENT_CAPS;
    agent->own = &a->script;
    agent->model = STR("script");
    return true;
}

/*
 * The system prompt for a program. Without a persona the program uses its own prompt, and reads the
 * instructions of the project itself.
 */
static struct str program_prompt(struct registry_agent *a, const struct acp_preset *preset)
{
    const struct agent_registry_opts *o = &a->registry->o;
    const struct prompt_opts opts = { .root = o->root,
                                      .limits = &o->config->limits,
                                      .provider = preset ? str_of(preset->family) : STR_NONE };
    struct notes notes = { 0 };
    struct str prompt;

    if (!str_trim(a->def.persona).n)
        return STR_NONE;
    prompt = prompt_of_agent(&a->mem, &opts, &a->def, &notes);
    notes_log(&notes);
    return prompt;
}

/*
 * A command that a project defines starts only if the user trusts the definition. A preset names a
 * program of the user.
 */
static bool use_program(struct registry_agent *a, const struct agent_want *want, struct err *e)
{
    const struct acp_preset *preset = acp_preset_named(a->def.preset);
    struct agent *agent = &a->local.agent;
    bool own = a->def.command.n || a->def.envs || a->def.pass_env.n;

    if (a->def.preset.n && !preset)
        return fail(e, ERR_INVALID,
                    "the agent %s: there is no preset " STR_FMT "; expected claude, codex, gemini, "
                    "goose, opencode or qwen",
                    a->def.name, STR_ARG(str_head(a->def.preset, 40)));
    if (own && !a->def.trusted)
        return fail(e, ERR_DENIED,
                    "the agent %s runs a command of the project, which is not trusted; `trefoil "
                    "trust` shows and accepts it",
                    a->def.name);
    a->program = (struct acp_program){
        .world = a->registry->o.acp,
        .def = &a->def,
        .preset = preset ? preset : &acp_preset_other,
        .model = want->model.p ? arena_str(&a->mem, want->model) : a->def.model,
        .instructions = program_prompt(a, preset),
    };
    agent->kind = &acp_agent_kind;
    agent->caps = ACP_AGENT_CAPS;
    agent->own = &a->program;
    agent->model = a->program.model.n ? a->program.model : str_of(a->program.preset->name);
    return true;
}

/* What a remote agent says is untrusted data, from its origin. */
static bool use_remote(struct registry_agent *a, struct err *e)
{
    struct agent *agent = &a->local.agent;

    if (!a->def.trusted)
        return fail(e, ERR_DENIED,
                    "%s: the agent %s is not trusted, so no prompt is sent to its URL; `trefoil "
                    "trust` shows and accepts it",
                    a->def.origin, a->def.name);
    a->peer = remote_agents_peer(a->registry->o.remotes, a->def.remote, e);
    if (!a->peer)
        return fail_in(e, "the agent %s", a->def.name);
    agent->kind = &a2a_agent_kind;
    agent->caps = A2A_AGENT_CAPS;
    agent->own = a->peer;
    agent->model = STR("a2a");
    agent->source = taint_source_of_url(&a->mem, a->peer->url.text);
    return true;
}

static bool use_model(struct registry_agent *a, const struct agent_want *want, struct err *e)
{
    struct local_agent *l = &a->local;

    if (want->effort != EFFORT_DEFAULT)
        l->effort = want->effort;
    if (!models_choose(a->registry->o.models, l->agent.is_default ? NULL : &a->def, want->model,
                       &l->model, &l->fallback, e))
        return false;
    l->agent.model = l->model.name;
    write_prompt(a);
    return true;
}

static bool use_kind(struct registry_agent *a, const struct agent_want *want, struct err *e)
{
    if (a->def.script)
        return use_script(a, e);
    if (a->def.remote)
        return use_remote(a, e);
    if (str_eq(a->def.provider, STR("acp")))
        return use_program(a, want, e);
    return use_model(a, want, e);
}

static struct agent *agent_registry_take(struct agent_registry_port *port,
                                         const struct agent_want *want, struct err *e)
{
    struct agent_registry *d = CONTAINER_OF(port, struct agent_registry, port);
    const struct agent_def *def;
    struct registry_agent *a;

    if (!agent_registry_find(d, want->name, &def, e))
        return NULL;
    a = new_agent(d, def);
    if (!open_includes(a, e) || !use_kind(a, want, e)) {
        agent_drop(&a->local.agent);
        return NULL;
    }
    return &a->local.agent;
}

static const struct agent_card *cards(struct agent_registry_port *port, size_t *n)
{
    const struct agent_registry *d = CONTAINER_OF(port, struct agent_registry, port);

    *n = d->cards;
    return d->card;
}

static const struct agent_registry_kind kind = { .take = agent_registry_take, .cards = cards };

/* ---- watching ------------------------------------------------------------------------------ */

static void on_files_changed(void *ctx)
{
    struct agent_registry *d = ctx;

    agent_registry_refresh(d, d->o.config);
}

void agent_registry_watch(struct agent_registry *d)
{
    const struct limits *limits = &d->o.config->limits;
    struct file_watch_opts o = { .loop = d->o.loop,
                                 .most = (size_t)limits->agent_files,
                                 .look_ms = limits->watch_ms,
                                 .changed = on_files_changed,
                                 .ctx = d };

    if (d->watch)
        return;
    o.path = agents_places(&d->places, d->o.root, &o.paths);
    d->watch = file_watch_open(&o);
    on_files_changed(d); /* handles changes between the last reading and the start of the watch */
}

static void on_unwatched(void *ctx)
{
    struct agent_registry *d = ctx;

    arena_fini(&d->places);
    if (d->done)
        d->done(d->done_ctx);
}

static void on_not_watching(struct post *p)
{
    on_unwatched(CONTAINER_OF(p, struct agent_registry, unwatched));
}

void agent_registry_unwatch(struct agent_registry *d, void (*done)(void *ctx), void *ctx)
{
    struct file_watch *w = d->watch;

    d->watch = NULL;
    d->done = done;
    d->done_ctx = ctx;
    d->unwatched.fn = on_not_watching;
    if (w)
        file_watch_close(w, on_unwatched, d);
    else
        loop_post(d->o.loop, &d->unwatched);
}

/* ---- opening and closing ------------------------------------------------------------------- */

struct agent_registry *agent_registry_new(const struct agent_registry_opts *opts)
{
    struct agent_registry *d = MEM_NEW(struct agent_registry);

    d->port.kind = &kind;
    d->o = *opts;
    read_all(d);
    return d;
}

void agent_registry_free(struct agent_registry *d)
{
    assert(!d->held && !d->watch);
    arena_fini(&d->mem);
    mem_free(d);
}

struct agent_registry_port *agent_registry_port(struct agent_registry *d)
{
    return &d->port;
}
