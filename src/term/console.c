#include "term/console.h"

#include "base/container.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_MOST = 64 << 10, INPUT_BACKLOG = 4096 };

/* ---- writing ------------------------------------------------------------------------------- */

static struct stream *side_stream(struct console *c, enum render_side side)
{
    return side == RENDER_ANSWER || c->together ? &c->out.s : &c->err.s;
}

/* What is aside leaves at once: it erases the spinner before others write to the terminal. */
static void console_put(struct render_sink *sink, enum render_side side, struct str bytes)
{
    struct console *c = CONTAINER_OF(sink, struct console, sink);
    struct stream *s = side_stream(c, side);

    if (s->error)
        return;
    stream_put(s, bytes);
    if (s == &c->err.s)
        stream_flush(s);
}

static void on_nothing(struct stream *s, struct str bytes)
{
    (void)s;
    (void)bytes;
}

static void on_out_end(struct stream *s, const struct err *e)
{
    struct console *c = s->owner;

    if (!e || s != &c->out.s || c->gone)
        return;
    c->gone = true;
    c->why = *e;
    if (c->on_gone)
        c->on_gone(c->ctx);
}

static void on_out_room(struct stream *s)
{
    struct console *c = s->owner;

    if (c->closing)
        stream_close(s);
}

/* A mode that could not be ours alone is given back: the shell shares it. */
static void restore_modes(const struct console *c)
{
    for (int fd = 0; fd < 3; fd++)
        if (c->mode[fd] >= 0 && !(c->mode[fd] & O_NONBLOCK))
            fcntl(fd, F_SETFL, c->mode[fd]);
}

static void one_closed(struct console *c)
{
    if (--c->open || !c->closing)
        return;
    buf_fini(&c->line);
    restore_modes(c);
    c->closed(c->closed_ctx);
}

static void on_out_closed(struct stream *s)
{
    one_closed(s->owner);
}

static const struct stream_events out_events = { on_nothing, on_out_end, on_out_room,
                                                 on_out_closed };

/* ---- lines of stdin ------------------------------------------------------------------------ */

static void open_in(struct console *c);

static void console_hold(struct console *c)
{
    if (c->render && !c->held)
        render_hold(c->render);
    c->held = true;
}

static void let_go(struct console *c)
{
    if (c->render && c->held)
        render_release(c->render);
    c->held = false;
}

static void close_in(struct console *c)
{
    if (!c->reading || c->closed_in)
        return;
    c->closed_in = true;
    stream_close(&c->in.s);
}

static void got_line(struct console *c, struct str line)
{
    c->wanted = false;
    if (c->reading && !c->closed_in)
        stream_pause(&c->in.s);
    asking_line(&c->asking, line);
    if (!c->wanted)
        let_go(c);
}

/* The terminal gives a line at a time; one that is too long is cut. */
static void on_in_bytes(struct stream *s, struct str bytes)
{
    struct console *c = s->owner;
    ptrdiff_t end = str_find_byte(bytes, '\n');

    buf_put(&c->line, str_head(bytes, end < 0 ? bytes.n : (size_t)end));
    if (end < 0 || !c->wanted)
        return;
    got_line(c, c->line.p ? buf_str(&c->line) : STR(""));
}

/* Nobody can answer there any more. That is a no, unless whoever asks wants to know. */
static void lost(struct console *c)
{
    if (c->on_lost)
        c->on_lost(c->lost_ctx);
    else
        got_line(c, STR_NONE);
}

/* Ctrl-D, or the terminal is gone, which may look the same: the next question opens it anew. */
static void on_in_end(struct stream *s, const struct err *e)
{
    struct console *c = s->owner;

    close_in(c);
    if (!c->wanted)
        return;
    console_put(&c->sink, RENDER_ASIDE, STR("\n"));
    if (e || !isatty(STDIN_FILENO))
        lost(c);
    else
        got_line(c, STR_NONE);
}

static void on_in_room(struct stream *s)
{
    (void)s;
}

static void on_in_closed(struct stream *s)
{
    struct console *c = s->owner;

    c->reading = c->closed_in = false;
    if (c->wanted && !c->closing)
        open_in(c);
    one_closed(c);
}

static const struct stream_events in_events = { on_in_bytes, on_in_end, on_in_room, on_in_closed };

/* While the last one closes, the next waits for that. */
static void open_in(struct console *c)
{
    struct err e;
    int fd;

    if (c->reading) {
        if (!c->closed_in)
            stream_resume(&c->in.s);
        return;
    }
    if (!fd_own_nonblocking(STDIN_FILENO, &fd, &e)) {
        lost(c);
        return;
    }
    c->reading = true;
    c->open++;
    sock_stream_open(&c->in, c->loop, fd, &in_events, c, INPUT_BACKLOG);
    stream_start(&c->in.s);
}

/* ---- asking -------------------------------------------------------------------------------- */

static struct console *of_asking(struct asking *a)
{
    return CONTAINER_OF(a, struct console, asking);
}

static void console_show(struct asking *a, struct str lines)
{
    struct console *c = of_asking(a);

    console_hold(c);
    console_put(&c->sink, RENDER_ASIDE, lines);
}

/* What was typed before the question was seen is no answer to it. */
static void want(struct asking *a, struct str prompt)
{
    struct console *c = of_asking(a);

    console_hold(c);
    tcflush(STDIN_FILENO, TCIFLUSH);
    console_put(&c->sink, RENDER_ASIDE, prompt);
    buf_clear(&c->line);
    c->wanted = true;
    open_in(c);
}

static void unwant(struct asking *a)
{
    struct console *c = of_asking(a);

    c->wanted = false;
    console_put(&c->sink, RENDER_ASIDE, STR("\n"));
    if (c->reading && !c->closed_in)
        stream_pause(&c->in.s);
    let_go(c);
}

static const struct asking_kind asking_kind = { console_show, want, unwant };

/* ---- life ---------------------------------------------------------------------------------- */

static bool same_terminal(void)
{
    struct stat a, b;

    return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) && fstat(STDOUT_FILENO, &a) == 0 &&
           fstat(STDERR_FILENO, &b) == 0 && a.st_rdev == b.st_rdev;
}

static bool open_out(struct console *c, struct sock_stream *s, int from, struct err *e)
{
    int fd;

    if (!fd_own_nonblocking(from, &fd, e))
        return false;
    c->open++;
    sock_stream_open(s, c->loop, fd, &out_events, c, (size_t)c->limits->output_backlog_bytes);
    return true;
}

bool console_open(struct console *c, struct loop *loop, const struct limits *limits,
                  void (*on_gone)(void *ctx), void *ctx, struct err *e)
{
    *c = (struct console){ .sink = { console_put },
                           .asking = { .kind = &asking_kind },
                           .loop = loop,
                           .limits = limits,
                           .on_gone = on_gone,
                           .ctx = ctx,
                           .together = same_terminal() };
    buf_init(&c->line, LINE_MOST);
    for (int fd = 0; fd < 3; fd++) {
        c->mode[fd] = fcntl(fd, F_GETFL);
        c->terminal[fd] = isatty(fd);
    }
    if (!open_out(c, &c->out, STDOUT_FILENO, e))
        return false;
    if (!c->together && !open_out(c, &c->err, STDERR_FILENO, e))
        c->err.s.error = -1; /* without a stderr what is aside is not said */
    return true;
}

void console_set(const struct console *c, struct render_opts *opts)
{
    struct winsize size = { 0 };
    const char *term = getenv("TERM");

    opts->answer_shown = c->terminal[STDOUT_FILENO];
    opts->together = c->together;
    opts->colour = c->terminal[STDERR_FILENO] && render_colours();
    opts->spin = c->terminal[STDERR_FILENO] && term && *term && !str_eq(str_of(term), STR("dumb"));
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        opts->columns = size.ws_col;
}

bool console_can_ask(const struct console *c)
{
    return c->terminal[STDIN_FILENO] && c->terminal[STDERR_FILENO];
}

bool console_could_ask(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static void end_out(struct stream *s, bool now)
{
    if (now || s->error)
        stream_close(s);
    else
        stream_tell_room(s);
}

void console_close(struct console *c, bool now, void (*done)(void *ctx), void *ctx)
{
    c->closed = done;
    c->closed_ctx = ctx;
    if (c->closing) { /* told again, to hurry */
        if (now && !c->out.s.closing)
            stream_close(&c->out.s);
        return;
    }
    c->closing = true;
    close_in(c);
    end_out(&c->out.s, now);
    if (!c->together && c->err.fd > 0)
        end_out(&c->err.s, now);
}
