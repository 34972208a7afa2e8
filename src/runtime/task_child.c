#include "runtime/task_child.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ARGS_MOST = 12, HOW_MOST = 400, SAID_MOST = 120 };

struct task_child {
    struct proc proc;
    struct task_away *away;
};

/* ---- stdout of the child, which is not used -------------------------------------------------- */

static void on_bytes(struct stream *s, struct str bytes)
{
    (void)s;
    (void)bytes;
}

static void on_end(struct stream *s, const struct err *e)
{
    (void)s;
    (void)e;
}

static void on_room(struct stream *s)
{
    (void)s;
}

static const struct stream_events io_events = { on_bytes, on_end, on_room, NULL };

/* ---- the end of the child -------------------------------------------------------------------- */

/* Return the last line of the child's stderr. */
static struct str last_word(const struct proc *p)
{
    return utf8_head(tail_line(&p->tail, p->tail.count - 1), SAID_MOST);
}

static void on_exit_told(struct proc *p, const struct proc_exit *exit)
{
    struct task_child *c = p->owner;
    char how[HOW_MOST];
    size_t n;

    proc_exit_text(exit, how, sizeof(how));
    n = strlen(how);
    if (p->tail.count)
        snprintf(how + n, sizeof(how) - n, "; its last output: " STR_FMT, STR_ARG(last_word(p)));
    task_away_ended(c->away, how);
    proc_close(p);
}

static void on_closed(struct proc *p)
{
    mem_free(p->owner);
}

static const struct proc_events events = { .on_exit = on_exit_told, .on_closed = on_closed };

/* ---- starting -------------------------------------------------------------------------------- */

static bool task_child_start(struct task_isolate *i, struct task_away *a, struct err *e)
{
    struct task_children *all = (struct task_children *)i;
    struct task_child *c = MEM_NEW(struct task_child);
    char fence[24];
    const char *argv[ARGS_MOST] = { "/proc/self/exe", "tasks",  "work", a->id, fence,
                                    "--root",         all->root };
    size_t n = 7;

    snprintf(fence, sizeof(fence), "%" PRId64, a->fence);
    if (all->config->chosen) {
        argv[n++] = "--config";
        argv[n++] = all->config->chosen;
    }
    if (all->config->trust)
        argv[n++] = "--trust";
    c->away = a;
    if (!proc_start(&c->proc, all->procs,
                    &(struct proc_opts){ .argv = argv,
                                         .env = (const char *const *)environ,
                                         .events = &events,
                                         .owner = c,
                                         .io_events = &io_events,
                                         .io_owner = c },
                    e)) {
        mem_free(c);
        return false;
    }
    a->child = c;
    stream_start(proc_io(&c->proc));
    return true;
}

static void task_child_stop(struct task_isolate *i, struct task_away *a)
{
    (void)i;
    proc_close(&((struct task_child *)a->child)->proc);
}

void task_children_init(struct task_children *c, struct procs *procs, const char *root,
                        const struct config *config)
{
    *c = (struct task_children){ .port = { .start = task_child_start, .stop = task_child_stop },
                                 .procs = procs,
                                 .root = root };
    task_children_use(c, config);
}

void task_children_use(struct task_children *c, const struct config *config)
{
    c->config = config;
    c->port.always = config->isolate;
}
