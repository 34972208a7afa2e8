/*
 * doctor.c - `trefoil doctor`: checks the installation, and shows what is wrong and how to fix it.
 *
 * The checks are rows of a table. Each check prints one line and changes nothing.
 */
#include "app/app.h"
#include "app/doctor_acp.h"
#include "base/auto.h"
#include "config/agent_files.h"
#include "config/skill_files.h"
#include "daemon/daemon_socket.h"
#include "loop/digest.h"
#include "loop/proc.h"
#include "store/audit_check.h"
#include "store/store.h"
#include "wire/curl_api.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum health { HEALTH_OK, HEALTH_NOTE, HEALTH_BAD };

static const char *const health_names[] = { "ok", "note", "bad" };

struct doctor_finding {
    enum health health;
    struct str text;
};

typedef struct doctor_finding check_fn(struct app *app);

static struct doctor_finding found(enum health health, struct str text)
{
    return (struct doctor_finding){ health, text };
}

/* ---- checks ----------------------------------------------------------------------------- */

static struct doctor_finding check_program(struct app *app)
{
    struct utsname u;

    uname(&u);
    return found(HEALTH_OK, arena_printf(&app->project.mem, "%s on %s %s", trefoil_version,
                                         u.sysname, u.release));
}

static struct doctor_finding check_root(struct app *app)
{
    bool writable = access(app->project.root.path, W_OK) == 0;

    return found(
        writable ? HEALTH_OK : HEALTH_BAD,
        arena_printf(&app->project.mem, "%s (%s)%s", app->project.root.path, app->project.root.from,
                     writable ? "" : "; it is not writable: choose another root with --root"));
}

static struct doctor_finding check_config(struct app *app)
{
    const struct config *c = &app->project.config;

    if (!c->file_count)
        return found(HEALTH_OK, STR("no file; all defaults"));
    return found(HEALTH_OK,
                 arena_printf(&app->project.mem, "%s%s%s", c->files[0],
                              c->file_count > 1 ? ", " : "", c->file_count > 1 ? c->files[1] : ""));
}

static struct doctor_finding check_store(struct app *app)
{
    const char *path;
    struct stat st;
    struct err e;

    bool found_it = project_find_database(&app->project, &path, &e);

    if (!found_it && e.code == ERR_NOT_FOUND)
        return found(HEALTH_OK,
                     arena_printf(&app->project.mem, "none yet; it will be created in %s",
                                  app->project.state.path));
    if (!found_it || !store_file_check(path, NULL, &e))
        return found(HEALTH_BAD, arena_str(&app->project.mem, str_of(e.text)));
    if (stat(path, &st) < 0)
        st.st_size = 0;
    return found(HEALTH_OK, arena_printf(&app->project.mem, "%s, %lld bytes, intact", path,
                                         (long long)st.st_size));
}

static struct doctor_finding check_audit(struct app *app)
{
    struct audit_report r;
    struct err e;

    if (!state_dir_find(&app->project.state, &e) && e.code == ERR_NOT_FOUND)
        return found(HEALTH_OK, STR("no calls are recorded yet"));
    if (!audit_check(app->project.state.path, &app->project.config.limits, NULL, NULL, &r, &e))
        return found(HEALTH_BAD, arena_str(&app->project.mem, str_of(e.text)));
    if (!r.sound)
        return found(HEALTH_BAD, arena_printf(&app->project.mem,
                                              "%s: the audit log was modified; see: " TREFOIL_NAME
                                              " audit verify",
                                              r.where));
    if (!r.files)
        return found(HEALTH_OK, STR("no calls are recorded yet"));
    return found(
        r.unsealed ? HEALTH_NOTE : HEALTH_OK,
        arena_printf(&app->project.mem, "%lld calls, all seals valid%s", (long long)r.records,
                     r.unsealed ? "; some lines have no seal, which is normal after a crash" : ""));
}

static struct doctor_finding check_sandbox(struct app *app)
{
    const struct sandbox_support *s = sandbox_support();
    bool enough = s->files && s->network;
    enum health health = !enough ? HEALTH_BAD : s->missing[0] ? HEALTH_NOTE : HEALTH_OK;

    if (!enough)
        return found(health,
                     arena_printf(&app->project.mem,
                                  "commands cannot be confined; missing: %s. Use a kernel or "
                                  "container with user namespaces, or Landlock ABI 3 or later",
                                  s->missing));
    return found(health, arena_printf(&app->project.mem, "%s%s%s; Landlock ABI %d",
                                      sandbox_level_name(s->level),
                                      s->missing[0] ? "; missing: " : "", s->missing, s->landlock));
}

static struct doctor_finding check_http_client(struct app *app)
{
    const struct curl_api *curl;
    struct err e;

    if (!curl_api_open(&curl, &e))
        return found(HEALTH_NOTE, arena_str(&app->project.mem, str_of(e.text)));
    return found(HEALTH_OK, arena_printf(&app->project.mem, "libcurl %s",
                                         curl->version_info(CURLVERSION_NOW)->version));
}

/* ---- the keeper: start a process under it and wait for its end --------------------------- */

struct trial {
    struct loop *loop;
    struct proc proc;
    struct proc_exit exit;
};

static void on_trial_exit(struct proc *p, const struct proc_exit *exit)
{
    ((struct trial *)p->owner)->exit = *exit;
    proc_close(p);
}

static void on_trial_closed(struct proc *p)
{
    loop_stop(((struct trial *)p->owner)->loop);
}

static void ignore_bytes(struct stream *io, struct str bytes)
{
    (void)io;
    (void)bytes;
}

static void ignore_end(struct stream *io, const struct err *e)
{
    (void)io;
    (void)e;
}

static void ignore_room(struct stream *io)
{
    (void)io;
}

static bool try_child(struct app *app, struct trial *t, struct err *e)
{
    static const struct proc_events events = { .on_exit = on_trial_exit,
                                               .on_closed = on_trial_closed };
    static const struct stream_events io = { ignore_bytes, ignore_end, ignore_room, NULL };
    static const char *const argv[] = { "/proc/self/exe", "version", NULL };
    static const char *const env[] = { NULL };
    struct procs procs;

    procs_init(&procs, t->loop, &app->project.config.limits);
    if (!proc_start(&t->proc, &procs,
                    &(struct proc_opts){ .argv = argv,
                                         .env = env,
                                         .events = &events,
                                         .owner = t,
                                         .io_events = &io,
                                         .io_owner = t },
                    e))
        return false;
    stream_start(proc_io(&t->proc));
    loop_run(t->loop);
    return true;
}

static struct doctor_finding check_keeper(struct app *app)
{
    struct trial *t = ARENA_NEW(&app->project.mem, struct trial);
    char how[160];
    struct err e;
    bool ran;

    t->loop = loop_new(LOOP_REAL_CLOCK);
    ran = try_child(app, t, &e);
    loop_free(t->loop);
    if (!ran)
        return found(HEALTH_BAD, arena_str(&app->project.mem, str_of(e.text)));
    proc_exit_text(&t->exit, how, sizeof(how));
    if (t->exit.how != PROC_EXITED || t->exit.code)
        return found(HEALTH_BAD, arena_printf(&app->project.mem,
                                              "a test process under the keeper (supervisor "
                                              "of child processes) %s",
                                              how));
    return found(HEALTH_OK, STR("starts and cleans up child processes"));
}

/*
 * Check that libcrypto is available, which computes the seals of questions to clients of MCP
 * 2026-07-28 and of trusted entries.
 */
static struct doctor_finding check_seals(struct app *app)
{
    char seal[MAC_BYTES];
    struct err e;

    if (!mac_sha256(STR("key"), STR("text"), seal, &e))
        return found(HEALTH_NOTE, arena_str(&app->project.mem, str_of(e.text)));
    return found(HEALTH_OK, STR("libcrypto"));
}

static struct doctor_finding check_servers(struct app *app)
{
    const struct server_list *l = &app->project.config.servers;
    size_t untrusted = 0, open = 0;

    for (size_t i = 0; i < l->n; i++) {
        untrusted += !l->v[i].trusted;
        open += l->v[i].url && !l->v[i].headers;
    }
    if (untrusted)
        return found(
            HEALTH_NOTE,
            arena_printf(
                &app->project.mem,
                "%zu MCP servers; %zu are not trusted and not started: see `trefoil trust`", l->n,
                untrusted));
    if (open)
        return found(HEALTH_OK,
                     arena_printf(&app->project.mem,
                                  "%zu MCP servers; `trefoil servers` tests them. %zu have a URL "
                                  "and no `headers`: OAuth login is not available yet, so a server "
                                  "that answers HTTP 401 needs a token in `headers`",
                                  l->n, open));
    return found(HEALTH_OK, arena_printf(&app->project.mem,
                                         "%zu MCP servers; `trefoil servers` tests them", l->n));
}

static struct doctor_finding check_agents(struct app *app)
{
    struct agent_list list;
    struct skill_list skills;
    size_t bad = 0, inert = 0;

    agents_load(&app->project.mem, app->project.root.path, &app->project.config, NULL, &list);
    skills_load(&app->project.mem, app->project.root.path, &app->project.config.limits, NULL,
                &skills);
    for (size_t i = 0; i < list.n; i++)
        bad += list.v[i].bad != NULL;
    if (bad)
        return found(HEALTH_NOTE,
                     arena_printf(&app->project.mem,
                                  "%zu agents, %zu skipped: see `trefoil config check`",
                                  list.n - bad, bad));
    for (size_t i = 0; i < list.claims; i++)
        inert += !list.claim[i].def.trusted;
    if (inert)
        return found(HEALTH_NOTE,
                     arena_printf(&app->project.mem,
                                  "%zu agents; %zu have settings without effect because the "
                                  "project is not trusted: see `trefoil trust`",
                                  list.n, inert));
    return found(HEALTH_OK,
                 arena_printf(&app->project.mem, "%zu agents, %zu skills%s", list.n, skills.n,
                              list.n ? "" : "; `trefoil init` creates a first agent"));
}

static struct doctor_finding check_acp(struct app *app)
{
    size_t n;
    struct str programs = doctor_acp_programs(app, &n);

    if (!n)
        return found(HEALTH_OK, STR("no program on PATH speaks ACP (docs/ACP_AGENTS.md lists those "
                                    "that trefoil knows)"));
    return found(HEALTH_OK,
                 arena_printf(&app->project.mem, STR_FMT "; `trefoil run -a NAME` uses one",
                              STR_ARG(programs)));
}

static struct doctor_finding check_daemon(struct app *app)
{
    const char *path;
    int pid;
    AUTO_FD fd = -1;
    struct err e;

    if (!daemon_socket_path(&app->project, false, &path, &e))
        return found(HEALTH_NOTE, arena_str(&app->project.mem, str_of(e.text)));
    fd = daemon_connect(path, &pid);
    if (fd < 0)
        return found(HEALTH_OK,
                     STR("no daemon runs for this root; start one with `trefoil serve`"));
    return found(HEALTH_OK,
                 arena_printf(&app->project.mem, "process %d serves this root at %s", pid, path));
}

static const struct {
    const char *name;
    check_fn *check;
} checks[] = {
    { "program", check_program }, { "root", check_root },      { "config", check_config },
    { "store", check_store },     { "keeper", check_keeper },  { "http client", check_http_client },
    { "sandbox", check_sandbox }, { "seals", check_seals },    { "servers", check_servers },
    { "agents", check_agents },   { "ACP agents", check_acp }, { "daemon", check_daemon },
    { "audit", check_audit },
};

/* ---- printing --------------------------------------------------------------------------- */

static void print_text(const char *name, struct doctor_finding f)
{
    printf("%-4s  %-12s " STR_FMT "\n", health_names[f.health], name, STR_ARG(f.text));
}

static void put_json(struct jw *w, const char *name, struct doctor_finding f)
{
    jw_object(w);
    jw_kstr(w, "check", str_of(name));
    jw_kstr(w, "health", str_of(health_names[f.health]));
    jw_kstr(w, "text", f.text);
    jw_object_end(w);
}

static int doctor_run(struct app *app, const void *args, int words, char **word)
{
    AUTO_BUF out = { 0 };
    struct jw w = jw_to(&out);
    bool bad = false;

    (void)args;
    (void)words;
    (void)word;
    buf_init(&out, 1 << 16);
    jw_array(&w);
    for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
        struct doctor_finding f = checks[i].check(app);

        bad |= f.health == HEALTH_BAD;
        if (app->opt.json)
            put_json(&w, checks[i].name, f);
        else
            print_text(checks[i].name, f);
    }
    jw_array_end(&w);
    if (app->opt.json)
        printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    return bad ? EXIT_FAILED : EXIT_OK;
}

const struct verb verb_doctor = {
    .name = "doctor",
    .words = "",
    .summary = "Check the installation and suggest repairs",
    .run = doctor_run,
};
