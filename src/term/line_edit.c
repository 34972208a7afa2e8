/*
 * line_edit.c - connect the terminal with line_state, on the loop.
 *
 * Bytes are read only while a question is open and all earlier bytes are handled. So text that is
 * typed ahead needs at most the memory of one read.
 */
#include "term/line_edit.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/display.h"
#include "base/utf8.h"
#include "loop/fd_stream.h"
#include "loop/file.h"
#include "term/print.h"
#include "term/terminal_mode.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

enum { PORTION = 65536, PAINT_MOST = 64 << 20, CHOICES_MOST = 100 };

static struct str prompt_of(const struct line_edit *ed)
{
    return str_of(ed->prompt);
}

static void flush(struct line_edit *ed)
{
    ed->opt.put(ed->opt.ctx, buf_str(&ed->out));
    buf_clear(&ed->out);
}

static void line_edit_paint(struct line_edit *ed)
{
    line_paint(&ed->line, prompt_of(ed), &ed->screen, &ed->out);
    flush(ed);
}

/* Leave what was typed on the screen; what follows begins a row below it. */
static void paint_end(struct line_edit *ed)
{
    line_paint_end(&ed->line, prompt_of(ed), &ed->screen, &ed->out);
    flush(ed);
}

/* ---- answers ------------------------------------------------------------------------------- */

static void forget(struct line_edit *ed)
{
    line_taken(&ed->line);
    ed->cut = false;
}

static void take_keys(struct line_edit *ed)
{
    term_set(TERM_KEYS);
    buf_put(&ed->out, STR(TERM_PASTE_MARKED));
}

static void stop_asking(struct line_edit *ed)
{
    ed->asking = false;
    watch_want(&ed->watch, 0);
    if (!ed->terminal)
        return;
    buf_put(&ed->out, STR(TERM_PASTE_PLAIN));
    flush(ed);
    term_set(TERM_WORKING);
}

static void answer_leave(struct line_edit *ed)
{
    stop_asking(ed);
    forget(ed);
    ed->answer->leave(ed->ctx);
}

/* A history that cannot be written is said once, and done without. */
static void remember(struct line_edit *ed, struct str text)
{
    struct err e;

    if (ed->question || !line_history_add(&ed->history, text) || !ed->history_works)
        return;
    ed->history_works = line_history_append(ed->opt.history, text, &e);
    if (!ed->history_works)
        print_error(&e);
}

static void answer_text(struct line_edit *ed)
{
    struct buf text = ed->line.text;

    ed->line.text = (struct buf){ .max = text.max };
    stop_asking(ed);
    remember(ed, buf_str(&text));
    forget(ed);
    ed->answer->text(ed->ctx, buf_str(&text));
    buf_fini(&text);
}

/* ---- a terminal ---------------------------------------------------------------------------- */

static void line_edit_say(struct line_edit *ed, const char *text)
{
    buf_put(&ed->out, str_of(text));
    buf_put(&ed->out, STR("\r\n"));
}

static void show_choices(struct line_edit *ed)
{
    const struct line_choices *c = &ed->line.choices;

    for (size_t i = 0; i < c->n && i < CHOICES_MOST; i++) {
        show_text(&ed->out, c->v[i]);
        buf_put(&ed->out, STR("  "));
    }
    line_edit_say(ed, c->n > CHOICES_MOST ? "..." : "");
}

/* Ctrl-c: the question is over, or what was typed is, or once more and we leave. */
static void on_interrupt(struct line_edit *ed, bool typed)
{
    paint_end(ed);
    forget(ed);
    if (ed->answer->interrupt) {
        ed->line.interrupted = false;
        stop_asking(ed);
        ed->answer->interrupt(ed->ctx);
    } else if (!typed) {
        line_edit_say(ed, "(press ctrl-c again or ctrl-d to exit)");
    }
}

/* When all that was painted is on the screen. */
static void on_suspend(struct post *p)
{
    struct line_edit *ed = CONTAINER_OF(p, struct line_edit, suspend);

    term_suspend();
    take_keys(ed);
    line_edit_paint(ed);
}

static void suspend(struct line_edit *ed)
{
    paint_end(ed);
    loop_post_flush(ed->opt.loop, &ed->suspend);
}

/* Said once for each text; then it is a beep. */
static void on_full(struct line_edit *ed)
{
    if (ed->cut) {
        buf_putc(&ed->out, '\a');
        return;
    }
    ed->cut = true;
    paint_end(ed);
    line_edit_say(ed, "(the rest is too long: limits.chat_line_bytes)");
}

static void line_edit_act(struct line_edit *ed, enum line_action action)
{
    switch (action) {
    case LINE_MORE: break;
    case LINE_SUBMIT:
        paint_end(ed);
        answer_text(ed);
        break;
    case LINE_CLEARED: on_interrupt(ed, true); break;
    case LINE_WARN: on_interrupt(ed, false); break;
    case LINE_LEAVE:
        paint_end(ed);
        answer_leave(ed);
        break;
    case LINE_REDRAW:
        buf_put(&ed->out, STR("\x1b[H\x1b[2J"));
        ed->screen.top = ed->screen.cursor = 0;
        break;
    case LINE_CHOICES:
        paint_end(ed);
        show_choices(ed);
        break;
    case LINE_SUSPEND: suspend(ed); break;
    case LINE_FULL: on_full(ed); break;
    }
}

static void use_keys(struct line_edit *ed)
{
    while (ed->asking && ed->ahead.n) {
        struct str rest = buf_str(&ed->ahead);
        enum line_action action = line_feed(&ed->line, &rest);

        buf_consume(&ed->ahead, ed->ahead.n - rest.n);
        line_edit_act(ed, action);
    }
    if (ed->asking && ed->ended)
        answer_leave(ed);
    else if (ed->asking && !ed->line.keys.pasting) /* a long paste is painted once */
        line_edit_paint(ed);
}

/* ---- a pipe -------------------------------------------------------------------------------- */

/* Bytes that are no UTF-8, and NUL, become U+FFFD. */
static void mend(struct buf *text)
{
    struct buf whole;
    struct str rest = buf_str(text);

    if (utf8_valid(rest) == rest.n && str_find_byte(rest, 0) < 0)
        return;
    buf_init(&whole, 3 * text->max);
    while (rest.n) {
        size_t n = rest.p[0] ? utf8_len(rest.p, rest.n) : 0;

        buf_put(&whole, n ? str_head(rest, n) : STR("\xef\xbf\xbd"));
        rest = str_skip(rest, n ? n : 1);
    }
    buf_fini(text);
    *text = whole;
}

static void answer_plain(struct line_edit *ed)
{
    struct buf *text = &ed->line.text;
    size_t most = text->max;
    struct err e;

    if (ed->cut) {
        fail(&e, ERR_LIMIT, "a line is longer than %zu bytes (limits.chat_line_bytes): skipped",
             most);
        print_error(&e);
        buf_clear(text);
        ed->cut = false;
        return;
    }
    if (text->n && text->p[text->n - 1] == '\r')
        text->n--;
    mend(text);
    answer_text(ed);
    ed->line.text.max = most;
}

/* Take the next line, or what there is of it, from what was read. */
static void use_plain(struct line_edit *ed)
{
    while (ed->asking && ed->ahead.n) {
        ptrdiff_t end = str_find_byte(buf_str(&ed->ahead), '\n');
        size_t n = end < 0 ? ed->ahead.n : (size_t)end;

        ed->cut |= !buf_put(&ed->line.text, str_head(buf_str(&ed->ahead), n));
        buf_consume(&ed->ahead, n + (end >= 0));
        if (end >= 0)
            answer_plain(ed);
    }
    if (ed->asking && ed->ended && (ed->line.text.n || ed->cut))
        answer_plain(ed);
    if (ed->asking && ed->ended)
        answer_leave(ed);
}

/* ---- reading ------------------------------------------------------------------------------- */

static void line_edit_use(struct line_edit *ed)
{
    if (ed->terminal)
        use_keys(ed);
    else
        use_plain(ed);
    watch_want(&ed->watch, ed->asking && !ed->ended ? WATCH_READ : 0);
}

static void on_ready(struct watch *w, unsigned events)
{
    struct line_edit *ed = CONTAINER_OF(w, struct line_edit, watch);
    ssize_t got;

    (void)events;
    if (!ed->asking || ed->ahead.n)
        return;
    got = read(ed->in, buf_reserve(&ed->ahead, PORTION), PORTION);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0)
        buf_added(&ed->ahead, (size_t)got);
    ed->ended = got <= 0;
    line_edit_use(ed);
}

static void on_go(struct post *p)
{
    struct line_edit *ed = CONTAINER_OF(p, struct line_edit, go);

    if (ed->asking)
        line_edit_use(ed);
}

/* ---- signals ------------------------------------------------------------------------------- */

static void on_resize(int signum, void *ctx)
{
    struct line_edit *ed = ctx;
    size_t columns, rows;

    (void)signum;
    term_size(STDOUT_FILENO, &columns, &rows);
    line_resized(&ed->line, prompt_of(ed), &ed->screen, columns, rows);
    if (ed->asking)
        line_edit_paint(ed);
}

static void on_stop(int signum, void *ctx)
{
    (void)signum;
    (void)ctx;
    term_suspend();
}

/* The shell, or who was in front meanwhile, may have changed the modes. */
static void on_continued(int signum, void *ctx)
{
    struct line_edit *ed = ctx;

    (void)signum;
    if (ed->asking) {
        take_keys(ed);
        line_edit_paint(ed);
    } else if (term_now() == TERM_WORKING) {
        term_set(TERM_WORKING);
    }
}

/* ---- its life ------------------------------------------------------------------------------ */

static bool can_edit(void)
{
    const char *term = getenv("TERM");

    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term &&
           !str_eq(str_of(term), STR("dumb"));
}

static void open_history(struct line_edit *ed)
{
    AUTO_ARENA mem = { 0 };
    struct err e;

    line_history_init(&ed->history, (size_t)ed->opt.limits->chat_history_lines,
                      (size_t)ed->opt.limits->chat_history_bytes);
    if (!ed->terminal || !ed->opt.history)
        return;
    ed->history_works = file_make_parent(&mem, ed->opt.history, &e) &&
                        line_history_load(&ed->history, ed->opt.history, &e);
    if (!ed->history_works)
        print_error(&e);
}

static bool open_terminal(struct line_edit *ed, struct err *e)
{
    if (!loop_on_signal(ed->opt.loop, SIGWINCH, on_resize, ed, e) ||
        !loop_on_signal(ed->opt.loop, SIGCONT, on_continued, ed, e) ||
        !loop_on_signal(ed->opt.loop, SIGTSTP, on_stop, ed, e) || !term_open(ed->in, e))
        return false;
    term_size(STDOUT_FILENO, &ed->screen.columns, &ed->screen.rows);
    return true;
}

bool line_edit_open(struct line_edit *ed, const struct line_edit_opts *opts, struct err *e)
{
    *ed = (struct line_edit){
        .opt = *opts, .terminal = can_edit(), .go.fn = on_go, .suspend.fn = on_suspend
    };
    if (!fd_own_nonblocking(STDIN_FILENO, &ed->in, e))
        return false;
    if (ed->terminal && !open_terminal(ed, e)) {
        close(ed->in);
        return false;
    }
    open_history(ed);
    buf_init(&ed->ahead, PORTION);
    buf_init(&ed->out, PAINT_MOST);
    line_init(&ed->line, (size_t)opts->limits->chat_line_bytes, &ed->history);
    ed->line.complete = opts->complete;
    ed->line.ctx = opts->ctx;
    ed->ended = !watch_open(&ed->watch, opts->loop, ed->in, on_ready, e);
    return true;
}

void line_edit_ask(struct line_edit *ed, struct str prompt, bool question,
                   const struct line_answer *answer, void *ctx)
{
    str_to_c(utf8_head(prompt, sizeof(ed->prompt) - 1), ed->prompt, sizeof(ed->prompt));
    ed->answer = answer;
    ed->ctx = ctx;
    ed->question = question;
    ed->asking = true;
    if (ed->terminal && question) {
        tcflush(ed->in, TCIFLUSH);
        buf_clear(&ed->ahead);
    }
    if (ed->terminal)
        take_keys(ed);
    loop_post(ed->opt.loop, &ed->go);
}

void line_edit_cancel(struct line_edit *ed)
{
    if (!ed->asking)
        return;
    if (ed->terminal)
        paint_end(ed);
    stop_asking(ed);
    forget(ed);
}

static void on_closed(struct watch *w)
{
    struct line_edit *ed = CONTAINER_OF(w, struct line_edit, watch);

    close(ed->in);
    ed->closed(ed->closed_ctx);
}

void line_edit_close(struct line_edit *ed, void (*done)(void *ctx), void *ctx)
{
    line_edit_cancel(ed);
    if (ed->terminal)
        term_close();
    loop_unpost(ed->opt.loop, &ed->go);
    loop_unpost(ed->opt.loop, &ed->suspend);
    line_fini(&ed->line);
    line_history_fini(&ed->history);
    buf_fini(&ed->ahead);
    buf_fini(&ed->out);
    ed->closed = done;
    ed->closed_ctx = ctx;
    watch_close(&ed->watch, on_closed);
}
