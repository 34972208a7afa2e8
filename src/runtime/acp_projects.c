#include "runtime/acp_projects.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/version.h"
#include "config/agent_files.h"
#include "config/project.h"
#include "runtime/runtime.h"
#include "runtime/service.h"
#include "runtime/session_servers.h"
#include "tool/local_workspace.h"

#include <stdio.h>
#include <unistd.h>

enum { PROJECTS_MOST = 100 }; /* they stay open as long as the process */

struct acp_project {
    struct acp_root root; /* first */
    struct acp_projects *all;
    struct acp_project *next;
    struct project project;
    struct service service;
    struct runtime runtime;
    bool keeps; /* there is a state directory */
};

static struct acp_projects *projects_of(struct acp_roots *r)
{
    return CONTAINER_OF(r, struct acp_projects, port);
}

/* ---- what the user should know --------------------------------------------------------------- */

static size_t count_untrusted_servers(const struct config *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->servers.n; i++)
        n += c->servers.v[i].from_project && !c->servers.v[i].trusted;
    return n;
}

static size_t count_untrusted_agents(struct acp_project *p)
{
    struct agent_list list = { 0 };
    struct notes notes = { 0 };
    size_t n = 0;

    agents_load(&p->project.mem, p->project.root.path, &p->project.config, &notes, &list);
    for (size_t i = 0; i < list.claims; i++)
        n += !list.claim[i].def.trusted;
    return n;
}

static struct str trust_notice(struct acp_project *p)
{
    size_t servers = count_untrusted_servers(&p->project.config);
    size_t agents = count_untrusted_agents(p);

    if (!servers && !agents)
        return STR_NONE;
    return arena_printf(
        &p->project.mem,
        "This project is not trusted: %zu of its MCP servers are not started, and "
        "%zu of its agents do not get the rights that they ask for. To look at them "
        "and accept them, run `trefoil trust` in %s, and then start the agent again.",
        servers, agents, p->project.root.path);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool load_project(struct acp_project *p, struct err *e)
{
    struct project *at = &p->project;

    at->config_file = p->all->config_file;
    at->trust = p->all->trust;
    config_preset(&at->config);
    state_dir_init(&at->state, at->root.path);
    if (!config_load(&at->mem, &at->root, at->config_file, at->trust, &at->config, e))
        return false;
    notes_log(&at->config.notes);
    return true;
}

/* A state directory that cannot be used means that nothing is stored, and the user is told. */
static bool open_state(struct acp_project *p, struct err *e)
{
    p->keeps = state_dir_open(&p->project.state, e);
    if (p->keeps)
        return true;
    if (e->code == ERR_INVALID)
        return false;
    p->root.notice = arena_printf(&p->project.mem, "No sessions are stored: %s", e->text);
    return true;
}

static bool open_runtime(struct acp_project *p, struct err *e)
{
    struct project *at = &p->project;

    if (runtime_open(&p->runtime, &p->service, &at->mem, &at->config, p->keeps, e))
        return true;
    if (!p->keeps)
        return false;
    LOG(LOG_WARN, "acp", "sessions are not stored", LOG_Z("why", e->text));
    p->root.notice = arena_printf(&at->mem, "No sessions are stored: %s", e->text);
    return runtime_open(&p->runtime, &p->service, &at->mem, &at->config, false, e);
}

static bool open_service(struct acp_project *p, struct err *e)
{
    struct project *at = &p->project;
    const struct config *c = &at->config;

    if (!service_open(&p->service, p->all->loop, &c->limits, at->root.path, e))
        return false;
    service_use_guard(&p->service, c);
    service_use_state(&p->service, p->keeps ? &at->state.port : NULL);
    service_open_audit(&p->service, c);
    if (open_runtime(p, e)) {
        service_expect_servers(&p->service, c);
        service_use(&p->service, c);
        service_watch(&p->service);
        runtime_serve(&p->runtime);
        runtime_use(&p->runtime, c);
        return true;
    }
    service_close(&p->service);
    return false;
}

static void on_agents_changed(void *ctx)
{
    struct acp_project *p = ctx;

    for (struct acp_root_watch *w = p->root.watches; w; w = w->next)
        w->agents_changed(w);
}

static void fill_root(struct acp_project *p)
{
    struct str notice = trust_notice(p);

    p->runtime.on_agents = on_agents_changed;
    p->runtime.on_agents_ctx = p;
    p->root.path = p->project.root.path;
    p->root.limits = &p->project.config.limits;
    p->root.world = &p->runtime.world;
    p->root.registry = agent_registry_port(p->runtime.registry);
    p->root.offer = &p->runtime.offer;
    p->root.local = &local_workspace;
    p->root.program = p->all->program;
    p->root.readiness = &p->service.readiness;
    if (notice.p && p->root.notice.p)
        p->root.notice = arena_printf(&p->project.mem, STR_FMT "\n" STR_FMT,
                                      STR_ARG(p->root.notice), STR_ARG(notice));
    else if (notice.p)
        p->root.notice = notice;
}

static void free_project(struct acp_project *p)
{
    if (p->project.state.fd >= 0)
        close(p->project.state.fd);
    arena_fini(&p->project.mem);
    mem_free(p);
}

static struct acp_project *open_project(struct acp_projects *all, const struct root *root,
                                        struct err *e)
{
    struct acp_project *p = MEM_NEW(struct acp_project);

    p->all = all;
    p->project.state.fd = -1;
    p->project.root = (struct root){ arena_cstr(&p->project.mem, str_of(root->path)), root->from };
    if (!load_project(p, e) || !open_state(p, e) || !open_service(p, e)) {
        free_project(p);
        return NULL;
    }
    fill_root(p);
    p->next = all->first;
    all->first = p;
    all->opened++;
    return p;
}

static struct acp_project *find_project(const struct acp_projects *all, const char *path)
{
    struct acp_project *p = all->first;

    while (p && strcmp(p->root.path, path) != 0)
        p = p->next;
    return p;
}

/* ---- the port -------------------------------------------------------------------------------- */

/* The folder itself, or the root where that is another folder, such as for the home folder. */
static const char *folder_in_root(struct arena *mem, const char *folder, const char *root)
{
    char *real = arena_alloc(mem, PATH_MAX);
    size_t n = strlen(root);

    if (realpath(folder, real) && strncmp(real, root, n) == 0 && (!real[n] || real[n] == '/'))
        return real;
    return arena_cstr(mem, str_of(root));
}

static bool projects_take(struct acp_roots *r, struct arena *mem, struct str folder,
                          struct acp_place *out, struct err *e)
{
    struct acp_projects *all = projects_of(r);
    AUTO_ARENA scratch = { 0 }; /* paths need large buffers, and sessions live long */
    const char *path = arena_cstr(&scratch, folder);
    struct acp_project *p;
    struct root root;

    if (strlen(path) != folder.n)
        return fail(e, ERR_INVALID, "params.cwd: a path cannot contain a NUL character");
    if (!root_of_folder(&scratch, path, &root, e)) {
        e->code = ERR_INVALID;
        return false;
    }
    p = find_project(all, root.path);
    if (!p && all->opened == PROJECTS_MOST)
        return fail(e, ERR_LIMIT, "%zu projects are open in this process; start another one",
                    all->opened);
    if (!p)
        p = open_project(all, &root, e);
    if (!p)
        return fail_in(e, "the project %.150s cannot be opened", root.path);
    path = folder_in_root(&scratch, path, root.path);
    *out = (struct acp_place){ &p->root, arena_cstr(mem, str_of(path)) };
    return true;
}

static void close_folder(void *ptr)
{
    close(*(const int *)ptr);
}

static bool projects_open_folder(struct acp_roots *r, struct arena *mem, struct str folder,
                                 struct host_folder *out, struct err *e)
{
    (void)r;
    if (!root_folder_open(mem, arena_cstr(mem, folder), &out->path, &out->fd, e)) {
        e->code = ERR_INVALID;
        return false;
    }
    arena_defer(mem, close_folder, &out->fd);
    return true;
}

static struct acp_servers *projects_servers(struct acp_roots *r,
                                            const struct acp_servers_opts *opts, struct err *e)
{
    (void)r;
    return session_servers_open(&CONTAINER_OF(opts->root, struct acp_project, root)->runtime, opts,
                                e);
}

static const struct acp_roots_kind projects_kind = {
    .take = projects_take,
    .open_folder = projects_open_folder,
    .stored = acp_stores_list,
    .store_open = acp_stores_open,
    .store_close = acp_stores_close,
    .deleted = acp_stores_deleted,
    .servers_open = projects_servers,
    .servers_add = session_servers_add,
    .servers_remove = session_servers_remove,
    .servers_close = session_servers_close,
};

/* A command in the editor is started by the path of this program. */
static void find_program(struct acp_projects *p)
{
    ssize_t n = readlink("/proc/self/exe", p->program, sizeof(p->program) - 1);

    if (n < 0)
        snprintf(p->program, sizeof(p->program), TREFOIL_NAME);
    else
        p->program[n] = '\0';
}

void acp_projects_init(struct acp_projects *p, struct loop *loop, const char *config_file,
                       bool trust)
{
    *p = (struct acp_projects){
        .port = { .kind = &projects_kind }, .loop = loop, .config_file = config_file, .trust = trust
    };
    limits_preset(&p->limits);
    find_program(p);
}

struct store_port *acp_projects_store(const struct acp_projects *all, const char *path)
{
    const struct acp_project *p = find_project(all, path);

    return p ? p->root.world->store : NULL;
}

/* ---- closing --------------------------------------------------------------------------------- */

void acp_projects_check(struct acp_projects *all)
{
    if (all->leaving && !all->closing && !all->visits)
        all->closed(all->closed_ctx, all->in_time);
}

static void on_servers_left(void *ctx, bool in_time)
{
    struct acp_project *p = ctx;
    struct acp_projects *all = p->all;

    all->in_time &= in_time;
    all->closing--;
    acp_projects_check(all);
}

static void on_runtime_closed(void *ctx)
{
    struct acp_project *p = ctx;

    service_leave_servers(&p->service, on_servers_left, p);
}

void acp_projects_close(struct acp_projects *all, void (*done)(void *ctx, bool in_time), void *ctx)
{
    all->closed = done;
    all->closed_ctx = ctx;
    all->in_time = all->leaving = true;
    for (struct acp_project *p = all->first; p; p = p->next)
        all->closing++;
    acp_projects_check(all);
    for (struct acp_project *p = all->first; p; p = p->next)
        runtime_close(&p->runtime, on_runtime_closed, p);
}

void acp_projects_fini(struct acp_projects *all)
{
    while (all->first) {
        struct acp_project *p = all->first;

        all->first = p->next;
        service_close(&p->service);
        free_project(p);
    }
}
