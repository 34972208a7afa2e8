#include "rpc/child_link.h"

#include "base/container.h"
#include "base/utf8.h"

#include <stdio.h>

/* ---- reasons ----------------------------------------------------------------------------- */

/* Skip lines of a stack trace and single brackets: they would displace the line with the reason. */
static bool is_telling_line(struct str line)
{
    return line.n > 2 && line.p[0] != ' ' && line.p[0] != '\t' &&
           !str_starts(line, STR("Node.js v"));
}

/* Write as many of the last lines as fit, in order. */
static void quote_stderr(const struct tail *t, char *out, size_t size)
{
    struct str line[8];
    size_t lines = 0, used = 0;
    int n = 0;

    for (size_t i = t->count; i > 0 && lines < ARRAY_LEN(line); i--) {
        struct str one = tail_line(t, i - 1);

        if (!is_telling_line(one))
            continue;
        if (lines && used + one.n + 4 > size)
            break;
        line[lines++] = utf8_head(one, size - 1);
        used += one.n + 3;
    }
    out[0] = 0;
    while (lines > 0 && n < (int)size) {
        lines--;
        n +=
            snprintf(out + n, size - (size_t)n, "%s" STR_FMT, n ? " | " : "", STR_ARG(line[lines]));
    }
}

static void child_exit_error(const struct child_link *l, const struct proc_exit *exit,
                             struct err *e)
{
    char how[160], words[140];

    proc_exit_text(exit, how, sizeof(how));
    quote_stderr(&l->proc.tail, words, sizeof(words));
    fail(e, ERR_CLOSED, "%s%s%s", how, words[0] ? "; its last output: " : "", words);
}

/* ---- the child --------------------------------------------------------------------------- */

static void on_child_exit(struct proc *p, const struct proc_exit *exit)
{
    struct child_link *l = p->owner;
    struct err e;

    l->ended = true;
    child_exit_error(l, exit, &e);
    if (l->events->on_stderr)
        l->events->on_stderr(l, &p->tail);
    if (l->closing)
        proc_close(p);
    else
        l->events->on_failed(l, &e);
}

static void on_child_closed(struct proc *p)
{
    struct child_link *l = p->owner;

    l->events->on_closed(l);
}

static const struct proc_events child_proc_events = { .on_exit = on_child_exit,
                                                      .on_closed = on_child_closed };

static void on_child_frame(struct link *link, const struct frame *frame)
{
    struct child_link *l = link->owner;

    if (!l->closing)
        l->events->on_frame(l, frame);
}

static void on_child_stdout_end(struct link *link, const struct err *e)
{
    struct child_link *l = link->owner;

    (void)e;
    proc_stop(&l->proc);
}

static void on_child_link_closed(struct link *link)
{
    (void)link; /* the pipes are closed with the child */
}

static const struct link_events child_stream_events = { on_child_frame, on_child_stdout_end,
                                                        on_child_link_closed };

/* ---- life -------------------------------------------------------------------------------- */

static void on_child_opened(struct post *post)
{
    struct child_link *l = CONTAINER_OF(post, struct child_link, post);

    if (l->started) {
        l->events->on_open(l);
        return;
    }
    if (!l->closing)
        l->events->on_failed(l, &l->err);
    l->events->on_closed(l);
}

bool child_link_open(struct child_link *l, struct procs *procs, const struct child_command *command,
                     enum framing framing, const struct child_link_events *events)
{
    struct proc_opts opts = {
        .argv = command->argv,
        .env = command->env,
        .cwd = command->cwd,
        .sandbox = command->sandbox,
        .events = &child_proc_events,
        .owner = l,
        .io_events = &stream_link_events,
        .io_owner = &l->link,
    };
    struct err e;

    if (!proc_start(&l->proc, procs, &opts, &e)) {
        child_link_open_failed(l, procs, &e, events);
        return false;
    }
    l->events = events;
    l->started = true;
    l->ended = l->closing = false;
    l->post.fn = on_child_opened;
    stream_link_open(&l->link, proc_io(&l->proc), framing, procs->limits, &child_stream_events, l);
    loop_post(procs->loop, &l->post);
    return true;
}

void child_link_open_failed(struct child_link *l, struct procs *procs, const struct err *e,
                            const struct child_link_events *events)
{
    l->events = events;
    l->started = l->ended = l->closing = false;
    l->err = *e;
    l->post.fn = on_child_opened;
    loop_post(procs->loop, &l->post);
}

void child_link_close(struct child_link *l)
{
    l->closing = true;
    if (!l->started)
        return; /* on_child_opened reports it */
    if (l->ended)
        proc_close(&l->proc);
    else
        proc_stop(&l->proc);
}
