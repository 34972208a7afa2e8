/*
 * run_attach.c - a prompt worked on in the daemon of the root: the screen is here, the job there
 * (attached_run_lines.h).
 *
 * It ends with the daemon's last word, or with its connection. Then questions that are open are taken
 * back, and when the last of them has gone and the link is closed, so are we. A daemon that was told to
 * stop and says nothing more for limits.shutdown_ms is left as it stands.
 */
#include "app/run.h"
#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "daemon/attach.h"
#include "daemon/attached_run_lines.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

struct far_run {
    struct run_screen screen;
    struct loop *loop;
    int pid; /* of the daemon */
    struct pipe_stream io;
    struct stream_link link;
    struct limits limits; /* of what the daemon says */
    struct host host;     /* of calls that something is asked for */
    struct far_ask *asks;
    struct buf out;
    struct timer patience; /* with a daemon that was told to end */
    bool canceled;         /* it was */
    bool over, closed;
    int code;
};

/* A question of the agent there, as if its call were here. */
struct far_ask {
    struct ask ask; /* first */
    struct call call;
    struct arena mem;
    struct far_run *run;
    struct far_ask *next;
    int64_t id;
};

/* ---- the end --------------------------------------------------------------------------------- */

static void check_over(struct far_run *r)
{
    if (r->over && r->closed && !r->asks)
        loop_stop(r->loop);
}

static void set_over(struct far_run *r, int code)
{
    r->over = true;
    r->code = code;
    for (struct far_ask *f = r->asks; f; f = f->next)
        op_cancel(&f->ask.op);
}

static void finish(struct far_run *r, int code)
{
    if (r->over)
        return;
    set_over(r, code);
    link_close(&r->link.link);
}

static void break_off(struct far_run *r, const struct err *e)
{
    if (r->over)
        return;
    render_note(&r->screen.render, str_of(e->text));
    finish(r, EXIT_FAILED);
}

/* ---- telling the daemon ---------------------------------------------------------------------- */

static struct jw new_line(struct far_run *r)
{
    struct jw w = jw_to(&r->out);

    buf_clear(&r->out);
    jw_object(&w);
    return w;
}

static void send_line(struct far_run *r, struct jw *w)
{
    struct str line;

    jw_object_end(w);
    line = buf_str(&r->out);
    if (!r->over)
        link_send(&r->link.link, &line, 1);
}

/* What waits to be sent would never be read: the link is not closed in order. */
static void on_no_answer(struct timer *t)
{
    struct far_run *r = CONTAINER_OF(t, struct far_run, patience);
    char text[160];

    snprintf(
        text, sizeof(text),
        "the daemon (process %d) was told to stop and does not answer; it may still work on it",
        r->pid);
    if (!r->over) {
        render_note(&r->screen.render, str_of(text));
        set_over(r, EXIT_FAILED);
    }
    if (!r->io.s.closing)
        stream_close(&r->io.s);
}

static void stop(struct run_screen *s)
{
    struct far_run *r = CONTAINER_OF(s, struct far_run, screen);
    struct jw w;

    if (r->canceled || r->closed)
        return;
    r->canceled = true;
    w = new_line(r);
    jw_kbool(&w, "cancel", true);
    send_line(r, &w);
    timer_set(r->loop, &r->patience, r->limits.shutdown_ms, on_no_answer);
}

/* The second time we leave as we stand: the daemon sees that, too. */
static void on_signal(int signum, void *ctx)
{
    struct far_run *r = ctx;

    if (r->screen.interrupted)
        _exit(128 + signum);
    run_screen_interrupt(&r->screen);
}

/* ---- questions ------------------------------------------------------------------------------- */

static void free_ask(struct op *op)
{
    struct far_ask *f = CONTAINER_OF(op, struct far_ask, ask.op), **at = &f->run->asks;
    struct far_run *r = f->run;

    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    arena_fini(&f->mem);
    mem_free(f);
    check_over(r);
}

static const struct op_kind ask_kind = { .name = "ask", .release = free_ask };

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct far_ask *f = ctx;
    struct jw w = new_line(f->run);

    (void)op;
    jw_kint(&w, "answer", f->id);
    if (e) {
        jw_kstr(&w, "code", str_of(err_code_name(e->code)));
        jw_kstr(&w, "text", str_of(e->text));
    } else {
        jw_kraw(&w, "value", json_raw(f->ask.answer));
    }
    send_line(f->run, &w);
}

static void ask(struct far_run *r, const struct run_line *line)
{
    struct far_ask *f = MEM_NEW(struct far_ask);
    struct work_client *c = &r->screen.client;

    *f = (struct far_ask){ .run = r, .id = line->ask, .next = r->asks };
    r->asks = f;
    f->call.host = &r->host;
    f->call.mem = &f->mem;
    f->ask.call = &f->call;
    f->ask.about = &f->call;
    if (!ask_kind_named(line->kind, &f->ask.kind))
        f->ask.kind = ASK_KINDS; /* nobody can be asked that */
    f->ask.params =
        json_here(line->params) ? arena_str(&f->mem, json_raw(line->params)) : STR("{}");
    op_begin(&f->ask.op, &ask_kind, r->loop, NULL, on_answered, f);
    if (!c->kind->can(c, f->ask.kind))
        ask_refuse(&f->ask, &(struct err){ ERR_DENIED, "nobody is there to answer" });
    else
        c->kind->ask(c, &f->ask);
}

static void take_back(struct far_run *r, int64_t id)
{
    struct far_ask *f = r->asks;

    while (f && f->id != id)
        f = f->next;
    if (f)
        op_cancel(&f->ask.op);
}

/* ---- what the daemon says -------------------------------------------------------------------- */

static void on_begins(struct far_run *r, struct arena *mem, struct json b)
{
    struct json session = json_get(b, STR("session"));

    run_screen_begins(&r->screen, json_here(session) ? json_str(mem, session) : STR_NONE,
                      json_str(mem, json_get(b, STR("agent"))),
                      json_str(mem, json_get(b, STR("model"))));
}

static void on_event(struct far_run *r, struct arena *mem, const struct run_line *line)
{
    struct work_client *c = &r->screen.client;
    struct event ev;
    struct err e;

    if (!event_read(mem, line->event, &ev, &e))
        break_off(r, &e);
    else if (line->below.p)
        c->kind->below(c, line->below, &ev);
    else
        c->kind->event(c, &ev);
}

static void on_done(struct far_run *r, const struct run_line *line)
{
    if (line->canceled && !run_screen_over(&r->screen))
        render_note(&r->screen.render, STR("the daemon was told to stop, and has ended the turn"));
    finish(r, run_screen_done(&r->screen, (int)line->done, line->canceled));
}

static void on_line(struct far_run *r, struct arena *mem, const struct run_line *line)
{
    if (json_here(line->event))
        on_event(r, mem, line);
    else if (json_here(line->begins))
        on_begins(r, mem, line->begins);
    else if (line->turns)
        render_wait(&r->screen.render);
    else if (line->note.p)
        render_note(&r->screen.render, line->note);
    else if (line->ask >= 0)
        ask(r, line);
    else if (line->taken >= 0)
        take_back(r, line->taken);
    else if (line->done >= 0)
        on_done(r, line);
}

static void on_frame(struct link *link, const struct frame *frame)
{
    struct far_run *r = link->owner;
    AUTO_ARENA mem = { 0 };
    struct run_line line;
    struct err e;

    if (r->over)
        return;
    if (run_line_read(&mem, frame, &r->limits, &line, &e))
        on_line(r, &mem, &line);
    else
        break_off(r, &e);
}

static void on_end(struct link *link, const struct err *why)
{
    struct far_run *r = link->owner;
    struct err e;

    (void)why;
    attach_lost(r->pid, &e);
    break_off(r, &e);
}

static void on_closed(struct link *link)
{
    struct far_run *r = link->owner;

    r->closed = true;
    timer_clear(r->loop, &r->patience);
    check_over(r);
}

static const struct link_events link_events = { on_frame, on_end, on_closed };

/* ---- life ------------------------------------------------------------------------------------ */

/* Takes the descriptor, also when it fails. */
static bool open_link(struct far_run *r, int fd, struct err *e)
{
    AUTO_FD in = fd;
    AUTO_FD out = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    size_t backlog = (size_t)r->limits.output_backlog_bytes;

    if (out < 0)
        return fail_sys(e, "the daemon's socket");
    if (!loop_on_signal(r->loop, SIGTERM, on_signal, r, e) ||
        !loop_on_signal(r->loop, SIGINT, on_signal, r, e))
        return false;
    pipe_stream_open(&r->io, r->loop, TAKE_FD(in), TAKE_FD(out), &stream_link_events, &r->link,
                     backlog);
    stream_link_open(&r->link, &r->io.s, FRAMING_LINE, &r->limits, &link_events, r);
    return true;
}

static int work(struct far_run *r, int fd, struct str request, int64_t timeout_ms)
{
    struct err e;

    if (!run_screen_open(&r->screen, timeout_ms, &e)) {
        close(fd);
        return print_error(&e);
    }
    if (!open_link(r, fd, &e))
        return run_screen_close(&r->screen, print_error(&e));
    link_send(&r->link.link, &request, 1);
    while (!r->over || !r->closed || r->asks)
        loop_run(r->loop);
    return run_screen_close(&r->screen, r->code);
}

/* False: it is larger than what a daemon takes. */
static bool write_request(struct app *app, const struct run_want *want, struct str *out)
{
    struct buf b;
    struct jw w = jw_to(&b);

    buf_init_in(&b, &app->project.mem, (size_t)app->project.config.limits.message_bytes - 1);
    jw_object(&w);
    jw_plain_key(&w, STR("run"));
    run_want_write(&w, want, console_could_ask());
    jw_object_end(&w);
    *out = buf_str(&b);
    return !b.full;
}

static int knock(struct app *app, int *pid)
{
    char config[DAEMON_DIGEST];
    struct daemon_hello hello = { .face = STR("run") };
    struct err e;

    if (!daemon_key_digests(&app->project.mem, &app->project.config, &hello.keys, &e))
        return -1;
    daemon_config_digest(&app->project, config);
    hello.config = str_of(config);
    return attach_socket(&app->project, hello, pid);
}

bool run_attached(struct app *app, const struct run_args *args, const struct run_want *want,
                  int64_t timeout_ms, int *out_code)
{
    struct far_run *r = ARENA_NEW(&app->project.mem, struct far_run);
    struct str request;
    int fd;

    if (args->no_attach || attach_is_forbidden() || app->opt.log_level ||
        !write_request(app, want, &request))
        return false;
    fd = knock(app, &r->pid);
    if (fd < 0)
        return false;
    r->loop = loop_new(LOOP_REAL_CLOCK);
    r->limits = app->project.config.limits;
    r->limits.message_bytes = r->limits.output_backlog_bytes;
    r->host = (struct host){ .loop = r->loop, .limits = &app->project.config.limits };
    r->screen = (struct run_screen){ .app = app, .loop = r->loop, .args = args, .stop = stop };
    buf_init(&r->out, (size_t)r->limits.output_backlog_bytes);
    *out_code = work(r, fd, request, timeout_ms);
    buf_fini(&r->out);
    loop_free(r->loop);
    return true;
}
