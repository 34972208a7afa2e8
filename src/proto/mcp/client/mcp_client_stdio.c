/*
 * mcp_client_stdio.c - a child and its pipes as a wire.
 *
 *   open     the child is started; what it says is a message if it looks like one
 *   failed   told when it has ended, so that the reason is known: how, and its last words on stderr.
 *            One that only closes its stdout is asked to leave first
 *   closed   after it and all that came from it are gone
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "loop/proc.h"
#include "loop/proc_env.h"
#include "proto/mcp/client/mcp_client_in.h"
#include "wire/stream_link.h"

#include <stdio.h>

struct stdio_wire {
    struct mcp_wire wire; /* first */
    struct proc proc;
    struct stream_link link;
    struct post start; /* tell that it is open, or did not even start */
    bool started, ended;
    struct err err;
};

static struct stdio_wire *of(struct mcp_wire *w)
{
    return CONTAINER_OF(w, struct stdio_wire, wire);
}

/* ---- its last words ------------------------------------------------------------------------ */

/* Frames of a stack trace and lone brackets would push out the line that says what is wrong. */
static bool says_something(struct str line)
{
    return line.n > 2 && line.p[0] != ' ' && line.p[0] != '\t' &&
           !str_starts(line, STR("Node.js v"));
}

/* As many of the last lines as fit, in their order. */
static void last_words(const struct tail *t, char *out, size_t size)
{
    struct str line[8];
    size_t lines = 0, used = 0;
    int n = 0;

    for (size_t i = t->count; i > 0 && lines < ARRAY_LEN(line); i--) {
        struct str one = tail_line(t, i - 1);

        if (!says_something(one))
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

static void why_it_ended(struct stdio_wire *s, const struct proc_exit *exit, struct err *e)
{
    char how[160], words[140];

    proc_exit_text(exit, how, sizeof(how));
    last_words(&s->proc.tail, words, sizeof(words));
    mcp_client_fail(s->wire.c, e, ERR_CLOSED, "%s%s%s", how, words[0] ? "; its last words: " : "",
                    words);
}

/* ---- the child ------------------------------------------------------------------------------ */

static void on_exit_(struct proc *p, const struct proc_exit *exit)
{
    struct stdio_wire *s = p->owner;
    struct err e;

    s->ended = true;
    why_it_ended(s, exit, &e);
    if (s->wire.c->events->on_last_words)
        s->wire.c->events->on_last_words(s->wire.c, &p->tail);
    if (s->wire.closing)
        proc_close(p);
    else
        mcp_wire_failed(&s->wire, 0, &e);
}

static void on_proc_closed(struct proc *p)
{
    struct stdio_wire *s = p->owner;

    mcp_wire_closed(&s->wire);
    mem_free(s);
}

static const struct proc_events proc_events = { .on_exit = on_exit_, .on_closed = on_proc_closed };

/* ---- its stdout ----------------------------------------------------------------------------- */

static void on_frame(struct link *link, const struct frame *frame)
{
    struct stdio_wire *s = link->owner;

    if (!s->wire.closing)
        peer_receive(&s->wire.c->peer, link, frame);
}

static void on_end(struct link *link, const struct err *e)
{
    struct stdio_wire *s = link->owner;

    (void)e;
    proc_stop(&s->proc);
}

static void on_link_closed(struct link *link)
{
    (void)link; /* the child's pipes are closed with it */
}

static const struct link_events link_events = { on_frame, on_end, on_link_closed };

/* ---- the wire ------------------------------------------------------------------------------- */

static bool start(struct stdio_wire *s, struct err *e)
{
    const struct mcp_client_world *world = &s->wire.c->world;
    const struct server_spec *spec = s->wire.c->spec;
    struct proc_env_opts env = {
        .ours = world->environ,
        .strict = spec->env_strict,
        .pass = spec->pass,
        .passes = spec->passes,
    };
    struct proc_opts opts = {
        .argv = spec->argv,
        .cwd = spec->cwd ? spec->cwd : world->root,
        .events = &proc_events,
        .owner = s,
        .io_events = &stream_link_events,
        .io_owner = &s->link,
    };
    AUTO_ARENA mem = { 0 };
    struct proc_env_var *set = ARENA_ARRAY(&mem, struct proc_env_var, spec->envs);

    for (size_t i = 0; i < spec->envs; i++)
        set[i] = (struct proc_env_var){ spec->env[i].name, spec->env[i].value };
    env.set = set;
    env.sets = spec->envs;
    return proc_env(&mem, &env, &opts.env, e) && proc_start(&s->proc, world->procs, &opts, e);
}

static void on_start(struct post *post)
{
    struct stdio_wire *s = CONTAINER_OF(post, struct stdio_wire, start);

    if (s->started) {
        mcp_wire_opened(&s->wire);
        return;
    }
    if (!s->wire.closing)
        mcp_wire_failed(&s->wire, 0, &s->err); /* closes us */
    mcp_wire_closed(&s->wire);
    mem_free(s);
}

static void close_wire(struct mcp_wire *w)
{
    struct stdio_wire *s = of(w);

    if (!s->started)
        return; /* on_start ends it */
    if (s->ended)
        proc_close(&s->proc);
    else
        proc_stop(&s->proc);
}

static const struct proc *proc_of(const struct mcp_wire *w)
{
    const struct stdio_wire *s = CONTAINER_OF(w, struct stdio_wire, wire);

    return s->started ? &s->proc : NULL;
}

static const struct mcp_wire_kind stdio_kind = {
    .transport = SERVER_STDIO,
    .close = close_wire,
    .proc = proc_of,
};

struct mcp_wire *mcp_stdio_wire_open(struct mcp_client *c)
{
    struct stdio_wire *s = MEM_NEW(struct stdio_wire);

    s->wire = (struct mcp_wire){ .kind = &stdio_kind, .c = c };
    s->start.fn = on_start;
    s->started = start(s, &s->err);
    if (s->started) {
        stream_link_open(&s->link, proc_io(&s->proc), FRAMING_AUTO, c->world.rpc->limits,
                         &link_events, s);
        s->wire.link = &s->link.link;
    } else {
        fail_in(&s->err, "server %s", c->spec->name);
    }
    loop_post(c->world.rpc->loop, &s->start);
    return &s->wire;
}
