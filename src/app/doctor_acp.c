#include "app/doctor_acp.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/display.h"
#include "base/utf8.h"
#include "loop/proc.h"
#include "loop/proc_env.h"
#include "proto/acp/client/acp_client_preset.h"

#include <unistd.h>

enum { VERSION_MS = 5000, LINE_MOST = 200, SHOWN = 60 };

/* One program that is asked for its version. */
struct version_trial {
    const struct acp_preset *preset;
    struct proc proc;
    struct buf line; /* the beginning of its output */
    struct version_trials *all;
};

struct version_trials {
    struct loop *loop;
    struct procs procs;
    struct timer late;
    struct version_trial *v;
    size_t n, open; /* started; not closed yet */
};

/* ---- events of the programs -------------------------------------------------------------------- */

static void on_version_exit(struct proc *p, const struct proc_exit *exit)
{
    (void)exit;
    proc_close(p);
}

static void on_version_closed(struct proc *p)
{
    struct version_trial *t = p->owner;

    if (!--t->all->open)
        loop_stop(t->all->loop);
}

static void on_version_bytes(struct stream *io, struct str bytes)
{
    struct version_trial *t = io->owner;

    buf_put(&t->line, str_head(bytes, LINE_MOST - t->line.n));
}

static void on_version_end(struct stream *io, const struct err *e)
{
    (void)io;
    (void)e;
}

static void on_version_room(struct stream *io)
{
    (void)io;
}

static void on_version_late(struct timer *timer)
{
    struct version_trials *all = CONTAINER_OF(timer, struct version_trials, late);

    for (size_t i = 0; i < all->n; i++)
        proc_kill(&all->v[i].proc);
}

/* ---- starting ---------------------------------------------------------------------------------- */

static bool is_on_path(struct arena *mem, const char *program, const char *path)
{
    struct str rest = str_of(path);

    while (rest.p) {
        struct str folder = str_cut(&rest, ':');

        if (folder.n &&
            access(arena_printf(mem, STR_FMT "/%s", STR_ARG(folder), program).p, X_OK) == 0)
            return true;
    }
    return false;
}

static bool start_version(struct version_trials *all, const struct acp_preset *preset,
                          const char *const *env)
{
    static const struct proc_events events = { .on_exit = on_version_exit,
                                               .on_closed = on_version_closed };
    static const struct stream_events io = { on_version_bytes, on_version_end, on_version_room,
                                             NULL };
    struct version_trial *t = &all->v[all->n];
    const char *argv[] = { preset->argv[0], "--version", NULL };
    struct err e;

    *t = (struct version_trial){ .preset = preset, .all = all };
    buf_init(&t->line, LINE_MOST);
    if (!proc_start(&t->proc, &all->procs,
                    &(struct proc_opts){ .argv = argv,
                                         .env = env,
                                         .events = &events,
                                         .owner = t,
                                         .io_events = &io,
                                         .io_owner = t },
                    &e))
        return false;
    stream_start(proc_io(&t->proc));
    stream_shut(proc_io(&t->proc));
    all->n++;
    all->open++;
    return true;
}

static void ask_versions(struct version_trials *all, struct arena *mem)
{
    const struct proc_env_opts opts = { .ours = (const char *const *)environ };
    const char *path = getenv("PATH"), *const * env;
    struct err e;

    if (!path || !proc_env(mem, &opts, &env, &e))
        return;
    all->v = ARENA_ARRAY(mem, struct version_trial, acp_preset_count);
    for (size_t i = 0; i < acp_preset_count; i++)
        if (is_on_path(mem, acp_presets[i].argv[0], path))
            start_version(all, &acp_presets[i], env);
    if (!all->open)
        return;
    timer_set(all->loop, &all->late, VERSION_MS, on_version_late);
    loop_run(all->loop);
    timer_clear(all->loop, &all->late);
}

/* ---- the answer -------------------------------------------------------------------------------- */

static struct str describe(struct arena *mem, struct version_trial *t)
{
    struct str all = buf_str(&t->line), line = str_trim(str_cut(&all, '\n'));

    line = shown_text(mem, utf8_head(line, SHOWN));
    return arena_printf(mem, "%s (%s%s" STR_FMT ")", t->preset->name, t->preset->argv[0],
                        line.n ? " " : "", STR_ARG(line));
}

struct str doctor_acp_programs(struct app *app, size_t *n)
{
    struct arena *mem = &app->project.mem;
    struct version_trials all = { .loop = loop_new(LOOP_REAL_CLOCK) };
    struct str text = STR("");

    procs_init(&all.procs, all.loop, &app->project.config.limits);
    ask_versions(&all, mem);
    for (size_t i = 0; i < all.n; i++) {
        text = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(text), i ? ", " : "",
                            STR_ARG(describe(mem, &all.v[i])));
        buf_fini(&all.v[i].line);
    }
    loop_free(all.loop);
    *n = all.n;
    return text;
}
